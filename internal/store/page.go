package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

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
	span     span

	reading  once[struct{}]
	total    once[int64]
	beyond   [2]once[bool] // before the page, and after it
	indexed  once[[]Range]
	buckets  once[*[len(intervals)]once[[]Bucket]] // most pages have none
	metadata once[map[nft.TokenKey]*TokenMetadata]
}

// Page returns the page of f that args name, to be read by [Page.Read]. It
// checks everything that needs no data and reads nothing. Its errors are of
// type [nft.Error] with the code BAD_USER_INPUT or INVALID_CURSOR.
func (s *Snapshot) Page(f Filter, args PageArgs) (*Page, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.Lists != nil {
		f.Lists = f.Lists.sets()
	}
	bounds, err := args.bounds(s.store.maxPageSize)
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
	return p, err
}

// Read reads the page, once: later calls return the result of the first one.
// It is safe for concurrent use. Where that saves round trips it also reads what
// selected, if not nil, returns. Besides internal errors it returns an
// [nft.Error] with the code INVALID_CURSOR, CURSOR_REORGED, NOT_FOUND,
// BLOCK_NOT_FOUND, BLOCK_NOT_INDEXED or BLOCK_NOT_CANONICAL.
func (p *Page) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) { return none, p.read(ctx, selected) })
	return err
}

func (p *Page) read(ctx context.Context, selected func(context.Context) Selected) error {
	s := p.snapshot
	q, r, err := resolve(ctx, s, p.filter)
	if err != nil {
		return err
	}
	p.query, p.span = q, r
	if p.filter.Block != nil && p.filter.Block.Hash != nil {
		// Cursors of a block hold its number, which is known only now.
		number := tables.BlockOf(q.lo)
		if err := p.belongTo(p.filter.fingerprint(&number)); err != nil {
			return err
		}
	}
	if c := p.given(); c != nil && len(c.key) != 8 {
		return nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	var also Selected
	alone := false
	if selected != nil && s.db.Gathers() {
		also = selected(ctx)
		// Without a cursor it is known what is beyond the page.
		alone = p.given() == nil && !also.Total && !also.Indexed && !also.Metadata && also.Buckets == 0
	}
	// The errors of what is read beside the items are those of its methods.
	reads := make([]func(context.Context) error, 0, 4)
	if c := p.given(); c != nil {
		reads = append(reads, func(ctx context.Context) error { return requireCanonical(ctx, s, c) })
	}
	reads = append(reads, func(ctx context.Context) error {
		err := p.readItems(ctx, alone)
		if errors.Is(err, database.ErrAgain) {
			err = p.readItems(ctx, false)
		}
		if err != nil || also == (Selected{}) {
			return err
		}
		p.readBeyond(ctx, also)
		return nil
	})
	if also.Total {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.Total(ctx); return nil })
	}
	if also.Indexed {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.Indexed(ctx); return nil })
	}
	for i, interval := range intervals {
		if also.Buckets&(1<<i) != 0 {
			reads = append(reads, func(ctx context.Context) error { _, _ = p.Buckets(ctx, interval); return nil })
		}
	}
	return s.db.Together(ctx, len(reads), func(ctx context.Context, i int) error { return reads[i](ctx) })
}

// readBeyond reads what is selected of what depends on the items.
func (p *Page) readBeyond(ctx context.Context, also Selected) {
	reads := make([]func(context.Context), 0, 3)
	if also.Next {
		reads = append(reads, func(ctx context.Context) { _, _ = p.HasNextPage(ctx) })
	}
	if also.Previous {
		reads = append(reads, func(ctx context.Context) { _, _ = p.HasPreviousPage(ctx) })
	}
	if also.Metadata {
		reads = append(reads, func(ctx context.Context) {
			_, _ = p.Metadata(ctx, func(context.Context) Texts { return also.Texts })
		})
	}
	_ = p.snapshot.db.Together(ctx, len(reads), func(ctx context.Context, i int) error {
		reads[i](ctx)
		return nil
	})
}

