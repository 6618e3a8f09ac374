package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// recordBook returns the list that a filter selects.
func recordBook(t *testing.T, snap *store.Snapshot, m model, f store.Filter) book[row] {
	return book[row]{T: t, name: describe(f), want: m.match(f), read: func(args page.Args) view[row] {
		t.Helper()
		p, err := readPage(t.Context(), snap, f, args)
		if err != nil {
			t.Fatalf("%s %s: %v", describe(f), argsText(args), err)
		}
		v := view[row]{about: describePage(t, p, args)}
		for i := range p.Items {
			v.items = append(v.items, rowOf(p.Items[i]))
			v.cursors = append(v.cursors, p.Cursor(i))
		}
		return v
	}}
}

func always(size int) func(int) int { return func(int) int { return size } }

// growing returns a larger size for each page.
func growing(page int) int { return page * page }

// TestPage_NumbersDecreaseBackwards walks forwards, then backwards.
func TestPage_NumbersDecreaseBackwards(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 20, between(20, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		snap := snapshot(t, s)
		for _, order := range []store.Order{store.Asc, store.Desc} {
			b := recordBook(t, snap, blocks, store.Filter{Order: order})
			n := len(b.want)
			got := b.page(page.Args{First: ptr(10)}, 0, 10, 1, false, true)
			got = b.page(page.Args{First: ptr(10), After: &got.cursors[9]}, 10, 20, 2, true, true)
			got = b.page(page.Args{First: ptr(10), After: &got.cursors[9]}, 20, 30, 3, true, true)
			got = b.page(page.Args{First: ptr(10), After: &got.cursors[9]}, 30, 40, 4, true, n > 40)
			got = b.page(page.Args{Last: ptr(10), Before: &got.cursors[0]}, 20, 30, 3, true, true)
			got = b.page(page.Args{Last: ptr(10), Before: &got.cursors[0]}, 10, 20, 2, true, true)
			got = b.page(page.Args{Last: ptr(7), Before: &got.cursors[0]}, 3, 10, 1, true, true)
			b.page(page.Args{Last: ptr(7), Before: &got.cursors[0]}, 0, 3, 1, false, true)
		}
	})
}

func TestPage_LawsForEveryFilter(t *testing.T) {
	skipShort(t)
	blocks := branch(1, 1, 1000, blockHash(1, 999), 200, between(6, 250))
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, blocks)
		snap := snapshot(t, s)
		filters := accepted(blocks)
		if isPostgres(dsn) || testing.Short() {
			filters = someOf(someOf(filters))
		}
		for _, f := range filters {
			checkLaws(recordBook(t, snap, blocks, f))
		}
	})
}

// checkLaws reads a list in every way, and small lists with every page size.
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

// TestPage_IsReadOnce checks that creating a page reads nothing, even with refused
// arguments, and that reading it again sends no further statements.
func TestPage_IsReadOnce(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 20, between(20, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, blocks)
		putTokens(t, s)
		snap := snapshot(t, s)
		sent.take()

		foreign := (&cursor.Cursor{Page: 1, Key: make([]byte, 8), Fingerprint: 7}).String()
		for _, f := range []store.Filter{{}, {Block: &evm.BlockNumberOrHash{Number: 1003}}} {
			_, err := snap.Page(f, page.Args{After: &foreign})
			wantCode(t, "a cursor of another list", err, apierror.InvalidCursor)
		}
		_, err := snap.MetadataPage(collection(0), nil, page.Args{Before: &foreign}, read.AllTexts)
		wantCode(t, "a cursor of another list of tokens", err, apierror.InvalidCursor)
		listed, err := snap.Page(store.Filter{}, page.Args{First: ptr(7)})
		expect.NoError(t, err)
		tokens, err := snap.MetadataPage(collection(0), nil, page.Args{First: ptr(7)}, read.AllTexts)
		expect.NoError(t, err)
		// The block of a hash is known only when the page is read.
		byHash, err := snap.Page(store.Filter{Block: &evm.BlockNumberOrHash{Hash: &blocks[3].Header.Hash}}, page.Args{After: &foreign})
		expect.NoError(t, err)
		if list := sent.take(); len(list) > 0 {
			t.Errorf("%d statements before a page is read, the first one: %s", len(list), list[0].query)
		}
		wantCode(t, "a cursor of another list than that of a hash", byHash.Read(t.Context(), nil), apierror.InvalidCursor)

		sent.take()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if err := errors.Join(listed.Read(t.Context(), nil), tokens.Read(t.Context(), nil)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		expect.Equal(t, "records and tokens", [2]int{7, 7}, [2]int{listed.Len(), tokens.Len()})
		once := sent.take()
		expect.Equal(t, "different statements", len(once), len(unique(once)))

		// The first result is kept, even if it is an error.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		failed, err := store.NewSnapshot(s.Snapshot()).Page(store.Filter{}, page.Args{})
		expect.NoError(t, err)
		if err := failed.Read(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("with a cancelled context: got error %v", err)
		}
		if err := failed.Read(t.Context(), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("read again: got error %v, want the first one", err)
		}
	})
}
