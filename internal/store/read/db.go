package read

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Statement returns the text of a statement from the cache. If it is not cached, build
// builds it with ent. The values in it do not matter: the arguments are passed
// separately, in the order of the text.
func (s *DB) Statement(key query.Key, build func(*ent.Client) entsql.Querier) string {
	text, ok := s.statements.Find(key)
	if !ok {
		text, _ = build(s.Queries).Query()
		s.statements.Put(key, text)
	}
	return text
}

// DefaultMaxPageSize is the largest page if none is given, in items.
const DefaultMaxPageSize = 1000

// IsLost reports whether the database could not be reached, see
// [database.IsLost], or was replaced by another one.
func IsLost(err error) bool { return database.IsLost(err) || errors.Is(err, errOtherHistory) }

// IsCancelled reports whether the database cancelled a statement, see
// [database.IsCancelled].
func IsCancelled(err error) bool { return database.IsCancelled(err) }

// DB is an open database. It is safe for concurrent use.
type DB struct {
	// Database runs the statements.
	Database    *database.DB
	schema      Schema
	maxPageSize int

	// numbers are those of the last history that a snapshot read.
	numbers atomic.Pointer[numbers]
	// Queries is ent's client for statements whose text is cached.
	Queries *ent.Client
	// statements caches the texts of the statements of pages.
	statements *database.Cache[query.Key, string]
	// Distinct caches the numbers of distinct values of traits.
	Distinct *database.Cache[TraitKey, JSON]
	// Records and MetadataRows are pools of *transferRows and *metadataRow for reading pages.
	Records, MetadataRows sync.Pool
	// outdated is the last result of CheckSchema.
	outdated atomic.Bool
}

// New returns a reader of a database that has a schema. maxPageSize is in items; 0
// means [DefaultMaxPageSize].
func New(db *database.DB, schema Schema, maxPageSize int) *DB {
	r := &DB{
		Database: db, schema: schema, maxPageSize: cmp.Or(maxPageSize, DefaultMaxPageSize), Queries: ent.NewClient(ent.Driver(db.Driver())),
		statements: database.NewCache[query.Key, string](maxStatements), Distinct: database.NewCache[TraitKey, JSON](maxDistinct),
	}
	r.numbers.Store(new(numbers))
	return r
}

// Schema returns the schema that the database had when it was opened.
func (s *DB) Schema() Schema { return s.schema }

// CheckSchema returns a [*SchemaError] if the schema has become too new for this program, or if the
// database is being filled by a copy.
func (s *DB) CheckSchema(ctx context.Context) error {
	value, err := CompatibleFrom(ctx, s.Database)
	if err == nil {
		err = tables.CheckCompatible(value, s.schema.Known)
	}
	if unusable := new(SchemaError); err == nil || errors.As(err, &unusable) {
		s.outdated.Store(err != nil)
	}
	return err
}

// CheckFile returns an [apierror.Error] if reads of a SQLite database no longer return the
// data of its file, see [database.DB.CheckFile].
func (s *DB) CheckFile() error {
	err := s.Database.CheckFile()
	if changed := new(database.FileError); errors.As(err, &changed) {
		return apierror.Errorf(apierror.Unavailable, "%s", changed)
	}
	return err
}

// MaxPageSize returns the largest page, in items.
func (s *DB) MaxPageSize() int { return s.maxPageSize }

// maxStatements bounds the cached statement texts: clients choose the page size, which is
// part of the key. maxDistinct bounds the cached trait counts, which take 10 MB.
const maxStatements, maxDistinct = 1_000, 50_000
