package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// few returns a chain of blocks 100 to 119.
func few() []nft.Block { return branch(1, 1, 100, blockHash(1, 99), 20, between(8, 0)) }

func TestApply_RefusesUnlinkedBlocks(t *testing.T) {
	blocks := few()
	other := func(i int, change func(*evm.Header)) nft.Block {
		b := blocks[i]
		change(&b.Header)
		return b
	}
	tests := []struct {
		name   string
		stored []nft.Block
		given  []nft.Block
		want   uint64 // the block in the error
	}{
		{"another hash at the same height", blocks[5:10], []nft.Block{other(7, func(h *evm.Header) { h.Hash[0]++ })}, 107},
		{"parent is not the stored block", blocks[5:10], []nft.Block{blocks[11], other(10, func(h *evm.Header) { h.ParentHash[0]++ })}, 110},
		{"not the parent of the stored block", blocks[5:10], []nft.Block{other(4, func(h *evm.Header) { h.Hash[0]++ })}, 104},
		{"two hashes at one height in a batch", nil, []nft.Block{blocks[3], blocks[4], other(4, func(h *evm.Header) { h.Hash[0]++ })}, 104},
		{"parent in the batch has another hash", nil, []nft.Block{blocks[3], other(4, func(h *evm.Header) { h.ParentHash[31]++ })}, 104},
		{"between two stored blocks", []nft.Block{blocks[3], blocks[5]}, []nft.Block{other(4, func(h *evm.Header) { h.Hash[5]++ })}, 104},
		{"one bad block after good ones", blocks[5:6], []nft.Block{blocks[0], blocks[6], other(7, func(h *evm.Header) { h.ParentHash = evm.Hash{1} })}, 107},
		{"a number above the last", nil, branch(1, 1, 1<<33-3, blockHash(1, 1<<33-4), 3, between(3, 0)), 1<<33 - 1},
		{"the largest number", nil, []nft.Block{other(0, func(h *evm.Header) { h.Number = math.MaxUint64 })}, math.MaxUint64},
		{"a time above the last", nil, []nft.Block{other(0, func(h *evm.Header) { h.Time = evm.MaxLong + 1 })}, 100},
	}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for _, test := range tests {
			rollback(t, s, 0, nil)
			apply(t, s, test.stored)
			before := contents(t, s)
			_, err := s.Apply(t.Context(), test.given)
			var refused *write.BlockError
			if !errors.As(err, &refused) || refused.Block.Number != test.want {
				t.Errorf("%s: got %v, want an error about block %d", test.name, err, test.want)
			}
			expect.Equal(t, fmt.Sprintf("%s: something was stored", test.name), before, contents(t, s))
		}
	})
}

// state sums up the contents of a database.
type state struct {
	Records [2][]row
	Totals  [2]int64
	Chain   *read.Chain
}

// contents returns the current state of a database.
func contents(t *testing.T, s *write.DB) (st state) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) { st = contentsOf(t, snap) })
	return st
}

// contentsOf returns the state that a snapshot sees.
func contentsOf(t *testing.T, snap *store.Snapshot) (st state) {
	t.Helper()
	var err error
	st.Chain, err = snap.Chain(t.Context())
	expect.NoError(t, err)
	for i, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		if len(st.Chain.Indexed) > 0 {
			p := pageOf(t, snap, store.Filter{Kind: kind, Partial: true}, page.Args{First: ptr(5000)})
			st.Records[i], st.Totals[i] = rowsOf(p), totalOf(t, p)
		}
	}
	return st
}

func TestApply_RefusesALogIndexOutOfRange(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for _, change := range []func(*nft.Record){
			func(r *nft.Record) { r.LogIndex = 1 << 30 },
			func(r *nft.Record) { r.LogIndex = math.MaxUint32 },
			func(r *nft.Record) { r.SubIndex = 1 << 30 },
		} {
			blocks := branch(1, 1, 100, blockHash(1, 99), 3, func(*rand.Rand, int) int { return 9 })
			change(&blocks[1].Mints[0])
			if _, err := s.Apply(t.Context(), blocks); err == nil {
				t.Errorf("got no error for %+v", blocks[1].Mints[0])
			}
			expect.Equal(t, "indexed ranges", []evm.Range(nil), chainOf(t, s).Indexed)
		}
		blocks := branch(1, 1, 100, blockHash(1, 99), 3, func(*rand.Rand, int) int { return 9 })
		last := &blocks[1].Mints[len(blocks[1].Mints)-1]
		last.LogIndex, last.SubIndex = 1<<30-1, 1<<30-1
		apply(t, s, blocks)
		expect.Equal(t, "mints", model(blocks).match(store.Filter{}), contents(t, s).Records[0])
	})
}

