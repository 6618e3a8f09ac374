package read

import (
	"context"
	"errors"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// Migration upgrades a database from one schema version to the next.
type Migration = database.Migration

// SchemaError says that this program cannot use a database: its schema is too new, or it is an unfinished copy.
type SchemaError = database.SchemaError

// Schema is the schema version of a database, compared with that of this program.
type Schema struct {
	// Version is the schema version of the database, 0 for a new one. Known is the version
	// that this program migrates to.
	Version, Known int64
	// Pending are the migrations that the database lacks.
	Pending []Migration
}

// CompatibleFrom returns the setting [tables.CompatibleFrom], or "" if there is none. It returns a
// [*SchemaError] for an unfinished copy.
func CompatibleFrom(ctx context.Context, db *database.DB) (value string, err error) {
	snapshot := db.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	client := ent.NewClient(ent.Driver(snapshot.Driver()))
	_, copying, err := tables.Setting(ctx, client, tables.Copying)
	if copying {
		err = &SchemaError{Copying: true}
	}
	if err == nil {
		value, _, err = tables.Setting(ctx, client, tables.CompatibleFrom)
	}
	return value, err
}
