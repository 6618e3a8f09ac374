package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/nft"
)

// Options tune a [Store]. The zero value is right for most uses.
type Options struct {
	// Loading makes large imports faster: the write-ahead log is folded into
	// the database less often and more of it is cached. It changes nothing
	// about what survives a crash.
	Loading bool
	// Existing makes [Open] fail with [ErrNoDatabase] rather than create a
	// database. It opens a SQLite file that may not be written for reading alone.
	Existing bool
	// MaxPageSize is the largest page that may be asked for; 0 means 1,000.
	MaxPageSize int
	// Readers is the size of the pool of reading connections; 0 means 4.
	Readers int
	// OnStatement, if not nil, is called with each statement that a snapshot
	// sends to the database, with each read of a writer, and with those that work
	// on the queue or end a load.
	OnStatement func(query string, args []any)
}

// DefaultMaxPageSize and DefaultPageSize are in items.
const (
	DefaultMaxPageSize = 1000
	DefaultPageSize    = 20
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	opts    Options
	dialect string
	// reader and writer are pools on the same database; the writer's has one
	// connection for SQLite.
	reader, writer *sql.DB
	// path and file are those of a SQLite database; immutable says that SQLite does
	// not look for changes of the file.
	path      string
	file      os.FileInfo
	immutable bool

	// contracts caches both directions of the contracts table, whose rows
	// never change their address: int64 → evm.Address and back.
	contracts sync.Map

	// queries is ent's client for statements whose text is cached.
	queries *ent.Client
	// statements are the texts of the statements that pages take.
	statements database.Statements[statementKey]
	// records and tokenRows have a *recordRow or *tokenRow for each page that
	// is being read.
	records, tokenRows sync.Pool

	// bound are the options that blocks are decoded with, nil where none were given.
	bound atomic.Pointer[binding]

	// writing serialises writing transactions; it guards treeScopes and
	// treesUpTo.
	writing sync.Mutex
	// treeScopes holds the scopes that have a counter tree, see counter.go.
	treeScopes map[string]struct{}
	// treesUpTo is the largest counter id that treeScopes has seen.
	treesUpTo int
}

// DefaultDSN is used when no database is named: a file in the working folder.
const DefaultDSN = "mintburn.db"

