//go:build cgo && !nosqlite

package database

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestMemory checks that SQLite does not count its memory, which connections would wait for. In this
// process another test may have opened a database without this package.
func TestMemory(t *testing.T) {
	const alone = "SQLITE_ALONE"
	if os.Getenv(alone) == "" {
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMemory$")
		process.Env = append(os.Environ(), alone+"=1")
		if said, err := process.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		return
	}
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), Options{})
	expect.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	if n := memoryUsed(); n != 0 {
		t.Errorf("SQLite counts %d bytes", n)
	}
}
