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
	if err := execute(ctx, conn, start); err != nil {
		return fmt.Errorf("beginning a snapshot: %w", err)
	}
	s.conn, s.end = conn, func() error { return execute(ctx, conn, "ROLLBACK") }
	return nil
}

// query runs a statement built by ent and calls scan for each row.
func (s *Snapshot) query(ctx context.Context, statement entsql.Querier, scan func(*rowReader) error) error {
	text, args := statement.Query()
	return s.queryText(ctx, text, args, scan)
}

// queryText runs a statement and calls scan for each row.
func (s *Snapshot) queryText(ctx context.Context, text string, args []any, scan func(*rowReader) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	if s.store.opts.OnStatement != nil {
		s.store.opts.OnStatement(text, args)
	}
	return rowsOf(ctx, s.conn, text, args, scan)
}

// row runs a statement of at most one row; it reports whether there was one.
func (s *Snapshot) row(ctx context.Context, statement entsql.Querier, dest ...any) (bool, error) {
	text, args := statement.Query()
	return s.rowText(ctx, text, args, dest...)
}

// rowText runs a statement of at most one row; it reports whether there was one.
func (s *Snapshot) rowText(ctx context.Context, text string, args []any, dest ...any) (bool, error) {
	found := false
	err := s.queryText(ctx, text, args, func(r *rowReader) error {
		found = true
		return r.Scan(dest...)
	})
	return found, err
}

func (s *Snapshot) builder() *entsql.DialectBuilder { return s.store.builder() }
