package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
)

// searchPage is one page of the collections that a search finds, by first match and address.
type searchPage struct {
	page.Page[*Collection]
	partial bool
	search  *document.Search
}

// Prepare implements [page.List].
func (p *searchPage) Prepare(context.Context, page.Selected) (page.Items, []page.Read, error) {
	return p.readItems, withoutHole(p.Snapshot, p.partial), nil
}

func (p *searchPage) readItems(ctx context.Context, _ bool) (_ []page.Read, err error) {
	part := *p.search
	if p.After != nil {
		part.From, err = p.search.Place(ctx, p.Snapshot, p.After.Key, true)
	} else if p.Before != nil {
		part.To, err = p.search.Place(ctx, p.Snapshot, p.Before.Key, false)
	}
	if err != nil {
		return nil, err
	}
	items, err := p.some(ctx, &part, p.Size+1, p.Backward)
	p.Take(items)
	return nil, err
}

// some returns at most limit collections of a part of the search, from its beginning or end.
func (p *searchPage) some(ctx context.Context, part *document.Search, limit int, fromHigh bool) (items []*Collection, err error) {
	text := p.Snapshot.DB.Statement(query.Key{Name: "collections by name", FromHigh: fromHigh, Limit: limit}, func(client *ent.Client) entsql.Querier {
		return selectCollections(client, func(c *entsql.Selector) { part.Named(c.Limit(limit), fromHigh) })
	})
	err = readCollections(ctx, p.Snapshot, text, part.Args(), func(c *Collection) { items = append(items, c) })
	return items, err
}

// Count implements [page.List].
func (p *searchPage) Count(ctx context.Context) (int64, error) {
	return p.search.Count(ctx, p.Snapshot)
}

// Key implements [page.List].
func (p *searchPage) Key(i int) (cursor.Key, error) {
	switch {
	case i >= 0:
		return cursor.Key{TokenID: p.Items[i].Address[:]}, nil
	case p.After != nil && !p.Backward:
		return cursor.Key{TokenID: p.After.Key}, nil
	case p.Before != nil && p.Backward && len(p.Before.Key) > 0:
		return cursor.Key{TokenID: append(p.Before.Key[:20:20], 0)}, nil
	}
	return cursor.Key{TokenID: []byte{}}, nil
}

// Exists implements [page.List].
func (p *searchPage) Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error) {
	// An empty page is at the cursor.
	key, part := bound.Key, *p.search
	end, after := &part.To, p.Len() == 0
	if follows {
		end, after = &part.From, p.Len() > 0
	}
	if p.Len() > 0 {
		key = p.Items[0].Address[:]
		if follows {
			key = p.Items[p.Len()-1].Address[:]
		}
	}
	var err error
	if *end, err = p.search.Place(ctx, p.Snapshot, key, after); err != nil {
		return false, err
	}
	found, err := p.some(ctx, &part, 1, !follows)
	return len(found) > 0, err
}
