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

	"mintburn/internal/chaintest"
	"mintburn/internal/expect"
)

// sharedFile returns a file of the recorded data, unpacked.
func sharedFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(chaintest.Data(t, name))
	expect.NoError(t, err)
	if !strings.HasSuffix(name, ".gz") {
		return content
	}
	r, err := gzip.NewReader(bytes.NewReader(content))
	expect.NoError(t, err)
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
	expect.NoError(t, lines.Err())
	return values
}
