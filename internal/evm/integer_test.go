package evm_test

import (
	"encoding/json"
	"math"
	"strings"
)

// badIntegers returns texts that are not integers, or are negative.
func badIntegers() map[string]string {
	return map[string]string{
		"empty":             "",
		"space":             " ",
		"space before":      " 1",
		"space after":       "1 ",
		"newline after":     "1\n",
		"space inside":      "1 000",
		"minus one":         "-1",
		"minus zero":        "-0",
		"int64 minimum":     "-9223372036854775808",
		"plus":              "+1",
		"plus after 0x":     "0x+1",
		"minus after 0x":    "0x-1",
		"minus before 0x":   "-0x1",
		"underscore":        "1_000",
		"underscore in hex": "0x_1",
		"comma":             "1,000",
		"fraction":          "1.5",
		"whole fraction":    "1.0",
		"point":             "1.",
		"exponent":          "1e3",
		"exponent E":        "1E3",
		"0x alone":          "0x",
		"0X alone":          "0X",
		"0x0x":              "0x0x1",
		"not hex":           "0xg",
		"hex without 0x":    "ff",
		"octal":             "0o7",
		"binary":            "0b1",
		"hex float":         "0x1p3",
		"NaN":               "NaN",
		"Inf":               "Inf",
		"null":              "null",
		"true":              "true",
		"full-width digit":  "１",
		"Arabic digit":      "٣",
		"superscript":       "²",
		"full-width hex":    "0xａ",
		"invalid UTF-8":     "1\xff",
		"zero byte":         "1\x00",
		"quoted":            "'1'",
		"huge":              strings.Repeat("9", 1<<20),
		"huge hex":          "0x" + strings.Repeat("f", 1<<20),
		"huge, not a digit": strings.Repeat("é", 1<<19),
	}
}

// badIntegersGQL returns GraphQL input that all integer scalars reject.
func badIntegersGQL() map[string]any {
	return map[string]any{
		"null":                nil,
		"true":                true,
		"false":               false,
		"int -1":              -1,
		"int32 -1":            int32(-1),
		"int64 minimum":       int64(math.MinInt64),
		"float64 1.5":         1.5,
		"float64 -1":          -1.0,
		"float64 2^53":        float64(1 << 53),
		"float64 2^63":        float64(1 << 63),
		"float64 1e300":       1e300,
		"float64 5e-324":      math.SmallestNonzeroFloat64,
		"NaN":                 math.NaN(),
		"+Inf":                math.Inf(1),
		"-Inf":                math.Inf(-1),
		"number 1e3":          json.Number("1e3"),
		"number 1.0":          json.Number("1.0"),
		"number -1":           json.Number("-1"),
		"number -0":           json.Number("-0"),
		"number, empty":       json.Number(""),
		"number, huge":        json.Number(strings.Repeat("1", 1<<20)),
		"list":                []any{1},
		"list of huge things": []any{strings.Repeat("1", 1<<20)},
		"object":              map[string]any{"n": 1},
		"bytes":               []byte("1"),
		"a struct":            struct{}{},
	}
}

// badIntegersJSON returns JSON that all integer scalars reject.
func badIntegersJSON() map[string]string {
	return map[string]string{
		"null":          `null`,
		"true":          `true`,
		"list":          `[1]`,
		"object":        `{"n": 1}`,
		"fraction":      `1.5`,
		"whole":         `1.0`,
		"exponent":      `1e3`,
		"minus":         `-1`,
		"minus zero":    `-0`,
		"empty string":  `""`,
		"minus string":  `"-1"`,
		"escapes":       `"\u0031"`,
		"escaped quote": `"\""`,
		"space":         `" 1"`,
		"huge":          strings.Repeat("1", 1<<20),
		"huge string":   `"` + strings.Repeat("1", 1<<20) + `"`,
	}
}
