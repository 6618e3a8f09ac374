package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

// versionTable notes the migrations that a database has had.
const versionTable = "schema_version"

// migrate applies the numbered migrations that the database lacks, each in a
// transaction of its own. It fails on a database of a later version.
func (s *Store) migrate(ctx context.Context) error {
	opts := []goose.ProviderOption{goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true)}
	name := goose.DialectSQLite3
	if s.dialect == dialect.Postgres {
		name = goose.DialectPostgres
		// Asked for every second, for five minutes.
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
		if err != nil {
			return fmt.Errorf("preparing migrations: %w", err)
		}
		opts = append(opts, goose.WithSessionLocker(locker))
	}
	dir := "migrations/sqlite"
	if name == goose.DialectPostgres {
		dir = "migrations/postgres"
	}
	files, err := fs.Sub(migrations, dir)
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	provider, err := goose.NewProvider(name, s.writer, files, opts...)
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
