package store

import (
	"cmp"
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// CollectionFilter selects collections.
type CollectionFilter struct {
	// Addresses restrict to these collections; nil means all, empty means none.
	Addresses []evm.Address
	// Order is the direction by first record. Ordered means that it is not a default.
	Order   Order
	Ordered bool
	// Search restricts to those with a word of the name, or a symbol, that begins with this text,
	// ordered by the folded text from the first match on and the address; "" means all. It can't be combined with Addresses, nor with Order unless that is a default.
	Search string
	// Partial accepts a result from the indexed blocks that missing blocks might change.
	Partial bool
}

// collectionPage is one page of the collections that have a mint or burn, ordered by their
// first record.
type collectionPage struct {
	page.Page[*Collection]
	filter CollectionFilter
	query  query.Query
}

// Collections returns a page of the collections that have a mint or burn, ordered by their
// first record; [page.AnyPage.Read] reads it. Collections only checks the arguments and reads
// nothing. Its errors are of type [apierror.Error] with the code BAD_USER_INPUT or INVALID_CURSOR;
// those of Read may also have the code CURSOR_REORGED, REPLICA_BEHIND, BLOCK_NOT_INDEXED or
// NOT_FOUND.
func (s *Snapshot) Collections(f CollectionFilter, args page.Args) (*page.Page[*Collection], error) {
	if len(f.Addresses) > apierror.MaxValues {
		return nil, apierror.TooManyValues("addresses", len(f.Addresses))
	}
	search, err := document.NewSearch(f.Search)
	if err != nil {
		return nil, err
	}
	if search != nil {
		p := &searchPage{partial: f.Partial, search: search}
		if f.Addresses != nil || f.Ordered {
			return nil, apierror.Errorf(apierror.BadUserInput, "search can't be combined with addresses or order")
		}
		if err := page.Begin(&p.AnyPage, s.Snapshot, p, args); err != nil {
			return nil, err
		}
		return &p.Page, p.BelongTo(cursor.Fingerprint(append([]byte("collections by word"), search.From...)))
	}
	f.Addresses = set(f.Addresses, compareAddresses)
	p := &collectionPage{filter: f, query: query.Query{Desc: f.Order == Desc, Hi: tables.MaxPosition}}
	if err := page.Begin(&p.AnyPage, s.Snapshot, p, args); err != nil {
		return nil, err
	}
	list := []byte("collections" + string(f.Order))
	if f.Addresses != nil {
		list = (&Filter{Addresses: f.Addresses}).identify(list, argLists)
	}
	if err := p.BelongTo(cursor.Fingerprint(list)); err != nil {
		return nil, err
	}
	return &p.Page, p.Given().Positioned()
}

// Prepare implements [page.List].
func (p *collectionPage) Prepare(_ context.Context, also page.Selected) (page.Items, []page.Read, error) {
	reads := withoutHole(p.Snapshot, p.filter.Partial)
	if also.Indexed {
		reads = append(reads, page.Prefetch(p.Snapshot.Indexed))
	}
	if c := p.Given(); c != nil {
		reads = append(reads, func(ctx context.Context) error { return cursor.RequireCanonical(ctx, p.Snapshot, c) })
	}
	return p.readItems, reads, nil
}

func (p *collectionPage) readItems(ctx context.Context, _ bool) ([]page.Read, error) {
	lo, hi := cursor.Positions(&p.Bounds, &p.query)
	items, err := p.some(ctx, lo, hi, p.Size+1, p.Backward != p.query.Desc)
	p.Take(items)
	return nil, err
}

// listed returns the collections of the filter's addresses that have a record, by their first.
func (p *collectionPage) listed(ctx context.Context) ([]*Collection, error) {
	return database.Shared(ctx, p.Snapshot.Tx, p, func(ctx context.Context) (listed []*Collection, err error) {
		if err := eachCollection(ctx, p.Snapshot, p.filter.Addresses, func(c *Collection) { listed = append(listed, c) }); err != nil {
			return nil, err
		}
		slices.SortFunc(listed, func(a, b *Collection) int { return cmp.Compare(a.firstLog, b.firstLog) })
		if len(listed) < len(p.filter.Addresses) {
			err = read.RequireContract(ctx, p.Snapshot, p.filter.Addresses...)
		}
		return listed, err
	})
}

// some returns at most limit collections whose first log is in [lo, hi], starting from the
// low or the high end.
func (p *collectionPage) some(ctx context.Context, lo, hi int64, limit int, fromHigh bool) (items []*Collection, err error) {
	if p.filter.Addresses == nil {
		err := collectionsIn(ctx, p.Snapshot, lo, hi, limit, fromHigh, func(c *Collection) { items = append(items, c) })
		return items, err
	}
	listed, err := p.listed(ctx)
	items = slices.DeleteFunc(slices.Clone(listed), func(c *Collection) bool { return c.firstLog < lo || c.firstLog > hi })
	if fromHigh {
		slices.Reverse(items)
	}
	return items[:min(limit, len(items))], err
}

// collectionsIn reads at most limit collections whose first log is in [lo, hi].
func collectionsIn(ctx context.Context, s *read.Snapshot, lo, hi int64, limit int, fromHigh bool, read func(*Collection)) error {
	text := s.DB.Statement(query.Key{Name: "collections", FromHigh: fromHigh, Limit: limit}, func(client *ent.Client) entsql.Querier {
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

// Count implements [page.List]. It counts one index entry per collection, once per snapshot,
// unless the filter has a list of addresses.
func (p *collectionPage) Count(ctx context.Context) (int64, error) {
	if p.filter.Addresses != nil {
		listed, err := p.listed(ctx)
		return int64(len(listed)), err
	}
	key := query.Key{Name: "number of collections"}
	return database.Shared(ctx, p.Snapshot.Tx, key, func(ctx context.Context) (n int64, err error) {
		_, err = p.Snapshot.Last(ctx, key, func(client *ent.Client) entsql.Querier {
			counted := client.Contract.Query().Where(contract.FirstLogNotNil()).Select(contract.FieldFirstLog).Selector()
			return counted.Count(counted.C(contract.FieldFirstLog))
		}, nil, func(row *database.Row) error { return row.Values(&n) })
		return n, database.Wrap(err, "totalling collections")
	})
}

// Key implements [page.List].
func (p *collectionPage) Key(i int) (cursor.Key, error) {
	if i < 0 {
		return cursor.PrecedingPosition(&p.Bounds, &p.query), nil
	}
	return cursor.Key{Pos: p.Items[i].firstLog, Anchored: true, Anchor: p.Items[i].anchor}, nil
}

// Exists implements [page.List].
func (p *collectionPage) Exists(ctx context.Context, follows bool, _ *cursor.Cursor) (bool, error) {
	lo, hi := page.Rest(&p.AnyPage, &p.query, follows)
	found, err := p.some(ctx, lo, hi, 1, follows == p.query.Desc)
	return len(found) > 0, err
}
