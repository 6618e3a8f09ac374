package evm_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

func TestBlockNumberOrHash_Forms(t *testing.T) {
	hash := evm.Hash{0: 0xab, 31: 1}
	for text, value := range map[string]evm.BlockNumberOrHash{
		"0":                {},
		"18000000":         {Number: 18_000_000},
		"9007199254740991": {Number: evm.MaxLong},
		hash.String():      {Hash: &hash},
		"latest":           {Tag: evm.Latest},
		"finalized":        {Tag: evm.Finalized},
		"earliest":         {Tag: evm.Earliest},
	} {
		checkForms(t, value, text, `"`+text+`"`, `"`+text+`"`)
		if value.String() != text {
			t.Errorf("String: %s: want %s", value, text)
		}
	}
}

func TestBlockNumberOrHash_Read(t *testing.T) {
	zeroHash, hash := evm.Hash{}, evm.Hash{0: 0xab, 31: 1}
	for name, test := range map[string]struct {
		v    any
		want evm.BlockNumberOrHash
	}{
		"decimal string":                 {"12", evm.BlockNumberOrHash{Number: 12}},
		"hex quantity":                   {"0xC", evm.BlockNumberOrHash{Number: 12}},
		"hex quantity, zeros":            {"0x" + strings.Repeat("0", 62) + "c", evm.BlockNumberOrHash{Number: 12}},
		"64 digits are a hash":           {"0x" + strings.Repeat("0", 64), evm.BlockNumberOrHash{Hash: &zeroHash}},
		"hash, upper case":               {strings.ToUpper(hash.String()), evm.BlockNumberOrHash{Hash: &hash}},
		"66 decimal digits are a number": {strings.Repeat("0", 65) + "7", evm.BlockNumberOrHash{Number: 7}},
		"int":                            {12, evm.BlockNumberOrHash{Number: 12}},
		"int64":                          {int64(12), evm.BlockNumberOrHash{Number: 12}},
		"number":                         {json.Number("12"), evm.BlockNumberOrHash{Number: 12}},
		"float64":                        {12.0, evm.BlockNumberOrHash{Number: 12}},
	} {
		t.Run(name, func(t *testing.T) {
			earlier := evm.Hash{9}
			got := evm.BlockNumberOrHash{Number: 9, Hash: &earlier}
			expect.NoError(t, got.UnmarshalGQL(test.v))
			expect.Equal(t, "result", test.want, got)
		})
	}
}

func TestBlockNumberOrHash_Refused(t *testing.T) {
	before := evm.BlockNumberOrHash{Number: 5}
	texts, gql := badIntegers(), badIntegersGQL()
	for name, text := range map[string]string{
		"2^53":                   "9007199254740992",
		"2^53 hex":               "0x20000000000000",
		"63 digits":              "0x" + strings.Repeat("a", 63),
		"65 digits":              "0x" + strings.Repeat("a", 65),
		"64 digits, one invalid": "0x" + strings.Repeat("a", 63) + "g",
		"64 digits without 0x":   strings.Repeat("a", 64),
		"the tag safe":           "safe",
		"the tag pending":        "pending",
		"a tag in upper case":    "LATEST",
		"a tag and a space":      "latest ",
		"an address":             "0x" + strings.Repeat("ab", 20),
	} {
		texts[name] = text
		gql["number "+name] = json.Number(text)
	}
	checkRefused(t, before, evm.ParseBlockNumberOrHash, refused{texts: texts, gql: gql})
}

func TestRange_Join(t *testing.T) {
	ranges := []evm.Range{{From: 10, To: 19}, {From: 30, To: 39}, {From: 50, To: 59}}
	for _, test := range []struct {
		r    evm.Range
		want []evm.Range
	}{
		{evm.Range{From: 0, To: 8}, []evm.Range{{From: 0, To: 8}, ranges[0], ranges[1], ranges[2]}},
		{evm.Range{From: 0, To: 9}, []evm.Range{{From: 0, To: 19}, ranges[1], ranges[2]}},
		{evm.Range{From: 12, To: 15}, ranges},
		{evm.Range{From: 20, To: 28}, []evm.Range{{From: 10, To: 28}, ranges[1], ranges[2]}},
		{evm.Range{From: 21, To: 28}, []evm.Range{ranges[0], {From: 21, To: 28}, ranges[1], ranges[2]}},
		{evm.Range{From: 21, To: 29}, []evm.Range{ranges[0], {From: 21, To: 39}, ranges[2]}},
		{evm.Range{From: 20, To: 49}, []evm.Range{{From: 10, To: 59}}},
		{evm.Range{From: 5, To: 70}, []evm.Range{{From: 5, To: 70}}},
		{evm.Range{From: 60, To: 60}, []evm.Range{ranges[0], ranges[1], {From: 50, To: 60}}},
		{evm.Range{From: 61, To: 61}, []evm.Range{ranges[0], ranges[1], ranges[2], {From: 61, To: 61}}},
	} {
		if diff := cmp.Diff(test.want, test.r.Join(slices.Clone(ranges))); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.r, diff)
		}
	}
}
