package page

import (
	"context"
	"errors"
	"slices"
	"sync"

	"mintburn/internal/database"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// Args are the Relay arguments of a page; nil means not given.
type Args = cursor.Args

// Page is one page of a list.
type Page[T any] struct {
	// Items are the items, in the order of the list.
	Items []T
	AnyPage
}

// Set sets the items, in the order of the list.
func (p *Page[T]) Set(items []T) { p.Items, p.len = items, len(items) }

// Take sets the items, which were read in the page's direction, with at most one beyond the
// limit.
func (p *Page[T]) Take(items []T) {
	p.More = len(items) > p.Size
	p.Set(items[:min(len(items), p.Size)])
	if p.Backward {
		slices.Reverse(p.Items)
	}
}

// AnyPage is a page of any list, without its items. [AnyPage.Read] reads it; before that only
// its limit and number are set. Its methods may read from the snapshot that created it, which
// must be open.
type AnyPage struct {
	cursor.Bounds
	// Snapshot is the snapshot that created the page.
	Snapshot *read.Snapshot
	list     List
	len      int
	empty    bool // the list has no items, so that nothing else is read

	reading Once[struct{}]
	total   Once[int64]
	beyond  [2]Once[bool] // before the page, and after it
}

// Read is a read from a snapshot.
type Read = func(context.Context) error

// Items reads the items of a page, and returns the reads that need them. alone means that nothing else
// is read from the snapshot.
type Items = func(ctx context.Context, alone bool) (then []Read, err error)

// Prefetch returns a read of a field whose method returns its error again.
func Prefetch[T any](field func(context.Context) (T, error)) Read {
	return func(ctx context.Context) error { _, _ = field(ctx); return nil }
}

// List is what differs between the pages of lists.
type List interface {
	// Key returns the key of the i-th item, or for -1 the place right before an empty page,
	// which may be an error.
	Key(i int) (cursor.Key, error)
	// Prepare reads what the other reads need. It returns that of the items, nil if the list has none,
	// and those beside it: what the page requires, and fields in also that need no items.
	Prepare(ctx context.Context, also Selected) (items Items, beside []Read, err error)
	// Exists reports whether an item follows the page, or precedes it. bound is the cursor on
	// that side.
	Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error)
	// Count returns the number of items of the list.
	Count(ctx context.Context) (int64, error)
}

// Begin sets the arguments of a page of a list.
func Begin(p *AnyPage, s *read.Snapshot, list List, args Args) (err error) {
	p.Snapshot, p.list = s, list
	p.Bounds, err = args.Bounds(s.DB.MaxPageSize())
	return err
}

// Done makes p a page of its items, which needs no read.
func Done(p *AnyPage, s *read.Snapshot, list List) {
	p.Snapshot, p.list, p.Size = s, list, p.len
	_, _ = p.reading.Get(func() (none struct{}, err error) { return none, nil })
}

// Len returns the number of items.
func (p *AnyPage) Len() int { return p.len }

// Read reads the page once; later calls return the result of the first. It is safe for
// concurrent use. If that saves round trips, it also reads the fields that selected returns;
// selected may be nil. The method of [Snapshot] that returned the page lists its errors.
func (p *AnyPage) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.Get(func() (none struct{}, err error) {
		if selected == nil || !p.Snapshot.Tx.Gathers() {
			return none, readList(ctx, p, Selected{}, false)
		}
		also := selected(ctx)
		// Without a cursor nothing has to be read beyond the page.
		alone := p.Given() == nil && !also.Total && !also.Indexed && !also.Metadata && also.Buckets == 0
		return none, readList(ctx, p, also, alone)
	})
	return err
}

func readList(ctx context.Context, p *AnyPage, also Selected, alone bool) error {
	items, reads, err := p.list.Prepare(ctx, also)
	if p.empty = items == nil; err != nil || p.empty {
		return err
	}
	if also.Total {
		reads = append(reads, Prefetch(p.Total))
	}
	if len(reads) == 0 {
		return readItems(ctx, p, items, also, alone)
	}
	return together(ctx, p, append(reads, func(ctx context.Context) error { return readItems(ctx, p, items, also, alone) }))
}

// readItems reads the items and what needs them.
func readItems(ctx context.Context, p *AnyPage, items Items, also Selected, alone bool) error {
	then, err := items(ctx, alone)
	if err == nil {
		if also.Next {
			then = append(then, Prefetch(p.HasNextPage))
		}
		if also.Previous {
			then = append(then, Prefetch(p.HasPreviousPage))
		}
		err = together(ctx, p, then)
	}
	if alone && errors.Is(err, database.ErrNotAlone) {
		return readItems(ctx, p, items, also, false)
	}
	return err
}

// together runs reads in one round trip, if possible.
func together(ctx context.Context, p *AnyPage, reads []Read) error {
	switch len(reads) {
	case 0:
		return nil
	case 1:
		return reads[0](ctx)
	}
	return p.Snapshot.Tx.Together(ctx, len(reads), func(ctx context.Context, i int) error { return reads[i](ctx) })
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
	if more := p.More && p.Backward != follows; more || bound == nil || p.empty {
		return more, nil
	}
	return beyond.Get(func() (bool, error) { return p.list.Exists(ctx, follows, bound) })
}

// Total returns the exact number of items over all pages.
func (p *AnyPage) Total(ctx context.Context) (int64, error) {
	if p.empty {
		return 0, nil
	}
	return p.total.Get(func() (int64, error) { return p.list.Count(ctx) })
}

// Cursor returns the cursor of the i-th item.
func (p *AnyPage) Cursor(i int) string { return string(p.AppendCursor(nil, i)) }

// AppendCursor appends the cursor of the i-th item.
func (p *AnyPage) AppendCursor(b []byte, i int) []byte {
	key, _ := p.list.Key(i)
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
	last, err := p.list.Key(p.len - 1)
	if err != nil {
		return nil, err
	}
	return new(string(p.append(nil, &last))), nil
}

// Rest returns the range of a query's positions that follow the page, or that precede it.
func Rest(p *AnyPage, q *query.Query, follows bool) (lo, hi int64) {
	var at cursor.Key // A position is never an error.
	switch {
	case follows:
		at, _ = p.list.Key(p.len - 1)
	case p.len > 0:
		at, _ = p.list.Key(0)
	default:
		at = cursor.PrecedingPosition(&p.Bounds, q)
		at.Pos += q.Step()
	}
	return q.Beyond(at.Pos, q.Lo, q.Hi, follows)
}

// Once reads a value once, and keeps the result.
type Once[T any] struct {
	run   sync.Once
	value T
	err   error
}

// errUnread is the error of a value whose read panicked.
var errUnread = errors.New("internal error: the page could not be read")

// Get returns the result of read, which it calls only the first time.
func (o *Once[T]) Get(read func() (T, error)) (T, error) {
	o.run.Do(func() {
		// After a panic, later calls must not return the zero value without an error.
		o.err = errUnread
		o.value, o.err = read()
	})
	return o.value, o.err
}
