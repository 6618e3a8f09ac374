package store

import (
	"context"
	"database/sql"
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

	// mu guards conn and tx and serialises the statements on them.
	mu     sync.Mutex
	conn   *sql.Conn
	tx     *sql.Tx
	closed bool
}

// Snapshot returns a reader of the state at the time of its first statement.
func (s *Store) Snapshot() *Snapshot { return &Snapshot{store: s} }

// Close ends the snapshot; later reads fail.
func (s *Snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.tx == nil {
		return nil
	}
	err := errors.Join(ignoreDone(s.tx.Rollback()), s.conn.Close())
	s.conn, s.tx = nil, nil
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
	case s.tx != nil:
		return nil
	}
	var opts *sql.TxOptions
	if s.store.dialect == dialect.Postgres {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	// Waiting for a connection ends with ctx. The transaction lives until
	// Close: one field's cancelled context must not end it for the others.
	conn, err := s.store.reader.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), opts)
	if err != nil {
		return fmt.Errorf("beginning a snapshot: %w", errors.Join(err, conn.Close()))
	}
	s.conn, s.tx = conn, tx
	return nil
}

// query runs a statement built by ent and calls scan for each row.
func (s *Snapshot) query(ctx context.Context, statement entsql.Querier, scan func(*sql.Rows) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	text, args := statement.Query()
	if s.store.opts.OnStatement != nil {
		s.store.opts.OnStatement(text, args)
	}
	rows, err := s.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// row runs a statement of at most one row; it reports whether there was one.
func (s *Snapshot) row(ctx context.Context, statement entsql.Querier, dest ...any) (bool, error) {
	found := false
	err := s.query(ctx, statement, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	return found, err
}

func (s *Snapshot) builder() *entsql.DialectBuilder { return s.store.builder() }
