package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/testing/expect"
)

// view is a page with all its fields. K identifies an item.
type view[K comparable] struct {
	items   []K
	cursors []string
	about
}

// about has the fields of a page other than its items.
type about struct {
	Number   uint64
	Limit    int
	Total    int64
	Next     bool
	Previous bool
	// Cursor is the envelope's: empty when there is no next page.
	Cursor string
}

// pager has the methods that pages of all lists share.
type pager interface {
	Number() uint64
	Limit() int
	Total(context.Context) (int64, error)
	HasNextPage(context.Context) (bool, error)
	HasPreviousPage(context.Context) (bool, error)
	NextCursor(context.Context) (*string, error)
}

// describePage reads all fields of a page but its items. It reads the total, which does not
// depend on the cursor, only without a cursor.
func describePage(t testing.TB, p pager, args page.Args) about {
	t.Helper()
	a := about{Number: p.Number(), Limit: p.Limit(), Total: -1}
	var errs [4]error
	var cursor *string
	a.Next, errs[0] = p.HasNextPage(t.Context())
	a.Previous, errs[1] = p.HasPreviousPage(t.Context())
	cursor, errs[2] = p.NextCursor(t.Context())
	if args.After == nil && args.Before == nil {
		a.Total, errs[3] = p.Total(t.Context())
	}
	for _, err := range errs {
		expect.NoError(t, err)
	}
	if cursor != nil {
		a.Cursor = *cursor
	}
	if (cursor != nil) != a.Next {
		t.Errorf("next cursor %v with hasNextPage %v", cursor, a.Next)
	}
	return a
}

// book is a list that is read in pages, with its expected items.
type book[K comparable] struct {
	*testing.T
	name string
	read func(page.Args) view[K]
	want []K
}

// page reads one page and checks that it has the items want[from:to], the number, and the
// values of hasPreviousPage and hasNextPage.
func (b book[K]) page(args page.Args, from, to int, number uint64, previous, next bool) view[K] {
	b.Helper()
	got := b.read(args)
	if !slices.Equal(got.items, b.want[from:to]) {
		b.Fatalf("%s%s: items %d to %d of %d: %s", b.name, argsText(args), from, to, len(b.want), difference(b.want[from:to], got.items))
	}
	limit := cursor.DefaultPageSize
	if args.First != nil {
		limit = *args.First
	}
	if args.Last != nil {
		limit = *args.Last
	}
	want := about{Number: number, Limit: limit, Total: int64(len(b.want)), Next: next, Previous: previous, Cursor: got.Cursor}
	if args.After != nil || args.Before != nil {
		want.Total = -1
	}
	if next && to > from {
		want.Cursor = got.cursors[to-from-1]
	}
	if diff := cmp.Diff(want, got.about); diff != "" {
		b.Fatalf("%s%s: items %d to %d of %d (-want +got):\n%s", b.name, argsText(args), from, to, len(b.want), diff)
	}
	return got
}

// follows checks that a cursor continues with want[from:], in one page.
func (b book[K]) follows(cursor string, from int, number uint64) {
	b.Helper()
	b.page(page.Args{First: ptr(len(b.want) + 1), After: &cursor}, from, len(b.want), number, from > 0, false)
}

// forwards walks from the first item to the last.
func (b book[K]) forwards(size func(page int) int) {
	b.Helper()
	var after *string
	for at, n := 0, 1; ; n++ {
		first := size(n)
		end := min(at+first, len(b.want))
		got := b.page(page.Args{First: &first, After: after}, at, end, uint64(n), at > 0, end < len(b.want))
		if got.Cursor == "" {
			return
		}
		at, after = end, &got.Cursor
	}
}

// backwards walks from the last item to the first.
func (b book[K]) backwards(size func(page int) int) {
	b.Helper()
	var before *string
	for end, n := len(b.want), 1; ; n++ {
		last := size(n)
		at := max(end-last, 0)
		got := b.page(page.Args{Last: &last, Before: before}, at, end, 1, at > 0, end < len(b.want))
		if at == 0 {
			return
		}
		end, before = at, &got.cursors[0]
	}
}

// around checks the pages in both directions from the cursor of item i.
func (b book[K]) around(at string, i int) {
	b.Helper()
	n := len(b.want)
	b.page(page.Args{First: ptr(3), After: &at}, i+1, min(i+4, n), 2, true, i+4 < n)
	b.page(page.Args{Last: ptr(3), Before: &at}, max(i-3, 0), i, 1, i > 3, true)
	b.page(page.Args{Before: &at}, max(i-cursor.DefaultPageSize, 0), i, 1, i > cursor.DefaultPageSize, true)
	b.page(page.Args{Last: ptr(3), After: &at}, max(i+1, n-3), n, 2, true, false)
	got := b.page(page.Args{First: ptr(3), Before: &at}, 0, min(3, i), 1, false, true)
	b.follows(got.Cursor, min(3, i), 2)
	// Pages without items have only boundaries.
	got = b.page(page.Args{First: ptr(0), After: &at}, i+1, i+1, 2, true, i+1 < n)
	if got.Next {
		expect.Equal(b, "length of a cursor at the same place", len(at), len(got.Cursor))
		b.follows(got.Cursor, i+1, 3)
	}
	b.page(page.Args{Last: ptr(0), After: &at}, n, n, 2, true, false)
	got = b.page(page.Args{Last: ptr(0), Before: &at}, i, i, 1, i > 0, true)
	b.follows(got.Cursor, i, 2)
	got = b.page(page.Args{First: ptr(0), Before: &at}, 0, 0, 1, false, true)
	b.follows(got.Cursor, 0, 2)
}

// whole checks the pages that need no cursor, and returns the cursor of every item.
func (b book[K]) whole() []string {
	b.Helper()
	n := len(b.want)
	all := b.page(page.Args{First: ptr(n + 1)}, 0, n, 1, false, false)
	b.page(page.Args{Last: ptr(n + 1)}, 0, n, 1, false, false)
	b.page(page.Args{First: &n}, 0, n, 1, false, false)
	b.page(page.Args{}, 0, min(n, cursor.DefaultPageSize), 1, false, n > cursor.DefaultPageSize)
	b.page(page.Args{Last: ptr(0)}, n, n, 1, n > 0, false)
	got := b.page(page.Args{First: ptr(0)}, 0, 0, 1, false, n > 0)
	if got.Next {
		b.follows(got.Cursor, 0, 2)
	}
	return all.cursors
}

// difference describes the first wrong item, because a diff of a long list would take
// minutes.
func difference[K comparable](want, got []K) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Sprintf("%d items, want %d; item %d (-want +got):\n%s", len(got), len(want), i, cmp.Diff(want[i], got[i]))
		}
	}
	return fmt.Sprintf("%d items, want %d", len(got), len(want))
}

func argsText(args page.Args) string {
	text := ""
	for _, n := range []struct {
		name string
		size *int
	}{{"first", args.First}, {"last", args.Last}} {
		if n.size != nil {
			text += cmpText(n.name, *n.size)
		}
	}
	if args.After != nil {
		text += " after a cursor"
	}
	if args.Before != nil {
		text += " before a cursor"
	}
	return text
}

func cmpText(name string, n int) string { return fmt.Sprintf(" %s %d", name, n) }
