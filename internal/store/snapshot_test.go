package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestSnapshot_ReadsByEntSeeOneState: what ent reads is of the same state as
// the pages, and reads of several goroutines wait for each other.
func TestSnapshot_ReadsByEntSeeOneState(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 40, between(20, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{MaxPageSize: 5000})
		apply(t, s, blocks[:20])
		snap := snapshot(t, s)
		before, err := snap.Chain(t.Context())
		expect.NoError(t, err)
		apply(t, s, blocks[20:])
		expect.NoError(t, s.SetFinalized(t.Context(), blocks[39].Header))
		want := len(model(blocks[:20]).match(store.Filter{}))
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				chain, err := snap.Chain(t.Context())
				if err != nil {
					t.Error(err)
				} else if chain.Finalized != nil || len(chain.Indexed) != 1 || chain.Indexed[0] != before.Indexed[0] || *chain.Head != *before.Head {
					t.Errorf("got %+v, want %+v", chain, before)
				}
			})
			group.Go(func() {
				p, err := readPage(t.Context(), snap, store.Filter{}, store.PageArgs{First: ptr(5000)})
				if err != nil || p.Len() != want {
					t.Errorf("got error %v, want a page of %d records", err, want)
				}
			})
		}
		group.Wait()
	})
}

// TestSnapshot_AnswersAfterAnError: a read by ent that fails frees the snapshot.
func TestSnapshot_AnswersAfterAnError(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		apply(t, s, []nft.Block{drop(10, collection(0), 1, 3)})
		snap := snapshot(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := snap.Chain(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("with a cancelled context: got error %v", err)
		}
		if _, err := snap.Chain(t.Context()); err != nil {
			t.Errorf("after that: %v", err)
		}
		if err := store.WriteBy(t.Context(), snap); err == nil {
			t.Error("a snapshot was written by")
		}
		unknown := evm.Hash{1}
		_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &unknown}}, store.PageArgs{})
		wantCode(t, "an unknown block", err, nft.BlockNotFound)
	})
}
