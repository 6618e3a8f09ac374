package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"entgo.io/ent/dialect"
)

// ErrNoDatabase says that a DSN names no database of this program.
var ErrNoDatabase = errors.New("no database")

// requireSQLite returns [ErrNoDatabase] if there is no file at path or if it holds
// something else. It changes nothing: the file may be another program's.
func requireSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w at %s", ErrNoDatabase, path)
	}
	values := url.Values{"mode": {"rw"}, "_busy_timeout": {fmt.Sprint(lockWait.Milliseconds())}}
	db, err := sql.Open("sqlite3", sqliteURI(path, values))
	if err != nil {
		return fmt.Errorf("opening database %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if found, err := hasSchema(ctx, db, dialect.SQLite); err != nil {
		return fmt.Errorf("opening database %s: %w", path, err)
	} else if !found {
		return fmt.Errorf("%w at %s: the file has none of its tables", ErrNoDatabase, path)
	}
	return nil
}

// requirePostgres returns [ErrNoDatabase] if the database has no tables of this
// program.
func requirePostgres(ctx context.Context, db *sql.DB) error {
	if found, err := hasSchema(ctx, db, dialect.Postgres); err != nil {
		return fmt.Errorf("opening database: %w", err)
	} else if !found {
		return fmt.Errorf("%w at the given address: PostgreSQL answers, but has none of its tables", ErrNoDatabase)
	}
	return nil
}

// hasSchema reports whether there is the table that every migrated database has.
func hasSchema(ctx context.Context, db *sql.DB, name string) (found bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '" + versionTable + "')"
	if name == dialect.Postgres {
		query = "SELECT to_regclass('" + versionTable + "') IS NOT NULL"
	}
	err = db.QueryRowContext(ctx, query).Scan(&found)
	return found, err
}
