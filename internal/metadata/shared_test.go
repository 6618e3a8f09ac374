package metadata_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedFile returns a file of the data folder beside the project, which lies
// in no repository. Without the folder the test is skipped, or fails where
// MINTBURN_REQUIRE_ALL is set.
func sharedFile(t *testing.T, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !isDir(filepath.Join(dir, "shared", "data")) {
		if dir == filepath.Dir(dir) {
			if os.Getenv("MINTBURN_REQUIRE_ALL") != "" {
				t.Fatal("no shared/data folder above the package")
			}
			t.Skip("no shared/data folder above the package")
		}
		dir = filepath.Dir(dir)
	}
	content, err := os.ReadFile(filepath.Join(dir, "shared", "data", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return content
	}
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if content, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return content
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}
