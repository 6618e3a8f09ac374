package store

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"

	"entgo.io/ent/dialect"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/migrations"
	"mintburn/internal/store/tables"
)

// Options configure a [Store]. The zero value is right for most uses. A writing transaction on
// PostgreSQL of a Patient store runs again, for up to a minute, if PostgreSQL ends it or it
// loses its connection.
type Options struct {
	database.Options
	// NoMigrate makes Open fail if the database lacks migrations, as a new one does,
	// instead of applying them.
	NoMigrate bool
	// OnMigrate, if not nil, is called after each migration.
	OnMigrate func(Migration)
	// MaxPageSize is the largest page, in items; 0 means 1,000.
	MaxPageSize int
}

// DefaultMaxPageSize and DefaultPageSize are in items.
const (
	DefaultMaxPageSize = 1000
	DefaultPageSize    = 20
)

// DefaultDSN is the database if none is given: a file in the working directory.
const DefaultDSN = "mintburn.db"

// MaxBlock is the largest block number that can be stored.
const MaxBlock = tables.MaxBlock

// IsLost reports whether the database could not be reached, see
// [database.IsLost], or was replaced by another one.
func IsLost(err error) bool { return database.IsLost(err) || errors.Is(err, errOtherHistory) }

// IsCancelled reports whether the database cancelled a statement, see
// [database.IsCancelled].
func IsCancelled(err error) bool { return database.IsCancelled(err) }

// Store is an open database. It is safe for concurrent use.
type Store struct {
	db          *database.DB
	maxPageSize int

	// numbers are those of the last history that a snapshot read.
	numbers atomic.Pointer[numbers]

	// queries is ent's client for statements whose text is cached.
	queries *ent.Client
	// statements caches the texts of the statements of pages.
	statements *database.Cache[statementKey, string]
	// distinct caches the numbers of distinct values of traits.
	distinct *database.Cache[traitKey, JSON]
	// records and metadataRows are pools of *recordRow and *metadataRow for reading pages.
	records, metadataRows sync.Pool

	// bound are the options that blocks must be decoded with, nil if none were given.
	bound atomic.Pointer[binding]

	lease  *lease.Lease
	schema Schema
	// patient is [Options.Patient] on PostgreSQL.
	patient bool
	// outdated is the last result of CheckSchema.
	outdated atomic.Bool

	// last is the last commit of this process under the lease, unless a later one may have
	// succeeded. trees are the scopes that had a counter tree then. Only writing transactions
	// use them.
	last  commit
	trees map[string]struct{}
}

// Open opens a database and applies missing migrations. A dsn is a file path,
// sqlite://PATH or a postgres:// URL. Open accepts a newer schema that is compatible, and
// returns a [*SchemaError] for one that is too new.
func Open(ctx context.Context, dsn string, opts Options) (*Store, error) {
	return openWith(ctx, dsn, opts, migrations.Files)
}

// openWith is Open with the given migrations.
func openWith(ctx context.Context, dsn string, opts Options, files fs.FS) (*Store, error) {
	if opts.MaxPageSize == 0 {
		opts.MaxPageSize = DefaultMaxPageSize
	}
	opts.Existing = opts.Existing || opts.NoMigrate
	db, err := database.Open(ctx, dsn, opts.Options)
	if err != nil {
		return nil, err
	}
	schema, err := upgrade(ctx, db, files, opts.NoMigrate, opts.OnMigrate)
	if err != nil {
		return nil, errors.Join(err, db.Abandon(unusedBy(db)))
	}
	s := &Store{
		db: db, schema: schema, patient: opts.Patient && db.Dialect() == dialect.Postgres, lease: lease.New(db, schema.Known), maxPageSize: opts.MaxPageSize, trees: map[string]struct{}{},
		queries: ent.NewClient(ent.Driver(db.Driver())), statements: database.NewCache[statementKey, string](maxStatements),
		distinct: database.NewCache[traitKey, JSON](maxDistinct),
	}
	s.numbers.Store(new(numbers))
	return s, nil
}

// Abandon is Close after a failure: if Open created a file in which no block is stored, and no
// process has the lease, Abandon removes the file.
func (s *Store) Abandon() error {
	return errors.Join(s.lease.Close(), s.db.Abandon(unusedBy(s.db)))
}

// Close releases the lease, if the store holds it, and closes the database.
func (s *Store) Close() error {
	return errors.Join(s.lease.Close(), s.db.Close())
}

// Lease returns the lease: the right to change blocks, records, coverage and counters.
func (s *Store) Lease() *lease.Lease { return s.lease }

// Schema returns the schema that the database had when it was opened.
func (s *Store) Schema() Schema { return s.schema }

// CheckSchema returns a [*SchemaError] if the schema has become too new for this program.
func (s *Store) CheckSchema(ctx context.Context) error {
	value, err := compatibleFrom(ctx, s.db)
	if err != nil {
		return err
	}
	err = tables.CheckCompatible(value, s.schema.Known)
	s.outdated.Store(err != nil)
	return err
}

// File returns the path of a SQLite database, or "" for PostgreSQL.
func (s *Store) File() string { return s.db.File() }

// CheckFile returns an [nft.Error] if reads of a SQLite database no longer return the
// data of its file, see [database.DB.CheckFile].
func (s *Store) CheckFile() error {
	err := s.db.CheckFile()
	if changed := new(database.FileError); errors.As(err, &changed) {
		return nft.Errorf(nft.Unavailable, "%s", changed)
	}
	return err
}

// PoolStats calls [database.DB.PoolStats].
func (s *Store) PoolStats() database.PoolStats { return s.db.PoolStats() }

// MaxPageSize returns the largest page, in items.
func (s *Store) MaxPageSize() int { return s.maxPageSize }

// maxStatements bounds the cached statement texts: clients choose the page size, which is
// part of the key. maxDistinct bounds the cached trait counts, which take 10 MB.
const (
	maxStatements = 1_000
	maxDistinct   = 50_000
)

// maxArgs is the maximum number of arguments of a statement. It must be even. SQLite
// accepts 32,766.
const maxArgs = 20_000
