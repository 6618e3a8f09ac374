package store

import (
	"cmp"
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
)

// RecordPage is one page of mints or burns.
type RecordPage struct {
	page.Page[Transfer]
	filter Filter
	query  *query.Query
	span   read.Span
	// together are the pages whose items are read with this page's; nil if there are none.
	together *together

	indexed  page.Once[[]evm.Range]
	buckets  page.Once[*[len(page.All)]page.Once[[]page.Bucket]] // a pointer, because few pages have buckets
	metadata page.Once[map[nft.TokenKey]*document.TokenMetadata]
}

// Page returns a page of the records that a filter selects; [page.AnyPage.Read] reads it. Page only checks
// the arguments and reads nothing. Its errors are of type [apierror.Error] with the code
// BAD_USER_INPUT or INVALID_CURSOR; those of Read may also have the code CURSOR_REORGED,
// REPLICA_BEHIND, NOT_FOUND, BLOCK_NOT_FOUND, BLOCK_NOT_INDEXED or BLOCK_NOT_CANONICAL.
func (s *Snapshot) Page(filter Filter, args page.Args) (*RecordPage, error) {
	p := &RecordPage{filter: filter}
	f := &p.filter
	if err := f.Check(); err != nil {
		return nil, err
	}
	f.Sort()
	if err := page.Begin(&p.AnyPage, s.Snapshot, p, args); err != nil {
		return nil, err
	}
	if c := p.Given(); c != nil && f.tagged() {
		f.Block = &evm.BlockNumberOrHash{Number: f.blockOf(c)}
	}
	switch {
	case f.Block == nil:
		return p, p.BelongTo(f.Fingerprint(nil))
	case f.Block.Hash == nil && !f.tagged():
		number := uint64(f.Block.Number)
		return p, p.BelongTo(f.Fingerprint(&number))
	}
	return p, nil
}

// Pages returns a page for each filter, or its error; see [Snapshot.Page]. The filters differ only in
// their collection or token. On PostgreSQL one statement reads the items of all pages without a cursor
// that select nothing else but a range of blocks.
func (s *Snapshot) Pages(filters []Filter, args page.Args) (pages []*RecordPage, errs []error) {
	pages, errs = make([]*RecordPage, len(filters)), make([]error, len(filters))
	for i, f := range filters {
		pages[i], errs[i] = s.Page(f, args)
	}
	if len(pages) < 2 || !s.Tx.Gathers() || args.After != nil || args.Before != nil || errs[0] != nil {
		return pages, errs
	}
	if f := &pages[0].filter; f.selectors()&^(argAddress|argTokenID) == 0 && !f.timed() && f.Finality != Finalized {
		all := &together{pages: pages}
		for _, p := range pages {
			p.together = all
		}
	}
	return pages, errs
}

