package evm_test

import (
	"bytes"
	"strings"
	"testing"

	"mintburn/internal/evm"
)

func TestAddress_Forms(t *testing.T) {
	for name, value := range map[string]evm.Address{
		"zero":  {},
		"ones":  evm.Address(bytes.Repeat([]byte{0xff}, 20)),
		"dead":  {18: 0xde, 19: 0xad},
		"mixed": {0: 0x01, 1: 0xab, 7: 0x80, 8: 0x7f, 19: 0xf0},
	} {
		t.Run(name, func(t *testing.T) {
			text := value.String()
			if len(text) != 42 || text != strings.ToLower(text) {
				t.Errorf("String: %s: want 0x and 40 lower-case digits", text)
			}
			checkForms(t, value, text, `"`+text+`"`, `"`+text+`"`)
			checkStored(t, value, value[:])
			joined, err := evm.JoinAddress(value.Prefix(), value.Suffix())
			if err != nil || joined != value {
				t.Errorf("JoinAddress: %s, %v: want %s", joined, err, value)
			}
		})
	}
}

func TestParseAddress_AnyCase(t *testing.T) {
	const want = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
	for name, text := range map[string]string{
		"lower case":          want,
		"EIP-55":              "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"a checksum, broken":  "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"upper case":          "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
		"upper case, also 0X": "0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := evm.ParseAddress(text)
			if err != nil || got.String() != want {
				t.Errorf("%s, %v: want %s", got, err, want)
			}
		})
	}
}

func TestAddress_IsZero(t *testing.T) {
	if !(evm.Address{}).IsZero() || (evm.Address{0: 1}).IsZero() || (evm.Address{19: 1}).IsZero() {
		t.Error("IsZero: want true for the zero address alone")
	}
}

func TestAddress_Refused(t *testing.T) {
	before := evm.Address{0: 1, 19: 2}
	checkRefused(t, before, evm.ParseAddress, refused{badHex(40), badHexGQL(), badHexJSON(before.String())})
}

func TestAddress_Scan_Refused(t *testing.T) {
	checkScanRefused(t, evm.Address{1}, "stored address", map[string]any{
		"NULL":  nil,
		"text":  "0x0000000000000000000000000000000000000000",
		"int":   int64(1),
		"empty": []byte{},
		"short": make([]byte, 19),
		"long":  make([]byte, 21),
	})
}

// A driver reuses the memory of a row.
func TestAddress_Scan_Copies(t *testing.T) {
	row := bytes.Repeat([]byte{7}, 20)
	var got evm.Address
	if err := got.Scan(row); err != nil {
		t.Fatal(err)
	}
	row[0] = 8
	if got[0] != 7 {
		t.Error("the address shares the row's memory")
	}
}

func TestJoinAddress_Refused(t *testing.T) {
	for _, n := range []int{0, 11, 13, 20} {
		got, err := evm.JoinAddress(1, make([]byte, n))
		checkError(t, err, "address suffix")
		if got != (evm.Address{}) {
			t.Errorf("%s beside the error", got)
		}
	}
}

// Prefixes sort as signed integers; only equality matters to their index, so the
// first 8 bytes must come back from it whatever their sign.
func TestAddress_Prefix(t *testing.T) {
	for text, want := range map[string]int64{
		"0x0000000000000001ffffffffffffffffffffffff": 1,
		"0x7fffffffffffffffffffffffffffffffffffffff": 1<<63 - 1,
		"0x8000000000000000ffffffffffffffffffffffff": -1 << 63,
		"0xffffffffffffffff000000000000000000000000": -1,
	} {
		a, err := evm.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Prefix(); got != want {
			t.Errorf("Prefix of %s: %d: want %d", text, got, want)
		}
		if len(a.Suffix()) != 12 || !bytes.Equal(a.Suffix(), a[8:]) {
			t.Errorf("Suffix of %s: %x", text, a.Suffix())
		}
	}
}
