package database

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintburn/internal/newfile"
)

// ErrNoDatabase is the error for a DSN that names no database of this program.
var ErrNoDatabase = errors.New("no database")

// notPath matches what other programs take for the address of a database, and what is no
// path: a scheme, a database in memory, a keyword of libpq. The group is what errors show.
var notPath = regexp.MustCompile(`(?i)^\s*(?:((?:file|sqlite3?|postgres(?:ql)?|jdbc):|:memory:|[a-z][a-z0-9+.-]*://|` +
	`(?:host|hostaddr|port|dbname|user|password|passfile|service|servicefile|sslmode|sslcert|sslkey|sslrootcert|connect_timeout|application_name|options)\s*=)|.*://)`)

// CheckDSN returns an error if [Open] can never open the dsn, for example because its
// scheme is unknown. The error contains no password.
func CheckDSN(dsn string) error {
	scheme, rest, found := strings.Cut(dsn, "://")
	other := notPath.FindStringSubmatch(dsn)
	switch {
	case dsn == "", scheme == "sqlite" && found && rest == "":
		return errors.New("empty database path: want a file path")
	case other == nil, scheme == "sqlite" && found:
		return checkSQLite()
	case found && (scheme == "postgres" || scheme == "postgresql"):
		if _, err := pgxpool.ParseConfig(dsn); err != nil {
			return fmt.Errorf("invalid PostgreSQL address: %w", err)
		}
		return nil
	}
	return fmt.Errorf("unknown database %q: want a file path, sqlite://PATH or postgres://…", other[1]+"…")
}

// DialectOf returns the [DB.Dialect] for a dsn.
func DialectOf(dsn string) string {
	if _, ok := sqlitePath(dsn); ok {
		return dialect.SQLite
	}
	return dialect.Postgres
}

// PathOf returns the path of the file of a dsn for SQLite, "" for PostgreSQL.
func PathOf(dsn string) string {
	if path, ok := sqlitePath(dsn); ok {
		return path
	}
	return ""
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
