package database

import (
	"errors"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintburn/internal/newfile"
)

// ErrNoDatabase is the error for a DSN that names no database of this program.
var ErrNoDatabase = errors.New("no database")

// CheckDSN returns an error if [Open] can never open the dsn, for example because its
// scheme is unknown. The error contains no password.
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

// DialectOf returns the [DB.Dialect] for a dsn.
func DialectOf(dsn string) string {
	if _, ok := sqlitePath(dsn); ok {
		return dialect.SQLite
	}
	return dialect.Postgres
}

// sqlitePath returns the file path in a dsn for SQLite, and whether it is one. If the path is
// a symbolic link, it returns its target, beside which SQLite has the write-ahead log.
func sqlitePath(dsn string) (path string, ok bool) {
	scheme, rest, found := strings.Cut(dsn, "://")
	if !found {
		return newfile.Target(dsn), true
	}
	return newfile.Target(rest), scheme == "sqlite"
}

// SmallCache is the PRAGMA cache_size of a SQLite writer that is not loading:
// negative, so in KiB.
const SmallCache = -16_000
