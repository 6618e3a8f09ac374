package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"mintburn/ent"
	"mintburn/internal/database"

	entsql "entgo.io/ent/dialect/sql"
)

// Snapshot reads one committed state of the data. It is safe for concurrent
// use, one statement at a time, and must be closed.
type Snapshot struct {
	store *Store
	db    *database.Snapshot

	clientOnce sync.Once
	ent        *ent.Client

	// hold bounds the texts that are read; nil is no bound. unheld is how many bytes
	// of them were read before memory was taken for them.
	hold   Hold
	unheld atomic.Int64
}

// Snapshot returns a reader of the state at the time of its first statement.
func (s *Store) Snapshot() *Snapshot {
	return &Snapshot{store: s, db: s.db.Snapshot()}
}

// client returns ent's client for reads of the snapshot.
func (s *Snapshot) client() *ent.Client {
	s.clientOnce.Do(func() { s.ent = ent.NewClient(ent.Driver(s.db.Driver())) })
	return s.ent
}

// Close ends the snapshot; later reads fail.
func (s *Snapshot) Close() error { return s.db.Close() }

// Hold takes memory for n bytes of texts and returns 0. If they do not fit, it
// takes none and returns how many bytes are too many.
type Hold func(n int64) (excess int64, err error)

// Bound lets hold decide which texts the snapshot reads. It must be called before
// anything is read.
func (s *Snapshot) Bound(hold Hold) { s.hold = hold }

// reading calls f with a snapshot that lives as long as the call.
func reading[T any](s *Store, f func(*Snapshot) (T, error)) (value T, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return f(snapshot)
}

// run runs a statement and calls read for each row.
func (s *Snapshot) run(ctx context.Context, text string, args []any, read func(*database.Row) error) error {
	return s.db.Run(ctx, database.Statement{Text: text, Args: args, Read: read})
}

// cached runs a statement from the cache; see [Store.statement]. It reports
// whether there was a row.
func (s *Snapshot) cached(ctx context.Context, key statementKey, build func(*ent.Client) entsql.Querier, args []any, read func(*database.Row) error) (found bool, err error) {
	err = s.run(ctx, s.store.statement(key, build), args, func(row *database.Row) error {
		found = true
		return read(row)
	})
	return found, err
}

// ignored is for statements of which only the number of rows matters.
func ignored(*database.Row) error { return nil }
