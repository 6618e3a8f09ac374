package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

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

// begin starts the transaction; the caller must hold mu.
func (s *Snapshot) begin(ctx context.Context) error {
	switch {
	case s.closed:
		return errors.New("internal error: read from a closed snapshot")
	case s.conn != nil:
		return nil
	}
	start := "BEGIN"
	if s.db.dialect == dialect.Postgres {
		start = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + OrderedPlans
	}
	// Waiting for a connection ends with ctx. The transaction lives until
	// Close: one field's cancelled context must not end it for the others.
	conn, err := s.db.reader.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := Execute(ctx, conn, start); err != nil {
		return fmt.Errorf("beginning a snapshot: %w", err)
	}
	s.conn, s.end = conn, func() error { return Execute(ctx, conn, "ROLLBACK") }
	return nil
}

// Statement is a statement with its arguments. Read is called for each row.
type Statement struct {
	Text string
	Args []any
	Read func(*Row) error
}

// Run runs a batch of statements in turn, and ends at the first error.
func (s *Snapshot) Run(ctx context.Context, batch ...Statement) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	for _, one := range batch {
		s.db.sent(one.Text, one.Args)
		if err := Query(ctx, s.conn, one.Text, one.Args, one.Read); err != nil {
			return err
		}
	}
	return nil
}

// Query runs a statement of ent's builder and calls read for each row.
func (s *Snapshot) Query(ctx context.Context, statement entsql.Querier, read func(*Row) error) error {
	text, args := statement.Query()
	return s.Run(ctx, Statement{text, args, read})
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
