package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options configure a [DB].
type Options struct {
	// Loading makes large imports faster: SQLite checkpoints the write-ahead log less
	// often and has a larger cache. Durability after a crash is the same.
	Loading bool
	// Existing makes [Open] return [ErrNoDatabase] instead of creating a database. It also
	// opens read-only SQLite files.
	Existing bool
	// Unmapped keeps SQLite from mapping the file into memory. It is for a process that
	// reads much of the file once and whose memory must not grow with the file.
	Unmapped bool
	// Patient lets a writing transaction on PostgreSQL wait for its process for ten minutes
	// rather than five seconds, while the process is stopped or slow. It is for work that ends
	// by itself: a follower must not keep another one from taking over.
	Patient bool
	// Readers is the size of the pool of reading connections. 0 means 5 for SQLite. For
	// PostgreSQL it means 8 for each CPU of this machine, within 8 to 64: PostgreSQL
	// serves more statements at once than it has CPUs.
	Readers int
	// OnStatement, if not nil, is called with each statement of a snapshot, and with
	// the reads and single writes of a writing transaction.
	OnStatement func(query string, args []any)
	// Trace, if not nil, is called before each round trip of a read. The returned function,
	// if not nil, is called with the texts of the statements once their rows are read. On
	// SQLite each statement is a round trip.
	Trace func(ctx context.Context) (end func(texts []string, err error))
	// OnWait, if not nil, is called with true once a writing transaction has waited for
	// another process for a second, and with false when that wait ends.
	OnWait func(waits bool)
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect string
	// writer is a pool of writing connections; for SQLite it has one.
	writer *sql.DB
	// reader reads SQLite and is nil for PostgreSQL; pool reads PostgreSQL and is nil for
	// SQLite.
	reader *sql.DB
	pool   *pgxpool.Pool
	// pooled is set behind a pooler, which lends a PostgreSQL connection per transaction.
	pooled bool
	// file is the SQLite database, nil for PostgreSQL.
	file *file
	// created is set if [Open] created the file.
	created bool
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

// CheckFile returns a [*FileError] if a file of a SQLite database was deleted or replaced
// since [Open], or if another process writes a file that [Open] opened as immutable.
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
	// Open is the number of connections, Idle the number of unused ones, and Max the
	// upper bound of Open.
	Open, Idle, Max int
	// Waits counts the reads that had to wait for a connection. Waited is their total
	// waiting time. On PostgreSQL both include opening a connection.
	Waits  int64
	Waited time.Duration
}

// PoolStats returns the current state of the pool of reading connections.
func (db *DB) PoolStats() PoolStats {
	if db.pool != nil {
		now := db.pool.Stat()
		return PoolStats{int(now.TotalConns()), int(now.IdleConns()), int(now.MaxConns()), now.EmptyAcquireCount(), now.EmptyAcquireWaitTime()}
	}
	now := db.reader.Stats()
	return PoolStats{now.OpenConnections, now.Idle, now.MaxOpenConnections, now.WaitCount, now.WaitDuration}
}

// Dialect returns ent's name for the database: [dialect.SQLite] or
// [dialect.Postgres].
func (db *DB) Dialect() string { return db.dialect }

// Builder returns ent's statement builder for the database.
func (db *DB) Builder() *entsql.DialectBuilder { return entsql.Dialect(db.dialect) }

// Driver returns an ent driver that uses no transaction.
func (db *DB) Driver() dialect.Driver { return entsql.OpenDB(db.dialect, db.writer) }

// Query runs one statement on a reading connection, without a snapshot, and
// calls read with each row.
func (db *DB) Query(ctx context.Context, text string, args []any, read func(*Row) error) error {
	if db.pool != nil {
		return runOne(ctx, db.pool, db.opts.Trace, Statement{Text: text, Args: args, Read: read})
	}
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(db.query(ctx, conn, new(call), Statement{Text: text, Args: args, Read: read}), conn.Close())
}

// query runs a statement on a connection to SQLite.
func (db *DB) query(ctx context.Context, conn *sql.Conn, memory *call, one Statement) (err error) {
	if db.opts.Trace != nil {
		if end := db.opts.Trace(ctx); end != nil {
			defer func() { end([]string{one.Text}, err) }()
		}
	}
	return memory.query(ctx, conn, one)
}

// Exec runs a statement on a writing connection, outside any transaction.
func (db *DB) Exec(ctx context.Context, text string) error {
	_, err := db.writer.ExecContext(ctx, text)
	return err
}

// sent passes a statement to [Options.OnStatement].
func (db *DB) sent(text string, args []any) {
	if db.opts.OnStatement != nil {
		db.opts.OnStatement(text, args)
	}
}

// writerConns is the size of the pool that writes to PostgreSQL.
const writerConns = 2

