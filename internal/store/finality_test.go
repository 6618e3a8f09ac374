package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// finalized returns the stored finalized block, 0 if there is none.
func finalized(t *testing.T, s *write.DB) (number uint64) {
	t.Helper()
	if c := chainOf(t, s); c.Finalized != nil {
		number = c.Finalized.Number
	}
	return number
}

// TestRollback_RefusesToChangeFinalBlocks tests blocks that became final after they were
// stored, and blocks that were final when they were stored.
func TestRollback_RefusesToChangeFinalBlocks(t *testing.T) {
	f := newFork()
	dead := branch(1, 4, 120, f.trunk[19].Header.Hash, 80, between(5, 0))
	filters := accepted(f.trunk)
	for name, later := range map[string]bool{"final later": true, "final when stored": false} {
		t.Run(name, func(t *testing.T) {
			onStores(t, func(t *testing.T, s *write.DB, dsn string) {
				if later {
					apply(t, s, slices.Concat(f.trunk, f.old))
					finalize(t, s, f.trunk[40])
				} else {
					finalize(t, s, f.trunk[40])
					expect.NoError(t, s.Extend(t.Context(), slices.Concat(f.trunk, f.old), evm.Range{From: 100, To: 161}, false))
				}
				before, pages := contentOf(t, dsn), everything(t, s, filters)
				for what, c := range map[string]struct {
					above  uint64
					blocks []nft.Block
				}{
					"a longer branch": {119, dead}, "a shorter branch": {119, dead[:5]}, "nothing": {130, nil},
					"the same blocks without the last final one": {130, f.trunk[31:40]},
				} {
					if err := s.ReplaceAbove(t.Context(), c.above, c.blocks, true); !errors.Is(err, write.ErrDeepReorg) {
						t.Errorf("%s: got %v, want it refused", what, err)
					}
					if diff := cmp.Diff(before, contentOf(t, dsn)); diff != "" {
						t.Fatalf("%s was refused and changed (-before +after):\n%.2000s", what, diff)
					}
				}
				expect.Equal(t, "pages after refused rollbacks", pages, everything(t, s, filters))
				// The same final blocks may be stored again, and those above them replaced.
				rollback(t, s, 130, slices.Concat(f.trunk[31:], f.new))
				rollback(t, s, 140, slices.Concat(f.trunk[41:], f.old))
				if err := s.ReplaceAbove(t.Context(), 139, nil, false); !errors.Is(err, write.ErrDeepReorg) {
					t.Errorf("the finalized block: got %v, want it refused", err)
				}
				expect.NoError(t, s.DeepReplaceAbove(t.Context(), 119, dead, false))
				expect.Equal(t, "the finalized block is the common ancestor", uint64(119), finalized(t, s))
				rollback(t, s, 119, dead[:50])
				if err := s.ReplaceAbove(t.Context(), 118, dead[:50], false); !errors.Is(err, write.ErrDeepReorg) {
					t.Errorf("below the common ancestor: got %v, want it refused", err)
				}
			})
		})
	}
}

// TestRollback_OfAnOrphanedTip has a finalized block far above blocks that were orphaned
// while there was no follower: they are not final.
func TestRollback_OfAnOrphanedTip(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
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
			t.Errorf("a final block below the indexed range: %v, %v", found, err)
		}
	})
}

// TestRollback_KeepsASeparateFinalRange has final blocks in a range above the one that is
// followed.
func TestRollback_KeepsASeparateFinalRange(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{}, 60, between(3, 0))
	dead := branch(1, 2, 111, blocks[10].Header.Hash, 40, between(3, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(blocks[:11], dead[:2]))
		apply(t, s, blocks[30:40])
		finalize(t, s, blocks[35])
		for what, run := range map[string][]nft.Block{"other blocks in their place": dead[:30], "other blocks right below them": dead[:19]} {
			if err := s.ReplaceAbove(t.Context(), 110, run, false); !errors.Is(err, write.ErrDeepReorg) {
				t.Errorf("%s: got %v, want it refused", what, err)
			}
		}
		rollback(t, s, 110, blocks[11:50])
	})
}

// TestSetFinalized_NeverGoesBack checks that only the node that set the finalized block
// can lower it.
func TestSetFinalized_NeverGoesBack(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		finalize(t, s, f.old[5])
		finalize(t, s, f.old[4])
		finalize(t, s, f.trunk[10])
		expect.Equal(t, "finalized block", uint64(155), finalized(t, s))
		for _, was := range []nft.Block{f.new[5], f.old[4]} {
			expect.NoError(t, s.RetractFinalized(t.Context(), was.Header.BlockRef, 120))
		}
		expect.NoError(t, s.RetractFinalized(t.Context(), f.old[5].Header.BlockRef, 156))
		expect.Equal(t, "finalized block", uint64(155), finalized(t, s))
		expect.NoError(t, s.RetractFinalized(t.Context(), f.old[5].Header.BlockRef, 145))
		expect.Equal(t, "finalized block", uint64(145), finalized(t, s))
		rollback(t, s, 149, f.new)
		if err := s.ReplaceAbove(t.Context(), 144, nil, false); !errors.Is(err, write.ErrDeepReorg) {
			t.Errorf("got %v, want it refused", err)
		}
	})
}

