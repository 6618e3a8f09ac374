package store

import (
	"context"
	"errors"
	"slices"
	"sync"

	"mintburn/internal/store/cursor"
	"mintburn/internal/store/read"
)

// PageArgs are the Relay arguments of a page; nil means not given.
type PageArgs = cursor.Args

// Page is one page of a list.
type Page[T any] struct {
	// Items are the items, in the order of the list.
	Items []T
	AnyPage
}

func (p *Page[T]) set(items []T) { p.Items, p.len = items, len(items) }

// take sets the items, which were read in the page's direction, with at most one beyond the
// limit.
func (p *Page[T]) take(items []T) {
	p.More = len(items) > p.Size
	p.set(items[:min(len(items), p.Size)])
	if p.Backward {
		slices.Reverse(p.Items)
	}
}

// AnyPage is a page of any list, without its items. [AnyPage.Read] reads it; before that only
// its limit and number are set. Its methods may read from the snapshot that created it, which
// must be open.
type AnyPage struct {
	cursor.Bounds
	snapshot *read.Snapshot
	list     paged
	len      int

	reading once[struct{}]
	total   once[int64]
	beyond  [2]once[bool] // before the page, and after it
}

// paged is what differs between the pages of lists.
type paged interface {
	// key returns the key of the i-th item, or for -1 the place right before an empty page,
	// which may be an error.
	key(i int) (cursor.Key, error)
	// read reads the items. It may read the fields in also. alone means that nothing else
	// is read from the snapshot.
	read(ctx context.Context, also Selected, alone bool) error
	// exists reports whether an item follows the page, or precedes it. bound is the cursor on
	// that side.
	exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error)
	// count returns the number of items of the list.
	count(ctx context.Context) (int64, error)
}

// beginPage sets the arguments of a page of a list.
func beginPage(p *AnyPage, s *read.Snapshot, list paged, args PageArgs) (err error) {
	p.snapshot, p.list = s, list
	p.Bounds, err = args.Bounds(s.DB.MaxPageSize())
	return err
}

// Len returns the number of items.
func (p *AnyPage) Len() int { return p.len }

// Read reads the page once; later calls return the result of the first. It is safe for
// concurrent use. If that saves round trips, it also reads the fields that selected returns;
// selected may be nil. The method of [Snapshot] that returned the page lists its errors.
func (p *AnyPage) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) {
		if selected == nil || !p.snapshot.Tx.Gathers() {
			return none, p.list.read(ctx, Selected{}, false)
		}
		also := selected(ctx)
		// Without a cursor nothing has to be read beyond the page.
		alone := p.Given() == nil && !also.Total && !also.Indexed && !also.Metadata && also.Buckets == 0
		return none, p.list.read(ctx, also, alone)
	})
	return err
}

// neighbours returns the reads of the selected neighbours, whose errors the page's methods
// return.
func neighbours(p *AnyPage, also Selected) (reads []func(context.Context) error) {
	if also.Next {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.HasNextPage(ctx); return nil })
	}
	if also.Previous {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.HasPreviousPage(ctx); return nil })
	}
	return reads
}

// together runs reads in one round trip, if possible.
func together(ctx context.Context, p *AnyPage, reads []func(context.Context) error) error {
	switch len(reads) {
	case 0:
		return nil
	case 1:
		return reads[0](ctx)
	}
	return p.snapshot.Tx.Together(ctx, len(reads), func(ctx context.Context, i int) error { return reads[i](ctx) })
}

// readUnanchored reads a page whose cursors do not depend on blocks.
func readUnanchored(ctx context.Context, p *AnyPage, partial bool, also Selected, items func(context.Context) error) error {
	return p.snapshot.Tx.Together(ctx, 3, func(ctx context.Context, i int) error {
		switch {
		case i == 0 && !partial:
			return read.RequireNoHole(ctx, p.snapshot)
		case i == 1:
			if err := items(ctx); err != nil {
				return err
			}
			return together(ctx, p, neighbours(p, also))
		case i == 2 && also.Total:
			_, _ = p.Total(ctx)
		}
		return nil
	})
}

// HasNextPage reports whether items follow the page in its order.
func (p *AnyPage) HasNextPage(ctx context.Context) (bool, error) { return p.continues(ctx, true) }

// HasPreviousPage reports whether items precede the page in its order.
func (p *AnyPage) HasPreviousPage(ctx context.Context) (bool, error) { return p.continues(ctx, false) }

func (p *AnyPage) continues(ctx context.Context, follows bool) (bool, error) {
	bound, beyond := p.After, &p.beyond[0]
	if follows {
		bound, beyond = p.Before, &p.beyond[1]
	}
	if more := p.More && p.Backward != follows; more || bound == nil {
		return more, nil
	}
	return beyond.get(func() (bool, error) { return p.list.exists(ctx, follows, bound) })
}

// Total returns the exact number of items over all pages.
func (p *AnyPage) Total(ctx context.Context) (int64, error) {
	return p.total.get(func() (int64, error) { return p.list.count(ctx) })
}

// Cursor returns the cursor of the i-th item.
func (p *AnyPage) Cursor(i int) string { return string(p.AppendCursor(nil, i)) }

// AppendCursor appends the cursor of the i-th item.
func (p *AnyPage) AppendCursor(b []byte, i int) []byte {
	key, _ := p.list.key(i)
	return p.append(b, &key)
}

// append appends the cursor of a key.
func (p *AnyPage) append(b []byte, key *cursor.Key) []byte {
	if key.TokenID != nil {
		return p.CursorAt(key.TokenID).Append(b)
	}
	c := p.CursorAt(cursor.PositionKey(key.Pos))
	c.Anchored, c.Anchor = key.Anchored, key.Anchor
	return c.Append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none. A page of size 0
// has no item to continue after, but it has a place in the list.
func (p *AnyPage) NextCursor(ctx context.Context) (*string, error) {
	next, err := p.HasNextPage(ctx)
	if err != nil || !next {
		return nil, err
	}
	last, err := p.list.key(p.len - 1)
	if err != nil {
		return nil, err
	}
	return new(string(p.append(nil, &last))), nil
}

// once reads a value once, and keeps the result.
type once[T any] struct {
	run   sync.Once
	value T
	err   error
}

// errUnread is the error of a value whose read panicked.
var errUnread = errors.New("internal error: the page could not be read")

// get returns the result of read, which it calls only the first time.
func (o *once[T]) get(read func() (T, error)) (T, error) {
	o.run.Do(func() {
		// After a panic, later calls must not return the zero value without an error.
		o.err = errUnread
		o.value, o.err = read()
	})
	return o.value, o.err
}
