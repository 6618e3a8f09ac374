package evm_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// codec and decoder list the codecs of every value.
type codec interface {
	encoding.TextMarshaler
	MarshalGQL(io.Writer)
}

type decoder[T any] interface {
	*T
	encoding.TextUnmarshaler
	UnmarshalGQL(any) error
}

var (
	_ driver.Valuer = evm.Address{}
	_ driver.Valuer = evm.Hash{}
	_ driver.Valuer = evm.Uint256{}
)

// checkForms checks the text, JSON and GraphQL forms of value, and that each of them decodes
// to value.
func checkForms[T codec, P decoder[T]](t *testing.T, value T, text, jsonText, gqlText string) {
	t.Helper()
	gotText, err := value.MarshalText()
	if err != nil || string(gotText) != text {
		t.Errorf("MarshalText: got %s, error %v, want %s", gotText, err, text)
	}
	gotJSON, err := json.Marshal(value)
	if err != nil || string(gotJSON) != jsonText {
		t.Errorf("JSON: got %s, error %v, want %s", gotJSON, err, jsonText)
	}
	var gql bytes.Buffer
	value.MarshalGQL(&gql)
	if gql.String() != gqlText {
		t.Errorf("MarshalGQL: got %s, want %s", gql.String(), gqlText)
	}

	var fromText, fromJSON, fromGQL T
	if err := P(&fromText).UnmarshalText([]byte(text)); err != nil {
		t.Error(err)
	}
	if err := json.Unmarshal([]byte(jsonText), &fromJSON); err != nil {
		t.Error(err)
	}
	if err := P(&fromGQL).UnmarshalGQL(strings.Trim(gqlText, `"`)); err != nil {
		t.Error(err)
	}
	for _, got := range []T{fromText, fromJSON, fromGQL} {
		expect.Equal(t, "read back", value, got)
	}
}

// checkRead checks which value each accepted input decodes to, by the value's text.
func checkRead[T codec, P decoder[T]](t *testing.T, parse func(string) (T, error),
	texts map[string]string, gql map[any]string, jsons map[string]string,
) {
	t.Helper()
	check := func(from any, got T, err error, want string) {
		t.Helper()
		if text, _ := got.MarshalText(); err != nil || string(text) != want {
			t.Errorf("%T %v: got %s, error %v, want %s", from, from, text, err, want)
		}
	}
	for text, want := range texts {
		got, err := parse(text)
		check(text, got, err, want)
	}
	for v, want := range gql {
		var got T
		err := P(&got).UnmarshalGQL(v)
		check(v, got, err, want)
	}
	for text, want := range jsons {
		var got T
		err := json.Unmarshal([]byte(text), &got)
		check(text, got, err, want)
	}
}

// refused holds invalid input for a type.
type refused struct {
	texts map[string]string
	gql   map[string]any
	jsons map[string]string
}

// checkRefused checks that all decoders reject bad input, that the errors state what is
// accepted, and that the value does not change.
func checkRefused[T comparable, P decoder[T]](t *testing.T, before T, parse func(string) (T, error), bad refused) {
	t.Helper()
	check := func(name string, read func(t *testing.T, got P)) {
		t.Run(name, func(t *testing.T) {
			got := before
			if read(t, &got); got != before {
				t.Errorf("changed to %v in spite of the error", got)
			}
		})
	}
	for name, text := range bad.texts {
		check("text/"+name, func(t *testing.T, got P) {
			parsed, err := parse(text)
			checkError(t, err, ", want ")
			if parsed != *new(T) {
				t.Errorf("got %v with an error", parsed)
			}
			checkError(t, got.UnmarshalText([]byte(text)), ", want ")
			checkError(t, got.UnmarshalGQL(text), ", want ")
		})
	}
	for name, v := range bad.gql {
		check("GraphQL/"+name, func(t *testing.T, got P) { checkError(t, got.UnmarshalGQL(v), ", want ") })
	}
	for name, text := range bad.jsons {
		check("JSON/"+name, func(t *testing.T, got P) {
			checkError(t, any(got).(json.Unmarshaler).UnmarshalJSON([]byte(text)), ", want ")
			if err := json.Unmarshal([]byte(text), got); err == nil {
				t.Error("json.Unmarshal: no error")
			}
		})
	}
}

// checkStored checks that a value is encoded as these bytes in SQL, and decoded from them.
func checkStored[T interface {
	comparable
	driver.Valuer
}, P interface {
	*T
	sql.Scanner
}](t *testing.T, value T, want []byte) {
	t.Helper()
	stored, err := value.Value()
	if err != nil || !bytes.Equal(stored.([]byte), want) {
		t.Fatalf("Value of %v: got %x, error %v, want %x", value, stored, err, want)
	}
	var scanned T
	if err := P(&scanned).Scan(stored); err != nil || scanned != value {
		t.Fatalf("Scan: got %v, error %v, want %v", scanned, err, value)
	}
}

