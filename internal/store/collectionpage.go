package store

import (
	"bytes"
	"cmp"
	"context"
	"hash/fnv"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// CollectionFilter selects collections.
type CollectionFilter struct {
	// Addresses restrict to these collections; nil means all, empty means none.
	Addresses []evm.Address
	// Order is the direction by first record.
	Order Order
	// Partial accepts a result from the indexed blocks that missing blocks might change.
	Partial bool
}

// CollectionPage is one page of the collections that have a mint or burn, ordered by their
// first record. [CollectionPage.Read] reads it; before that only its limit and number are
// set. Its methods may read from the snapshot that created it, which must be open.
type CollectionPage struct {
	// Items are the collections, in the order of the filter.
	Items []*Collection
	pageBounds
	snapshot *Snapshot
	filter   CollectionFilter
	query    query

	reading once[struct{}]
	total   once[int64]
	beyond  [2]once[bool] // before the page, and after it
	// listed are the collections of the filter's addresses that have a record.
	listed []*Collection
}

// Collections returns a page of collections; [CollectionPage.Read] reads it. Collections
// only checks the arguments and reads nothing. Its errors are of type [nft.Error] with the
// code BAD_USER_INPUT or INVALID_CURSOR.
func (s *Snapshot) Collections(f CollectionFilter, args PageArgs) (*CollectionPage, error) {
	if len(f.Addresses) > nft.MaxValues {
		return nil, nft.TooManyValues("addresses", len(f.Addresses))
	}
	bounds, err := args.bounds(s.store.maxPageSize)
	if err != nil {
		return nil, err
	}
	f.Addresses = set(f.Addresses, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	h := fnv.New64a()
	_, _ = h.Write([]byte("collections" + string(f.Order)))
	if f.Addresses != nil {
		lists := Lists{Addresses: f.Addresses}
		_, _ = h.Write(lists.identify(nil))
	}
	p := &CollectionPage{pageBounds: bounds, snapshot: s, filter: f, query: query{desc: f.Order == Desc, hi: tables.MaxPosition}}
	if err := p.belongTo(h.Sum64()); err != nil {
		return nil, err
	}
	if c := p.given(); c != nil && len(c.key) != 8 {
		return nil, nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	return p, nil
}

// Read reads the page once; later calls return the result of the first. It is safe for
// concurrent use. If that saves round trips, it also reads the fields that selected
// returns; selected may be nil. Besides internal errors it returns an [nft.Error] with the
// code CURSOR_REORGED, INVALID_CURSOR, BLOCK_NOT_INDEXED or NOT_FOUND.
func (p *CollectionPage) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) { return none, p.read(ctx, selected) })
	return err
}

func (p *CollectionPage) read(ctx context.Context, selected func(context.Context) Selected) error {
	var also Selected
	if selected != nil && p.snapshot.db.Gathers() {
		also = selected(ctx)
	}
	return p.snapshot.db.Together(ctx, 4, func(ctx context.Context, i int) error {
		switch {
		case i == 0 && !p.filter.Partial:
			return requireNoHole(ctx, p.snapshot)
		case i == 0 && also.Indexed:
			_, _ = p.Indexed(ctx)
		case i == 1:
			return requireCanonical(ctx, p.snapshot, p.given())
		case i == 2:
			if err := p.readItems(ctx); err != nil {
				return err
			}
			readNeighbours(ctx, p.snapshot, p, also)
		case i == 3 && also.Total && p.filter.Addresses == nil:
			_, _ = p.Total(ctx)
		}
		return nil
	})
}

func (p *CollectionPage) readItems(ctx context.Context) error {
	lo, hi := p.query.lo, p.query.hi
	if p.after != nil {
		lo, hi = p.query.beyond(keyPosition(p.after.key), lo, hi, true)
	}
	if p.before != nil {
		lo, hi = p.query.beyond(keyPosition(p.before.key), lo, hi, false)
	}
	if p.filter.Addresses != nil {
		if err := p.readListed(ctx); err != nil {
			return err
		}
	}
	items, err := p.some(ctx, lo, hi, p.limit+1, p.backward != p.query.desc)
	if err != nil {
		return err
	}
	if len(items) > p.limit {
		p.more, items = true, items[:p.limit]
	}
	if p.backward {
		slices.Reverse(items)
	}
	p.Items = items
	return nil
}

// readListed reads the collections of the filter's list.
func (p *CollectionPage) readListed(ctx context.Context) error {
	if err := eachCollection(ctx, p.snapshot, p.filter.Addresses, func(c *Collection) { p.listed = append(p.listed, c) }); err != nil {
		return err
	}
	slices.SortFunc(p.listed, func(a, b *Collection) int { return cmp.Compare(a.firstLog, b.firstLog) })
	if len(p.listed) < len(p.filter.Addresses) {
		return requireContract(ctx, p.snapshot, p.filter.Addresses...)
	}
	return nil
}

