package gunzip_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mintburn/internal/gunzip"
	"mintburn/internal/testing/expect"
)

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	expect.NoError(t, errors.Join(err, z.Close()))
	return b.String()
}

// TestNewReader checks what may follow a member.
func TestNewReader(t *testing.T) {
	one, two, empty, zeros := packed(t, "one"), packed(t, "two"), packed(t, ""), strings.Repeat("\x00", 10_000)
	for name, test := range map[string]struct{ data, text, err string }{
		"one member":          {one, "one", ""},
		"two members":         {one + two, "onetwo", ""},
		"a zero":              {one + "\x00", "one", ""},
		"zeros":               {one + zeros, "one", ""},
		"zeros between":       {one + zeros + two + "\x00\x00", "onetwo", ""},
		"many empty members":  {strings.Repeat(empty, 10_000) + two, "two", ""},
		"nothing packed":      {empty + zeros, "", ""},
		"text after":          {one + "text and more", "one", "gzip: invalid header"},
		"text after zeros":    {one + zeros + "text and more", "one", "gzip: invalid header"},
		"a header cut off":    {one + two[:5], "one", "unexpected EOF"},
		"a member cut off":    {one + zeros + two[:len(two)-1], "onetwo", "unexpected EOF"},
		"zeros in a checksum": {one[:len(one)-8] + zeros[:8], "one", "gzip: invalid checksum"},
	} {
		for _, in := range []io.Reader{strings.NewReader(test.data), iotest.OneByteReader(strings.NewReader(test.data))} {
			z, err := gunzip.NewReader(bufio.NewReader(in))
			expect.NoError(t, err)
			got, err := io.ReadAll(z)
			if text := string(got); text != test.text || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: got %q, error %v, want %q, %s", name, text, err, test.text, test.err)
			}
		}
	}
	if _, err := gunzip.NewReader(bufio.NewReader(strings.NewReader(zeros))); err == nil {
		t.Error("zeros alone: got no error")
	}
}
