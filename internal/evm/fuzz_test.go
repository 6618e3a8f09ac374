package evm_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/evm"
)

// FuzzParseUint256 compares ParseUint256 and ParseLong with math/big. They must accept exactly
// the documented integers and return the same numbers.
func FuzzParseUint256(f *testing.F) {
	for _, text := range badIntegers() {
		if len(text) < 100 {
			f.Add(text)
		}
	}
	for _, text := range []string{"0", "007", maxUint256, twoTo256, "0xff", "0X0", "9007199254740991", "9007199254740992", "0x" + strings.Repeat("f", 64)} {
		f.Add(text)
	}
	grammar := regexp.MustCompile(`^(?:0[xX]([0-9a-fA-F]+)|([0-9]+))$`)
	f.Fuzz(func(t *testing.T, text string) {
		var want *big.Int
		if m := grammar.FindStringSubmatch(text); m != nil && m[1] != "" {
			want, _ = new(big.Int).SetString(m[1], 16)
		} else if m != nil {
			want, _ = new(big.Int).SetString(m[2], 10)
		}

		long, err := evm.ParseLong(text)
		if readable := want != nil && want.Cmp(big.NewInt(evm.MaxLong)) <= 0; readable != (err == nil) {
			t.Fatalf("ParseLong(%q): got %s, error %v, want an error: %t", text, long, err, !readable)
		}
		if err != nil {
			checkError(t, err, ", want ")
		} else if long.String() != want.String() {
			t.Fatalf("ParseLong(%q): got %s, want %s", text, long, want)
		}

		got, err := evm.ParseUint256(text)
		most := 78
		if strings.HasPrefix(strings.ToLower(text), "0x") {
			most = 66
		}
		if readable := want != nil && want.BitLen() <= 256 && len(text) <= most; readable != (err == nil) {
			t.Fatalf("ParseUint256(%q): got %s, error %v, want an error: %t", text, got, err, !readable)
		}
		if err != nil {
			checkError(t, err, ", want ")
			return
		}
		if got.String() != want.String() {
			t.Fatalf("ParseUint256(%q): got %s, want %s", text, got, want)
		}
		var scanned evm.Uint256
		if err := scanned.Scan(got.Bytes()); err != nil || scanned != got {
			t.Fatalf("Scan: got %s, error %v, want %s", scanned, err, got)
		}
	})
}

// FuzzParseHash checks that a parsed hash is written with the same digits.
func FuzzParseHash(f *testing.F) {
	for _, text := range badHex(64) {
		if len(text) < 100 {
			f.Add(text)
		}
	}
	f.Add("0X" + strings.Repeat("aB", 32))
	grammar := regexp.MustCompile(`^0[xX][0-9a-fA-F]{64}$`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := evm.ParseHash(text)
		if readable := grammar.MatchString(text); readable != (err == nil) {
			t.Fatalf("ParseHash(%q): got %s, error %v, want an error: %t", text, got, err, !readable)
		}
		if err == nil && got.String() != strings.ToLower(text) {
			t.Fatalf("ParseHash(%q): %s", text, got)
		}
	})
}
