package database_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
)

// TestFile_ReplacedMeanwhile deletes or replaces the database file while a connection opens.
// It must change neither the replacement nor the write-ahead log.
func TestFile_ReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	const readers = 16
	tries := 120
	if testing.Short() {
		tries = 12
	}
	other := bytes.Repeat([]byte("other"), 2_000)
	for i := range tries {
		path, away := filepath.Join(t.TempDir(), "x.db"), filepath.Join(t.TempDir(), "away")
		db := open(t, path, database.Options{})
		expect.NoError(t, write(t, db, "CREATE TABLE things (id int)"))
		expect.NoError(t, os.WriteFile(path+".new", other, 0o600))
		expect.NoError(t, os.Link(path, away))
		var opening sync.WaitGroup
		for range readers {
			opening.Go(func() {
				if _, err := countThings(t, db); err != nil && !errors.As(err, new(*database.FileError)) {
					t.Errorf("got error %v, want a FileError", err)
				}
			})
		}
		if i%2 == 0 {
			expect.NoError(t, os.Remove(path))
		} else {
			expect.NoError(t, os.Rename(path+".new", path))
		}
		opening.Wait()
		if now, err := os.ReadFile(path); i%2 == 0 && !errors.Is(err, fs.ErrNotExist) || i%2 == 1 && !bytes.Equal(now, other) {
			t.Fatalf("the database path has %d bytes now (%v)", len(now), err)
		}
		expect.NoError(t, os.Rename(away, path))
		expect.NoError(t, write(t, db, "INSERT INTO things VALUES (1)"))
		n, err := countThings(t, db)
		expect.NoError(t, err)
		expect.Equal(t, "rows", 1, n)
	}
}

// TestFile_Vanished removes each file of a SQLite database in turn. Writes and new connections
// must fail without creating the file again, and work once the file is back.
func TestFile_Vanished(t *testing.T) {
	for _, end := range []string{"", "-wal", "-shm"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			path, away := filepath.Join(t.TempDir(), "x.db"), filepath.Join(t.TempDir(), "away")
			db := open(t, path, database.Options{})
			expect.NoError(t, write(t, db, "CREATE TABLE things (id int)"))
			expect.NoError(t, write(t, db, "INSERT INTO things VALUES (1)"))
			expect.NoError(t, os.Rename(path+end, away))
			// The first read opens the first reading connection.
			_, reading := countThings(t, db)
			for _, err := range []error{write(t, db, "INSERT INTO things VALUES (2)"), reading} {
				if gone := new(database.FileError); !errors.As(err, &gone) || !database.IsLost(err) {
					t.Errorf("got error %v, want a FileError", err)
				}
			}
			if _, err := os.Stat(path + end); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the missing file was created again: %v", err)
			}
			expect.NoError(t, os.Rename(away, path+end))
			expect.NoError(t, write(t, db, "INSERT INTO things VALUES (3)"))
			n, err := countThings(t, db)
			expect.NoError(t, err)
			expect.Equal(t, "rows", 2, n)
		})
	}
}

// TestFile_Shadow checks that a shadow keeps its reading connection, the only one while the file
// is away, and that the next statements of the connection read the permanent table again.
func TestFile_Shadow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := open(t, path, database.Options{})
	expect.NoError(t, write(t, db, "CREATE TABLE things (id int)"))
	expect.NoError(t, write(t, db, "INSERT INTO things VALUES (1)"))
	count := func() {
		t.Helper()
		n, err := countThings(t, db)
		expect.NoError(t, err)
		expect.Equal(t, "rows", 1, n)
	}
	count()
	expect.NoError(t, os.Rename(path, path+".away"))
	for _, fails := range []error{nil, errors.New("a failure"), context.Canceled} {
		err := database.Shadow(t.Context(), db, []string{"things"}, func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, entsql.Raw("INSERT INTO things VALUES (2), (3)"))
			expect.NoError(t, err)
			var here, stored int
			expect.NoError(t, tx.Query(ctx, entsql.Raw("SELECT count(*) FROM things"), func(row *database.Row) error { return row.Values(&here) }))
			expect.NoError(t, tx.Query(ctx, entsql.Raw("SELECT count(*) FROM "+tx.Stored("things")), func(row *database.Row) error { return row.Values(&stored) }))
			expect.Equal(t, "rows", [2]int{2, 1}, [2]int{here, stored})
			return fails
		})
		if !errors.Is(err, fails) {
			t.Errorf("got error %v, want %v", err, fails)
		}
		count()
	}
}

// write runs a statement in a transaction.
func write(t *testing.T, db *database.DB, statement string) error {
	return db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, entsql.Raw(statement))
		return err
	})
}

// countThings counts the rows of table things on a reading connection.
func countThings(t *testing.T, db *database.DB) (n int, err error) {
	err = db.Query(t.Context(), "SELECT count(*) FROM things", nil, func(row *database.Row) error { return row.Values(&n) })
	return n, err
}
