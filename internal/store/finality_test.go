package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// finalized returns the finalized block that is noted, 0 for none.
func finalized(t *testing.T, s *store.Store) (number uint64) {
	t.Helper()
	read(t, s, func(snap *store.Snapshot) {
		c, err := snap.Chain(t.Context())
		expect.NoError(t, err)
		if c.Finalized != nil {
			number = c.Finalized.Number
		}
	})
	return number
}

// TestRollback_RefusesToChangeFinalBlocks has blocks that became final after they
// were stored, and others that were final when they were stored.
func TestRollback_RefusesToChangeFinalBlocks(t *testing.T) {
	f := newFork()
	dead := branch(1, 4, 120, f.trunk[19].Header.Hash, 80, between(5, 0))
	filters := accepted(f.trunk)
	for _, later := range []bool{true, false} {
		onBoth(t, func(t *testing.T, dsn string) {
			if testing.Short() && isPostgres(dsn) {
				t.Skip("runs on SQLite")
			}
			s := open(t, dsn, store.Options{MaxPageSize: 5000})
			if later {
				apply(t, s, slices.Concat(f.trunk, f.old))
				finalize(t, s, f.trunk[40])
			} else {
				finalize(t, s, f.trunk[40])
				expect.NoError(t, s.Extend(t.Context(), slices.Concat(f.trunk, f.old), store.Range{From: 100, To: 161}, false))
			}
			before := everything(t, s, filters)
			for what, c := range map[string]struct {
				above  uint64
				blocks []nft.Block
			}{
				"a longer branch": {119, dead}, "a shorter branch": {119, dead[:5]}, "nothing": {130, nil},
				"the same blocks without the last final one": {130, f.trunk[31:40]},
			} {
				if err := s.ReplaceAbove(t.Context(), c.above, c.blocks, true); !errors.Is(err, store.ErrDeepReorg) {
					t.Errorf("%s: got %v, want it refused", what, err)
				}
				if diff := cmp.Diff(before, everything(t, s, filters)); diff != "" {
					t.Fatalf("%s was refused and changed (-before +after):\n%.2000s", what, diff)
				}
			}
			// The same final blocks may be stored again, and what is above replaced.
			rollback(t, s, 130, slices.Concat(f.trunk[31:], f.new))
			rollback(t, s, 140, slices.Concat(f.trunk[41:], f.old))
			if err := s.ReplaceAbove(t.Context(), 139, nil, false); !errors.Is(err, store.ErrDeepReorg) {
				t.Errorf("the finalized block: got %v, want it refused", err)
			}
			expect.NoError(t, s.DeepReplaceAbove(t.Context(), 119, dead, false))
			if got := finalized(t, s); got != 119 {
				t.Errorf("the finalized block is %d, want the common ancestor", got)
			}
			rollback(t, s, 119, dead[:50])
			if err := s.ReplaceAbove(t.Context(), 118, dead[:50], false); !errors.Is(err, store.ErrDeepReorg) {
				t.Errorf("below the common ancestor: got %v, want it refused", err)
			}
		})
	}
}

// TestRollback_OfAnOrphanedTip has a finalized block far above blocks that were
// orphaned while nobody followed: they are not final.
func TestRollback_OfAnOrphanedTip(t *testing.T) {
	f := newFork()
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		apply(t, s, slices.Concat(f.trunk, f.old))
		finalize(t, s, f.trunk[45])
		finalize(t, s, f.new[14])
		rollback(t, s, 149, f.new)
		if ref, found, err := s.FinalBlock(t.Context(), 1<<62); err != nil || !found || ref != f.new[14].Header.BlockRef {
			t.Errorf("the last final block is %v, %v, %v; want %v", ref, found, err, f.new[14].Header.BlockRef)
		}
		if ref, found, err := s.FinalBlock(t.Context(), 120); err != nil || !found || ref != f.trunk[20].Header.BlockRef {
			t.Errorf("the last final block up to 120 is %v, %v, %v", ref, found, err)
		}
		if _, found, err := s.FinalBlock(t.Context(), 99); err != nil || found {
			t.Errorf("a final block below what is indexed: %v, %v", found, err)
		}
	})
}

// TestRollback_KeepsAFinalRangeApart has final blocks in a range above the one
// that is followed.
func TestRollback_KeepsAFinalRangeApart(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{}, 60, between(3, 0))
	dead := branch(1, 2, 111, blocks[10].Header.Hash, 40, between(3, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		apply(t, s, slices.Concat(blocks[:11], dead[:2]))
		apply(t, s, blocks[30:40])
		finalize(t, s, blocks[35])
		for what, run := range map[string][]nft.Block{"others in their place": dead[:30], "others right below them": dead[:19]} {
			if err := s.ReplaceAbove(t.Context(), 110, run, false); !errors.Is(err, store.ErrDeepReorg) {
				t.Errorf("%s: got %v, want it refused", what, err)
			}
		}
		rollback(t, s, 110, blocks[11:50])
	})
}

// TestSetFinalized_NeverGoesBack, except for the node that set it.
func TestSetFinalized_NeverGoesBack(t *testing.T) {
	f := newFork()
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		apply(t, s, slices.Concat(f.trunk, f.old))
		finalize(t, s, f.old[5])
		finalize(t, s, f.old[4])
		finalize(t, s, f.trunk[10])
		if got := finalized(t, s); got != 155 {
			t.Errorf("the finalized block is %d, want 155", got)
		}
		for _, was := range []nft.Block{f.new[5], f.old[4]} {
			expect.NoError(t, s.RetractFinalized(t.Context(), was.Header.BlockRef, 120))
		}
		expect.NoError(t, s.RetractFinalized(t.Context(), f.old[5].Header.BlockRef, 156))
		if got := finalized(t, s); got != 155 {
			t.Errorf("the finalized block is %d, want 155", got)
		}
		expect.NoError(t, s.RetractFinalized(t.Context(), f.old[5].Header.BlockRef, 145))
		if got := finalized(t, s); got != 145 {
			t.Errorf("the finalized block is %d, want 145", got)
		}
		rollback(t, s, 149, f.new)
		if err := s.ReplaceAbove(t.Context(), 144, nil, false); !errors.Is(err, store.ErrDeepReorg) {
			t.Errorf("got %v, want it refused", err)
		}
	})
}
