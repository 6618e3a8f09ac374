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
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// versionTable is the table of applied migrations.
const versionTable = "schema_version"

// applicationID marks the SQLite files of this program for other programs, such as file.
const applicationID = 0x4d696e74 // Mint

const selectVersion = "SELECT max(version_id) FROM " + versionTable

// Migration upgrades a database from one schema version to the next.
type Migration struct {
	// Version is the schema version after the migration.
	Version int64
	Name    string
	// Text holds the statements. A statement ends with a semicolon at the end of a line.
	Text string
	// Apart makes each statement commit by itself while others write: PostgreSQL
	// can't build an index CONCURRENTLY in a transaction.
	Apart bool
	// Around, if not nil, runs in the transaction and calls apply, which runs the statements.
	Around func(ctx context.Context, tx *Tx, apply func() error) error
}

// SchemaError is the error for a database whose schema is too new for this program, or is not filled
// yet.
type SchemaError struct {
	// Needed is the oldest schema version that a program must know to use the database.
	// Known is the version that this program knows.
	Needed, Known int64
	// Copying is set if the database is the rest of a copy, whatever its version.
	Copying bool
}

// Error returns the message, which is one line.
func (e *SchemaError) Error() string {
	if e.Copying {
		return "an unfinished copy: run mintburn copy again"
	}
	return fmt.Sprintf("the database needs a program that knows schema version %d, and this one knows %d: use a newer mintburn", e.Needed, e.Known)
}

// errApplied is the error for a migration that another process has applied meanwhile.
var errApplied = errors.New("another process has applied it")

// Migrate applies the pending migrations in order and calls applied, if not nil, after
// each. Writing transactions wait while a migration runs, unless it is [Migration.Apart].
// Migrate does not change a database of a later version.
func (db *DB) Migrate(ctx context.Context, migrations []Migration, applied func(Migration)) error {
	provider, err := providerOf(db, migrations)
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	if db.dialect == dialect.Postgres {
		// One connection holds the lock, one runs statements, and one renews a table lock.
		db.writer.SetMaxOpenConns(writerConns + 1)
		defer db.writer.SetMaxOpenConns(writerConns)
	}
	// Two processes that open a new SQLite database both start to migrate it. One of
	// them fails, checks the version again and finds the other's migration. On PostgreSQL, a
	// migration and a reader may wait for each other's tables: the migration is repeated.
	for before, failed := int64(-1), error(nil); ; {
		current, err := db.SchemaVersion(ctx)
		switch {
		case err != nil:
			return err
		case current >= migrations[len(migrations)-1].Version:
			return nil
		case db.dialect == dialect.SQLite && before < 0:
			// A writer that was stopped is noticed by this wait; goose's would be silent.
			if err := db.Write(ctx, func(context.Context, *Tx) error { return nil }); err != nil {
				return fmt.Errorf("migrating the database: %w", err)
			}
		case failed != nil && current == before && !isDeadlocked(failed):
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

// SchemaVersion returns the version of the last applied migration, 0 if there is none.
func (db *DB) SchemaVersion(ctx context.Context) (version int64, err error) {
	found, err := isMigrated(ctx, db.writer, db.dialect)
	if err == nil && found {
		err = db.writer.QueryRowContext(ctx, selectVersion).Scan(&version)
		// The table may have no such column, or be none that can be read.
		if code := codeOf(err); code == "42703" || code == "42809" {
			err = errors.New("the table " + versionTable + " is of another program: want a database, or a search_path in the address, of its own")
		}
	}
	return version, Wrap(err, "opening database")
}

// isMigrated reports whether a database has versionTable, which [DB.Migrate] creates.
func isMigrated(ctx context.Context, pool *sql.DB, name string) (found bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '" + versionTable + "')"
	if name == dialect.Postgres {
		query = "SELECT to_regclass('" + versionTable + "') IS NOT NULL"
	}
	err = pool.QueryRowContext(ctx, query).Scan(&found)
	return found, err
}

// providerOf returns goose's migration runner, which records them in versionTable.
func providerOf(db *DB, migrations []Migration) (*goose.Provider, error) {
	var steps []*goose.Migration
	for _, m := range migrations {
		run := &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error { return migrate(ctx, db, tx, m) }}
		if m.Apart {
			run = &goose.GoFunc{RunDB: func(ctx context.Context, pool *sql.DB) error { return migrateApart(ctx, pool, m, db.pooled) }}
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

// migrate applies a migration in a transaction. It lifts the server's and the role's
// limits on how long statements may take, but bounds the wait for a table lock, because
// readers queue behind it.
func migrate(ctx context.Context, db *DB, tx *sql.Tx, m Migration) error {
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
	if db.dialect == dialect.SQLite {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return err
		}
	}
	apply := func() error {
		_, err := tx.ExecContext(ctx, m.Text)
		return err
	}
	if m.Around == nil {
		return apply()
	}
	return m.Around(ctx, &Tx{db: db, tx: tx}, apply)
}

// migrateApart applies a migration on PostgreSQL statement by statement, outside a
// transaction. Statements have no time limit, because they may wait for all transactions
// that began before them. Behind a pooler, which keeps no settings, the server's limits
// apply.
func migrateApart(ctx context.Context, pool *sql.DB, m Migration, pooled bool) (err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		// The settings end with the connection.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}()
	if !pooled {
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

// explained adds advice to an error that is due to the server's time limits behind a
// pooler, or to a search_path without a schema.
func explained(err error, pooled bool) error {
	if codeOf(err) == "3F000" {
		return errors.New("no schema of the search_path exists: create one, or correct the search_path of the address or the role")
	}
	if pooled && (codeOf(err) == queryCanceled || IsLocked(err)) {
		return fmt.Errorf("%w: a pooler keeps the server's limits of time: run mintburn migrate with the address of PostgreSQL itself", err)
	}
	return err
}

// A process tries to get the migration lock every lockPause, for five minutes.
const (
	lockPause = time.Second
	lockTries = 300
)

// migrationLock returns an option that lets one process at a time migrate PostgreSQL. It is
// an advisory lock or, behind a pooler, whose connections keep none, a row of a table. A
// waiting process has no open transaction, because CREATE INDEX CONCURRENTLY would wait
// for that.
func (db *DB) migrationLock() (goose.ProviderOption, error) {
	if db.pooled {
		locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(lockPause, lockTries))
		return goose.WithLocker(noticedLocker{locker, db}), err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(uint64(lockPause.Seconds()), lockTries))
	return goose.WithSessionLocker(unlimitedLocker{locker, db}), err
}

// noticedLocker is a lock that reports the wait for another process.
type noticedLocker struct {
	lock.Locker
	db *DB
}

// Lock implements [lock.Locker].
func (p noticedLocker) Lock(ctx context.Context, pool *sql.DB) error {
	defer p.db.await()()
	return p.Locker.Lock(ctx, pool)
}

// unlimitedLocker is a lock whose connection may be idle for as long as a migration takes, and that
// reports the wait for another process.
type unlimitedLocker struct {
	lock.SessionLocker
	db *DB
}

// SessionLock implements [lock.SessionLocker].
func (p unlimitedLocker) SessionLock(ctx context.Context, conn *sql.Conn) error {
	done := p.db.await()
	err := p.SessionLocker.SessionLock(ctx, conn)
	if done(); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, unlimited)
	return err
}

// SessionUnlock implements [lock.SessionLocker].
func (p unlimitedLocker) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "RESET ALL")
	return errors.Join(err, p.SessionLocker.SessionUnlock(ctx, conn))
}
