package fastql_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/fastql"
)

// TestAppendString compares the escapes of every character with gqlgen's.
func TestAppendString(t *testing.T) {
	for c := range 0x300 {
		for _, text := range []string{string(rune(c)), strings.Repeat("a", 50*c) + string(rune(c)) + "b", string([]byte{byte(c)}), "é" + string([]byte{byte(c), byte(c >> 2)})} {
			var want bytes.Buffer
			graphql.MarshalString(text).MarshalGQL(&want)
			if got := fastql.AppendString(nil, text); string(got) != want.String() {
				t.Fatalf("%q: got %s, want %s", text, got, &want)
			}
		}
	}
}
