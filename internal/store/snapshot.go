package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/nft"
)

// Snapshot reads one committed state of the data. It is safe for concurrent
// use, one statement at a time, and must be closed.
type Snapshot struct {
	store *Store

	// mu guards what follows and serialises the statements on conn, which is
	// within a transaction as long as it is not nil; end ends that.
	mu     sync.Mutex
	conn   *sql.Conn
	end    func() error
	closed bool

	clientOnce sync.Once
	ent        *ent.Client
}

// Snapshot returns a reader of the state at the time of its first statement.
func (s *Store) Snapshot() *Snapshot { return &Snapshot{store: s} }

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
	if err != nil {
		return fmt.Errorf("ending a snapshot: %w", err)
	}
	return nil
}

// begin starts the transaction; the caller must hold mu.
func (s *Snapshot) begin(ctx context.Context) error {
	switch {
	case s.closed:
		return errors.New("internal error: read from a closed snapshot")
	case s.conn != nil:
		return nil
	}
	start := "BEGIN"
	if s.store.dialect == dialect.Postgres {
		start = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	}
	// Waiting for a connection ends with ctx. The transaction lives until
	// Close: one field's cancelled context must not end it for the others.
	conn, err := s.store.reader.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := database.Execute(ctx, conn, start); err != nil {
		return fmt.Errorf("beginning a snapshot: %w", err)
	}
	s.conn, s.end = conn, func() error { return database.Execute(ctx, conn, "ROLLBACK") }
	return nil
}

// statementKey is everything that the text of a cached statement depends on.
type statementKey struct {
	// name is that of the statement; the rest is for those that vary.
	name string
	kind nft.Kind
	// lead and where say which filter it is: see query.
	lead  string
	where int
	// low and high say that there are these bounds.
	low, high bool
	fromHigh  bool
	limit     int
}

// statement returns the text of a statement from the cache. Otherwise build
// makes it, with ent, of any values: the arguments go beside the text, in the
// order in which it has them.
func (s *Snapshot) statement(key statementKey, build func(*ent.Client) entsql.Querier) string {
	return s.store.statements.Get(key, func() string {
		text, _ := build(s.store.queries).Query()
		return text
	})
}

// run runs a statement and calls read for each row.
func (s *Snapshot) run(ctx context.Context, text string, args []any, read func(*database.Row) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.store.sent(text, args)
	return database.Query(ctx, s.conn, text, args, read)
}

// cached runs a statement from the cache; see statement. It reports whether
// there was a row.
func (s *Snapshot) cached(ctx context.Context, key statementKey, build func(*ent.Client) entsql.Querier, args []any, read func(*database.Row) error) (found bool, err error) {
	err = s.run(ctx, s.statement(key, build), args, func(row *database.Row) error {
		found = true
		return read(row)
	})
	return found, err
}

// ignored is for statements of which only the number of rows matters.
func ignored(*database.Row) error { return nil }

// sent passes a statement on to who watches.
func (s *Store) sent(text string, args []any) {
	if s.opts.OnStatement != nil {
		s.opts.OnStatement(text, args)
	}
}

// client returns ent's client for reads of the snapshot.
func (s *Snapshot) client() *ent.Client {
	s.clientOnce.Do(func() { s.ent = ent.NewClient(ent.Driver(reading{s})) })
	return s.ent
}

// reading is ent's driver that reads a snapshot.
type reading struct{ snapshot *Snapshot }

var _ dialect.Driver = reading{}

// errReadOnly is what writes by a snapshot get.
var errReadOnly = errors.New("internal error: a snapshot only reads")

// Dialect implements [dialect.Driver].
func (r reading) Dialect() string { return r.snapshot.store.dialect }

// Close implements [dialect.Driver]. The snapshot is closed by its owner.
func (reading) Close() error { return nil }

// Exec implements [dialect.Driver].
func (reading) Exec(context.Context, string, any, any) error { return errReadOnly }

// Tx implements [dialect.Driver].
func (reading) Tx(context.Context) (dialect.Tx, error) { return nil, errReadOnly }

// Query implements [dialect.Driver]. Until the rows are closed, other reads of
// the snapshot wait.
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
	s.store.sent(text, values)
	found, err := s.conn.QueryContext(ctx, text, values...) //nolint:rowserrcheck // ent checks it
	if err != nil {
		return err
	}
	rows.ColumnScanner = &lockedRows{Rows: found, unlock: sync.OnceFunc(s.mu.Unlock)}
	return nil
}

// lockedRows are rows of a snapshot, which others may use when they are closed.
type lockedRows struct {
	*sql.Rows
	unlock func()
}

// Close closes the rows.
func (r *lockedRows) Close() error {
	defer r.unlock()
	return r.Rows.Close()
}
