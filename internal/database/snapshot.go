package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgxpool"
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
	// Unmapped keeps SQLite from mapping the file: for a process that reads much of it once,
	// and whose memory must not grow with it.
	Unmapped bool
	// Readers is the size of the pool of reading connections; 0 means 5 for SQLite, and
	// for PostgreSQL, which serves more at once than wait for its processors, eight for
	// each of this machine, 8 to 64.
	Readers int
	// OnStatement, if not nil, is called with each statement of a snapshot, and
	// with the reads and the single writes of a writing transaction.
	OnStatement func(query string, args []any)
	// Trace, if not nil, is called before each round trip of a read, and its result, if
	// not nil, with the texts of the statements when their rows are read. A round trip to
	// SQLite has one statement.
	Trace func(ctx context.Context) (end func(texts []string, err error))
	// OnWait, if not nil, is called when a writing transaction has waited for those of
	// other processes for a second, and with false when it waits no longer.
	OnWait func(waits bool)
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect string
	// writer is a pool of connections; that of SQLite has one.
	writer *sql.DB
	// reader reads SQLite, and pool PostgreSQL; the other is nil.
	reader *sql.DB
	pool   *pgxpool.Pool
	// pooled says that a pooler lends connections to PostgreSQL, each for a transaction.
	pooled bool
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
	if db.pool != nil {
		db.pool.Close()
	}
	return errors.Join(errs...)
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	err := db.Query(ctx, "SELECT 1", nil, func(*Row) error { return nil })
	return Wrap(err, "asking the database")
}

// CheckFile returns a [*FileError] if a file of a SQLite database was deleted or replaced
// since [Open], or if another process writes a file that this one opened as immutable.
func (db *DB) CheckFile() error {
	if db.file == nil {
		return nil
	}
	return db.file.check()
}

// File returns the path of a SQLite database, "" for PostgreSQL.
func (db *DB) File() string {
	if db.file == nil {
		return ""
	}
	return db.file.path
}

// PoolStats describes the pool of reading connections.
type PoolStats struct {
	// Open is the number of connections, of which Idle are not in use, and Max bounds it.
	Open, Idle, Max int
	// Waits is how many reads have waited for a connection, Waited for how long together.
	// On PostgreSQL the opening of a connection counts as well.
	Waits  int64
	Waited time.Duration
}

// PoolStats returns the present state of the pool of reading connections.
func (db *DB) PoolStats() PoolStats {
	if db.pool != nil {
		now := db.pool.Stat()
		return PoolStats{int(now.TotalConns()), int(now.IdleConns()), int(now.MaxConns()), now.EmptyAcquireCount(), now.EmptyAcquireWaitTime()}
	}
	now := db.reader.Stats()
	return PoolStats{now.OpenConnections, now.Idle, now.MaxOpenConnections, now.WaitCount, now.WaitDuration}
}

// Dialect returns ent's name of the database: [dialect.SQLite] or
// [dialect.Postgres].
func (db *DB) Dialect() string { return db.dialect }

// Builder returns ent's builder of statements for the database.
func (db *DB) Builder() *entsql.DialectBuilder { return entsql.Dialect(db.dialect) }

// Driver returns ent's driver without a transaction.
func (db *DB) Driver() dialect.Driver { return entsql.OpenDB(db.dialect, db.writer) }

// Query runs one statement on a reading connection, without a snapshot, and
// calls read for each row.
func (db *DB) Query(ctx context.Context, text string, args []any, read func(*Row) error) error {
	if db.pool != nil {
		return ask(ctx, db.pool, db.opts.Trace, Statement{Text: text, Args: args, Read: read})
	}
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(db.query(ctx, conn, Statement{Text: text, Args: args, Read: read}), conn.Close())
}

