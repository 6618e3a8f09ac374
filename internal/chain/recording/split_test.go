package recording_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strings"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/testing/expect"
)

// TestItems_LongLineMemory checks that a line that is refused takes no more memory than the longest
// line, also if it is compressed.
func TestItems_LongLineMemory(t *testing.T) {
	const most = 32 << 20
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.CopyN(z, repeated{}, 4*most)
	expect.NoError(t, err)
	expect.NoError(t, z.Close())
	for name, in := range map[string]io.Reader{"plain": io.LimitReader(repeated{}, 4*most), "gzip": &packed} {
		r, err := recording.Open([]string{"-"}, bufio.NewReader(in))
		expect.NoError(t, err)
		r.SetMaxLine(most)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var failed error
		for _, err := range r.Items(t.Context()) {
			failed = err
		}
		runtime.ReadMemStats(&after)
		if failed == nil || !strings.Contains(failed.Error(), "stdin:1: the line is longer than") {
			t.Errorf("%s: got %v", name, failed)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > most+8<<20 {
			t.Errorf("%s: it allocated %d bytes, want about %d", name, took, most)
		}
	}
}

// repeated is an endless line.
type repeated struct{}

func (repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
