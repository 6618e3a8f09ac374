package database

import (
	"errors"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNoDatabase says that a DSN names no database of this program.
var ErrNoDatabase = errors.New("no database")

// CheckDSN returns why [Open] cannot open any database with a dsn, such as an
// unknown scheme. The error repeats no password.
func CheckDSN(dsn string) error {
	scheme, rest, found := strings.Cut(dsn, "://")
	switch {
	case !found && dsn == "", scheme == "sqlite" && rest == "":
		return errors.New("empty database path: want a file path")
	case !found, scheme == "sqlite":
		return checkSQLite()
	case scheme == "postgres", scheme == "postgresql":
		if _, err := pgxpool.ParseConfig(dsn); err != nil {
			return fmt.Errorf("invalid PostgreSQL address: %w", err)
		}
		return nil
	}
	return fmt.Errorf("unknown database %q: want a file path, sqlite://PATH or postgres://…", scheme+"://…")
}

// DialectOf returns [DB.Dialect] of the database that a dsn names.
func DialectOf(dsn string) string {
	if _, ok := sqlitePath(dsn); ok {
		return dialect.SQLite
	}
	return dialect.Postgres
}

// sqlitePath returns the file of a dsn that names one.
func sqlitePath(dsn string) (path string, ok bool) {
	scheme, rest, found := strings.Cut(dsn, "://")
	if !found {
		return dsn, true
	}
	return rest, scheme == "sqlite"
}

// SmallCache is the cache of a SQLite writer that is not loading, in KiB and
// negative, as PRAGMA cache_size takes it.
const SmallCache = -16_000