// checkScanRefused checks that Scan rejects each of these, and that the value does not change.
func checkScanRefused[T comparable, P interface {
	*T
	sql.Scanner
}](t *testing.T, before T, kind string, rows map[string]any) {
	t.Helper()
	for name, src := range rows {
		t.Run(name, func(t *testing.T) {
			got := before
			checkError(t, P(&got).Scan(src), kind)
			if got != before {
				t.Errorf("changed to %v in spite of the error", got)
			}
		})
	}
}

// checkError checks that err contains kind and is one short line of valid text.
func checkError(t *testing.T, err error, kind string) {
	t.Helper()
	if err == nil {
		t.Errorf("got no error, want one that contains %q", kind)
		return
	}
	message := err.Error()
	if !strings.Contains(message, kind) || len(message) > 600 || !utf8.ValidString(message) || strings.Contains(message, "\n") {
		t.Errorf("got error %q, want one short line that contains %q", message, kind)
	}
}

// badHex returns texts that are not 0x and this number of hex digits.
func badHex(digits int) map[string]string {
	good := "0x" + strings.Repeat("aB", digits/2)
	return map[string]string{
		"empty":             "",
		"0x alone":          "0x",
		"one character":     "0",
		"short by one":      good[:len(good)-1],
		"short by two":      good[:len(good)-2],
		"long by one":       good + "0",
		"long by two":       good + "00",
		"no 0x":             good[2:],
		"no 0x, same size":  "ab" + good[2:],
		"x0":                "x0" + good[2:],
		"0y":                "0y" + good[2:],
		"not hex at first":  "0xg" + good[3:],
		"not hex at last":   good[:len(good)-1] + "G",
		"char before 0":     good[:4] + "/" + good[5:],
		"char after 9":      good[:4] + ":" + good[5:],
		"char before A":     good[:4] + "@" + good[5:],
		"char before a":     good[:4] + "`" + good[5:],
		"minus":             "0x-" + good[3:],
		"underscore":        good[:4] + "_" + good[5:],
		"space inside":      good[:4] + " " + good[5:],
		"space before":      " " + good,
		"space after":       good + " ",
		"newline after":     good[:len(good)-1] + "\n",
		"zero byte":         good[:len(good)-1] + "\x00",
		"full-width digits": "0x" + strings.Repeat("１", digits)[:digits],
		"invalid UTF-8":     good[:len(good)-1] + "\xff",
		"not ASCII":         "0x" + strings.Repeat("é", digits/2),
		"null":              "null",
		"huge":              "0x" + strings.Repeat("0", 1<<20),
		"huge, not ASCII":   strings.Repeat("\U0001f525", 1<<18),
		"an ENS name":       "vitalik.eth",
	}
}

// badHexGQL returns GraphQL input that is neither an address nor a hash.
func badHexGQL() map[string]any {
	return map[string]any{
		"null":     nil,
		"true":     true,
		"int":      7,
		"int64":    int64(-1),
		"float64":  1e300,
		"number":   json.Number("12"),
		"list":     []any{"0x00", strings.Repeat("x", 1<<20)},
		"object":   map[string]any{strings.Repeat("x", 1<<20): 1},
		"bytes":    []byte("0x00"),
		"a struct": struct{}{},
	}
}

// badHexJSON returns JSON that is neither an address nor a hash.
func badHexJSON(good string) map[string]string {
	return map[string]string{
		"null":               `null`,
		"number":             `12`,
		"true":               `true`,
		"list":               `["` + good + `"]`,
		"object":             `{"a": "` + good + `"}`,
		"empty string":       `""`,
		"no quotes":          good,
		"escapes":            `"\u0030x` + good[2:] + `"`,
		"escapes, same size": `"\u0030` + good[6:] + `"`,
		"huge string":        `"` + strings.Repeat("0", 1<<20) + `"`,
		"huge number":        strings.Repeat("1", 1<<20),
	}
}

// TestBytes checks the text of byte strings of any length, and what is no such text.
func TestBytes(t *testing.T) {
	for text, want := range map[string]evm.Bytes{"0x": "", "0x00fF": "\x00\xff"} {
		var got evm.Bytes
		if err := got.UnmarshalGQL(text); err != nil || got != want || string(got.AppendGQL(nil)) != `"`+strings.ToLower(text)+`"` {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, bad := range []any{nil, 7, "", "00", "0x0", "0xzz", "0X00"} {
		if err := new(evm.Bytes).UnmarshalGQL(bad); err == nil || !strings.Contains(err.Error(), "want a string of 0x and an even number of hex digits") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
