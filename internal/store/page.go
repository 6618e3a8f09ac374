package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// PageArgs are the Relay arguments of a connection; nil is not given.
type PageArgs struct {
	// First and Last are page sizes from 0 to the store's maximum; at most
	// one may be given. The default is [DefaultPageSize].
	First, Last *int
	// After and Before are cursors; at most one may be given.
	After, Before *string
}

// pageBounds are the decoded arguments of a page, and whether records follow.
type pageBounds struct {
	limit int
	// backward: the page ends where it was asked to, rather than begins.
	backward bool
	// after and before are what the arguments decoded to.
	after, before *cursor
	// more: a record beyond the limit was seen.
	more bool
	// fingerprint is that of the list's cursors.
	fingerprint uint64
}

// bounds decodes the arguments. Page sizes may be up to most.
func (a PageArgs) bounds(most int) (b pageBounds, err error) {
	b.limit = DefaultPageSize
	size, name := a.First, "first"
	switch {
	case a.First != nil && a.Last != nil:
		return b, nft.Errorf(nft.BadUserInput, "first and last can't be combined: want one of them")
	case a.After != nil && a.Before != nil:
		return b, nft.Errorf(nft.BadUserInput, "after and before can't be combined: want one of them")
	case a.Last != nil:
		size, name = a.Last, "last"
		b.backward = true
	case a.First == nil && a.Before != nil:
		// Of the records before a cursor, clients want the nearest.
		b.backward = true
	}
	if a.After != nil {
		if b.after, err = parseCursor(*a.After); err != nil {
			return b, err
		}
	}
	if a.Before != nil {
		if b.before, err = parseCursor(*a.Before); err != nil {
			return b, err
		}
	}
	if size == nil {
		b.limit = min(b.limit, most)
		return b, nil
	}
	if *size < 0 || *size > most {
		return b, nft.Errorf(nft.BadUserInput, "%s is %d: want 0 to %d", name, *size, most)
	}
	b.limit = *size
	return b, nil
}

// belongTo sets the list's fingerprint. It fails unless the cursors have it.
func (b *pageBounds) belongTo(fingerprint uint64) error {
	b.fingerprint = fingerprint
	for _, c := range [...]*cursor{b.after, b.before} {
		if c != nil && c.fingerprint != fingerprint {
			return nft.Errorf(nft.InvalidCursor, "the cursor belongs to another filter or order: use it with the arguments that gave it; only the page size may change")
		}
	}
	return nil
}

// Limit returns the requested page size, in items.
func (b *pageBounds) Limit() int { return b.limit }

// argument returns the name of the page's size.
func (b *pageBounds) argument() string {
	if b.backward {
		return "last"
	}
	return "first"
}

// Number returns the page's number: 1 without a cursor, else one more than
// that of the page that gave the cursor; with before, one less and at least 1.
func (b *pageBounds) Number() uint64 {
	switch {
	case b.after != nil:
		return b.after.page + 1
	case b.before != nil:
		return max(1, b.before.page-1)
	default:
		return 1
	}
}

// Page is one page of mints or burns. [Page.Read] reads it; until then it has
// its limit and number only. Its methods may read from the snapshot that gave
// it, which must be open.
type Page struct {
	// Items are the records, in the order of the filter.
	Items []Transfer
	pageBounds
	snapshot *Snapshot
	filter   Filter
	query    *query

	reading onceRead

	// metadata holds what Metadata loaded, once for the page.
	metadataOnce sync.Once
	metadata     map[nft.TokenKey]*Token
	metadataErr  error
}