// readItems reads the items. Nothing else is read of the snapshot if alone.
func (p *Page) readItems(ctx context.Context, alone bool) error {
	s, q := p.snapshot, p.query
	lo, hi := q.lo, q.hi
	if c := p.given(); c != nil {
		lo, hi = q.beyond(keyPosition(c.key), lo, hi, c == p.after)
	}
	items, covered, err := transfers(ctx, s, q, lo, hi, p.limit+1, p.backward != q.desc, alone)
	if err == nil && !covered {
		err = requireCovered(ctx, s, q, p.span, p.filter, len(items) > 0 || p.given() != nil)
	}
	if err != nil {
		return err
	}
	p.Items = items
	if len(p.Items) > p.limit {
		p.more, p.Items = true, p.Items[:p.limit]
	}
	if p.backward {
		slices.Reverse(p.Items)
	}
	return nil
}

// transfers reads at most limit records of [lo, hi], with their blocks, from
// the low end or from the high end. covered says that all that the query needs is
// known to be indexed.
func transfers(ctx context.Context, s *Snapshot, q *query, lo, hi int64, limit int, fromHigh, alone bool) (items []Transfer, covered bool, err error) {
	if lo > hi {
		return nil, false, nil
	}
	of := selection{lo: lo, hi: hi, limit: limit, fromHigh: fromHigh, joined: true, needs: q.needs}
	text, args := s.reading(q, "page", of)
	one := database.Statement{Text: text, Args: args, Alone: alone, Read: func(row *database.Row) error {
		if covered = true; of.needs != needsNone {
			covered = of.needs.metBy(row, q.from)
		}
		return row.Err()
	}}
	items, _, err = readTransfers(ctx, s, q.kind, one)
	return items, covered, err
}

// readTransfers runs a statement whose rows are records with their blocks, and more that
// the statement's Read reads, if it is set. It returns the records and the numbers of
// their contracts.
func readTransfers(ctx context.Context, s *Snapshot, kind nft.Kind, one database.Statement) (items []Transfer, contracts []int64, err error) {
	found, ok := s.store.records.Get().(*recordRow)
	if !ok {
		found = new(recordRow)
	}
	defer func() {
		// Large pages are rare, and would keep their memory.
		if cap(found.items) > 256 {
			found.items, found.contracts = nil, nil
		}
		s.store.records.Put(found)
	}()
	found.kind, found.items, found.contracts = kind, found.items[:0], found.contracts[:0]
	more := one.Read
	one.Read = func(row *database.Row) error {
		found.items = append(found.items, Transfer{})
		err := found.readJoined(row, &found.items[len(found.items)-1])
		found.contracts = append(found.contracts, found.mint.ContractID)
		if err == nil && more != nil {
			err = more(row)
		}
		return err
	}
	if err := s.db.RunAll(ctx, one); err != nil {
		return nil, nil, fmt.Errorf("reading %ss: %w", kind, err)
	}
	// After the rows are closed: addresses that are not cached take another
	// statement.
	addresses, err := contractAddresses(ctx, s, found.contracts)
	if err != nil {
		return nil, nil, err
	}
	// How many there are is known only now, and often far fewer than asked for.
	items, contracts = slices.Clone(found.items), slices.Clone(found.contracts)
	for i := range items {
		items[i].Contract = addresses[i]
	}
	return items, contracts, nil
}

// pageOf returns a page that is read, of these records.
func pageOf(s *Snapshot, q *query, items []Transfer) *Page {
	p := &Page{Items: items, pageBounds: pageBounds{limit: len(items)}, snapshot: s, query: q}
	_, _ = p.reading.get(func() (read struct{}, err error) { return read, nil })
	return p
}

// HasNextPage reports whether records follow the page in its order.
func (p *Page) HasNextPage(ctx context.Context) (bool, error) { return p.continues(ctx, true) }

// HasPreviousPage reports whether records precede the page in its order.
func (p *Page) HasPreviousPage(ctx context.Context) (bool, error) { return p.continues(ctx, false) }

