package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"entgo.io/ent/dialect"

	"mintburn/internal/database"
	"mintburn/internal/store/migrations"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/pgtest"
)

// Databases returns the functions that create a database, by kind: sqlite and postgres,
// or only sqlite with -short.
func Databases() map[string]func(testing.TB) string {
	if testing.Short() {
		return map[string]func(testing.TB) string{"sqlite": SQLite}
	}
	return map[string]func(testing.TB) string{"sqlite": SQLite, "postgres": Postgres}
}

// Each runs a test on a new database of each of [Databases], in parallel with other tests.
func Each(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	for name, database := range Databases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, database(t))
		})
	}
}

// Postgres returns the postgres:// URL of a new database, see [pgtest.Copy].
func Postgres(t testing.TB) string {
	t.Helper()
	return pgtest.Copy(t, migrate)
}

// SQLite returns the path of a new database in a temporary folder.
func SQLite(t testing.TB) string {
	t.Helper()
	text, err := migrated()
	if err != nil {
		t.Fatalf("creating a database: %v", err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Before returns the path of a new SQLite database of the version before this program's.
func Before(t testing.TB) string {
	t.Helper()
	list, err := migrations.Of(migrations.Files, dialect.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "before.db")
	db, err := database.Open(t.Context(), path, database.Options{})
	if err == nil {
		err = errors.Join(db.Migrate(t.Context(), list[:len(list)-1], nil), db.Close())
	}
	if err != nil {
		t.Fatalf("creating a database of the version before: %v", err)
	}
	return path
}

// migrated returns the bytes of a migrated SQLite file.
var migrated = sync.OnceValues(func() (text []byte, err error) {
	folder, err := os.MkdirTemp("", "storetest")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "test.db")
	if err := migrate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// migrate creates the tables in an empty database.
func migrate(dsn string) error {
	s, err := write.Open(context.Background(), dsn, write.Options{})
	if err != nil {
		return err
	}
	return s.Close()
}
