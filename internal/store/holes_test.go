package store_test

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestPage_HolesAreErrors makes all requests to a database in which a hundred blocks are
// missing.
func TestPage_HolesAreErrors(t *testing.T) {
	skipShort(t)
	whole := branch(1, 1, 1000, blockHash(1, 999), 300, between(8, 300))
	stored := slices.Concat(whole[:100], whole[200:])
	covered := []evm.Range{{From: 1000, To: 1099}, {From: 1200, To: 1299}}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, whole[:100])
		apply(t, s, whole[200:])
		snap := snapshot(t, s)
		asked := append(accepted(stored), store.Filter{Block: &evm.BlockNumberOrHash{Number: 1150}})
		for _, r := range [][2]evm.Long{{1099, 1200}, {1100, 1199}, {1050, 1099}, {1050, 1100}, {1199, 1210}, {1200, 1200}} {
			asked = append(asked, store.Filter{FromBlock: &r[0], ToBlock: &r[1]})
		}
		for _, f := range asked {
			from, to := spanOf(f, stored)
			missing := max(from, 1100) <= min(to, 1199)
			for _, args := range []page.Args{{}, {First: ptr(0)}, {Last: ptr(3)}} {
				what := describe(f) + " " + argsText(args)
				f.Partial = false
				p, err := readPage(t.Context(), snap, f, args)
				if missing {
					wantHole(t, what, err, from, to)
				} else if err != nil {
					t.Fatalf("%s: %v", what, err)
				} else {
					wantIndexed(t, what, p, f, covered)
					wantNext(t, what, snap, p, f)
				}
				f.Partial = true
				if p, err = readPage(t.Context(), snap, f, args); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				wantIndexed(t, what, p, f, covered)
			}
			b := recordBook(t, snap, stored, f)
			b.forwards(always(100))
		}
	})
}

// spanOf returns the blocks in which a hole matters to a filter: those of its range, or all
// between indexed blocks. If its transaction is found, no hole matters.
func spanOf(f store.Filter, stored model) (from, to uint64) {
	from, to = 1000, 1299
	switch {
	case f.Block != nil && f.Block.Hash == nil:
		return uint64(f.Block.Number), uint64(f.Block.Number)
	case f.Block != nil, f.TransactionHash != nil && f.FromBlock == nil && f.ToBlock == nil && len(stored.match(f)) > 0, foundAll(f, stored), selectsNothing(f):
		return 1000, 1000
	}
	if f.FromBlock != nil {
		from = uint64(*f.FromBlock)
	}
	if f.ToBlock != nil {
		to = min(to, uint64(*f.ToBlock))
	}
	return from, to
}

// selectsNothing reports whether a filter has an empty list of addresses.
func selectsNothing(f store.Filter) bool {
	return f.Addresses != nil && len(f.Addresses) == 0
}

// FoundAll reports whether a filter has no range and a list of transactions that are all
// found.
func foundAll(f store.Filter, stored model) bool {
	if f.TransactionHashes == nil || f.FromBlock != nil || f.ToBlock != nil {
		return false
	}
	return !slices.ContainsFunc(f.TransactionHashes, func(h evm.Hash) bool {
		return stored.count(store.Filter{Kind: f.Kind, TransactionHash: &h}) == 0
	})
}

// wantHole fails the test unless err names the part of the hole from one block to another.
func wantHole(t *testing.T, what string, err error, from, to uint64) {
	t.Helper()
	refused := wantCode(t, what, err, apierror.BlockNotIndexed)
	want := []map[string]uint64{{"fromBlock": max(from, 1100), "toBlock": min(to, 1199)}}
	if diff := gocmp.Diff(want, refused.Details["missingRanges"]); diff != "" {
		t.Fatalf("%s: the missing ranges (-want +got):\n%s", what, diff)
	}
}

// wantNext fails the test unless the page after p can be read, even if it is empty.
func wantNext(t *testing.T, what string, snap *store.Snapshot, p *store.RecordPage, f store.Filter) {
	t.Helper()
	if n := p.Len(); n > 0 {
		if _, err := readPage(t.Context(), snap, f, page.Args{After: ptr(p.Cursor(n - 1))}); err != nil {
			t.Fatalf("%s, the next page: %v", what, err)
		}
	}
}

