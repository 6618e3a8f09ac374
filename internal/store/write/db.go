package write

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"

	"mintburn/internal/database"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/migrations"
	"mintburn/internal/store/read"
)

// Options configure a [DB]. The zero value is right for most uses. A writing transaction on
// PostgreSQL of a Patient store runs again, for up to a minute, if PostgreSQL ends it or it
// loses its connection.
type Options struct {
	database.Options
	// NoMigrate makes Open fail if the database lacks migrations, as a new one does,
	// instead of applying them.
	NoMigrate bool
	// Copies is set for the target of a copy: Open accepts an unfinished one, and marks a new database as one.
	Copies bool
	// OnMigrate, if not nil, is called after each migration.
	OnMigrate func(read.Migration)
	// MaxPageSize is the largest page, in items; 0 means 1,000.
	MaxPageSize int
	// KeepChanges is how long rows of the log of changes are kept; 0 is forever.
	KeepChanges time.Duration
}

// DB is an open database that can be changed. It is safe for concurrent use.
type DB struct {
	*read.DB

	// bound are the options that blocks must be decoded with, nil if none were given.
	bound atomic.Pointer[binding]
	lease *lease.Lease
	// patient is [database.Options.Patient] on PostgreSQL.
	patient bool
	// keepChanges is [Options.KeepChanges], copies is [Options.Copies].
	keepChanges time.Duration
	copies      bool

	// last is the last commit of this process under the lease, unless a later one may have
	// succeeded. trees are the scopes that had a counter tree then. Only writing transactions
	// use them.
	last  commit
	trees map[string]struct{}
}

// Open opens a database and applies missing migrations. A dsn is a file path,
// sqlite://PATH or a postgres:// URL. Open accepts a newer schema that is compatible, and
// returns a [*read.SchemaError] for one that is too new.
func Open(ctx context.Context, dsn string, opts Options) (*DB, error) {
	return OpenWith(ctx, dsn, opts, migrations.Files)
}

// OpenWith is Open with the given migrations.
func OpenWith(ctx context.Context, dsn string, opts Options, files fs.FS) (*DB, error) {
	opts.NoMigrate = opts.NoMigrate || opts.ReadOnly
	opts.Existing = opts.Existing || opts.NoMigrate
	db, err := database.Open(ctx, dsn, opts.Options)
	if err != nil {
		return nil, err
	}
	schema, err := upgrade(ctx, db, files, opts.NoMigrate, opts.Copies, opts.OnMigrate)
	if err != nil {
		return nil, errors.Join(err, db.Abandon(unusedBy(db, false)))
	}
	return &DB{
		DB: read.New(db, schema, opts.MaxPageSize), patient: opts.Patient && db.Dialect() == dialect.Postgres,
		keepChanges: opts.KeepChanges, copies: opts.Copies, lease: lease.New(db, schema.Known), trees: map[string]struct{}{},
	}, nil
}

// Abandon is Close after a failure: if Open created a file in which no block is stored, and no
// process has the lease, Abandon removes the file; with [Options.Copies], if it is an unfinished copy.
func (s *DB) Abandon() error {
	return errors.Join(s.lease.Close(), s.Database.Abandon(unusedBy(s.Database, s.copies)))
}

// Close releases the lease, if the store holds it, and closes the database.
func (s *DB) Close() error {
	return errors.Join(s.lease.Close(), s.Database.Close())
}

// Lease returns the lease: the right to change blocks, records, coverage and counters.
func (s *DB) Lease() *lease.Lease { return s.lease }

// commit identifies a commit under the lease. It is zero if none is known.
type commit struct {
	// epoch is that of the lease: programs that store no mark take the lease too.
	epoch int64
	// mark is the setting [tables.LastCommit].
	mark string
}
