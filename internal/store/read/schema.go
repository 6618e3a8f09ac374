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

// CompatibleFrom returns the setting [tables.CompatibleFrom], or "" if there is none.
func CompatibleFrom(ctx context.Context, db *database.DB) (value string, err error) {
	snapshot := db.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	value, _, err = tables.Setting(ctx, ent.NewClient(ent.Driver(snapshot.Driver())), tables.CompatibleFrom)
	return value, err
}
