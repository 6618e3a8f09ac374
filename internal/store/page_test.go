package store_test

import (
	"testing"

	"mintburn/internal/store"
)

// recordBook is the list that a filter selects.
func recordBook(t *testing.T, snap *store.Snapshot, m model, f store.Filter) book[row] {
	return book[row]{T: t, name: describe(f), want: m.match(f), read: func(args store.PageArgs) view[row] {
		t.Helper()
		p, err := snap.Page(t.Context(), f, args)
		if err != nil {
			t.Fatalf("%s %s: %v", describe(f), argsText(args), err)
		}
		v := view[row]{about: describePage(t, p, args)}
		for i := range p.Items {
			v.items = append(v.items, rowOf(p.Items[i]))
			v.cursors = append(v.cursors, p.Cursor(&p.Items[i]))
		}
		return v
	}}
}

func always(size int) func(int) int { return func(int) int { return size } }

// growing changes the page size on the way.
func growing(page int) int { return page * page }

// TestPage_NumbersGoBackToo walks forwards, then backwards.
func TestPage_NumbersGoBackToo(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 20, between(20, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{MaxPageSize: 1000})
		apply(t, s, blocks)
		snap := snapshot(t, s)
		for _, order := range []store.Order{store.Asc, store.Desc} {
			b := recordBook(t, snap, blocks, store.Filter{Order: order})
			n := len(b.want)
			got := b.page(store.PageArgs{First: ptr(10)}, 0, 10, 1, false, true)
			got = b.page(store.PageArgs{First: ptr(10), After: &got.cursors[9]}, 10, 20, 2, true, true)
			got = b.page(store.PageArgs{First: ptr(10), After: &got.cursors[9]}, 20, 30, 3, true, true)
			got = b.page(store.PageArgs{First: ptr(10), After: &got.cursors[9]}, 30, 40, 4, true, n > 40)
			got = b.page(store.PageArgs{Last: ptr(10), Before: &got.cursors[0]}, 20, 30, 3, true, true)
			got = b.page(store.PageArgs{Last: ptr(10), Before: &got.cursors[0]}, 10, 20, 2, true, true)
			got = b.page(store.PageArgs{Last: ptr(7), Before: &got.cursors[0]}, 3, 10, 1, true, true)
			b.page(store.PageArgs{Last: ptr(7), Before: &got.cursors[0]}, 0, 3, 1, false, true)
		}
	})
}

func TestPage_LawsForEveryFilter(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 200, between(6, 250))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{MaxPageSize: 10_000})
		apply(t, s, blocks)
		snap := snapshot(t, s)
		filters := accepted(blocks)
		if isPostgres(dsn) {
			filters = someOf(someOf(filters))
		}
		for _, f := range filters {
			checkLaws(recordBook(t, snap, blocks, f))
		}
	})
}

// checkLaws reads a list in every way: small ones with every page size.
func checkLaws[K comparable](b book[K]) {
	b.Helper()
	n := len(b.want)
	cursors := b.whole()
	if n <= 6 {
		for size := 1; size <= n+1; size++ {
			b.forwards(always(size))
			b.backwards(always(size))
		}
	} else {
		b.forwards(always(n - 1))
		b.backwards(always(n/2 + 1))
		b.forwards(growing)
		b.backwards(growing)
	}
	for i := 0; i < n; i += max(1, (n-1)/2) {
		b.around(cursors[i], i)
	}
}