func TestApply_AgainChangesNothing(t *testing.T) {
	blocks := few()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		want := write.Applied{Blocks: len(blocks)}
		for _, b := range blocks {
			want.Mints, want.Burns, want.Rejected = want.Mints+len(b.Mints), want.Burns+len(b.Burns), want.Rejected+len(b.Rejected)
		}
		expect.Equal(t, "first time", want, apply(t, s, blocks))
		before := contents(t, s)
		for _, again := range [][]nft.Block{blocks, blocks[3:4], slices.Concat(blocks[5:9], blocks[7:12]), nil} {
			expect.Equal(t, "again", write.Applied{Known: len(again)}, apply(t, s, again))
		}
		expect.Equal(t, "result", before, contents(t, s))
	})
}

// TestSnapshot_DoesNotSeeLaterWrites checks that all reads of a snapshot see one state,
// in several goroutines at once.
func TestSnapshot_DoesNotSeeLaterWrites(t *testing.T) {
	blocks := few()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks[:10])
		snap := snapshot(t, s)
		before := contentsOf(t, snap)
		apply(t, s, blocks[10:])
		rollback(t, s, 104, nil)
		finalize(t, s, blocks[4])
		putTokens(t, s)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() { expect.Equal(t, "the snapshot's state", before, contentsOf(t, snap)) })
		}
		group.Wait()
		if p, err := readMetadata(t.Context(), snap, collection(0), nil, page.Args{}); err != nil || len(p.Items) > 0 {
			t.Errorf("tokens that were stored later: got %v", err)
		}
	})
}

// TestSnapshot_StopsWaitingWithItsContext uses the only connection, and checks that a
// second snapshot waits for it only until its context ends.
func TestSnapshot_StopsWaitingWithItsContext(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{Options: database.Options{Readers: 1}})
		if _, err := snapshot(t, s).Chain(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		waiting := snapshot(t, s)
		go func() {
			_, err := waiting.Chain(ctx)
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func TestSnapshot_ClosedIsAnError(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		snap := s.Snapshot()
		if _, err := snap.Chain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := snap.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		}
		if _, err := snap.Chain(t.Context()); err == nil {
			t.Error("got no error from a closed snapshot")
		}
	})
}

// TestSnapshot_ReadsAfterAnError checks that a failed read by ent does not block the
// snapshot.
func TestSnapshot_ReadsAfterAnError(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, []nft.Block{drop(10, collection(0), 1, 3)})
		snap := snapshot(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := snap.Chain(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("with a cancelled context: got error %v", err)
		}
		if _, err := snap.Chain(t.Context()); err != nil {
			t.Errorf("after the failed read: %v", err)
		}
		_, created := snap.Client().Setting.Create().SetID("name").SetValue("value").Save(t.Context())
		_, deleted := snap.Client().Setting.Delete().Exec(t.Context())
		if _, begun := snap.Client().Tx(t.Context()); created == nil || deleted == nil || begun == nil {
			t.Error("a write through a snapshot succeeded")
		}
		unknown := evm.Hash{1}
		_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &unknown}}, page.Args{})
		wantCode(t, "an unknown block", err, apierror.BlockNotFound)
	})
}

// TestApply_Standards checks that a contract has the standards of all its events, in any
// block.
func TestApply_Standards(t *testing.T) {
	blocks := branch(1, 1, 10, blockHash(1, 9), 3, func(*rand.Rand, int) int { return 0 })
	mint := func(contract int, standard nft.ContractType) nft.Record {
		return nft.Record{Contract: collection(contract), Type: standard, TokenID: evm.NewUint256(1), Amount: evm.NewUint256(1), To: account(0)}
	}
	blocks[0].Mints = []nft.Record{mint(1, nft.ERC721), mint(2, nft.ERC1155)}
	blocks[1].Mints = []nft.Record{mint(1, nft.ERC1155), mint(2, nft.ERC1155), mint(3, nft.ERC721), mint(3, nft.ERC1155)}
	blocks[2].Mints = []nft.Record{mint(1, nft.ERC721), mint(2, nft.ERC721)}
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		for i, want := range [][]int64{{1, 2}, {3, 2, 3}, {3, 3, 3}} {
			apply(t, s, blocks[i:i+1])
			expect.Equal(t, "standards", want, listOf[int64](t, dsn, "SELECT standards FROM contracts ORDER BY id"))
		}
	})
}
