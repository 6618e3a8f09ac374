package store_test

import (
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
)

// orphaned is a cursor of a record, with its block.
type orphaned struct {
	block  uint64
	cursor string
}

// cursorsAbove returns cursors of records above a block.
func cursorsAbove(t *testing.T, s *write.DB, f store.Filter, above uint64) (list []orphaned) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) {
		p := pageOf(t, snap, f, page.Args{First: ptr(5000)})
		for i := range p.Items {
			if p.Items[i].Block.Number > above {
				list = append(list, orphaned{p.Items[i].Block.Number, p.Cursor(i)})
			}
		}
		// Keep the first, the last and some between them.
		for len(list) > 12 {
			for i := 1; i < len(list)-1; i++ {
				list = slices.Delete(list, i, i+1)
			}
		}
	})
	return list
}

// checkRewind uses an orphaned cursor in both directions, and continues from the error's
// rewindCursor: with all records beyond the ancestor, and with all up to it.
func checkRewind(t *testing.T, snap *store.Snapshot, canonical model, f store.Filter, w orphaned, ancestor uint64) {
	t.Helper()
	all := canonical.match(f)
	split := slices.IndexFunc(all, func(r row) bool { return (r.Block.Number > ancestor) != (f.Order == store.Desc) })
	if split < 0 {
		split = len(all)
	}
	for _, backward := range []bool{false, true} {
		args := page.Args{After: &w.cursor}
		if backward {
			args = page.Args{Before: &w.cursor}
		}
		_, err := readPage(t.Context(), snap, f, args)
		gone := wantCode(t, describe(f), err, apierror.CursorReorged)
		if gone.Details["retractedFromBlock"] != ancestor+1 {
			t.Fatalf("%s, cursor of block %d: retracted from %v, want %d", describe(f), w.block, gone.Details["retractedFromBlock"], ancestor+1)
		}
		rewind, ok := gone.Details["rewindCursor"].(string)
		if !ok {
			t.Fatalf("rewindCursor is %v", gone.Details["rewindCursor"])
		}
		want := all[split:]
		args = page.Args{First: ptr(5000), After: &rewind}
		if backward {
			want = all[:split]
			args = page.Args{Last: ptr(5000), Before: &rewind}
		}
		p, err := readPage(t.Context(), snap, f, args)
		if err != nil {
			t.Fatalf("%s, from the rewind cursor: %v", describe(f), err)
		}
		got := rowsOf(p)
		if !slices.Equal(got, want) {
			t.Fatalf("%s, backward %v, from the rewind cursor of block %d: %s", describe(f), backward, w.block, difference(want, got))
		}
	}
}

// reorgFilters returns filters with records on each branch.
func reorgFilters() []store.Filter {
	return everyWay([]store.Filter{{}, {Address: ptr(collection(0))}, {Account: ptr(account(0))}, {FromBlock: ptr(evm.Long(110))}, {Address: ptr(collection(0)), TokenID: ptr(evm.NewUint256(7)), ToBlock: ptr(evm.Long(1000))}})
}

func TestReorg_CursorOfAnOrphanedBlockRewinds(t *testing.T) {
	skipShort(t)
	f := newFork()
	ancestor := f.trunk[49].Header.Number
	onBoth(t, func(t *testing.T, dsn string) {
		for _, filter := range reorgFilters() {
			s := open(t, dsn, write.Options{MaxPageSize: 5000})
			apply(t, s, slices.Concat(f.trunk, f.old))
			cursors := cursorsAbove(t, s, filter, ancestor)
			if len(cursors) < 3 {
				t.Fatalf("%s: %d records on the old branch", describe(filter), len(cursors))
			}
			rollback(t, s, ancestor, f.new)
			each(t, s, func(snap *store.Snapshot) {
				for _, w := range cursors {
					checkRewind(t, snap, slices.Concat(f.trunk, f.new), filter, w, ancestor)
				}
			})
			// If a branch becomes canonical again, its cursors are valid again.
			rollback(t, s, ancestor, f.old)
			each(t, s, func(snap *store.Snapshot) {
				for _, w := range cursors {
					if _, err := readPage(t.Context(), snap, filter, page.Args{After: &w.cursor}); err != nil {
						t.Fatalf("%s: cursor of a block that came back: %v", describe(filter), err)
					}
				}
			})
			rollback(t, s, 0, nil)
		}
	})
}

// TestReorg_OfAReorg orphans a branch on top of another orphaned one, so that the path to
// the common ancestor leads through both.
func TestReorg_OfAReorg(t *testing.T) {
	f := newFork()
	ancestor := f.trunk[49].Header.Number
	// second begins on the fifth block of old; third on the trunk, lower.
	fifth, low := f.old[4].Header, f.trunk[30].Header
	second := branch(1, 4, fifth.Number+1, fifth.Hash, 10, between(9, 0))
	third := branch(1, 5, low.Number+1, low.Hash, 60, between(9, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, slices.Concat(f.trunk, f.old))
		ofOld := cursorsAbove(t, s, store.Filter{}, fifth.Number)
		rollback(t, s, fifth.Number, second)
		ofSecond := cursorsAbove(t, s, store.Filter{}, fifth.Number)
		each(t, s, func(snap *store.Snapshot) {
			for _, w := range ofOld {
				checkRewind(t, snap, slices.Concat(f.trunk, f.old[:5], second), store.Filter{}, w, fifth.Number)
			}
		})
		rollback(t, s, ancestor, f.new)
		each(t, s, func(snap *store.Snapshot) {
			for _, w := range slices.Concat(ofOld, ofSecond) {
				checkRewind(t, snap, slices.Concat(f.trunk, f.new), store.Filter{}, w, ancestor)
			}
		})
		ofNew := cursorsAbove(t, s, store.Filter{}, ancestor)
		rollback(t, s, low.Number, third)
		each(t, s, func(snap *store.Snapshot) {
			for _, w := range slices.Concat(ofOld, ofSecond, ofNew) {
				checkRewind(t, snap, slices.Concat(f.trunk[:31], third), store.Filter{}, w, low.Number)
			}
			for _, b := range slices.Concat(f.old, second, f.new, f.trunk[31:]) {
				_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &b.Header.Hash}}, page.Args{})
				wantCode(t, "an orphaned hash", err, apierror.BlockNotCanonical)
			}
		})
	})
}

// TestReorg_RewindCursorOfADeeperReorg has a reorg below the block of a rewindCursor.
func TestReorg_RewindCursorOfADeeperReorg(t *testing.T) {
	f := newFork()
	ancestor, low := f.trunk[49].Header.Number, f.trunk[20].Header
	deeper := branch(1, 6, low.Number+1, low.Hash, 50, between(9, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		for _, order := range []store.Order{store.Asc, store.Desc} {
			filter := store.Filter{Order: order}
			s := open(t, dsn, write.Options{MaxPageSize: 5000})
			apply(t, s, slices.Concat(f.trunk, f.old))
			w := cursorsAbove(t, s, filter, ancestor)[2]
			rollback(t, s, ancestor, f.new)
			var rewind string
			each(t, s, func(snap *store.Snapshot) {
				_, err := readPage(t.Context(), snap, filter, page.Args{After: &w.cursor})
				rewind = wantCode(t, "first", err, apierror.CursorReorged).Details["rewindCursor"].(string)
			})
			rollback(t, s, low.Number, deeper)
			each(t, s, func(snap *store.Snapshot) {
				checkRewind(t, snap, slices.Concat(f.trunk[:21], deeper), filter, orphaned{ancestor, rewind}, low.Number)
			})
			rollback(t, s, 0, nil)
		}
	})
}
