package metadata_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chaintest"
)

// sharedFile returns a file of the recorded data, unpacked.
func sharedFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(chaintest.Data(t, name))
	must(t, err)
	if !strings.HasSuffix(name, ".gz") {
		return content
	}
	r, err := gzip.NewReader(bytes.NewReader(content))
	must(t, err)
	if content, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return content
}

// sharedLines returns the lines of an NDJSON file of the data folder.
func sharedLines[T any](t *testing.T, name string) []T {
	t.Helper()
	var values []T
	lines := bufio.NewScanner(bytes.NewReader(sharedFile(t, name)))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var value T
		if err := json.Unmarshal(lines.Bytes(), &value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		values = append(values, value)
	}
	must(t, lines.Err())
	return values
}

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantSame fails the test where two values differ.
func wantSame(t testing.TB, what string, x, y any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(x, y, opts...); diff != "" {
		t.Errorf("%s:\n%.3000s", what, diff)
	}
}