// wantIndexed fails the test unless a page reports the covered ranges that its list comes
// from.
func wantIndexed(t *testing.T, what string, p *store.RecordPage, f store.Filter, covered []evm.Range) {
	t.Helper()
	got, err := p.Indexed(t.Context())
	expect.NoError(t, err)
	want := []evm.Range{}
	for number := uint64(990); number < 1310; number++ {
		indexed := slices.ContainsFunc(covered, func(r evm.Range) bool { return r.From <= number && number <= r.To })
		if !indexed || f.FromBlock != nil && number < uint64(*f.FromBlock) || f.ToBlock != nil && number > uint64(*f.ToBlock) ||
			f.Block != nil && f.Block.Hash == nil && number != uint64(f.Block.Number) ||
			f.Block != nil && f.Block.Hash != nil && *f.Block.Hash != blockHash(1, number) {
			continue
		}
		if n := len(want); n > 0 && want[n-1].To == number-1 {
			want[n-1].To = number
		} else {
			want = append(want, evm.Range{From: number, To: number})
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: indexed (-want +got):\n%s", what, diff)
	}
}

// TestPage_HoleAfterBlockZero checks that a page's statement distinguishes a hole from a
// chain whose first block is 0, and from records in blocks that are not covered.
func TestPage_HoleAfterBlockZero(t *testing.T) {
	whole := branch(1, 1, 0, evm.Hash{}, 30, between(2, 5))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, whole[:10])
		apply(t, s, whole[20:])
		block := func(number uint64) store.Filter {
			return store.Filter{Block: &evm.BlockNumberOrHash{Number: evm.Long(number)}}
		}
		each(t, s, func(snap *store.Snapshot) {
			_, err := readPage(t.Context(), snap, store.Filter{}, page.Args{})
			wantCode(t, "everything", err, apierror.BlockNotIndexed)
			pageOf(t, snap, block(5), page.Args{})
			pageOf(t, snap, block(20), page.Args{})
			sent.take()
			pageOf(t, snap, block(20), page.Args{})
			expect.Equal(t, "statements for the first block of the last range", 1, len(sent.take()))
		})
		execute(t, dsn, "DELETE FROM coverage", "DELETE FROM settings WHERE id = 'last_commit'")
		each(t, s, func(snap *store.Snapshot) {
			_, err := readPage(t.Context(), snap, block(5), page.Args{})
			wantCode(t, "a block that is not indexed", err, apierror.BlockNotIndexed)
		})
	})
}

// TestCovered_Remembered checks that a reader of an unchanged database doesn't read the indexed blocks
// again, and sees each change of them by another process.
func TestCovered_Remembered(t *testing.T) {
	whole := branch(1, 1, 4, blockHash(1, 3), 30, between(2, 5))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		writer := open(t, dsn, write.Options{})
		reader := openNoting(t, dsn, sent)
		want := func(what string, hole, known bool) (reads int) {
			t.Helper()
			each(t, reader, func(snap *store.Snapshot) {
				sent.take()
				p, err := snap.Collections(store.CollectionFilter{}, page.Args{})
				expect.NoError(t, err)
				if err := p.Read(t.Context(), nil); hole {
					wantCode(t, what, err, apierror.BlockNotIndexed)
				} else {
					expect.NoError(t, err)
				}
				all, err := read.WholeTo(t.Context(), snap.Snapshot, nil)
				expect.NoError(t, err)
				expect.Equal(t, what+": all records are known", known, all)
			})
			for _, s := range sent.take() {
				if strings.Contains(s.query, "coverage") {
					reads++
				}
			}
			return reads
		}
		apply(t, writer, whole[10:20])
		want("a range", false, false)
		expect.NoError(t, writer.Settings().SetDeployment(t.Context(), whole[10].Header.Number))
		want("the deployment is its first block", false, true)
		if got := want("nothing new", false, true); got > 0 && !isPostgres(dsn) {
			t.Errorf("the indexed blocks are read %d times", got)
		}
		apply(t, writer, whole[25:])
		want("another range", true, false)
		apply(t, writer, whole[20:25])
		want("no hole", false, true)
		apply(t, writer, whole[:10])
		want("records before the deployment", false, false)
	})
}
