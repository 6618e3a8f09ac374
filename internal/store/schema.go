package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/store/migrations"
	"mintburn/internal/store/tables"
)

// Migration upgrades a database from one schema version to the next.
type Migration = database.Migration

// SchemaError says that the schema of a database is too new for this program.
type SchemaError = database.SchemaError

// Schema is the schema version of a database, compared with that of this program.
type Schema struct {
	// Version is the schema version of the database, 0 for a new one. Known is the version
	// that this program migrates to.
	Version, Known int64
	// Pending are the migrations that the database lacks.
	Pending []Migration
}

// PendingError says that a database lacks migrations that may not be applied.
type PendingError struct{ Schema }

// Error returns one line.
func (e *PendingError) Error() string {
	return fmt.Sprintf("the database has schema version %d, and this program needs %d", e.Version, e.Known)
}

// ReadSchema reads the schema of a database and changes nothing. A missing database has
// version 0. It returns a [*SchemaError] if the schema is too new for this program.
func ReadSchema(ctx context.Context, dsn string) (schema Schema, err error) {
	db, err := database.Open(ctx, dsn, database.Options{Existing: true, Readers: 1})
	if err != nil && !errors.Is(err, database.ErrNoDatabase) {
		return Schema{}, err
	}
	if err != nil {
		steps, err := migrations.Of(migrations.Files, database.DialectOf(dsn))
		return schemaOf(0, steps), err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	steps, err := migrations.Of(migrations.Files, db.Dialect())
	if err != nil {
		return Schema{}, err
	}
	return readSchema(ctx, db, steps)
}

// schemaOf returns the schema of a database at a version.
func schemaOf(version int64, steps []Migration) Schema {
	s := Schema{Version: version}
	for _, step := range steps {
		s.Known = step.Version
		if step.Version > version {
			s.Pending = append(s.Pending, step)
		}
	}
	return s
}

// readSchema reads the schema of a database. It returns a [*SchemaError] if the schema is
// too new for the steps.
func readSchema(ctx context.Context, db *database.DB, steps []Migration) (Schema, error) {
	version, err := db.SchemaVersion(ctx)
	if err != nil {
		return Schema{}, err
	}
	s := schemaOf(version, steps)
	if version <= s.Known {
		return s, nil
	}
	value, err := compatibleFrom(ctx, db)
	if err == nil {
		err = tables.CheckCompatible(cmp.Or(value, fmt.Sprint(version)), s.Known)
	}
	return s, err
}

// amountsVersion is the first schema version whose counters have amounts.
const amountsVersion = 8

// upgrade migrates a database to the last version of the steps. With noMigrate it returns a
// [*PendingError] instead. It does not change a later version that is compatible.
func upgrade(ctx context.Context, db *database.DB, files fs.FS, noMigrate bool, applied func(Migration)) (Schema, error) {
	steps, err := migrations.Of(files, db.Dialect())
	if err != nil {
		return Schema{}, err
	}
	s, err := readSchema(ctx, db, steps)
	if err != nil || len(s.Pending) == 0 {
		return s, err
	}
	if noMigrate {
		return s, &PendingError{s}
	}
	for i := range steps {
		if steps[i].Version == amountsVersion {
			steps[i].Then = sumTrees
		}
	}
	if err := db.Migrate(ctx, steps, applied); err != nil {
		return s, err
	}
	return readSchema(ctx, db, steps)
}

// compatibleFrom returns the setting [tables.CompatibleFrom], or "" if there is none.
func compatibleFrom(ctx context.Context, db *database.DB) (value string, err error) {
	snapshot := db.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	value, _, err = tables.Setting(ctx, ent.NewClient(ent.Driver(snapshot.Driver())), tables.CompatibleFrom)
	return value, err
}