// continues looks for one record after the page's last boundary, or before its
// first.
func (p *Page) continues(ctx context.Context, follows bool) (bool, error) {
	if bound, more := p.side(follows); more || bound == nil {
		return more, nil
	}
	side := &p.beyond[0]
	if follows {
		side = &p.beyond[1]
	}
	return side.get(func() (bool, error) {
		pos := p.boundary(follows)
		lo, hi := p.query.beyond(pos, p.query.lo, p.query.hi, follows)
		if lo > hi {
			return false, nil
		}
		of := selection{lo: lo, hi: hi, limit: 1, fromHigh: follows == p.query.desc, columns: []string{mint.FieldID}}
		text, args := p.snapshot.reading(p.query, "exists", of)
		found, err := p.snapshot.run(ctx, database.Statement{Text: text, Args: args, Read: ignored, Last: true})
		return found, database.Wrap(err, "looking beyond a page of %ss", p.query.kind)
	})
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
		return p.precedingPosition(p.query)
	default:
		return p.precedingPosition(p.query) + p.query.step()
	}
}

// Total returns the exact number of records that the page's filter selects,
// over all pages.
func (p *Page) Total(ctx context.Context) (int64, error) {
	return p.total.get(func() (int64, error) {
		q := p.query
		if q.lo > q.hi {
			return 0, nil
		}
		total := p.snapshot.total
		if q.list != nil {
			total = p.snapshot.totalOfList
		}
		n, err := total(ctx, q)
		return n, database.Wrap(err, "totalling %ss", q.kind)
	})
}

// Indexed returns the ranges of blocks that the page's list is taken from, in
// order: what is indexed of those that the filter spans.
func (p *Page) Indexed(ctx context.Context) ([]Range, error) {
	return p.indexed.get(func() ([]Range, error) { return p.readIndexed(ctx) })
}

func (p *Page) readIndexed(ctx context.Context) ([]Range, error) {
	covered, err := tables.Ranges(ctx, p.snapshot.client(), coverage.KindIndexed)
	if err != nil {
		return nil, err
	}
	if p.span.nothing {
		return []Range{}, nil
	}
	return tables.Common(covered, p.asked()), nil
}

// asked returns the blocks that the filter spans, up to the last that can be stored.
func (p *Page) asked() Range {
	r := Range{To: MaxBlock}
	if p.filter.Block != nil {
		number := tables.BlockOf(p.query.lo)
		return Range{From: number, To: number}
	}
	if from := p.span.from; from != nil {
		r.From = min(uint64(*from), MaxBlock)
	}
	if to := p.span.to; to != nil {
		r.To = min(uint64(*to), MaxBlock)
	}
	return r
}

// Buckets returns the intervals that the page's range spans, empty ones too, with the
// records of the whole list: their totals add up to [Page.Total]. An end that neither a
// block nor a time bounds is that of the first or last record. Its errors have the code
// BAD_USER_INPUT: too many buckets, or a chain whose times fall.
func (p *Page) Buckets(ctx context.Context, interval Interval) ([]Bucket, error) {
	by, err := p.buckets.get(func() (*[len(intervals)]once[[]Bucket], error) { return new([len(intervals)]once[[]Bucket]), nil })
	if err != nil {
		return nil, err
	}
	return by[interval.place()].get(func() ([]Bucket, error) {
		return readBuckets(ctx, p.snapshot, bucketed{p.query, &p.filter, p.asked()}, interval)
	})
}

// Metadata returns what [Snapshot.MetadataOf] does for the tokens of the page's
// records. The first call reads it for the whole page, with a constant number of
// statements, and the texts that texts returns.
func (p *Page) Metadata(ctx context.Context, texts func(context.Context) Texts) (map[nft.TokenKey]*TokenMetadata, error) {
	return p.metadata.get(func() (map[nft.TokenKey]*TokenMetadata, error) {
		keys := make([]nft.TokenKey, len(p.Items))
		for i := range p.Items {
			keys[i] = nft.TokenKey{Contract: p.Items[i].Contract, TokenID: p.Items[i].TokenID}
		}
		if p.backward {
			slices.Reverse(keys)
		}
		return metadataOf(ctx, p.snapshot, keys, texts(ctx), p.argument())
	})
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
	text := p.emptyCursor(p.query).String()
	return &text, nil
}
