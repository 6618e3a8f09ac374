package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	entsql "entgo.io/ent/dialect/sql"
)

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
	shared     shared // the results of [Shared]
	// mu guards the fields below and serialises the statements on conn, a connection to
	// SQLite that is nil outside a transaction.
	mu     sync.Mutex
	conn   *sql.Conn
	memory *call        // of the statement that runs on conn
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
	s.memory.clear()
	s.db.calls.Put(s.memory)
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
	if s.memory, _ = s.db.calls.Get().(*call); s.memory == nil {
		s.memory = new(call)
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
		if err := s.db.query(ctx, s.conn, s.memory, one); err != nil {
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
// A call must therefore not wait for another one except by [Shared], and must read with the
// context it receives.
func (s *Snapshot) Together(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	if s.Gathers() && n > 1 {
		return s.gathered.together(ctx, n, read)
	}
	return inTurn(ctx, n, read)
}

// Finish is [Snapshot.Together] for the last reads of the snapshot, at least one. On PostgreSQL
// the snapshot ends in the round trip of the last statements if each reader has marked its
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

// Shared returns the result of read, which runs once for each key until the snapshot is
// closed. Concurrent calls wait for the first one, as calls of [Snapshot.Together] may not do by
// other means. After a failure, the next call reads again. read must not wait for its own key.
func Shared[V any](ctx context.Context, s *Snapshot, key any, read func(ctx context.Context) (V, error)) (V, error) {
	one := s.shared.get(ctx, s.gathered, key, func(ctx context.Context) (any, error) { return read(ctx) })
	if one.err != nil {
		return *new(V), repanic(one.err)
	}
	return one.value.(V), nil
}

// Forget drops the results of [Shared], so that a snapshot with many reads does not keep them
// all. It must not be called during a read.
func (s *Snapshot) Forget() { s.shared.forget() }

// Gathers reports whether [Snapshot.Together] saves round trips.
func (s *Snapshot) Gathers() bool { return s.gathered != nil }

// Query runs a statement from ent's builder and calls read with each row.
func (s *Snapshot) Query(ctx context.Context, statement entsql.Querier, read func(*Row) error) error {
	text, args := statement.Query()
	return s.Run(ctx, text, args, read)
}

// Builder returns ent's statement builder for the database.
func (s *Snapshot) Builder() *entsql.DialectBuilder { return s.db.Builder() }
