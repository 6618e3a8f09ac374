package database_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/expect"
)

// TestFile_Vanished: without one of its files, a SQLite database is neither written nor opened
// by another connection, and no file is made in its place. It works again once the file is back.
func TestFile_Vanished(t *testing.T) {
	for _, end := range []string{"", "-wal", "-shm"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			path, away := filepath.Join(t.TempDir(), "x.db"), filepath.Join(t.TempDir(), "away")
			db := open(t, path, database.Options{})
			write := func(statement string) error {
				return db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
					_, err := tx.Exec(ctx, entsql.Raw(statement))
					return err
				})
			}
			read := func() (n int, err error) {
				err = db.Query(t.Context(), "SELECT count(*) FROM things", nil, func(row *database.Row) error { return row.Values(&n) })
				return n, err
			}
			expect.NoError(t, write("CREATE TABLE things (id int)"))
			expect.NoError(t, write("INSERT INTO things VALUES (1)"))
			expect.NoError(t, os.Rename(path+end, away))
			// The first read opens the first connection that reads.
			_, reading := read()
			for _, err := range []error{write("INSERT INTO things VALUES (2)"), reading} {
				if gone := new(database.FileError); !errors.As(err, &gone) || !database.IsLost(err) {
					t.Errorf("got error %v, want a FileError", err)
				}
			}
			if _, err := os.Stat(path + end); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was made in place of the one that is gone: %v", err)
			}
			expect.NoError(t, os.Rename(away, path+end))
			expect.NoError(t, write("INSERT INTO things VALUES (3)"))
			n, err := read()
			expect.NoError(t, err)
			expect.Equal(t, "rows", 2, n)
		})
	}
}
