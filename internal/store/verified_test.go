package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// rangesOf returns the ranges of the marked numbers.
func rangesOf(marked []bool) (list []evm.Range) {
	for i, ok := range marked {
		switch {
		case !ok:
		case i > 0 && marked[i-1]:
			list[len(list)-1].To = uint64(i)
		default:
			list = append(list, evm.Range{From: uint64(i), To: uint64(i)})
		}
	}
	return list
}

// TestVerified_RandomRanges marks and clears ranges, and sometimes rolls back, which clears
// the marks of the removed blocks as well.
func TestVerified_RandomRanges(t *testing.T) {
	const blocks = 40
	chain := branch(1, 1, 0, evm.Hash{}, blocks, between(2, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		for _, seed := range seeds(t, 2) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 9))
			s, marked := open(t, dsn, write.Options{}), make([]bool, blocks)
			apply(t, s, chain)
			expect.NoError(t, proof.Of(s).ClearVerified(t.Context(), evm.Range{From: 0, To: blocks}))
			for range 60 {
				from := rng.IntN(blocks)
				r := evm.Range{From: uint64(from), To: uint64(from + rng.IntN(min(9, blocks-from)))}
				mark, err := rng.IntN(2) == 0, error(nil)
				switch {
				case rng.IntN(20) == 0:
					rollback(t, s, r.From, chain[from+1:])
					r, mark = evm.Range{From: r.From + 1, To: blocks - 1}, false
				case mark:
					err = proof.Of(s).MarkVerified(t.Context(), headersOf(chain[r.From:r.To+1]))
				default:
					err = proof.Of(s).ClearVerified(t.Context(), r)
				}
				if err != nil {
					t.Fatalf("%v: %v", r, err)
				}
				for i := r.From; i <= r.To; i++ {
					marked[i] = mark
				}
				if got, want := chainOf(t, s).Verified, rangesOf(marked); !slices.Equal(got, want) {
					t.Fatalf("after %v, marked %v: got %v, want %v", r, mark, got, want)
				}
			}
			indexed, err := s.Indexed(t.Context())
			if err != nil || !slices.Equal(indexed, []evm.Range{{From: 0, To: blocks - 1}}) {
				t.Errorf("indexed: got %v and error %v, want all", indexed, err)
			}
		}
	})
}

func TestBlock_EqualsTheStoredBlock(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 60, between(12, 300))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		for _, want := range blocks {
			got, err := store.Block(t.Context(), s, want.Header.Number)
			expect.NoError(t, err)
			expect.Equal(t, fmt.Sprint("block ", want.Header.Number), want, got, cmpopts.EquateEmpty())
		}
		got, err := store.Block(t.Context(), s, 7)
		if diff := cmp.Diff(nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: 7}}}, got); err != nil || diff != "" {
			t.Errorf("a block that is not stored: error %v (-want +got):\n%s", err, diff)
		}
	})
}

// finalize sets the finalized block.
func finalize(t *testing.T, s *write.DB, b nft.Block) {
	t.Helper()
	expect.NoError(t, s.SetFinalized(t.Context(), b.Header))
}

// wantRefused fails the test unless err says that a block contradicts the stored blocks.
func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	var refused *write.BlockError
	if !errors.As(err, &refused) {
		t.Errorf("%s: got %v, want a BlockError", what, err)
	}
}

