package store

import (
	"context"
	"math/bits"

	"mintburn/ent/mint"
	"mintburn/internal/apierror"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
)

// spanOf returns the span of a checked filter. The errors are those of [read.Span.Narrow].
func spanOf(ctx context.Context, s *read.Snapshot, f *Filter) (r read.Span, err error) {
	r.From, r.To = f.FromBlock, f.ToBlock
	if (f.timed() || f.Finality == Finalized) && !f.nothing() {
		err = r.Narrow(ctx, s, read.SpanTimes{From: f.FromTime, To: f.ToTime, Finalized: f.Finality == Finalized, Partial: f.Partial})
	}
	return r, err
}

// resolve looks up the span, block and contract of a checked filter.
func resolve(ctx context.Context, s *read.Snapshot, f *Filter) (*query.Query, read.Span, error) {
	r, err := spanOf(ctx, s, f)
	if err != nil {
		return nil, r, err
	}
	q, err := resolveSpan(ctx, s, &r, f)
	return q, r, err
}

func resolveSpan(ctx context.Context, s *read.Snapshot, r *read.Span, f *Filter) (_ *query.Query, err error) {
	q := &query.Query{Kind: f.Kind, Desc: f.Order == Desc, Hi: tables.MaxPosition}
	switch {
	case f.Block != nil:
		number := min(uint64(f.Block.Number), tables.MaxBlock)
		if f.Block.Hash != nil {
			if number, err = read.BlockNumber(ctx, s, *f.Block.Hash); err != nil {
				return nil, err
			}
		} else {
			q.Needs, q.From = query.NeedsFrom, int64(f.Block.Number)
		}
		q.Lo, q.Hi = tables.FirstIn(number), tables.LastIn(number)
	case r.From != nil:
		q.Needs, q.From = query.NeedsFrom, int64(*r.From)
		q.Lo = tables.FirstIn(min(uint64(*r.From), tables.MaxBlock))
	case r.To != nil || f.TransactionHash == nil:
		q.Needs = query.NeedsAll
	}
	if r.To != nil {
		// Clamped as above: a Long may be too large for a position.
		q.Hi = tables.LastIn(min(uint64(*r.To), tables.MaxBlock))
	}
	if r.Nothing {
		q.Hi = q.Lo - 1
	}
	if f.Partial {
		q.Needs = query.NeedsNone
	}
	of := counter.Filter{Kind: f.Kind, Account: f.Account, Token: f.TokenID}
	if f.Address != nil {
		id, known, err := read.ContractID(ctx, s, *f.Address)
		if err != nil {
			return nil, err
		}
		if !known {
			if err := read.RequireContract(ctx, s, *f.Address); err != nil {
				return nil, err
			}
			q.Hi = q.Lo - 1
		}
		of.Contract = &id
	}
	if f.listed() {
		return q, resolveList(ctx, s, q, f, of)
	}
	// The equalities are in the order of an index's columns.
	switch {
	case f.TransactionHash != nil:
		q.Equal(mint.FieldTxPrefix, f.TransactionHash.Prefix())
		q.Also(mint.FieldTxSuffix, f.TransactionHash.Suffix())
		if of.Contract != nil {
			q.Also(mint.FieldContractID, *of.Contract)
		}
		if f.TokenID != nil {
			q.Also(mint.FieldTokenID, f.TokenID.Bytes())
		}
	case f.Block == nil || f.Address != nil || f.Account != nil:
		q.Restrict(of)
		q.Counted = &of
	}
	return q, nil
}

// requireCovered returns an error if blocks that the filter requires are not indexed. found
// means that the page has items.
func requireCovered(ctx context.Context, s *read.Snapshot, q *query.Query, r read.Span, f *Filter, found bool) error {
	switch {
	case f.Partial, r.Nothing, f.Block != nil && f.Block.Hash != nil, f.nothing():
		return nil
	case f.Block != nil:
		return read.RequireRange(ctx, s, &f.Block.Number, &f.Block.Number)
	case f.ranged():
		return read.RequireRange(ctx, s, r.From, r.To)
	}
	covered, err := s.Indexed(ctx)
	switch {
	case err != nil:
		return err
	case len(covered) == 0:
		return apierror.Errorf(apierror.BlockNotIndexed, "nothing is indexed yet: import a recording or follow a chain")
	case len(covered) == 1:
		return nil
	}
	if f.TransactionHashes != nil {
		// The block of a transaction with records is indexed.
		if found, err = total.FoundAll(ctx, s, q); err != nil {
			return err
		}
	} else {
		found = found && f.TransactionHash != nil
	}
	if !found {
		return read.MayBeMissing(covered)
	}
	return nil
}

// resolveList adds the values of a list to a query. of contains the filter's single values.
// An unknown collection adds nothing; it is an error if only some collections are indexed
// and it is not one of them.
func resolveList(ctx context.Context, s *read.Snapshot, q *query.Query, f *Filter, of counter.Filter) error {
	named := f.Addresses
	for i, key := range f.Tokens {
		if i == 0 || key.Contract != named[len(named)-1] {
			named = append(named, key.Contract)
		}
	}
	ids, err := read.ContractIDs(ctx, s, named)
	if err != nil {
		return err
	}
	for _, address := range named {
		if _, known := ids[address]; !known {
			if err := read.RequireContract(ctx, s, address); err != nil {
				return err
			}
		}
	}
	list := &selectorList[bits.TrailingZeros16(uint16(f.selectors()&argLists))]
	q.List = &query.List{Name: list.name}
	list.add(f, q.List, of, ids)
	list.equal(q, of)
	if len(q.List.N) == 0 {
		q.Hi = q.Lo - 1
	}
	return nil
}
