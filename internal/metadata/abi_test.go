package metadata_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

func word(hexadecimal string) string { return strings.Repeat("0", 64-len(hexadecimal)) + hexadecimal }

func TestDecodeURI(t *testing.T) {
	for _, test := range []struct{ situation, data, want string }{
		{"empty string", word("20") + word("0"), ""},
		{"short", word("20") + word("2") + "6869" + strings.Repeat("00", 30), "hi"},
		{"truncated last word", word("20") + word("2") + "6869", "hi"},
		{"data after the string", word("20") + word("2") + "6869" + strings.Repeat("00", 94), "hi"},
		{"gap before the string", word("40") + word("ffff") + word("2") + "6869", "hi"},
		{"offset not a multiple of 32", word("21") + "ff" + word("2") + "6869", "hi"},
		{"offset that points to itself", word("0") + strings.Repeat("61", 40), ""},
		{"U+0000 around and within", word("20") + word("5") + "0068006900", "h\uFFFDi"},
		{"invalid UTF-8", word("20") + word("3") + "68ff69", "h\uFFFDi"},
	} {
		t.Run(test.situation, func(t *testing.T) {
			got, err := metadata.DecodeURI(unhex(t, test.data))
			if err != nil || got != test.want {
				t.Errorf("got %q, error %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestDecodeURI_Refused(t *testing.T) {
	for _, test := range []struct{ situation, data, want string }{
		{"nothing", "", "the result is empty"},
		{"bytes32", hex.EncodeToString([]byte("ipfs://a")) + strings.Repeat("00", 24), "the result is not a string: 32 bytes"},
		{"number", word("1"), "the result is not a string: 32 bytes"},
		{"less than a word", "20", "the result is not a string: 1 bytes"},
		{"offset without a length", word("20"), "the result is not a string: 32 bytes"},
		{"offset outside the data", word("41") + word("0"), "the result is not a string: 64 bytes"},
		{"offset beyond int", strings.Repeat("f", 64) + word("0"), "the result is not a string: 64 bytes"},
		{"offset near the largest int", word("7fffffffffffffff") + word("0"), "the result is not a string: 64 bytes"},
		{"length too large by one", word("20") + word("3") + "6869", "the result is not a string: 66 bytes"},
		{"length beyond int", word("20") + strings.Repeat("f", 64) + "6869", "the result is not a string: 66 bytes"},
	} {
		t.Run(test.situation, func(t *testing.T) {
			got, err := metadata.DecodeURI(unhex(t, test.data))
			if err == nil || err.Error() != test.want || got != "" {
				t.Errorf("got %q, error %v, want %s", got, err, test.want)
			}
		})
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	expect.NoError(t, err)
	return data
}

// FuzzDecodeURI checks that DecodeURI never panics, that its text can be stored and does not
// outgrow the data, and that it decodes every encoded string.
func FuzzDecodeURI(f *testing.F) {
	f.Add([]byte(nil), "")
	f.Add(chaintest.ABIString("ipfs://a"), "\x00a\xff")
	f.Add(make([]byte, 96), "a")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		got, err := metadata.DecodeURI(data)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") || len(got) > 3*len(data) || err != nil && got != "" {
			t.Fatalf("got %q, error %v", got, err)
		}
		clean := strings.ToValidUTF8(strings.Trim(text, "\x00"), "\uFFFD")
		if got, err := metadata.DecodeURI(chaintest.ABIString(text)); err != nil || got != strings.ReplaceAll(clean, "\x00", "\uFFFD") {
			t.Fatalf("%q was read as %q, error %v", text, got, err)
		}
	})
}
