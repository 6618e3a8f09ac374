package evm_test

import (
	"bytes"
	"strings"
	"testing"

	"mintburn/internal/evm"
)

func TestHash_Forms(t *testing.T) {
	checkBytes(t, []evm.Hash{{}, {0: 1}, {31: 1}, evm.Hash(bytes.Repeat([]byte{0xff}, 32)), {0: 0x01, 1: 0xab, 7: 0x80, 8: 0x7f, 31: 0xf0}}, evm.JoinHash)
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
	checkBytesRefused(t, before, "hash", 32, evm.JoinHash)
}