// Prepare implements [page.List].
func (p *RecordPage) Prepare(ctx context.Context, also page.Selected) (items page.Items, beside []page.Read, err error) {
	s := p.Snapshot
	unnumbered := p.filter.Block != nil && p.filter.Block.Hash != nil || p.filter.tagged()
	if p.filter.tagged() {
		if err := p.filter.findTag(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	if p.query, p.span, err = resolve(ctx, s, &p.filter); err != nil {
		// A standby that lacks the cursor's block may lack that of the filter.
		return nil, nil, cursor.Behind(ctx, s, p.Given(), err)
	}
	if unnumbered {
		// Cursors of a block contain its number, which is known only now.
		number := tables.BlockOf(p.query.Lo)
		if err := p.BelongTo(p.filter.Fingerprint(&number)); err != nil {
			return nil, nil, err
		}
	}
	if c := p.Given(); c != nil {
		if err := c.Positioned(); err != nil {
			return nil, nil, err
		}
		beside = append(beside, func(ctx context.Context) error { return cursor.RequireCanonical(ctx, s, c) })
	}
	if also.Indexed {
		beside = append(beside, page.Prefetch(p.Indexed))
	}
	for i, interval := range page.All {
		if also.Buckets&(1<<i) != 0 {
			beside = append(beside, page.Prefetch(func(ctx context.Context) ([]page.Bucket, error) { return p.Buckets(ctx, interval, also.BucketEnds) }))
		}
	}
	return func(ctx context.Context, alone bool) (then []page.Read, err error) {
		if err = p.readItems(ctx, alone); err == nil && also.Metadata {
			then = []page.Read{p.prefetchMetadata(also.Texts)}
		}
		return then, err
	}, beside, nil
}

// readItems reads the items. alone means that nothing else is read from the snapshot.
func (p *RecordPage) readItems(ctx context.Context, alone bool) (err error) {
	s, q := p.Snapshot, p.query
	lo, hi := cursor.Positions(&p.Bounds, q)
	var items []Transfer
	var covered bool
	if p.together != nil && lo <= hi {
		items, covered, err = p.together.read(ctx, p)
	} else {
		items, covered, err = transfers(ctx, s, q, lo, hi, p.Size+1, p.Backward != q.Desc, alone)
	}
	if err == nil && !covered {
		err = requireCovered(ctx, s, q, p.span, &p.filter, len(items) > 0 || p.Given() != nil)
	}
	if err != nil {
		return err
	}
	p.Take(items)
	return nil
}

func (p *RecordPage) prefetchMetadata(texts read.Texts) page.Read {
	return page.Prefetch(func(ctx context.Context) (map[nft.TokenKey]*document.TokenMetadata, error) {
		return p.Metadata(ctx, func(context.Context) read.Texts { return texts })
	})
}

// together are pages without cursors, whose filters differ only in their collection or token.
type together struct {
	pages []*RecordPage
	// items are those of each collection or token, once they are read, and covered whether the blocks
	// are known to be indexed.
	items   map[tables.TokenKey][]Transfer
	covered bool
}

// read reads the items of a page, with those of the others.
func (all *together) read(ctx context.Context, p *RecordPage) (items []Transfer, covered bool, err error) {
	if _, err := database.Shared(ctx, p.Snapshot.Tx, all, func(ctx context.Context) (*together, error) { return all, all.readAll(ctx, p) }); err != nil {
		return nil, false, err
	}
	key, err := subjectOf(ctx, p)
	// Pages of the same collection have the same items, which Take may reverse.
	return slices.Clone(all.items[key]), all.covered, err
}

// subjectOf returns the collection or the token of a page.
func subjectOf(ctx context.Context, p *RecordPage) (key tables.TokenKey, err error) {
	if p.filter.TokenID != nil {
		key.TokenID = *p.filter.TokenID
	}
	key.ContractID, _, err = read.ContractID(ctx, p.Snapshot, *p.filter.Address)
	return key, err
}

// readAll reads the items of all pages. one is one of them, whose filter is resolved.
func (all *together) readAll(ctx context.Context, one *RecordPage) error {
	s, q, l := one.Snapshot, one.query, &query.List{Name: "collections"}
	ofTokens := one.filter.TokenID != nil
	if ofTokens {
		l.Name = "tokens"
	}
	all.items = make(map[tables.TokenKey][]Transfer, len(all.pages))
	for _, p := range all.pages {
		key, err := subjectOf(ctx, p)
		if err != nil {
			return err
		}
		if _, known := all.items[key]; !known {
			all.items[key] = nil
			l.Add(key.ContractID, key.TokenID.Bytes())
		}
	}
	each, dialect := l.Records(q.Kind), s.DB.Database.Dialect()
	which := query.Selection{Lo: q.Lo, Hi: q.Hi, Limit: one.Size + 1, FromHigh: one.Backward != q.Desc, Joined: true, Needs: q.Needs}
	text := s.DB.Statement(each.Key("pages", which), func(client *ent.Client) entsql.Querier {
		return l.Table().Select(dialect, "k(n, b)", func(b *entsql.Builder) {
			b.WriteString("one.* FROM k CROSS JOIN LATERAL ").Wrap(func(b *entsql.Builder) { b.Join(each.Selector(client, which)) }).WriteString(" AS one")
		})
	})
	args := append(l.Table().Args(dialect), each.Args(dialect, which)...)
	items, contracts, err := readTransfers(ctx, s, q.Kind, database.Statement{Text: text, Args: args, Read: coveredIn(q, &all.covered)})
	for i, item := range items {
		key := tables.TokenKey{ContractID: contracts[i]}
		if ofTokens {
			key.TokenID = item.TokenID
		}
		all.items[key] = append(all.items[key], item)
	}
	for _, items := range all.items {
		slices.SortFunc(items, func(a, b Transfer) int {
			if which.FromHigh {
				a, b = b, a
			}
			return cmp.Compare(a.pos, b.pos)
		})
	}
	return err
}

// pageOf returns a page of these records that counts as read.
func pageOf(s *read.Snapshot, q *query.Query, items []Transfer) *RecordPage {
	p := &RecordPage{query: q}
	p.Set(items)
	page.Done(&p.AnyPage, s, p)
	return p
}

// Key implements [page.List].
func (p *RecordPage) Key(i int) (cursor.Key, error) {
	if i < 0 {
		return cursor.PrecedingPosition(&p.Bounds, p.query), nil
	}
	return cursor.Key{Pos: p.Items[i].pos, Anchored: true, Anchor: cursor.AnchorOf(p.Items[i].Block.Hash.Prefix())}, nil
}

// Exists implements [page.List].
func (p *RecordPage) Exists(ctx context.Context, follows bool, _ *cursor.Cursor) (bool, error) {
	lo, hi := page.Rest(&p.AnyPage, p.query, follows)
	if lo > hi {
		return false, nil
	}
	of := query.Selection{Lo: lo, Hi: hi, Limit: 1, FromHigh: follows == p.query.Desc, Columns: []string{mint.FieldID}}
	text, args := p.Snapshot.StatementOf(p.query, "exists", of)
	found, err := p.Snapshot.Run(ctx, database.Statement{Text: text, Args: args, Read: read.Ignored, Last: true})
	return found, database.Wrap(err, "looking beyond a page of %ss", p.query.Kind)
}

// Count implements [page.List].
func (p *RecordPage) Count(ctx context.Context) (int64, error) {
	q := p.query
	if q.Lo > q.Hi {
		return 0, nil
	}
	count := total.Of
	if q.List != nil {
		count = total.OfList
	}
	n, err := count(ctx, p.Snapshot, q)
	return n, database.Wrap(err, "totalling %ss", q.Kind)
}

// Indexed returns the indexed ranges of blocks within the filter's span, in order.
func (p *RecordPage) Indexed(ctx context.Context) ([]evm.Range, error) {
	return p.indexed.Get(func() ([]evm.Range, error) {
		covered, err := p.Snapshot.Indexed(ctx)
		if err != nil {
			return nil, err
		}
		if p.span.Nothing {
			return []evm.Range{}, nil
		}
		return tables.Common(covered, askedBlocks(p)), nil
	})
}

// RangeOf returns the positions that a checked filter spans, which must be indexed, and the
// indexed ranges of blocks within its span, in order.
func RangeOf(ctx context.Context, s *read.Snapshot, f Filter) (lo, hi int64, indexed []evm.Range, err error) {
	q, span, err := resolve(ctx, s, &f)
	if err == nil {
		err = requireCovered(ctx, s, q, span, &f, false)
	}
	if err != nil {
		return 0, 0, nil, err
	}
	p := &RecordPage{filter: f, query: q, span: span}
	p.Snapshot = s
	indexed, err = p.Indexed(ctx)
	return q.Lo, q.Hi, indexed, err
}

// askedBlocks returns the blocks that the filter spans, up to the last that can be stored.
func askedBlocks(p *RecordPage) evm.Range {
	r := evm.Range{To: tables.MaxBlock}
	if p.filter.Block != nil {
		number := tables.BlockOf(p.query.Lo)
		return evm.Range{From: number, To: number}
	}
	if from := p.span.From; from != nil {
		r.From = min(uint64(*from), tables.MaxBlock)
	}
	if to := p.span.To; to != nil {
		r.To = min(uint64(*to), tables.MaxBlock)
	}
	return r
}

// Buckets returns the intervals in the page's range, including empty ones, with the number
// of records of the whole list: their totals add up to [Page.Total]. If neither a block nor
// a time bounds an end of the range, the first or the last record does. The first call for an
// interval decides with ends whether the buckets have their first and last blocks. The errors have
// the code BAD_USER_INPUT: too many buckets, or a chain whose times fall.
func (p *RecordPage) Buckets(ctx context.Context, interval page.Interval, ends bool) ([]page.Bucket, error) {
	by, err := p.buckets.Get(func() (*[len(page.All)]page.Once[[]page.Bucket], error) {
		return new([len(page.All)]page.Once[[]page.Bucket]), nil
	})
	if err != nil {
		return nil, err
	}
	return by[interval.Place()].Get(func() ([]page.Bucket, error) {
		return readBuckets(ctx, p.Snapshot, bucketed{p.query, &p.filter, askedBlocks(p)}, interval, ends)
	})
}

// Metadata returns the result of [Snapshot.MetadataOf] for the tokens of the page's
// records. The first call reads it for the whole page, with a constant number of
// statements and the texts that texts returns.
func (p *RecordPage) Metadata(ctx context.Context, texts func(context.Context) read.Texts) (map[nft.TokenKey]*document.TokenMetadata, error) {
	return p.metadata.Get(func() (map[nft.TokenKey]*document.TokenMetadata, error) {
		keys := make([]nft.TokenKey, len(p.Items))
		for i := range p.Items {
			keys[i] = nft.TokenKey{Contract: p.Items[i].Contract, TokenID: p.Items[i].TokenID}
		}
		if p.Backward {
			slices.Reverse(keys)
		}
		return document.Of(ctx, p.Snapshot, keys, texts(ctx), cursor.Argument(&p.Bounds))
	})
}
