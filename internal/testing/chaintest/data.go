package chaintest

import (
	"os"
	"path/filepath"
	"testing"
)

// Data returns the path of a file or folder of the recorded data. The name is a
// slash-separated path in shared/data, which is in a folder above the test's package and
// not part of the repository. If there is no such folder, Data skips the test, or fails it if
// MINTBURN_REQUIRE_ALL is set. It always fails the test if the folder lacks the name.
func Data(t testing.TB, name string) string {
	t.Helper()
	folder := above(t, "shared", "data")
	if folder == "" {
		Absent(t, "no shared/data folder above the package")
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// above looks for a relative path in the test's package and the folders above it, and returns
// the nearest match, or "".
func above(t testing.TB, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		found := filepath.Join(append([]string{dir}, path...)...)
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}

// Absent skips a test because something is missing, or fails it if MINTBURN_REQUIRE_ALL is
// set.
func Absent(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("MINTBURN_REQUIRE_ALL") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
