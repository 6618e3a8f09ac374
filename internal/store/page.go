package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Page is one page of mints or burns. [Page.Read] reads it; before that only its
// limit and number are set. Its methods may read from the snapshot that created
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
	buckets  once[*[len(intervals)]once[[]Bucket]] // a pointer, because few pages have buckets
	metadata once[map[nft.TokenKey]*TokenMetadata]
}

// Page returns a page of the records that f selects; [Page.Read] reads it. Page only
// checks the arguments and reads nothing. Its errors are of type [nft.Error] with the
// code BAD_USER_INPUT or INVALID_CURSOR.
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
	if c := bounds.given(); c != nil && f.tagged() {
		f.Block = &evm.BlockNumberOrHash{Number: f.blockOf(c)}
	}
	p := &Page{pageBounds: bounds, snapshot: s, filter: f}
	switch {
	case f.Block == nil:
		err = p.belongTo(f.fingerprint(nil))
	case f.Block.Hash == nil && !f.tagged():
		number := uint64(f.Block.Number)
		err = p.belongTo(f.fingerprint(&number))
	}
	return p, err
}

// Read reads the page once; later calls return the result of the first. It is safe
// for concurrent use. If that saves round trips, it also reads the fields that
// selected returns; selected may be nil. Besides internal errors it returns an
// [nft.Error] with the code INVALID_CURSOR, CURSOR_REORGED, NOT_FOUND,
// BLOCK_NOT_FOUND, BLOCK_NOT_INDEXED or BLOCK_NOT_CANONICAL.
func (p *Page) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) { return none, p.read(ctx, selected) })
	return err
}

func (p *Page) read(ctx context.Context, selected func(context.Context) Selected) error {
	s := p.snapshot
	unnumbered := p.filter.Block != nil && p.filter.Block.Hash != nil || p.filter.tagged()
	if p.filter.tagged() {
		if err := p.filter.findTag(ctx, s); err != nil {
			return err
		}
	}
	q, r, err := resolve(ctx, s, p.filter)
	if err != nil {
		return err
	}
	p.query, p.span = q, r
	if unnumbered {
		// Cursors of a block contain its number, which is known only now.
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
		// Without a cursor nothing has to be read beyond the page.
		alone = p.given() == nil && !also.Total && !also.Indexed && !also.Metadata && also.Buckets == 0
	}
	// The page's methods return the errors of the other reads.
	reads := make([]func(context.Context) error, 0, 4)
	if c := p.given(); c != nil {
		reads = append(reads, func(ctx context.Context) error { return requireCanonical(ctx, s, c) })
	}
	reads = append(reads, func(ctx context.Context) error {
		err := p.readItems(ctx, alone)
		if errors.Is(err, database.ErrNotAlone) {
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

// readBeyond reads the selected fields that depend on the items.
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

// readItems reads the items. alone means that nothing else is read from the snapshot.
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

// transfers reads at most limit records in [lo, hi], with their blocks, from the low
// or the high end. covered means that all blocks that the query needs are indexed;
// otherwise they may be.
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

// readTransfers runs a statement whose rows are records with their blocks. If the
// statement's Read is set, it reads the further columns of each row. readTransfers returns
// the records and the numbers of their contracts.
func readTransfers(ctx context.Context, s *Snapshot, kind nft.Kind, one database.Statement) (items []Transfer, contracts []int64, err error) {
	found, ok := s.store.records.Get().(*recordRow)
	if !ok {
		found = new(recordRow)
	}
	defer func() {
		// Do not keep the memory of large pages, which are rare.
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
	// Only now that the rows are closed: addresses that are not cached take another
	// statement.
	addresses, err := contractAddresses(ctx, s, found.contracts)
	if err != nil {
		return nil, nil, err
	}
	// Copy, because there are often far fewer records than the limit.
	items, contracts = slices.Clone(found.items), slices.Clone(found.contracts)
	for i := range items {
		items[i].Contract = addresses[i]
	}
	return items, contracts, nil
}

// pageOf returns a page of these records that counts as read.
func pageOf(s *Snapshot, q *query, items []Transfer) *Page {
	p := &Page{Items: items, pageBounds: pageBounds{limit: len(items)}, snapshot: s, query: q}
	_, _ = p.reading.get(func() (read struct{}, err error) { return read, nil })
	return p
}

// HasNextPage reports whether records follow the page in its order.
func (p *Page) HasNextPage(ctx context.Context) (bool, error) { return p.continues(ctx, true) }

// HasPreviousPage reports whether records precede the page in its order.
func (p *Page) HasPreviousPage(ctx context.Context) (bool, error) { return p.continues(ctx, false) }

// continues reports whether a record exists after the page's last boundary, or
// before its first.
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

// boundary returns the position of the page's last record, or of its first. For an
// empty page, it returns the position right before the page if last, else the one
// right after it.
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

// Indexed returns the indexed ranges of blocks within the filter's span, in order.
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

// Buckets returns the intervals in the page's range, including empty ones, with the number
// of records of the whole list: their totals add up to [Page.Total]. If neither a block nor
// a time bounds an end of the range, the first or the last record does. The errors have the
// code BAD_USER_INPUT: too many buckets, or a chain whose times fall.
func (p *Page) Buckets(ctx context.Context, interval Interval) ([]Bucket, error) {
	by, err := p.buckets.get(func() (*[len(intervals)]once[[]Bucket], error) { return new([len(intervals)]once[[]Bucket]), nil })
	if err != nil {
		return nil, err
	}
	return by[interval.place()].get(func() ([]Bucket, error) {
		return readBuckets(ctx, p.snapshot, bucketed{p.query, &p.filter, p.asked()}, interval)
	})
}

// Metadata returns the result of [Snapshot.MetadataOf] for the tokens of the page's
// records. The first call reads it for the whole page, with a constant number of
// statements and the texts that texts returns.
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

// AppendCursor appends the cursor of an item of the page.
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
		return new(p.Cursor(&p.Items[n-1])), nil
	}
	return new(p.emptyCursor(p.query).String()), nil
}
