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
		_, err := parsePostgres(dsn)
		return Wrap(err, "invalid PostgreSQL address")
	}
	return fmt.Errorf("unknown database %q: want a file path, sqlite://PATH or postgres://…", other[1]+"…")
}

// unused matches the parameters that libpq reads and pgx does not, and that change nothing here:
// [limitSilence] sets keepalives, and TLS is at least 1.2. PostgreSQL would refuse them as settings
// of its own. PostgreSQL's documentation, section 34.1.2.
var unused = regexp.MustCompile(`^(keepalives(_idle|_interval|_count)?|fallback_application_name|gssencmode|gsslib|gssdelegation|requiressl|sslcompression|sslcertmode|` +
	`sslcrl|sslcrldir|sslkeylogfile|ssl_(min|max)_protocol_version|requirepeer|hostaddr|load_balance_hosts|replication|scram_(client|server)_key|oauth_[a-z_]+)$`)

// demanding matches the unused parameters, with values, that ask for what this program does not do.
var demanding = regexp.MustCompile(`^(gssencmode=require|sslcertmode=require|ssl_min_protocol_version=TLSv1\.3|ssl_max_protocol_version=TLSv1(\.1)?|(sslcrl|sslcrldir|requirepeer)=.+|replication=(database|true|on|yes|1)|load_balance_hosts=random)$`)

// parsePostgres parses the address of a PostgreSQL server. It drops unused parameters.
func parsePostgres(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	for name, value := range config.ConnConfig.RuntimeParams {
		if !unused.MatchString(name) {
			continue
		}
		if demanding.MatchString(name + "=" + value) {
			return nil, fmt.Errorf("%s: got %q, which is not supported: leave it out", name, value)
		}
		delete(config.ConnConfig.RuntimeParams, name)
	}
	return config, nil
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
