package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// versionTable notes the migrations that a database has had.
const versionTable = "schema_version"

// Migrate applies the numbered migrations that the database lacks, each in a
// transaction of its own. files has them in the folders sqlite and postgres. It
// fails on a database of a later version.
func (db *DB) Migrate(ctx context.Context, files fs.FS) error {
	opts := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true)}
	name, folder := goose.DialectSQLite3, "sqlite"
	if db.dialect == dialect.Postgres {
		name, folder = goose.DialectPostgres, "postgres"
		locking, err := db.migrationLock()
		if err != nil {
			return fmt.Errorf("preparing migrations: %w", err)
		}
		opts = append(opts, locking)
	}
	files, err := fs.Sub(files, folder)
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	provider, err := goose.NewProvider(name, db.writer, files, opts...)
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	// Two processes that open a new SQLite database both begin to migrate it.
	// One of them fails, and finds the other's work when it looks again.
	for before, failed := int64(0), error(nil); ; {
		current, target, err := provider.GetVersions(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("opening database: %w", err)
		case current > target:
			return fmt.Errorf("the database has schema version %d and this program knows %d: use a newer mintburn", current, target)
		case current == target:
			return nil
		case failed != nil && current == before:
			return fmt.Errorf("migrating the database: %w", failed)
		}
		before = current
		_, failed = provider.Up(ctx)
	}
}

// migrationLock lets one process at a time migrate PostgreSQL. A pooler's connection
// keeps neither a lock nor settings: there it is a row of a table.
func (db *DB) migrationLock() (goose.ProviderOption, error) {
	if db.pooled {
		locker, err := lock.NewPostgresTableLocker()
		return goose.WithLocker(locker), err
	}
	// Tried every second, for five minutes.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	return goose.WithSessionLocker(unlimited{locker}), err
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

// unlimited locks a connection for migrations, whose statements may take as long as they
// need, whatever the defaults of the server and the role are.
type unlimited struct{ lock.SessionLocker }

// SessionLock implements [lock.SessionLocker].
func (l unlimited) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if err := l.SessionLocker.SessionLock(ctx, conn); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '30s'; "+
		"SET default_transaction_isolation = 'read committed'")
	return err
}

// SessionUnlock implements [lock.SessionLocker].
func (l unlimited) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "RESET statement_timeout; RESET idle_in_transaction_session_timeout; RESET lock_timeout; RESET default_transaction_isolation")
	return errors.Join(err, l.SessionLocker.SessionUnlock(ctx, conn))
}
