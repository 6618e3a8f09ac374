package evm_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

const (
	maxUint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	twoTo256   = "115792089237316195423570985008687907853269984665640564039457584007913129639936"
	twoTo255   = "57896044618658097711785492504343953926634992332820282019728792003956564819968"
)

func mustUint256(t testing.TB, text string) evm.Uint256 {
	t.Helper()
	u, err := evm.ParseUint256(text)
	expect.NoError(t, err)
	return u
}

// edges returns the powers of two and the integers next to them, in ascending order.
func edges(t *testing.T) []evm.Uint256 {
	t.Helper()
	var numbers []*big.Int
	one := big.NewInt(1)
	for bit := range uint(257) {
		power := new(big.Int).Lsh(one, bit)
		numbers = append(numbers, new(big.Int).Sub(power, one), power, new(big.Int).Add(power, one))
	}
	slices.SortFunc(numbers, (*big.Int).Cmp)
	numbers = slices.CompactFunc(numbers, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	var values []evm.Uint256
	for _, n := range numbers {
		if n.BitLen() <= 256 {
			values = append(values, mustUint256(t, n.String()))
		}
	}
	return values
}

func TestUint256_Forms(t *testing.T) {
	for _, text := range []string{"0", "1", "9007199254740993", "18446744073709551615", "18446744073709551616", twoTo255, maxUint256} {
		value := mustUint256(t, text)
		checkForms(t, value, text, `"`+text+`"`, `"`+text+`"`)
		if value.String() != text {
			t.Errorf("String: %s: want %s", value, text)
		}
	}
	if (evm.Uint256{}).String() != "0" || mustUint256(t, "0") != (evm.Uint256{}) {
		t.Error("the zero value is not 0")
	}
}

func TestUint256_SQL_RoundTrip(t *testing.T) {
	for _, value := range edges(t) {
		checkStored(t, value, value.Bytes())
	}
}

func TestUint256_SQL_Bytes(t *testing.T) {
	for text, want := range map[string][]byte{
		"0":     {0},
		"1":     {1, 1},
		"255":   {1, 0xff},
		"256":   {2, 1, 0},
		"65536": {3, 1, 0, 0},
	} {
		if got := mustUint256(t, text).Bytes(); !bytes.Equal(got, want) {
			t.Errorf("Bytes of %s: %x: want %x", text, got, want)
		}
	}
	if got := mustUint256(t, maxUint256).Bytes(); !bytes.Equal(got, append([]byte{32}, bytes.Repeat([]byte{0xff}, 32)...)) {
		t.Errorf("Bytes of 2^256-1: %x", got)
	}
}

func TestUint256_SQL_ByteOrderIsNumericOrder(t *testing.T) {
	values := edges(t)
	for i, a := range values {
		for j, b := range values {
			want := 0
			switch {
			case i < j:
				want = -1
			case i > j:
				want = 1
			}
			if got := bytes.Compare(a.Bytes(), b.Bytes()); got != want {
				t.Fatalf("bytes of %s and %s compare as %d: want %d", a, b, got, want)
			}
			if got := a.Cmp(b); got != want {
				t.Fatalf("Cmp of %s and %s: %d: want %d", a, b, got, want)
			}
			if (a == b) != (want == 0) {
				t.Fatalf("== of %s and %s: want %t", a, b, want == 0)
			}
		}
	}
}

func TestUint256_Word(t *testing.T) {
	for _, value := range edges(t) {
		word := value.Word()
		if new(big.Int).SetBytes(word[:]).String() != value.String() {
			t.Fatalf("Word of %s: %x", value, word)
		}
		if got := evm.Uint256FromWord(word); got != value {
			t.Fatalf("Uint256FromWord: %s: want %s", got, value)
		}
	}
}

func TestUint256_Arithmetic(t *testing.T) {
	max := mustUint256(t, maxUint256)
	if sum, ok := mustUint256(t, "18446744073709551615").Plus(2); !ok || sum.String() != "18446744073709551617" {
		t.Errorf("2^64-1 + 2: %s, %t", sum, ok)
	}
	if sum, ok := max.Plus(0); !ok || sum != max {
		t.Errorf("2^256-1 + 0: %s, %t", sum, ok)
	}
	if sum, ok := max.Plus(1); ok || sum != (evm.Uint256{}) {
		t.Errorf("2^256-1 + 1: %s, %t: want 0, false", sum, ok)
	}
	if difference := max.Minus(mustUint256(t, twoTo255)); difference.Cmp(mustUint256(t, twoTo255)) >= 0 {
		t.Errorf("2^256-1 - 2^255: %s", difference)
	}
	for text, want := range map[string]bool{"0": true, "18446744073709551615": true, "18446744073709551616": false, maxUint256: false} {
		value := mustUint256(t, text)
		n, fits := value.Uint64()
		if fits != want || (fits && evm.NewUint256(n) != value) {
			t.Errorf("Uint64 of %s: %d, %t: want %t", text, n, fits, want)
		}
	}
}

func TestUint256_Read(t *testing.T) {
	checkRead(t, evm.ParseUint256, map[string]string{
		"0":                                    "0",
		"007":                                  "7",
		"000":                                  "0",
		maxUint256:                             maxUint256,
		strings.Repeat("0", 77) + "7":          "7",
		strings.Repeat("0", 78):                "0",
		"0x0":                                  "0",
		"0x00":                                 "0",
		"0Xff":                                 "255",
		"0xFf":                                 "255",
		"0x20000000000001":                     "9007199254740993",
		"0x" + strings.Repeat("f", 64):         maxUint256,
		"0X" + strings.Repeat("F", 64):         maxUint256,
		"0x8" + strings.Repeat("0", 63):        twoTo255,
		"0x" + strings.Repeat("0", 64):         "0",
		"0x" + strings.Repeat("00", 31) + "0a": "10",
	}, map[any]string{
		maxUint256: maxUint256, "0xff": "255", 12: "12", int32(12): "12", int64(1<<63 - 1): "9223372036854775807",
		uint64(1<<64 - 1): "18446744073709551615", json.Number(maxUint256): maxUint256, 12.0: "12", float64(1<<53 - 1): "9007199254740991",
		// A float64 would round this number.
		json.Number("9007199254740993"): "9007199254740993",
	}, map[string]string{
		`0`: "0", `12`: "12", `"12"`: "12", `"0xc"`: "12", ` 12 `: "12",
		`9007199254740993`: "9007199254740993", maxUint256: maxUint256, `"` + maxUint256 + `"`: maxUint256,
	})
}

func TestUint256_Refused(t *testing.T) {
	bad := refused{badIntegers(), badIntegersGQL(), badIntegersJSON()}
	for name, text := range map[string]string{
		"2^256":                  twoTo256,
		"2^256 hex":              "0x1" + strings.Repeat("0", 64),
		"65 hex digits":          "0x" + strings.Repeat("0", 64) + "1",
		"79 digits":              strings.Repeat("0", 78) + "1",
		"78 nines":               strings.Repeat("9", 78),
		"64 digits, one invalid": "0x" + strings.Repeat("0", 63) + "g",
		"zeros and a sign":       "0x000-1",
	} {
		bad.texts[name] = text
		bad.jsons["string "+name] = `"` + text + `"`
		bad.gql["number "+name] = json.Number(text)
	}
	checkRefused(t, evm.NewUint256(5), evm.ParseUint256, bad)
}

func TestUint256_Scan_Refused(t *testing.T) {
	checkScanRefused(t, evm.NewUint256(5), "stored integer", map[string]any{
		"NULL":                      nil,
		"int":                       int64(1),
		"text":                      "1",
		"no bytes":                  []byte{},
		"length too small":          []byte{1, 1, 1},
		"length too large":          []byte{2, 1},
		"length 0, one byte":        []byte{0, 0},
		"leading zero":              []byte{2, 0, 1},
		"zero with a byte":          []byte{1, 0},
		"33 bytes":                  append([]byte{33}, bytes.Repeat([]byte{1}, 33)...),
		"a word, no length":         bytes.Repeat([]byte{1}, 32),
		"a word of 33 bytes":        bytes.Repeat([]byte{1}, 33),
		"255 bytes, correct length": append([]byte{255}, bytes.Repeat([]byte{1}, 255)...),
	})
}
