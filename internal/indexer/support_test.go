package indexer_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// source adapts a client to [indexer.Source].
type source struct{ *jsonrpc.Client }

func (s source) Head(ctx context.Context) (latest, finalized evm.Header, err error) {
	head, err := s.Client.Head(ctx)
	return head.Latest, head.Finalized, err
}

// Blocks implements [indexer.Source].
func (s source) Blocks(ctx context.Context, from, to uint64, full bool) (blocks []evm.Block, proven bool, err error) {
	if full {
		return s.Full(ctx, from, to)
	}
	return s.Client.Blocks(ctx, from, to)
}

// rig is a follower with its store.
type rig struct {
	*indexer.Follower
	store *write.DB
	dsn   string
	// sparse is true if not all headers are stored.
	sparse bool
}

// follow returns a follower of the nodes with a database, and a separate fake clock
// unless o has one.
func follow(t testing.TB, dsn string, o jsonrpc.Options, nodes ...*chaintest.Node) *rig {
	t.Helper()
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.URL)
	}
	if clock := new(chaintest.Clock); o.Now == nil {
		o.Now, o.Sleep = clock.Now, clock.Sleep
	}
	return followURLs(t, dsn, o, urls...)
}

// followURLs is follow for any endpoints, with the clock of o.
func followURLs(t testing.TB, dsn string, o jsonrpc.Options, urls ...string) *rig {
	t.Helper()
	s, err := write.Open(context.Background(), dsn, write.Options{})
	expect.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	client, err := jsonrpc.Dial(urls, o)
	expect.NoError(t, err)
	t.Cleanup(client.Close)
	return assemble(s, dsn, client)
}

// discard is a loop without a log.
var discard = indexer.Loop{Log: slog.New(slog.DiscardHandler)}

// assemble returns a rig with a store and a client.
func assemble(s *write.DB, dsn string, client *jsonrpc.Client) *rig {
	return &rig{store: s, dsn: dsn, Follower: &indexer.Follower{
		Source: source{client}, Store: s, Decoder: new(nft.Decoder), Loop: discard,
		HeaderDepth: 100_000, ReceiptsDepth: 10_000, Workers: 3,
	}}
}

// raw opens the database without package store.
func raw(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	driver := "sqlite3"
	if strings.HasPrefix(dsn, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	expect.NoError(t, err)
	return db
}

// settle steps until the follower is idle or done, and fails the test on an error.
func (r *rig) settle(t testing.TB) {
	t.Helper()
	for range 1000 {
		err := r.Step(t.Context())
		switch {
		case errors.Is(err, indexer.ErrIdle), errors.Is(err, indexer.ErrDone):
			return
		case err != nil:
			t.Fatalf("stepping: %v", err)
		}
	}
	t.Fatal("no end after 1000 steps")
}

// settleAt calls settle and checkHead.
func (r *rig) settleAt(t testing.TB, node *chaintest.Node) {
	t.Helper()
	r.settle(t)
	r.checkHead(t, node)
}

// endure is settle, except that it retries after errors, and returns the first.
func (r *rig) endure(t testing.TB) (first error) {
	t.Helper()
	for range 300 {
		err := r.Step(t.Context())
		switch {
		case errors.Is(err, indexer.ErrIdle), errors.Is(err, indexer.ErrDone):
			return first
		case err != nil && first == nil:
			first = err
		}
	}
	t.Fatalf("no end after 300 steps; first error: %v", first)
	return nil
}

// wantStep fails the test unless one step returns the error; nil means progress.
func (r *rig) wantStep(t testing.TB, want error) {
	t.Helper()
	if err := r.Step(t.Context()); !errors.Is(err, want) {
		t.Fatalf("step: got %v, want %v", err, want)
	}
}

// long skips a test that takes seconds if -short is set.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

func ptr[T any](v T) *T { return &v }

// proving is a function that implements [indexer.Prover].
type proving func(ctx context.Context, number uint64) (evm.Block, error)

// Proven implements [indexer.Prover].
func (p proving) Proven(ctx context.Context, number uint64) (evm.Block, error) { return p(ctx, number) }
