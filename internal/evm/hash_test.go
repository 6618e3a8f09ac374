package evm_test

import (
	"bytes"
	"encoding/json"
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
			stored, err := value.Value()
			if err != nil || !bytes.Equal(stored.([]byte), value[:]) {
				t.Errorf("Value: %x, %v: want %x", stored, err, value[:])
			}
			var scanned evm.Hash
			if err := scanned.Scan(stored); err != nil || scanned != value {
				t.Errorf("Scan: %s, %v: want %s", scanned, err, value)
			}
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
	for name, text := range badHex(64) {
		t.Run("text/"+name, func(t *testing.T) {
			got, err := evm.ParseHash(text)
			checkError(t, err, "hash")
			if got != (evm.Hash{}) {
				t.Errorf("ParseHash: %s beside the error", got)
			}
			got = before
			checkError(t, got.UnmarshalText([]byte(text)), "hash")
			checkError(t, got.UnmarshalGQL(text), "Bytes32")
			if got != before {
				t.Errorf("changed to %s in spite of the error", got)
			}
		})
	}
	for name, v := range badHexGQL() {
		t.Run("GraphQL/"+name, func(t *testing.T) {
			got := before
			checkError(t, got.UnmarshalGQL(v), "Bytes32")
			if got != before {
				t.Errorf("changed to %s in spite of the error", got)
			}
		})
	}
	for name, text := range badHexJSON(before.String()) {
		t.Run("JSON/"+name, func(t *testing.T) {
			got := before
			checkError(t, got.UnmarshalJSON([]byte(text)), "hash")
			if err := json.Unmarshal([]byte(text), &got); err == nil {
				t.Error("json.Unmarshal: no error")
			}
			if got != before {
				t.Errorf("changed to %s in spite of the error", got)
			}
		})
	}
}

func TestHash_Scan_Refused(t *testing.T) {
	for name, src := range map[string]any{
		"NULL":    nil,
		"text":    strings.Repeat("0", 32),
		"int":     int64(1),
		"empty":   []byte{},
		"short":   make([]byte, 31),
		"long":    make([]byte, 33),
		"address": make([]byte, 20),
	} {
		t.Run(name, func(t *testing.T) {
			var got evm.Hash
			checkError(t, got.Scan(src), "stored hash")
		})
	}
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
