package chaintest

import (
	"os"
	"path/filepath"
	"testing"
)

// Data returns the path of a file or folder of the recorded data, by its path
// in there with slashes. The data is in shared/data, in a folder above the
// test's package, and in no repository. Where there is none the test is
// skipped, or fails when MINTBURN_REQUIRE_ALL is set; a name that is not in it
// fails always.
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

// above returns what has a path in the nearest folder above the test's package,
// or "" where none has it.
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

// Absent skips a test for what is not there, or fails it where everything is
// required.
func Absent(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("MINTBURN_REQUIRE_ALL") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