// TestSetUnprovable checks that ranges with the same reason are joined, and that nodes
// decide only while no block is verified.
func TestSetUnprovable(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		set := func(from, to uint64, reason string, operator, want bool) {
			t.Helper()
			noted, err := proof.Of(s).SetUnprovable(t.Context(), evm.Range{From: from, To: to}, reason, operator)
			if noted != want || err != nil {
				t.Fatalf("noted %t, error %v, want %t", noted, err, want)
			}
		}
		check := func(provable string, want ...read.Unprovable) {
			t.Helper()
			c, said := chainOf(t, s), "unknown"
			if p := c.Provable(); p != nil {
				said = fmt.Sprint(*p)
			}
			if diff := cmp.Diff(want, c.Unprovable); diff != "" || said != provable {
				t.Fatalf("provable: %s, want %s (-want +got):\n%s", said, provable, diff)
			}
		}
		check("unknown")
		set(5, 9, "a", false, true)
		set(1, 2, "a", false, true)
		set(3, 4, "a", false, true)
		set(10, 20, "b", false, true)
		before := []read.Unprovable{{FromBlock: 1, ToBlock: 9, Reason: "a"}, {FromBlock: 10, ToBlock: 20, Reason: "b"}}
		check("false", before...)
		h := evm.Header{BlockRef: evm.BlockRef{Number: 21, Hash: evm.Hash{21}}}
		expect.NoError(t, s.Extend(t.Context(), []nft.Block{{Header: h}}, evm.Range{From: 21, To: 21}, true))
		set(22, 22, "a", false, false)
		check("true", before...)
		set(22, 22, "a", true, true)
		check("false", append(before, read.Unprovable{FromBlock: 22, ToBlock: 22, Reason: "a"})...)
	})
}

// TestSetGap checks that gaps are listed until they are indexed, and that the tip is found
// across them.
func TestSetGap(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		header := func(number uint64) evm.Header {
			return evm.Header{BlockRef: evm.BlockRef{Number: number, Hash: evm.Hash{byte(number)}}, ParentHash: evm.Hash{byte(number - 1)}}
		}
		index := func(from, to uint64) {
			t.Helper()
			expect.NoError(t, s.Extend(t.Context(), []nft.Block{{Header: header(to)}}, evm.Range{From: from, To: to}, false))
		}
		gap := func(number, tries uint64) evm.Gap {
			return evm.Gap{FromBlock: number, ToBlock: number, Reason: "inconsistent", Since: 7, NextTry: 8, Tries: tries}
		}
		check := func(tip, first uint64, found bool, want ...evm.Gap) {
			t.Helper()
			h, at, got, err := s.Tip(t.Context(), 10)
			if h.Number != tip || at != first || got != found || err != nil {
				t.Fatalf("tip %d of the range from %d, %t, error %v: want %d, %d, %t", h.Number, at, got, err, tip, first, found)
			}
			gaps, err := s.Gaps(t.Context())
			if diff := cmp.Diff(want, gaps); diff != "" || err != nil {
				t.Fatalf("gaps, error %v (-want +got):\n%s", err, diff)
			}
		}
		set := func(g evm.Gap) {
			t.Helper()
			expect.NoError(t, s.SetGap(t.Context(), g))
		}
		check(0, 10, false)
		set(gap(10, 1))
		check(0, 11, false, gap(10, 1))
		index(11, 19)
		check(19, 11, true, gap(10, 1))
		set(gap(20, 1))
		set(gap(21, 1))
		set(gap(20, 2))
		check(0, 22, false, gap(10, 1), gap(20, 2), gap(21, 1))
		index(22, 30)
		check(30, 22, true, gap(10, 1), gap(20, 2), gap(21, 1))
		index(20, 20)
		check(30, 22, true, gap(10, 1), gap(21, 1))
		index(21, 21)
		check(30, 11, true, gap(10, 1))
	})
}

// TestNextSpot_Length checks that a spot stands for at most 64 blocks.
func TestNextSpot_Length(t *testing.T) {
	for last, want := range map[uint64]evm.Range{62: {From: 0, To: 62}, 63: {From: 0, To: 63}, 64: {From: 1, To: 64}, 200: {From: 137, To: 200}} {
		s := open(t, storetest.SQLite(t), write.Options{})
		expect.NoError(t, s.Extend(t.Context(), nil, evm.Range{To: last}, false))
		expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: last}}))
		if got, found, err := proof.Of(s).NextSpot(t.Context(), nil); err != nil || !found || got != want {
			t.Errorf("up to block %d: %v, %t, error %v, want %v", last, got, found, err, want)
		}
	}
}