// query runs a statement on a connection to SQLite.
func (db *DB) query(ctx context.Context, conn *sql.Conn, one Statement) (err error) {
	if db.opts.Trace != nil {
		if end := db.opts.Trace(ctx); end != nil {
			defer func() { end([]string{one.Text}, err) }()
		}
	}
	return query(ctx, conn, one)
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

// writerConns is the size of the pool that writes to PostgreSQL.
const writerConns = 2

// limited bounds a pool.
func limited(pool *sql.DB, size int) *sql.DB {
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

// Snapshot reads one committed state of the data: that at the time of its first
// statement. It is safe for concurrent use, one statement at a time, and must be
// closed.
type Snapshot struct {
	db *DB
	// gathered reads PostgreSQL; nil is SQLite.
	gathered *gathered
	// mu guards what follows and serialises the statements on conn, which is
	// within a transaction of SQLite as long as it is not nil.
	mu     sync.Mutex
	conn   *sql.Conn
	end    func() error // ends the transaction
	closed bool
}

// Snapshot returns a snapshot that has not begun.
func (db *DB) Snapshot() *Snapshot {
	s := &Snapshot{db: db}
	if db.pool != nil {
		s.gathered = &gathered{pool: db.pool, start: beginReading(db.pooled), sent: db.sent, trace: db.opts.Trace}
	}
	return s
}

// Close ends the snapshot; later reads fail.
func (s *Snapshot) Close() error {
	if s.gathered != nil {
		s.gathered.close()
		return nil
	}
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

// begin starts the transaction of SQLite unless it has begun, which lives until Close:
// one field's cancelled context must not end it for the others. Waiting for a
// connection ends with ctx. The caller must hold mu.
func (s *Snapshot) begin(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	if s.closed {
		return errClosed
	}
	conn, err := s.db.reader.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := Execute(ctx, conn, "BEGIN"); err != nil {
		return fmt.Errorf("beginning a snapshot: %w", err)
	}
	s.conn, s.end = conn, func() error { return Execute(ctx, conn, "ROLLBACK") }
	return nil
}

// RunAll runs a batch of statements in turn, in one round trip to PostgreSQL, and
// ends at the first error.
func (s *Snapshot) RunAll(ctx context.Context, batch ...Statement) error {
	if s.gathered != nil {
		return s.gathered.run(ctx, batch)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	for _, one := range batch {
		s.db.sent(one.Text, one.Args)
		if err := s.db.query(ctx, s.conn, one); err != nil {
			return err
		}
	}
	return nil
}

// Run is [Snapshot.RunAll] of one statement.
func (s *Snapshot) Run(ctx context.Context, text string, args []any, read func(*Row) error) error {
	return s.RunAll(ctx, Statement{Text: text, Args: args, Read: read})
}

// Together calls read n times, with the numbers from 0 on, and returns the first error
// in their order. On SQLite it calls one after the other, up to an error. On PostgreSQL
// they run side by side, and whatever all of them wait for takes one round trip: until
// it ends, a read must not wait for another one by other means, and it must read with
// the context that it is called with.
func (s *Snapshot) Together(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	if s.Gathers() && n > 1 {
		return s.gathered.together(ctx, n, read)
	}
	return inTurn(ctx, n, read)
}

// Finish is [Snapshot.Together] of all that is read of the snapshot, which may end with
// it: on PostgreSQL it does so in the round trip of the last statements, if all have
// [Statement.Last].
func (s *Snapshot) Finish(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	if s.Gathers() {
		return s.gathered.finish(ctx, n, read)
	}
	return inTurn(ctx, n, read)
}

func inTurn(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	for i := range n {
		if err := read(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// Gathers reports whether [Snapshot.Together] saves round trips.
func (s *Snapshot) Gathers() bool { return s.gathered != nil }

// Query runs a statement of ent's builder and calls read for each row.
func (s *Snapshot) Query(ctx context.Context, statement entsql.Querier, read func(*Row) error) error {
	text, args := statement.Query()
	return s.Run(ctx, text, args, read)
}

// Builder returns ent's builder of statements for the database.
func (s *Snapshot) Builder() *entsql.DialectBuilder { return s.db.Builder() }
