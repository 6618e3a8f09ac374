package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// Options tune a [DB].
type Options struct {
	// Loading makes large imports faster: SQLite folds the write-ahead log into
	// the file less often and caches more of it. It changes nothing about what
	// survives a crash.
	Loading bool
	// Existing makes [Open] fail with [ErrNoDatabase] rather than create a
	// database. A SQLite file that may not be written is opened for reading.
	Existing bool
	// Readers is the size of the pool of reading connections.
	Readers int
	// OnStatement, if not nil, is called with each statement of a snapshot, and
	// with the reads and the single writes of a writing transaction.
	OnStatement func(query string, args []any)
	// OnWait, if not nil, is called when a writing transaction has waited for those of
	// other processes for a second, and with false when it waits no longer.
	OnWait func(waits bool)
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect string
	// reader and writer are pools on the same database; the writer's has one
	// connection for SQLite.
	reader, writer *sql.DB
	// file is that of a SQLite database, nil for PostgreSQL.
	file *file
	// writing serialises the writing transactions of this process.
	writing sync.Mutex
}

// Close closes the database.
func (db *DB) Close() error {
	var errs []error
	for _, pool := range []*sql.DB{db.reader, db.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	_, err := db.reader.ExecContext(ctx, "SELECT 1")
	return Wrap(err, "asking the database")
}

// CheckFile returns a [*FileError] if the file of a SQLite database was deleted
// or replaced since [Open], or if another process writes a file that this one
// opened as immutable.
func (db *DB) CheckFile() error {
	if db.file == nil {
		return nil
	}
	return db.file.check()
}

// Dialect returns ent's name of the database: [dialect.SQLite] or
// [dialect.Postgres].
func (db *DB) Dialect() string { return db.dialect }

// Builder returns ent's builder of statements for the database.
func (db *DB) Builder() *entsql.DialectBuilder { return entsql.Dialect(db.dialect) }

// Driver returns ent's driver on the reading connections, without a snapshot.
func (db *DB) Driver() dialect.Driver { return entsql.OpenDB(db.dialect, db.reader) }

// Query runs one statement on a reading connection, without a snapshot, and
// calls read for each row.
func (db *DB) Query(ctx context.Context, text string, args []any, read func(*Row) error) error {
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(Query(ctx, conn, text, args, read), conn.Close())
}

// Exec runs a statement on a writing connection, outside of any transaction.
func (db *DB) Exec(ctx context.Context, text string) error {
	_, err := db.writer.ExecContext(ctx, text)
	return err
}

// sent passes a statement on to [Options.OnStatement].
func (db *DB) sent(text string, args []any) {
	if db.opts.OnStatement != nil {
		db.opts.OnStatement(text, args)
	}
}

// limited bounds a pool.
func limited(pool *sql.DB, size int) *sql.DB {
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

// file is the file of a SQLite database.
type file struct {
	path string
	info os.FileInfo
	// immutable says that SQLite does not look for changes of the file.
	immutable bool
}

// note remembers which file is open.
func (f *file) note() (err error) {
	f.info, err = os.Stat(f.path)
	return Wrap(err, "opening database")
}

// FileError says that what is read from a SQLite database is no longer the data
// of its file.
type FileError struct{ text string }

// Error is one line.
func (e *FileError) Error() string { return e.text }

// check is [DB.CheckFile].
func (f *file) check() error {
	now, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{"the database file was deleted"}
	case err != nil:
		return fmt.Errorf("looking for the database file: %w", err)
	case !os.SameFile(f.info, now):
		return &FileError{"the database file was replaced"}
	}
	if log, err := os.Stat(f.path + "-wal"); f.immutable && (err == nil && log.Size() > 0 || !now.ModTime().Equal(f.info.ModTime())) {
		return &FileError{"another process writes the database file, which this one may not write: start it again"}
	}
	return nil
}

// Snapshot reads one committed state of the data: that at the time of its first
// statement. It is safe for concurrent use, one statement at a time, and must be
// closed.
type Snapshot struct {
	db *DB
	// mu guards what follows and serialises the statements on conn, which is
	// within a transaction as long as it is not nil.
	mu     sync.Mutex
	conn   *sql.Conn
	end    func() error // ends the transaction
	closed bool
}

// Snapshot returns a snapshot that has not begun.
func (db *DB) Snapshot() *Snapshot { return &Snapshot{db: db} }

// Close ends the snapshot; later reads fail.
func (s *Snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.conn == nil {
		return nil
	}
	conn := s.conn
	s.conn = nil
	err := s.end()
	switch {
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		// The connection is gone, and its transaction with it.
		return nil
	case err == nil:
		err = conn.Close()
	}
	return Wrap(err, "ending a snapshot")
}

// OrderedPlans tells PostgreSQL to read rows from an index that has their order: a
// generic plan expects few of them, and would sort. The price that this puts on a
// sort which no index saves would make PostgreSQL compile the statement (half a
// second), so jit is off as well.
const OrderedPlans = "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL jit = off"

// beginReading begins a snapshot of PostgreSQL.
const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + OrderedPlans

// begin starts the transaction unless it has begun; the caller must hold mu.
func (s *Snapshot) begin(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	start := "BEGIN"
	if s.db.dialect == dialect.Postgres {
		start = beginReading
	}
	if err := Execute(context.WithoutCancel(ctx), conn, start); err != nil {
		return fmt.Errorf("beginning a snapshot: %w", err)
	}
	s.opened(ctx, conn)
	return nil
}

// connect takes a connection for the transaction; the caller must hold mu. Waiting
// for it ends with ctx.
func (s *Snapshot) connect(ctx context.Context) (*sql.Conn, error) {
	if s.closed {
		return nil, errors.New("internal error: read from a closed snapshot")
	}
	conn, err := s.db.reader.Conn(ctx)
	return conn, Wrap(err, "waiting for a connection")
}

// opened notes the connection of the transaction, which lives until Close: one
// field's cancelled context must not end it for the others. The caller must hold mu.
func (s *Snapshot) opened(ctx context.Context, conn *sql.Conn) {
	ctx = context.WithoutCancel(ctx)
	s.conn, s.end = conn, func() error { return Execute(ctx, conn, "ROLLBACK") }
}

// RunAll runs a batch of statements in turn, in one round trip to PostgreSQL, and
// ends at the first error.
func (s *Snapshot) RunAll(ctx context.Context, batch ...Statement) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range batch {
		s.db.sent(one.Text, one.Args)
	}
	if s.db.dialect == dialect.Postgres {
		return s.runPipeline(ctx, batch)
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	for _, one := range batch {
		if err := Query(ctx, s.conn, one.Text, one.Args, one.Read); err != nil {
			return err
		}
	}
	return nil
}

// runPipeline is RunAll on PostgreSQL, which begins with the first batch. The caller
// must hold mu.
func (s *Snapshot) runPipeline(ctx context.Context, batch []Statement) (err error) {
	conn, start := s.conn, []string(nil)
	if conn == nil {
		if conn, err = s.connect(ctx); err != nil {
			return err
		}
		start = strings.Split(beginReading, "; ")
	}
	began, err := pipeline(ctx, conn, start, batch)
	if began {
		s.opened(ctx, conn)
	}
	return err
}

// Run is [Snapshot.RunAll] of one statement.
func (s *Snapshot) Run(ctx context.Context, text string, args []any, read func(*Row) error) error {
	return s.RunAll(ctx, Statement{text, args, read})
}

// Query runs a statement of ent's builder and calls read for each row.
func (s *Snapshot) Query(ctx context.Context, statement entsql.Querier, read func(*Row) error) error {
	text, args := statement.Query()
	return s.Run(ctx, text, args, read)
}

// Builder returns ent's builder of statements for the database.
func (s *Snapshot) Builder() *entsql.DialectBuilder { return s.db.Builder() }

// Driver returns ent's driver for reads of the snapshot. Its writes fail.
func (s *Snapshot) Driver() dialect.Driver { return reading{s} }

// reading is ent's driver that reads a snapshot.
type reading struct{ snapshot *Snapshot }

// errReadOnly is the error of writes by a snapshot.
var errReadOnly = errors.New("internal error: a snapshot only reads")

// Dialect implements [dialect.Driver].
func (r reading) Dialect() string { return r.snapshot.db.dialect }

// Close implements [dialect.Driver]. The snapshot is closed by its owner.
func (reading) Close() error { return nil }

// Exec implements [dialect.Driver].
func (reading) Exec(context.Context, string, any, any) error { return errReadOnly }

// Tx implements [dialect.Driver].
func (reading) Tx(context.Context) (dialect.Tx, error) { return nil, errReadOnly }

// Query implements [dialect.Driver]. Other reads of the snapshot wait until the
// rows are closed.
func (r reading) Query(ctx context.Context, text string, args, to any) (err error) {
	rows, ok := to.(*entsql.Rows)
	values, listed := args.([]any)
	if !ok || !listed {
		return fmt.Errorf("internal error: a query of %T into %T", args, to)
	}
	s := r.snapshot
	s.mu.Lock()
	defer func() {
		if err != nil {
			s.mu.Unlock()
		}
	}()
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.db.sent(text, values)
	found, err := s.conn.QueryContext(ctx, text, values...) //nolint:rowserrcheck // ent checks it
	if err != nil {
		return err
	}
	rows.ColumnScanner = &lockedRows{Rows: found, unlock: sync.OnceFunc(s.mu.Unlock)}
	return nil
}

// lockedRows are rows that keep their snapshot locked until they are closed.
type lockedRows struct {
	*sql.Rows
	unlock func()
}

// Close closes the rows.
func (r *lockedRows) Close() error {
	defer r.unlock()
	return r.Rows.Close()
}
