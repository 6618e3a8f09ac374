package evm_test

import (
	"bytes"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

func TestAddress_Forms(t *testing.T) {
	ones := evm.Address(bytes.Repeat([]byte{0xff}, 20))
	checkBytes(t, []evm.Address{{}, {0: 1}, ones, {18: 0xde, 19: 0xad}, {0: 0x01, 1: 0xab, 7: 0x80, 8: 0x7f, 19: 0xf0}}, evm.JoinAddress)
}

func TestParseAddress_AnyCase(t *testing.T) {
	const want = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
	for name, text := range map[string]string{
		"lower case":          want,
		"EIP-55":              "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"invalid checksum":    "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"upper case":          "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
		"upper case, also 0X": "0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := evm.ParseAddress(text)
			if err != nil || got.String() != want {
				t.Errorf("got %s, error %v, want %s", got, err, want)
			}
		})
	}
}

func TestAddress_Refused(t *testing.T) {
	before := evm.Address{0: 1, 19: 2}
	checkRefused(t, before, evm.ParseAddress, refused{badHex(40), badHexGQL(), badHexJSON(before.String())})
	checkBytesRefused(t, before, "address", 20, evm.JoinAddress)
}

// TestAddress_Prefix checks that a prefix holds the first 8 bytes, including those with the
// highest bit set, as a signed integer. Their order does not matter to the index.
func TestAddress_Prefix(t *testing.T) {
	for text, want := range map[string]int64{
		"0x0000000000000001ffffffffffffffffffffffff": 1,
		"0x7fffffffffffffffffffffffffffffffffffffff": 1<<63 - 1,
		"0x8000000000000000ffffffffffffffffffffffff": -1 << 63,
		"0xffffffffffffffff000000000000000000000000": -1,
	} {
		a, err := evm.ParseAddress(text)
		expect.NoError(t, err)
		if got := a.Prefix(); got != want {
			t.Errorf("Prefix of %s: got %d, want %d", text, got, want)
		}
		if len(a.Suffix()) != 12 || !bytes.Equal(a.Suffix(), a[8:]) {
			t.Errorf("Suffix of %s: got %x, want the last 12 bytes", text, a.Suffix())
		}
	}
}