// TestRepair_NeverMixesBranches stores one branch and repairs with blocks of another. Blocks
// that do not link at both ends are refused and change nothing.
func TestRepair_NeverMixesBranches(t *testing.T) {
	skipShort(t)
	f := newFork()
	top := f.old[len(f.old)-1].Header.Number
	filters := accepted(f.trunk)
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		before, pages := contentOf(t, dsn), everything(t, s, filters)
		refused := func(what string, blocks []nft.Block) {
			t.Helper()
			wantRefused(t, what, proof.Of(s).Repair(t.Context(), blocks))
			expect.Equal(t, what+" was refused and changed", before, contentOf(t, dsn))
		}
		refused("the first block", f.new[:1])
		refused("one in the middle", f.new[5:6])
		refused("the last block", f.new[11:12])
		refused("all but the last", f.new[:11])
		refused("all but the first", f.new[1:12])
		refused("more than is indexed", f.new[:13])
		refused("blocks that do not follow each other", slices.Concat(f.new[:5], f.new[6:12]))
		refused("blocks of both branches", slices.Concat(f.new[:11], f.old[11:]))
		expect.Equal(t, "pages after refused repairs", pages, everything(t, s, filters))
		// No finalized block is known, so all blocks above the fork are replaced at once.
		expect.NoError(t, proof.Of(s).Repair(t.Context(), f.new[:12]))
		want := open(t, storetest.SQLite(t), write.Options{MaxPageSize: 5000})
		apply(t, want, slices.Concat(f.trunk, f.new[:12]))
		expect.NoError(t, proof.Of(want).MarkVerified(t.Context(), headersOf(f.new[:12])))
		expect.Equal(t, "result", everything(t, want, filters), everything(t, s, filters))
		// Above the finalized block only the follower replaces blocks.
		finalize(t, s, f.trunk[49])
		before = contentOf(t, dsn)
		refused("the other branch, which is not final", f.old)
		if err := proof.Of(s).Repair(t.Context(), f.new[11:12]); err != nil {
			t.Errorf("stored block %d again: %v", top, err)
		}
	})
}

// TestRepair_ARunBelowTheFinalizedBlock has a run of stale blocks among final ones, whose
// parents were never fetched. The run is replaced only together with the block above,
// whose parent hash proves that the new run is canonical.
func TestRepair_ARunBelowTheFinalizedBlock(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{}, 60, between(5, 400))
	stale := branch(1, 2, 110, evm.Hash{}, 6, between(5, 400))
	spoilt := slices.Clone(blocks)
	copy(spoilt[10:], stale)
	spoilt[16].Header.ParentHash = evm.Hash{}
	filters := accepted(blocks)
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, spoilt)
		finalize(t, s, blocks[14])
		wantRefused(t, "a run whose last stale block is not final", proof.Of(s).Repair(t.Context(), blocks[10:17]))
		finalize(t, s, blocks[50])
		for what, run := range map[string][]nft.Block{
			"the run alone": blocks[10:16], "a part of it": blocks[12:17], "one block": blocks[13:14], "the other branch": branch(1, 3, 110, blocks[9].Header.Hash, 7, between(5, 0)),
		} {
			wantRefused(t, what, proof.Of(s).Repair(t.Context(), run))
		}
		expect.NoError(t, proof.Of(s).Repair(t.Context(), blocks[10:17]))
		want := open(t, storetest.SQLite(t), write.Options{MaxPageSize: 5000})
		apply(t, want, blocks)
		finalize(t, want, blocks[50])
		expect.NoError(t, proof.Of(want).MarkVerified(t.Context(), headersOf(blocks[10:17])))
		expect.Equal(t, "result", everything(t, want, filters), everything(t, s, filters))
	})
}

// TestMarkVerified_OnlyStoredBlocks has a reorg between the proof and the mark.
func TestMarkVerified_OnlyStoredBlocks(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		verified := func() []evm.Range { return chainOf(t, s).Verified }
		apply(t, s, f.trunk)
		expect.NoError(t, s.Extend(t.Context(), f.new[8:9], evm.Range{From: 150, To: 158}, false))
		expect.NoError(t, s.Extend(t.Context(), nil, evm.Range{From: 159, To: 164}, false))
		proved := func(branch []nft.Block) []evm.Header { return headersOf(slices.Concat(f.trunk[45:], branch)) }
		wantRefused(t, "the orphaned branch", proof.Of(s).MarkVerified(t.Context(), proved(f.old)))
		wantRefused(t, "more than is indexed", proof.Of(s).MarkVerified(t.Context(), proved(branch(1, 3, 150, evm.Hash{}, 16, between(1, 0)))))
		// The stored block above names another parent.
		expect.NoError(t, proof.Of(s).MarkVerified(t.Context(), headersOf(f.old[7:8])))
		expect.Equal(t, "verified", []evm.Range(nil), verified())
		// The last blocks have no stored header, and neither has any block above them.
		expect.NoError(t, proof.Of(s).MarkVerified(t.Context(), proved(f.new)))
		expect.Equal(t, "verified", []evm.Range{{From: 145, To: 158}}, verified())
		finalize(t, s, f.new[12])
		expect.NoError(t, proof.Of(s).MarkVerified(t.Context(), proved(f.new)))
		expect.Equal(t, "verified", []evm.Range{{From: 145, To: 162}}, verified())
	})
}
