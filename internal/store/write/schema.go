package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"entgo.io/ent/dialect"

	"mintburn/ent"
	"mintburn/ent/change"
	"mintburn/ent/coverage"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/migrations"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// PendingError says that a database lacks migrations that may not be applied.
type PendingError struct{ read.Schema }

// Error returns one line.
func (e *PendingError) Error() string {
	return fmt.Sprintf("the database has schema version %d, and this program needs %d", e.Version, e.Known)
}

// ReadSchema reads the schema of a database and changes nothing. A missing database has
// version 0. It returns a [*read.SchemaError] if the schema is too new for this program.
func ReadSchema(ctx context.Context, dsn string) (schema read.Schema, err error) {
	db, err := database.Open(ctx, dsn, database.Options{ReadOnly: true, Readers: 1})
	if err != nil && !errors.Is(err, database.ErrNoDatabase) {
		return read.Schema{}, err
	}
	if err != nil {
		steps, err := migrations.Of(migrations.Files, database.DialectOf(dsn))
		return schemaOf(0, steps), err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	steps, err := migrations.Of(migrations.Files, db.Dialect())
	if err != nil {
		return read.Schema{}, err
	}
	return readSchema(ctx, db, steps, false)
}

// unfinished returns whether a database is an unfinished copy.
const unfinished = "SELECT EXISTS (SELECT 1 FROM " + setting.Table + " WHERE " + setting.FieldID + " = '" + tables.Copying + "')"

// Backup writes a SQLite database to a new one, see [database.Backup].
func Backup(ctx context.Context, dsn, copied string) error {
	return database.Backup(ctx, dsn, copied, unfinished)
}

// dropClaims removes what a database says about blocks without a proof from this operator's nodes: which are verified,
// final and digested, which need no further try, and how its nodes behaved.
var dropClaims = fmt.Sprintf("DELETE FROM %s WHERE %s IN ('%s', '%s', '%s'); DELETE FROM %s WHERE %s IN ('%s'); UPDATE %s SET %s = -1",
	coverage.Table, coverage.FieldKind, coverage.KindVerified, coverage.KindFinal, coverage.KindDigested,
	setting.Table, setting.FieldID, strings.Join([]string{
		tables.Finalized, tables.Spotted, tables.Unprovable, tables.Gaps, tables.Deployment, tables.Endpoints, tables.LeavesOut,
	}, "', '"),
	change.Table, change.FieldFinal)

// Restore writes a copy of a SQLite database to a new one, see [database.Restore]. With unverified, no block of the
// new one counts as verified or final.
func Restore(ctx context.Context, copied, dsn string, unverified bool) error {
	steps, err := migrations.Of(migrations.Files, dialect.SQLite)
	if err != nil {
		return err
	}
	edit := ""
	if unverified {
		edit = dropClaims
	}
	return database.Restore(ctx, copied, dsn, unfinished, edit, steps)
}

// schemaOf returns the schema of a database at a version.
func schemaOf(version int64, steps []read.Migration) read.Schema {
	s := read.Schema{Version: version}
	for _, step := range steps {
		s.Known = step.Version
		if step.Version > version {
			s.Pending = append(s.Pending, step)
		}
	}
	return s
}

// readSchema reads the schema of a database. It returns a [*read.SchemaError] if the schema is
// too new for the steps, or if the database is an unfinished copy, unless copies is set.
func readSchema(ctx context.Context, db *database.DB, steps []read.Migration, copies bool) (read.Schema, error) {
	version, err := db.SchemaVersion(ctx)
	if err != nil {
		return read.Schema{}, err
	}
	s := schemaOf(version, steps)
	if version == 0 || copies && version <= s.Known {
		return s, nil
	}
	value, err := read.CompatibleFrom(ctx, db)
	if err == nil && version > s.Known {
		err = tables.CheckCompatible(cmp.Or(value, fmt.Sprint(version)), s.Known)
	}
	return s, err
}

// The first schema versions that have settings, whose collections have an excess, whose counters have keys, and
// whose collections have words.
const settingsVersion, excessVersion, keysVersion, wordsVersion = 1, 13, 23, 24

// upgrade migrates a database to the last version of the steps. With noMigrate it returns a
// [*PendingError] instead. It does not change a later version that is compatible. With copies it
// accepts an unfinished copy, and marks a new database as one.
func upgrade(ctx context.Context, db *database.DB, files fs.FS, noMigrate, copies bool, applied func(read.Migration)) (read.Schema, error) {
	steps, err := migrations.Of(files, db.Dialect())
	if err != nil {
		return read.Schema{}, err
	}
	if err := db.CheckSchema(ctx, steps); err != nil {
		return read.Schema{}, err
	}
	s, err := readSchema(ctx, db, steps, copies)
	if err != nil || len(s.Pending) == 0 {
		return s, err
	}
	if noMigrate {
		return s, &PendingError{s}
	}
	if s.Version > 0 {
		if err := checkRedecodedIn(ctx, db); err != nil {
			return s, err
		}
	}
	for i := range steps {
		switch steps[i].Version {
		case settingsVersion:
			if copies {
				steps[i].Around = markCopy
			}
		case excessVersion:
			steps[i].Around = derive.IntroduceExcess
		case keysVersion:
			steps[i].Around = createMissing
		case wordsVersion:
			steps[i].Around = derive.IntroduceWords
		}
	}
	if err := db.Migrate(ctx, steps, applied); err != nil {
		return s, err
	}
	return readSchema(ctx, db, steps, copies)
}

// markCopy marks the new database of a copy.
func markCopy(ctx context.Context, tx *database.Tx, apply func() error) error {
	if err := apply(); err != nil {
		return err
	}
	return tables.Set(ctx, ent.NewClient(ent.Driver(tx.Driver())), tables.Copying, true)
}

// checkRedecodedIn is checkRedecoded of a database that is not open yet.
func checkRedecodedIn(ctx context.Context, db *database.DB) (err error) {
	snapshot := db.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return checkRedecoded(ctx, ent.NewClient(ent.Driver(snapshot.Driver())))
}
