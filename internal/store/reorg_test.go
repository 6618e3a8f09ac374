package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// fork is a trunk with two branches on top.
type fork struct {
	trunk, old, new []nft.Block
}

func newFork() fork {
	size := func(rng *rand.Rand, _ int) int { return 2 + rng.IntN(12) }
	f := fork{trunk: branch(1, 1, 100, blockHash(1, 99), 50, size)}
	top := f.trunk[len(f.trunk)-1].Header
	f.old = branch(1, 2, top.Number+1, top.Hash, 12, size)
	f.new = branch(1, 3, top.Number+1, top.Hash, 15, size)
	// Each branch has a rejected log at the same position.
	for _, b := range []*nft.Block{&f.old[1], &f.new[1]} {
		b.Rejected = []nft.Rejected{{Log: evm.Log{Address: collection(0), Data: b.Header.Hash[:], Index: 2}, Reason: nft.ReasonTopics}}
	}
	return f
}

func rollback(t *testing.T, s *write.DB, above uint64, blocks []nft.Block) {
	t.Helper()
	if err := s.ReplaceAbove(t.Context(), above, blocks, false); err != nil {
		t.Fatalf("rolling back to %d: %v", above, err)
	}
}

// everything returns the results of all queries to a database: pages, abridged, totals and
// coverage.
func everything(t *testing.T, s *write.DB, filters []store.Filter) map[string]any {
	t.Helper()
	all := map[string]any{}
	each(t, s, func(snap *store.Snapshot) {
		for _, f := range filters {
			p := pageOf(t, snap, f, page.Args{First: ptr(5000)})
			rows := rowsOf(p)
			total := totalOf(t, p)
			all[describe(f)] = fmt.Sprintf("total %d, %d rows %x", total, len(rows), hashed(fmt.Sprint(rows)))
		}
		chain, err := snap.Chain(t.Context())
		expect.NoError(t, err)
		all["chain"] = chain
	})
	return all
}

func countRows(t *testing.T, dsn, table string) (n int) {
	t.Helper()
	expect.NoError(t, raw(t, dsn).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n))
	return n
}

// TestRollback_LeavesNoTraceOfTheOldBranch compares with a database that stored only the
// canonical blocks.
func TestRollback_LeavesNoTraceOfTheOldBranch(t *testing.T) {
	skipShort(t)
	f := newFork()
	canonical := slices.Concat(f.trunk, f.new)
	onBoth(t, func(t *testing.T, dsn string) {
		fresh := storetest.SQLite(t)
		want, s := open(t, fresh, write.Options{MaxPageSize: 5000}), open(t, dsn, write.Options{MaxPageSize: 5000})
		apply(t, want, canonical)
		apply(t, s, f.trunk)
		apply(t, s, f.old)
		rollback(t, s, f.trunk[49].Header.Number, f.new)
		filters := accepted(canonical)
		expect.Equal(t, "result", everything(t, want, filters), everything(t, s, filters))
		for _, table := range []string{"mints", "burns", "blocks", "rejected_logs", "coverage"} {
			expect.Equal(t, table, countRows(t, fresh, table), countRows(t, dsn, table))
		}
	})
}

func TestRollback_WithoutReplacementLowersTheHead(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		rollback(t, s, 120, nil)
		each(t, s, func(snap *store.Snapshot) {
			chain, err := snap.Chain(t.Context())
			expect.NoError(t, err)
			want := &read.Chain{Indexed: []evm.Range{{From: 100, To: 120}}, Head: &f.trunk[20].Header}
			expect.Equal(t, "result", want, chain)
			_, err = readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Number: 121}}, page.Args{})
			wantCode(t, "a block that was rolled back", err, apierror.BlockNotIndexed)
			_, err = readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &f.trunk[30].Header.Hash}}, page.Args{})
			gone := wantCode(t, "its hash", err, apierror.BlockNotCanonical)
			expect.Equal(t, "canonical hash of an empty height", any(nil), gone.Details["canonicalHash"])
		})
	})
}

// TestRollback_IsAllOrNothing tries to replace blocks by others that do not link.
func TestRollback_IsAllOrNothing(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		filters := accepted(f.trunk)
		before := everything(t, s, filters)
		err := s.ReplaceAbove(t.Context(), f.trunk[49].Header.Number, branch(1, 9, 150, evm.Hash{5}, 3, between(3, 0)), false)
		if err == nil {
			t.Fatal("got no error for blocks with another parent")
		}
		expect.Equal(t, "result", before, everything(t, s, filters))
	})
}

func TestReorg_HashOfAnOrphanedBlock(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		rollback(t, s, f.trunk[49].Header.Number, f.new)
		each(t, s, func(snap *store.Snapshot) {
			for i, b := range f.old {
				_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &b.Header.Hash}}, page.Args{})
				gone := wantCode(t, b.Header.Hash.String(), err, apierror.BlockNotCanonical)
				expect.Equal(t, "canonical hash", any(f.new[i].Header.Hash.String()), gone.Details["canonicalHash"])
			}
		})
		// The old branch wins after all.
		rollback(t, s, f.trunk[49].Header.Number, f.old)
		each(t, s, func(snap *store.Snapshot) {
			for _, b := range f.old {
				filter := store.Filter{Block: &evm.BlockNumberOrHash{Hash: &b.Header.Hash}}
				checkLaws(recordBook(t, snap, slices.Concat(f.trunk, f.old), filter))
			}
			_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &f.new[3].Header.Hash}}, page.Args{})
			if gone := wantCode(t, "the branch that lost", err, apierror.BlockNotCanonical); gone.Details["canonicalHash"] != f.old[3].Header.Hash.String() {
				t.Errorf("got canonical hash %v", gone.Details["canonicalHash"])
			}
		})
	})
}

func TestReorg_NodesOfOrphanedRecordsAreGone(t *testing.T) {
	f := newFork()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		ids := map[string]bool{}
		each(t, s, func(snap *store.Snapshot) {
			for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
				p := pageOf(t, snap, store.Filter{Kind: kind}, page.Args{First: ptr(1000)})
				for i := range p.Items {
					ids[p.Items[i].ID()] = p.Items[i].Block.Number < 150
				}
			}
		})
		rollback(t, s, f.trunk[49].Header.Number, f.new)
		each(t, s, func(snap *store.Snapshot) {
			for id, stays := range ids {
				node, err := snap.Node(t.Context(), id, page.Selected{})
				if err != nil || (node != nil) != stays {
					t.Fatalf("%s: got %v and error %v, want a node: %v", id, node, err, stays)
				}
				if stays && node.Page.Items[0].ID() != id {
					t.Errorf("%s names a node with the id %s", id, node.Page.Items[0].ID())
				}
			}
		})
	})
}
