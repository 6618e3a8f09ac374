package evm_test

import (
	"bytes"
	"strings"
	"testing"

	"mintburn/internal/evm"
)

func TestHash_Forms(t *testing.T) {
	for name, value := range map[string]evm.Hash{
		"zero":  {},
		"ones":  evm.Hash(bytes.Repeat([]byte{0xff}, 32)),
		"mixed": {0: 0x01, 1: 0xab, 7: 0x80, 8: 0x7f, 31: 0xf0},
	} {
		t.Run(name, func(t *testing.T) {
			text := value.String()
			if len(text) != 66 || text != strings.ToLower(text) {
				t.Errorf("String: %s: want 0x and 64 lower-case digits", text)
			}
			checkForms(t, value, text, `"`+text+`"`, `"`+text+`"`)
			checkStored(t, value, value[:])
			joined, err := evm.JoinHash(value.Prefix(), value.Suffix())
			if err != nil || joined != value {
				t.Errorf("JoinHash: %s, %v: want %s", joined, err, value)
			}
		})
	}
}

func TestParseHash_AnyCase(t *testing.T) {
	want := "0x" + strings.Repeat("0123456789abcdef", 4)
	for _, text := range []string{want, strings.ToUpper(want), "0x" + strings.ToUpper(want[2:])} {
		got, err := evm.ParseHash(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseHash(%s): %s, %v: want %s", text, got, err, want)
		}
	}
}

func TestHash_Refused(t *testing.T) {
	before := evm.Hash{0: 1, 31: 2}
	checkRefused(t, before, evm.ParseHash, refused{badHex(64), badHexGQL(), badHexJSON(before.String())})
}

func TestHash_Scan_Refused(t *testing.T) {
	checkScanRefused(t, evm.Hash{1}, "stored hash", map[string]any{
		"NULL":    nil,
		"text":    strings.Repeat("0", 32),
		"int":     int64(1),
		"empty":   []byte{},
		"short":   make([]byte, 31),
		"long":    make([]byte, 33),
		"address": make([]byte, 20),
	})
}

func TestJoinHash_Refused(t *testing.T) {
	for _, n := range []int{0, 23, 25, 32} {
		got, err := evm.JoinHash(1, make([]byte, n))
		checkError(t, err, "hash suffix")
		if got != (evm.Hash{}) {
			t.Errorf("%s beside the error", got)
		}
	}
}