// limited sets the size of a pool and returns it.
func limited(pool *sql.DB, size int) *sql.DB {
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

// Snapshot reads one committed state of the data, from the time of its first
// statement. It is safe for concurrent use, but runs one statement at a time. It must be
// closed.
type Snapshot struct {
	db *DB
	// gathered reads PostgreSQL; it is nil for SQLite.
	gathered *gathered
	// opening is read when the snapshot begins. failed is the error of its Read, until
	// confirm succeeds; confirming serialises its calls.
	opening    Statement
	failed     atomic.Pointer[error]
	confirm    func(ctx context.Context, failed error) error
	confirming sync.Mutex
	// mu guards the fields below and serialises the statements on conn, a connection to
	// SQLite that is nil outside a transaction.
	mu     sync.Mutex
	conn   *sql.Conn
	memory call         // of the statement that runs on conn
	end    func() error // ends the transaction
	closed bool
}

// Snapshot returns a snapshot. It begins with its first statement.
func (db *DB) Snapshot() *Snapshot {
	return db.SnapshotFrom(Statement{Text: "SELECT count(*) FROM sqlite_schema"}, nil)
}

// SnapshotFrom is [DB.Snapshot] with an opening statement, which has no arguments and one
// row. The snapshot reads it when it begins, in its first round trip to PostgreSQL. On SQLite
// the statement stays open in place of a transaction. If its Read fails, each read of the
// snapshot returns the error of confirm, which is called until it succeeds once and may use
// [Snapshot.RunApart]. Without a Read the statement is left out on PostgreSQL. Read is called
// again if a read continues in a transaction, see [ErrNotAlone].
func (db *DB) SnapshotFrom(opening Statement, confirm func(ctx context.Context, failed error) error) *Snapshot {
	s := &Snapshot{db: db, opening: opening, confirm: confirm}
	if read := opening.Read; read != nil {
		s.opening.Read = func(row *Row) error {
			if err := read(row); err != nil {
				s.failed.Store(&err)
			}
			return nil
		}
	}
	if db.pool != nil {
		s.gathered = &gathered{pool: db.pool, pooled: db.pooled, opening: s.opening, sent: db.sent, trace: db.opts.Trace}
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

// Begin reads the opening statement on SQLite, unless the snapshot has begun. On PostgreSQL it
// does nothing, because that would take a round trip.
func (s *Snapshot) Begin(ctx context.Context) error {
	if s.gathered != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begin(ctx)
}

// begin opens the SQLite snapshot unless it has begun. SQLite keeps what the open statement
// reads until Close. Waiting for a connection ends with ctx. The caller must hold mu.
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
	if s.end, err = s.memory.hold(conn, s.opening); err != nil { //nolint:contextcheck // The statement outlives ctx.
		return fmt.Errorf("beginning a snapshot: %w", errors.Join(err, conn.Close()))
	}
	s.conn = conn
	return nil
}

// RunAll runs a batch of statements in order, in one round trip to PostgreSQL, and
// stops at the first error.
func (s *Snapshot) RunAll(ctx context.Context, batch ...Statement) error {
	err := s.runAll(ctx, batch)
	if s.failed.Load() == nil {
		return err
	}
	s.confirming.Lock()
	defer s.confirming.Unlock()
	if failed := s.failed.Load(); failed != nil {
		if failed := s.confirm(ctx, *failed); failed != nil {
			return failed
		}
		s.failed.Store(nil)
	}
	return err
}

// RunApart runs a statement without waiting for concurrent reads. After the snapshot has
// ended on PostgreSQL, it reads a later state of the database.
func (s *Snapshot) RunApart(ctx context.Context, one Statement) error {
	if s.gathered != nil {
		return s.gathered.apart(ctx, one)
	}
	return s.runAll(ctx, []Statement{one})
}

func (s *Snapshot) runAll(ctx context.Context, batch []Statement) error {
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
		if err := s.db.query(ctx, s.conn, &s.memory, one); err != nil {
			return err
		}
	}
	return nil
}

// Run is [Snapshot.RunAll] for one statement.
func (s *Snapshot) Run(ctx context.Context, text string, args []any, read func(*Row) error) error {
	return s.RunAll(ctx, Statement{Text: text, Args: args, Read: read})
}

// Together calls read with each i from 0 to n-1 and returns the error of the lowest i.
// On SQLite it makes the calls in order and stops at the first error. On PostgreSQL it makes
// them concurrently, and once all of them wait for statements, these share one round trip.
// A call must therefore not wait for another one by other means, and must read with the
// context it receives.
func (s *Snapshot) Together(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	if s.Gathers() && n > 1 {
		return s.gathered.together(ctx, n, read)
	}
	return inTurn(ctx, n, read)
}

// Finish is [Snapshot.Together] for the last reads of the snapshot. On PostgreSQL the
// snapshot ends in the round trip of the last statements if each reader has marked its
// own as [Statement.Last].
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

// Query runs a statement from ent's builder and calls read with each row.
func (s *Snapshot) Query(ctx context.Context, statement entsql.Querier, read func(*Row) error) error {
	text, args := statement.Query()
	return s.Run(ctx, text, args, read)
}

// Builder returns ent's statement builder for the database.
func (s *Snapshot) Builder() *entsql.DialectBuilder { return s.db.Builder() }
