package evm_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// fixed is a fixed-size value of which the database indexes the first 8 bytes.
type fixed interface {
	comparable
	codec
	driver.Valuer
	String() string
	IsZero() bool
	Prefix() int64
	Suffix() []byte
}

// checkBytes checks the forms of values. Only the first one must be zero.
func checkBytes[T fixed, P interface {
	decoder[T]
	sql.Scanner
}](t *testing.T, values []T, join func(int64, []byte) (T, error)) {
	t.Helper()
	for i, value := range values {
		stored, err := value.Value()
		expect.NoError(t, err)
		text := value.String()
		if len(text) != 2+2*len(stored.([]byte)) || text != strings.ToLower(text) {
			t.Errorf("String: got %s, want 0x and lower-case digits", text)
		}
		checkForms[T, P](t, value, text, `"`+text+`"`, `"`+text+`"`)
		joined, err := join(value.Prefix(), value.Suffix())
		if err != nil || joined != value || !bytes.Equal(value.Suffix(), stored.([]byte)[8:]) {
			t.Errorf("joined: got %v, error %v, want %v", joined, err, value)
		}
		if value.IsZero() != (i == 0) {
			t.Errorf("IsZero of %v: %t", value, value.IsZero())
		}
		checkStored[T, P](t, value, stored.([]byte))
		// Drivers reuse the memory of a row, so Scan must copy it.
		row := bytes.Clone(stored.([]byte))
		var scanned T
		expect.NoError(t, P(&scanned).Scan(row))
		if row[0]++; scanned != value {
			t.Errorf("%v shares the row's memory", value)
		}
	}
}

// checkBytesRefused checks that Scan and join reject other types and sizes.
func checkBytesRefused[T fixed, P interface {
	*T
	sql.Scanner
}](t *testing.T, before T, what string, size int, join func(int64, []byte) (T, error)) {
	t.Helper()
	checkScanRefused[T, P](t, before, "stored "+what, map[string]any{
		"NULL": nil, "text": strings.Repeat("0", size), "hex": before.String(), "int": int64(1),
		"empty": []byte{}, "short": make([]byte, size-1), "long": make([]byte, size+1), "another": make([]byte, 52-size),
	})
	for _, n := range []int{0, size - 9, size - 7, size} {
		got, err := join(1, make([]byte, n))
		checkError(t, err, what+" suffix")
		if got != *new(T) {
			t.Errorf("got %v with an error", got)
		}
	}
}