// some returns at most limit collections whose first log is in [lo, hi], starting from the
// low or the high end.
func (p *CollectionPage) some(ctx context.Context, lo, hi int64, limit int, fromHigh bool) (items []*Collection, err error) {
	if p.filter.Addresses == nil {
		err := collectionsIn(ctx, p.snapshot, lo, hi, limit, fromHigh, func(c *Collection) { items = append(items, c) })
		return items, err
	}
	items = slices.DeleteFunc(slices.Clone(p.listed), func(c *Collection) bool { return c.firstLog < lo || c.firstLog > hi })
	if fromHigh {
		slices.Reverse(items)
	}
	return items[:min(limit, len(items))], nil
}

// collectionsIn reads at most limit collections whose first log is in [lo, hi].
func collectionsIn(ctx context.Context, s *Snapshot, lo, hi int64, limit int, fromHigh bool, read func(*Collection)) error {
	text := s.store.statement(statementKey{name: "collections", fromHigh: fromHigh, limit: limit}, func(client *ent.Client) entsql.Querier {
		return selectCollections(client, func(c *entsql.Selector) {
			first := c.C(contract.FieldFirstLog)
			order := entsql.Asc(first)
			if fromHigh {
				order = entsql.Desc(first)
			}
			c.Where(entsql.And(entsql.GTE(first, lo), entsql.LTE(first, hi))).OrderBy(order).Limit(limit)
		})
	})
	return readCollections(ctx, s, text, []any{lo, hi}, read)
}

// Total returns the exact number of collections over all pages. Without a list of
// addresses it counts one index entry per collection, once per snapshot.
func (p *CollectionPage) Total(ctx context.Context) (int64, error) {
	if p.filter.Addresses != nil {
		return int64(len(p.listed)), nil
	}
	return p.total.get(func() (n int64, err error) {
		if known := p.snapshot.collections.Load(); known != nil {
			return *known, nil
		}
		_, err = p.snapshot.last(ctx, statementKey{name: "number of collections"}, func(client *ent.Client) entsql.Querier {
			counted := client.Contract.Query().Where(contract.FirstLogNotNil()).Select(contract.FieldFirstLog).Selector()
			return counted.Count(counted.C(contract.FieldFirstLog))
		}, nil, func(row *database.Row) error { return row.Values(&n) })
		if err == nil {
			p.snapshot.collections.Store(&n)
		}
		return n, database.Wrap(err, "totalling collections")
	})
}

// Indexed returns the indexed ranges of blocks that the collections come from, in order.
func (p *CollectionPage) Indexed(ctx context.Context) ([]Range, error) {
	return p.snapshot.Indexed(ctx)
}

// Len returns the number of items.
func (p *CollectionPage) Len() int { return len(p.Items) }

// AppendCursorAt appends the cursor of the i-th item.
func (p *CollectionPage) AppendCursorAt(b []byte, i int) []byte {
	c := cursor{page: p.Number(), key: positionKey(p.Items[i].firstLog), fingerprint: p.fingerprint, anchored: true, anchor: p.Items[i].anchor}
	return c.append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none.
func (p *CollectionPage) NextCursor(ctx context.Context) (*string, error) {
	next, err := p.HasNextPage(ctx)
	if err != nil || !next {
		return nil, err
	}
	var text string
	if n := len(p.Items); n > 0 {
		text = string(p.AppendCursorAt(nil, n-1))
	} else {
		text = p.emptyCursor(&p.query).String()
	}
	return &text, nil
}

// HasNextPage reports whether collections follow the page in its order.
func (p *CollectionPage) HasNextPage(ctx context.Context) (bool, error) {
	return p.continues(ctx, true)
}

// HasPreviousPage reports whether collections precede the page in its order.
func (p *CollectionPage) HasPreviousPage(ctx context.Context) (bool, error) {
	return p.continues(ctx, false)
}

// continues reports whether a collection exists after the page's last boundary, or before
// its first.
func (p *CollectionPage) continues(ctx context.Context, follows bool) (bool, error) {
	if bound, more := p.side(follows); more || bound == nil {
		return more, nil
	}
	side := &p.beyond[0]
	if follows {
		side = &p.beyond[1]
	}
	return side.get(func() (bool, error) {
		lo, hi := p.query.beyond(p.boundary(follows), p.query.lo, p.query.hi, follows)
		found, err := p.some(ctx, lo, hi, 1, follows == p.query.desc)
		return len(found) > 0, err
	})
}

// boundary returns the position of the page's last item, or of its first. For an empty
// page, it returns the position right before the page if last, else the one right after it.
func (p *CollectionPage) boundary(last bool) int64 {
	switch n := len(p.Items); {
	case n > 0 && last:
		return p.Items[n-1].firstLog
	case n > 0:
		return p.Items[0].firstLog
	case last:
		return p.precedingPosition(&p.query)
	default:
		return p.precedingPosition(&p.query) + p.query.step()
	}
}
