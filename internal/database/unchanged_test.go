package database_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// files returns the contents of a folder's files by their names.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	expect.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	}))
	return found
}

// TestOpen_ReadOnly checks that a database that is opened read-only shows all commits and
// refuses every write, and that no byte of SQLite's files changes, neither of a closed
// database nor of one whose process was killed.
func TestOpen_ReadOnly(t *testing.T) {
	read := func(t *testing.T, dsn string, want ...int64) {
		t.Helper()
		db := open(t, dsn, database.Options{ReadOnly: true})
		var got []int64
		s := db.Snapshot()
		expect.NoError(t, s.Run(t.Context(), number, nil, into(&got)))
		expect.NoError(t, s.Close())
		expect.Equal(t, "read", want, got)
		if err := db.Exec(t.Context(), "INSERT INTO numbers VALUES (9)"); err == nil || !strings.Contains(err.Error(), "read") {
			t.Errorf("a write: %v", err)
		}
		if size, _, err := db.Size(t.Context()); err != nil || size == 0 {
			t.Errorf("size %d, %v", size, err)
		}
		expect.NoError(t, db.Close())
	}
	t.Run("SQLite", func(t *testing.T) {
		folder := t.TempDir()
		path := filepath.Join(folder, "x.db")
		db := open(t, path, database.Options{})
		expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE schema_version (version_id int); CREATE TABLE numbers (n bigint); INSERT INTO numbers VALUES (1)"))
		unchanged := func(want ...int64) {
			t.Helper()
			before := files(t, folder)
			read(t, path, want...)
			expect.Equal(t, "files", before, files(t, folder))
		}
		// Within a process SQLite shares the index of the log, so this one changes it.
		read(t, path, 1)
		expect.NoError(t, db.Exec(t.Context(), "INSERT INTO numbers VALUES (2)"))
		killed := files(t, folder)
		expect.NoError(t, db.Close())
		unchanged(1, 2)
		for path, text := range killed {
			expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		unchanged(1, 2)
		expect.NoError(t, os.Remove(path+"-shm"))
		if _, err := database.Open(t.Context(), path, database.Options{ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "has no index") {
			t.Errorf("a log without an index: %v", err)
		}
		if _, err := database.Open(t.Context(), filepath.Join(folder, "none.db"), database.Options{ReadOnly: true}); !errors.Is(err, database.ErrNoDatabase) {
			t.Errorf("no file: %v", err)
		}
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		dsn := pgtest.Direct(t)
		db := open(t, dsn, database.Options{})
		expect.NoError(t, db.Exec(context.Background(), "CREATE TABLE schema_version (version_id int); CREATE TABLE numbers (n bigint); INSERT INTO numbers VALUES (1)"))
		read(t, dsn, 1)
	})
}
