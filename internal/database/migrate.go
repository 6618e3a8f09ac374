package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// versionTable notes the migrations that a database has had.
const versionTable = "schema_version"

const selectVersion = "SELECT max(version_id) FROM " + versionTable

// Migration takes a database from one version of its schema to the next.
type Migration struct {
	// Version is that of the schema after it.
	Version int64
	Name    string
	// Text is its statements, each with a semicolon at the end of its last line.
	Text string
	// Apart says that each statement commits by itself, while others write: PostgreSQL
	// builds an index CONCURRENTLY in no transaction.
	Apart bool
	// Then, unless it is nil, ends the transaction of the statements.
	Then func(context.Context, *Tx) error
}

// SchemaError says that a database was migrated to a schema that this program does not
// work with.
type SchemaError struct {
	// Needed is the oldest version that works with it, Known the one of this program.
	Needed, Known int64
}

// Error is one line.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("the database needs a program that knows schema version %d, and this one knows %d: use a newer mintburn", e.Needed, e.Known)
}

// errApplied says that another process has applied a migration meanwhile.
var errApplied = errors.New("another process has applied it")

// Migrate applies the migrations that the database lacks, in their order, and calls
// applied, unless it is nil, after each. Writing transactions wait for one that is not
// [Migration.Apart]. It leaves a database of a later version as it is.
func (db *DB) Migrate(ctx context.Context, migrations []Migration, applied func(Migration)) error {
	provider, err := db.provider(migrations)
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	if db.dialect == dialect.Postgres {
		// One connection has the lock, one builds indexes, and one renews a lock that is a row.
		db.writer.SetMaxOpenConns(writerConns + 1)
		defer db.writer.SetMaxOpenConns(writerConns)
	}
	// Two processes that open a new SQLite database both begin to migrate it.
	// One of them fails, and finds the other's work when it looks again.
	for before, failed := int64(-1), error(nil); ; {
		current, err := db.SchemaVersion(ctx)
		switch {
		case err != nil:
			return err
		case current >= migrations[len(migrations)-1].Version:
			return nil
		case failed != nil && current == before:
			return fmt.Errorf("migrating the database: %w", db.file.named(explained(failed, db.pooled)))
		}
		before = current
		var result *goose.MigrationResult
		result, failed = provider.UpByOne(ctx)
		for _, m := range migrations {
			if failed == nil && applied != nil && m.Version == result.Source.Version {
				applied(m)
			}
		}
	}
}

// SchemaVersion returns the version of the last migration that the database has had, 0 if
// it has had none.
func (db *DB) SchemaVersion(ctx context.Context) (version int64, err error) {
	found, err := isMigrated(ctx, db.writer, db.dialect)
	if err == nil && found {
		err = db.writer.QueryRowContext(ctx, selectVersion).Scan(&version)
	}
	return version, Wrap(err, "opening database")
}

// isMigrated reports whether a database has the table that [DB.Migrate] creates.
func isMigrated(ctx context.Context, pool *sql.DB, name string) (found bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '" + versionTable + "')"
	if name == dialect.Postgres {
		query = "SELECT to_regclass('" + versionTable + "') IS NOT NULL"
	}
	err = pool.QueryRowContext(ctx, query).Scan(&found)
	return found, err
}

// provider returns goose's runner of migrations, which notes them in versionTable.
func (db *DB) provider(migrations []Migration) (*goose.Provider, error) {
	var steps []*goose.Migration
	for _, m := range migrations {
		run := &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error { return db.migrate(ctx, tx, m) }}
		if m.Apart {
			run = &goose.GoFunc{RunDB: func(ctx context.Context, pool *sql.DB) error { return db.migrateApart(ctx, pool, m) }}
		}
		steps = append(steps, goose.NewGoMigration(m.Version, run, nil))
	}
	opts := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(steps...)}
	if db.dialect == dialect.SQLite {
		return goose.NewProvider(goose.DialectSQLite3, db.writer, nil, opts...)
	}
	locking, err := db.migrationLock()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db.writer, nil, append(opts, locking)...)
}

// migrate applies a migration in a transaction. Its statements may take as long as they
// need, whatever the defaults of the server and the role are, but readers wait behind one
// that waits for a table.
func (db *DB) migrate(ctx context.Context, tx *sql.Tx, m Migration) error {
	if db.dialect == dialect.Postgres {
		done := db.await()
		_, err := tx.ExecContext(ctx, beginMigrating)
		if done(); err != nil {
			return Wrap(err, "waiting for other writers")
		}
	}
	var latest int64
	if err := tx.QueryRowContext(ctx, selectVersion).Scan(&latest); err != nil {
		return err
	}
	if latest >= m.Version {
		return errApplied
	}
	if _, err := tx.ExecContext(ctx, m.Text); err != nil || m.Then == nil {
		return err
	}
	return m.Then(ctx, &Tx{db: db, tx: tx})
}

// migrateApart applies a migration of PostgreSQL, one statement after the other. They may
// take as long as they need, and wait for all transactions that began before, unless a
// pooler keeps no settings.
func (db *DB) migrateApart(ctx context.Context, pool *sql.DB, m Migration) (err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		// The settings end with the connection.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}()
	if !db.pooled {
		if _, err := conn.ExecContext(ctx, unlimited); err != nil {
			return err
		}
	}
	for _, statement := range statements(m.Text) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// statements splits the text of a migration.
func statements(text string) (list []string) {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
	}
	for _, statement := range strings.Split(strings.Join(lines, ""), ";\n") {
		if strings.TrimSpace(statement) != "" {
			list = append(list, statement)
		}
	}
	return list
}

// explained adds to an error what to do where a pooler keeps the server's limits of time.
func explained(err error, pooled bool) error {
	if refused := new(pgconn.PgError); pooled && errors.As(err, &refused) && (refused.Code == queryCanceled || IsLocked(err)) {
		return fmt.Errorf("%w: a pooler keeps the server's limits of time: run mintburn migrate with the address of PostgreSQL itself", err)
	}
	return err
}

// A process tries every lockPause to migrate PostgreSQL, for five minutes.
const (
	lockPause = time.Second
	lockTries = 300
)

// migrationLock lets one process at a time migrate PostgreSQL. A pooler's connection
// keeps no lock: there it is a row of a table. Whoever waits for it has no transaction
// meanwhile, which an index that is built CONCURRENTLY would wait for.
func (db *DB) migrationLock() (goose.ProviderOption, error) {
	if db.pooled {
		locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(lockPause, lockTries))
		return goose.WithLocker(locker), err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(uint64(lockPause.Seconds()), lockTries))
	return goose.WithSessionLocker(patient{locker}), err
}

// patient is a lock whose connection may be idle for as long as a migration takes.
type patient struct{ lock.SessionLocker }

// SessionLock implements [lock.SessionLocker].
func (p patient) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if err := p.SessionLocker.SessionLock(ctx, conn); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, unlimited)
	return err
}

// SessionUnlock implements [lock.SessionLocker].
func (p patient) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "RESET ALL")
	return errors.Join(err, p.SessionLocker.SessionUnlock(ctx, conn))
}
