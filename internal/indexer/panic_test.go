package indexer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// panicking is a source that panics in the first left calls of one method.
type panicking struct {
	source
	method string
	left   atomic.Int32
}

func (s *panicking) maybe(method string) {
	if s.method == method && s.left.Add(-1) >= 0 {
		panic("a bug in " + method)
	}
}

func (s *panicking) Head(ctx context.Context) (latest, finalized evm.Header, err error) {
	s.maybe("Head")
	return s.source.Head(ctx)
}

func (s *panicking) Headers(ctx context.Context, from, to uint64) ([]evm.Header, error) {
	s.maybe("Headers")
	return s.source.Headers(ctx, from, to)
}

func (s *panicking) Blocks(ctx context.Context, from, to uint64, full bool) ([]evm.Block, bool, error) {
	s.maybe("Blocks")
	return s.source.Blocks(ctx, from, to, full)
}

func (s *panicking) Proven(ctx context.Context, number uint64) (evm.Block, error) {
	s.maybe("Proven")
	return s.source.Proven(ctx, number)
}

// panickingStore is a store that panics in the first left calls of Extend.
type panickingStore struct {
	*write.DB
	left int
}

func (s *panickingStore) Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error {
	if s.left--; s.left >= 0 {
		panic("a bug in Extend")
	}
	return s.DB.Extend(ctx, blocks, indexed, proven)
}

// TestRun_Panics has parts of the follower panic, also in its goroutines. Each panic must
// be logged with its stack and counted, and the follower must continue.
func TestRun_Panics(t *testing.T) {
	for _, method := range []string{"Head", "Headers", "Blocks", "Extend", "Progress"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			r, node, random := followed(t, chaintest.NodeOptions{Finality: 10}, 60)
			settled := follow(t, r.dsn, jsonrpc.Options{}, node)
			settled.To = ptr(uint64(20))
			settled.settle(t)
			mine(node, random, 20)
			source := &panicking{source: r.Source.(source), method: method}
			source.left.Store(2)
			r.Source = source
			panics := 2
			if method == "Extend" {
				r.Store = &panickingStore{DB: r.store, left: 2}
			}
			if method == "Progress" {
				panics = 1
				r.Progress = func(indexer.Progress) {
					if r.Progress = nil; true {
						panic("a bug in Progress")
					}
				}
			}
			var log bytes.Buffer
			r.Log = slog.New(slog.NewTextHandler(&log, nil))
			counted := 0
			r.Panicked = func() { counted++ }
			expect.NoError(t, r.Run(t.Context(), true, nil))
			r.checkHead(t, node)
			if counted < 1 || counted > panics {
				t.Errorf("%d panics were counted, want 1 to %d", counted, panics)
			}
			if said := log.String(); !strings.Contains(said, "level=ERROR msg=panic") || !strings.Contains(said, "a bug in "+method) || !strings.Contains(said, "panic_test.go") {
				t.Errorf("the log has no panic with its stack: %.500s", said)
			}
		})
	}
}

// TestVerify_Panics has a proof panic. The auditor must count the panic and continue.
func TestVerify_Panics(t *testing.T) {
	node, _ := chainOf(t, chaintest.NodeOptions{}, 100)
	r := asksForRanges(follow(t, storetest.SQLite(t), jsonrpc.Options{}, node), 1000)
	r.settle(t)
	a, _ := auditor(t, r, true)
	source := &panicking{source: r.Source.(source), method: "Proven"}
	source.left.Store(1)
	a.Verifier.Prover = source
	counted := 0
	a.Panicked = func() { counted++ }
	if err := a.Run(t.Context(), true); err != nil || counted != 1 {
		t.Errorf("%d panics, error %v; want one panic", counted, err)
	}
	if _, left, err := proof.Of(r.store).Unverified(t.Context(), nil); left || err != nil {
		t.Errorf("blocks are left to verify: %v, error %v", left, err)
	}
	source.left.Store(1)
	var panicked *retrying.PanicError
	if _, err := a.Verifier.Verify(t.Context(), evm.Range{To: 30}); !errors.As(err, &panicked) {
		t.Errorf("got the error %v, want the panic", err)
	}
}