// Open opens the database that dsn names and brings its schema up to date. A
// dsn is a file path, sqlite://PATH or a postgres:// URL.
func Open(ctx context.Context, dsn string, opts Options) (*Store, error) {
	if opts.MaxPageSize == 0 {
		opts.MaxPageSize = DefaultMaxPageSize
	}
	if opts.Readers == 0 {
		opts.Readers = 4
	}
	s := &Store{opts: opts, treeScopes: map[string]struct{}{}}
	if err := CheckDSN(dsn); err != nil {
		return nil, err
	}
	var err error
	if path, ok := sqlitePath(dsn); ok {
		err = s.openSQLite(ctx, path)
	} else {
		err = s.openPostgres(ctx, dsn)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.queries = ent.NewClient(ent.Driver(entsql.OpenDB(s.dialect, s.reader)))
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if path, ok := sqlitePath(dsn); ok {
		s.path = path
		if s.file, err = os.Stat(path); err != nil {
			return nil, errors.Join(fmt.Errorf("opening database: %w", err), s.Close())
		}
	}
	return s, nil
}

// smallCache is the cache of a SQLite writer that is not loading, in KiB and
// negative, as SQLite wants it.
const smallCache = -16_000

func (s *Store) openSQLite(ctx context.Context, path string) error {
	s.dialect = dialect.SQLite
	if s.opts.Existing {
		readOnly, err := requireSQLite(ctx, path)
		if err != nil {
			return err
		}
		if readOnly != nil {
			return s.openReadOnly(path, readOnly)
		}
	}
	cache, checkpoint, mapped := smallCache, 1_000, 0
	if s.opts.Loading {
		// Indexes whose keys are spread touch every page once in a transaction:
		// the fewer checkpoints, the fewer times it is written.
		cache, checkpoint, mapped = -512_000, 100_000, mappedBytes
	}
	var err error
	if s.writer, err = openPool("sqlite3", sqliteDSN(path, url.Values{
		"_txlock": {"immediate"}, "_cache_size": {fmt.Sprint(cache)},
	}), 1); err != nil {
		return err
	}
	// Two threads help to sort what an index is built from.
	if _, err := s.writer.Exec(fmt.Sprintf("PRAGMA wal_autocheckpoint = %d; PRAGMA threads = 2; PRAGMA mmap_size = %d", checkpoint, mapped)); err != nil {
		return errors.Join(fmt.Errorf("opening database %s: %w", path, err), s.writer.Close())
	}
	// Each reader has a cache for what is not mapped and for the log.
	s.reader = limited(sql.OpenDB(newSQLiteReader(sqliteDSN(path, url.Values{
		"_query_only": {"1"}, "_cache_size": {"-4000"},
	}))), s.opts.Readers)
	return nil
}

// openReadOnly opens a file with the parameters of requireSQLite. Writes fail.
func (s *Store) openReadOnly(path string, readOnly url.Values) (err error) {
	if s.writer, err = openPool("sqlite3", sqliteURI(path, readOnly), 1); err != nil {
		return err
	}
	s.immutable = readOnly.Has("immutable")
	readOnly.Set("_cache_size", "-4000")
	readOnly.Set("_stmt_cache_size", "64")
	readOnly.Set("_mutex", "no")
	s.reader = limited(sql.OpenDB(newSQLiteReader(sqliteURI(path, readOnly))), s.opts.Readers)
	return nil
}

// sqliteDSN names the file at path with the settings of every connection.
func sqliteDSN(path string, more url.Values) string {
	more.Set("_journal_mode", "WAL")
	more.Set("_synchronous", "NORMAL")
	more.Set("_busy_timeout", fmt.Sprint(lockWait.Milliseconds()))
	more.Set("_stmt_cache_size", "64")
	// database/sql lets one goroutine at a time use a connection.
	more.Set("_mutex", "no")
	return sqliteURI(path, more)
}

func sqliteURI(path string, values url.Values) string {
	// A path may hold characters that mean something in a URI.
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	return "file:" + escaped + "?" + values.Encode()
}

// connectTimeout bounds how long PostgreSQL may take to accept a connection where
// the address has no connect_timeout.
const connectTimeout = 3 * time.Second

func (s *Store) openPostgres(ctx context.Context, dsn string) error {
	s.dialect = dialect.Postgres
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	if config.ConnectTimeout == 0 {
		// The system's own is minutes, which no operation has.
		config.ConnectTimeout = connectTimeout
	}
	s.writer, s.reader = limited(stdlib.OpenDB(*config), 2), limited(stdlib.OpenDB(*config), s.opts.Readers)
	if !s.opts.Existing {
		return nil
	}
	return requirePostgres(ctx, s.reader)
}

func openPool(driver, dsn string, size int) (*sql.DB, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	return limited(db, size), nil
}

// Close closes the database.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.reader, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if _, err := s.reader.ExecContext(ctx, "SELECT 1"); err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	return nil
}

// CheckFile returns an [nft.Error] if the file of a SQLite database was deleted or
// replaced since [Open], or written though it was opened as one that may not be:
// what is read is then no longer what is stored.
func (s *Store) CheckFile() error {
	if s.file == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nft.Errorf(nft.Unavailable, "the database file was deleted")
	case err != nil:
		return fmt.Errorf("looking for the database file: %w", err)
	case !os.SameFile(s.file, now):
		return nft.Errorf(nft.Unavailable, "the database file was replaced")
	}
	if log, err := os.Stat(s.path + "-wal"); s.immutable && (err == nil && log.Size() > 0 || !now.ModTime().Equal(s.file.ModTime())) {
		return nft.Errorf(nft.Unavailable, "another process writes the database file, which this one may not write: start it again")
	}
	return nil
}

// client returns ent's client inside a transaction.
func (s *Store) client(tx *sql.Tx) *ent.Client {
	return ent.NewClient(ent.Driver(within{entsql.Conn{ExecQuerier: tx}, s}))
}

// within is ent's driver inside a transaction that is ours to end.
type within struct {
	entsql.Conn
	store *Store
}

var _ dialect.Driver = within{}

// Dialect implements [dialect.Driver].
func (w within) Dialect() string { return w.store.dialect }

// Query implements [dialect.Driver].
func (w within) Query(ctx context.Context, text string, args, to any) error {
	if values, ok := args.([]any); ok && strings.HasPrefix(text, "SELECT") {
		w.store.sent(text, values)
	}
	return w.Conn.Query(ctx, text, args, to)
}

// Close implements [dialect.Driver].
func (w within) Close() error { return nil }

// Tx implements [dialect.Driver]: ent's own transactions are part of ours.
func (w within) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(w), nil }

// builder returns ent's statement builder for the database in use.
func (s *Store) builder() *entsql.DialectBuilder { return entsql.Dialect(s.dialect) }

// MaxPageSize returns the largest page that may be asked for, in items.
func (s *Store) MaxPageSize() int { return s.opts.MaxPageSize }
