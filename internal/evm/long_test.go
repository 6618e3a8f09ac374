package evm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mintburn/internal/evm"
)

func TestLong_Forms(t *testing.T) {
	for text, value := range map[string]evm.Long{
		"0": 0, "1": 1, "18000000": 18_000_000, "9007199254740991": evm.MaxLong,
	} {
		checkForms(t, value, text, text, text)
		if value.String() != text {
			t.Errorf("String: %s: want %s", value, text)
		}
	}
}

func TestLong_Read(t *testing.T) {
	const most = "9007199254740991"
	checkRead(t, evm.ParseLong, map[string]string{
		"0": "0", "007": "7", most: most, "0x0": "0", "0x1fffffffffffff": most, "0X1FFFFFFFFFFFFF": most, "0x112A880": "18000000",
		"0x0000000000000000000001": "1", "0000000000000000000000001": "1",
	}, map[any]string{
		"12": "12", "0xc": "12", 12: "12", int32(12): "12", int64(evm.MaxLong): most, uint64(12): "12",
		json.Number("12"): "12", json.Number(most): most, 12.0: "12", 0.0: "0", float64(evm.MaxLong): most,
	}, map[string]string{
		`0`: "0", `12`: "12", `"12"`: "12", `"0xc"`: "12", ` 12 `: "12", most: most,
	})
}

func TestLong_Refused(t *testing.T) {
	bad := refused{badIntegers(), badIntegersGQL(), badIntegersJSON()}
	for name, text := range map[string]string{
		"2^53":            "9007199254740992",
		"2^53 hex":        "0x20000000000000",
		"int64 maximum":   "9223372036854775807",
		"2^63":            "9223372036854775808",
		"uint64 maximum":  "18446744073709551615",
		"2^64":            "18446744073709551616",
		"2^64 hex":        "0x10000000000000000",
		"2^256":           twoTo256,
		"a hash":          "0x" + strings.Repeat("ab", 32),
		"huge, all zeros": "0x" + strings.Repeat("0", 1<<20) + "g",
	} {
		bad.texts[name] = text
		bad.jsons["string "+name] = `"` + text + `"`
		bad.gql["number "+name] = json.Number(text)
	}
	bad.gql["int64 2^53"] = int64(1 << 53)
	bad.gql["uint64 maximum"] = uint64(1<<64 - 1)
	checkRefused(t, evm.Long(5), evm.ParseLong, bad)
}