// Page returns the page of f that args name, to be read by [Page.Read]. It
// checks everything that needs no data and reads nothing. Its errors are of
// type [nft.Error] with the code BAD_USER_INPUT or INVALID_CURSOR.
func (s *Snapshot) Page(f Filter, args PageArgs) (*Page, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	bounds, err := args.bounds(s.store.opts.MaxPageSize)
	if err != nil {
		return nil, err
	}
	p := &Page{pageBounds: bounds, snapshot: s, filter: f}
	switch {
	case f.Block == nil:
		err = p.belongTo(f.fingerprint(nil))
	case f.Block.Hash == nil:
		number := uint64(f.Block.Number)
		err = p.belongTo(f.fingerprint(&number))
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Read reads the page, once: later calls return the result of the first one.
// It is safe for concurrent use. Besides internal errors it returns an
// [nft.Error] with the code INVALID_CURSOR, CURSOR_REORGED, NOT_FOUND,
// BLOCK_NOT_FOUND, BLOCK_NOT_INDEXED or BLOCK_NOT_CANONICAL.
func (p *Page) Read(ctx context.Context) error {
	return p.reading.once(func() error { return p.read(ctx) })
}

// onceRead runs a page's read once, and holds its error.
type onceRead struct {
	run sync.Once
	err error
}

// errUnread is the error of a page whose reading did not return.
var errUnread = errors.New("internal error: the page could not be read")

// once returns the error of read, which it calls the first time only.
func (r *onceRead) once(read func() error) error {
	r.run.Do(func() {
		// After a panic, later calls must not take the page for an empty one.
		r.err = errUnread
		r.err = read()
	})
	return r.err
}

func (p *Page) read(ctx context.Context) error {
	s := p.snapshot
	q, err := s.resolve(ctx, p.filter)
	if err != nil {
		return err
	}
	p.query = q
	if p.filter.Block != nil && p.filter.Block.Hash != nil {
		// Cursors of a block hold its number, which is known only now.
		number := blockOf(q.lo)
		if err := p.belongTo(p.filter.fingerprint(&number)); err != nil {
			return err
		}
	}
	lo, hi := q.lo, q.hi
	if p.after != nil {
		pos, err := s.cursorPosition(ctx, p.after)
		if err != nil {
			return err
		}
		lo, hi = q.beyond(pos, lo, hi, true)
	}
	if p.before != nil {
		pos, err := s.cursorPosition(ctx, p.before)
		if err != nil {
			return err
		}
		lo, hi = q.beyond(pos, lo, hi, false)
	}
	if p.Items, err = s.transfers(ctx, q, lo, hi, p.limit+1, p.backward != q.desc); err != nil {
		return err
	}
	if len(p.Items) == 0 {
		return s.explainEmpty(ctx, p.filter, p.after != nil || p.before != nil)
	}
	if len(p.Items) > p.limit {
		p.more, p.Items = true, p.Items[:p.limit]
	}
	if p.backward {
		slices.Reverse(p.Items)
	}
	return nil
}

// transfers reads at most limit records of [lo, hi], with their blocks, from
// the low end or from the high end.
func (s *Snapshot) transfers(ctx context.Context, q *query, lo, hi int64, limit int, fromHigh bool) ([]Transfer, error) {
	if lo > hi {
		return nil, nil
	}
	of := selection{lo: lo, hi: hi, limit: limit, fromHigh: fromHigh, joined: true, holes: q.gapless}
	text := s.statement(q.key("page", of), func(client *ent.Client) entsql.Querier { return q.selector(client, of) })
	found, ok := s.store.records.Get().(*recordRow)
	if !ok {
		found = new(recordRow)
	}
	defer s.store.records.Put(found)
	found.kind = q.kind
	// Most pages are as full as they may be; the largest need not be.
	items := make([]Transfer, 0, min(limit, 128))
	contracts := make([]int64, 0, cap(items))
	holes := false
	err := s.run(ctx, text, q.args(s.store.dialect, of), func(row *database.Row) error {
		items = append(items, Transfer{})
		err := found.readJoined(row, &items[len(items)-1])
		contracts = append(contracts, found.mint.ContractID)
		if err == nil && of.holes {
			holes = row.Bool()
			err = row.Err()
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading %ss: %w", q.kind, err)
	}
	if holes {
		covered, err := s.covered(ctx)
		if err != nil {
			return nil, err
		}
		return nil, mayBeMissing(covered)
	}
	// After the rows are closed: addresses that are not cached take another
	// statement.
	addresses, err := s.contractAddresses(ctx, contracts)
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].Contract = addresses[i]
	}
	return items, nil
}

// HasNextPage reports whether records follow the page in its order.
func (p *Page) HasNextPage(ctx context.Context) (bool, error) {
	if !p.backward && p.more {
		return true, nil
	}
	if p.before == nil {
		return false, nil
	}
	return p.exists(ctx, true)
}

// HasPreviousPage reports whether records precede the page in its order.
func (p *Page) HasPreviousPage(ctx context.Context) (bool, error) {
	if p.backward && p.more {
		return true, nil
	}
	if p.after == nil {
		return false, nil
	}
	return p.exists(ctx, false)
}

// exists looks for one record after the page's last boundary, or before its
// first.
func (p *Page) exists(ctx context.Context, follows bool) (bool, error) {
	pos := p.boundary(follows)
	lo, hi := p.query.beyond(pos, p.query.lo, p.query.hi, follows)
	if lo > hi {
		return false, nil
	}
	of := selection{lo: lo, hi: hi, limit: 1, fromHigh: follows == p.query.desc, columns: []string{mint.FieldID}}
	found, err := p.snapshot.cached(ctx, p.query.key("exists", of), func(client *ent.Client) entsql.Querier {
		return p.query.selector(client, of)
	}, p.query.args(p.snapshot.store.dialect, of), ignored)
	if err != nil {
		return false, fmt.Errorf("looking beyond a page of %ss: %w", p.query.kind, err)
	}
	return found, nil
}

// boundary returns the position of the page's last record, or of its first. An
// empty page lies between two positions: boundary returns the one on the far
// side of the requested records.
func (p *Page) boundary(last bool) int64 {
	switch n := len(p.Items); {
	case n > 0 && last:
		return p.Items[n-1].pos
	case n > 0:
		return p.Items[0].pos
	case last:
		return p.precedingPosition()
	default:
		return p.precedingPosition() + p.query.step()
	}
}

// precedingPosition returns the position that an empty page comes right after.
func (p *Page) precedingPosition() int64 {
	q := p.query
	first, last := q.lo, q.hi
	if q.desc {
		first, last = q.hi, q.lo
	}
	switch {
	case p.after != nil && !p.backward:
		return keyPosition(p.after.key)
	case p.before != nil && p.backward:
		return keyPosition(p.before.key) - q.step()
	case p.backward:
		return last
	default:
		return first - q.step()
	}
}

// Indexed returns the ranges of blocks that the page's list is taken from, in
// order: what is indexed of those that the filter spans.
func (p *Page) Indexed(ctx context.Context) ([]Range, error) {
	covered, err := p.snapshot.covered(ctx)
	if err != nil {
		return nil, err
	}
	span := Range{From: 0, To: uint64(evm.MaxLong)}
	if p.filter.Block != nil {
		span = Range{From: blockOf(p.query.lo), To: blockOf(p.query.hi)}
	}
	if p.filter.FromBlock != nil {
		span.From = uint64(*p.filter.FromBlock)
	}
	if p.filter.ToBlock != nil {
		span.To = uint64(*p.filter.ToBlock)
	}
	return common(covered, span), nil
}

// Len returns the number of items.
func (p *Page) Len() int { return len(p.Items) }

// AppendCursorAt appends the cursor of the i-th item.
func (p *Page) AppendCursorAt(b []byte, i int) []byte { return p.AppendCursor(b, &p.Items[i]) }

// Cursor returns the cursor of an item of the page.
func (p *Page) Cursor(item *Transfer) string { return string(p.AppendCursor(nil, item)) }

// AppendCursor appends what [Page.Cursor] returns.
func (p *Page) AppendCursor(b []byte, item *Transfer) []byte {
	c := cursor{
		page: p.Number(), key: positionKey(item.pos), fingerprint: p.fingerprint,
		anchored: true, anchor: anchorOf(item.Block.Hash.Prefix()),
	}
	return c.append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none.
func (p *Page) NextCursor(ctx context.Context) (*string, error) {
	next, err := p.HasNextPage(ctx)
	if err != nil || !next {
		return nil, err
	}
	if n := len(p.Items); n > 0 {
		text := p.Cursor(&p.Items[n-1])
		return &text, nil
	}
	// A page size of 0 gives no item to continue after, but a position.
	c := cursor{page: p.Number(), key: positionKey(p.precedingPosition()), fingerprint: p.fingerprint}
	if p.after != nil && !p.backward {
		c.anchored, c.anchor = p.after.anchored, p.after.anchor
	}
	text := c.String()
	return &text, nil
}
