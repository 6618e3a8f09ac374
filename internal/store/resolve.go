package store

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// resolve looks up what a checked filter names: its block and its contract.
func resolve(ctx context.Context, s *Snapshot, f Filter) (*query, error) {
	r, err := spanOf(ctx, s, &f)
	if err != nil {
		return nil, err
	}
	q := &query{kind: f.Kind, desc: f.Order == Desc, hi: tables.MaxPosition, span: r}
	switch {
	case f.Block != nil:
		number := min(uint64(f.Block.Number), MaxBlock)
		if f.Block.Hash != nil {
			if number, err = blockNumber(ctx, s, *f.Block.Hash); err != nil {
				return nil, err
			}
		} else {
			q.needs, q.from = needsFrom, int64(f.Block.Number)
		}
		q.lo, q.hi = tables.FirstIn(number), tables.LastIn(number)
	case r.from != nil:
		q.needs, q.from = needsFrom, int64(*r.from)
		q.lo = tables.FirstIn(min(uint64(*r.from), MaxBlock))
	case r.to != nil || f.TransactionHash == nil:
		q.needs = needsAll
	}
	if r.to != nil {
		// Clamped as above: a Long may exceed what a position holds.
		q.hi = tables.LastIn(min(uint64(*r.to), MaxBlock))
	}
	if r.nothing {
		q.hi = q.lo - 1
	}
	if f.Partial {
		q.needs = needsNone
	}
	of := counter.Filter{Kind: f.Kind, Account: f.Account, Token: f.TokenID}
	if f.Address != nil {
		id, known, err := contractID(ctx, s, *f.Address)
		if err != nil {
			return nil, err
		}
		if !known {
			if err := requireContract(ctx, s, *f.Address); err != nil {
				return nil, err
			}
			q.hi = q.lo - 1
		}
		of.Contract = &id
	}
	if f.Lists != nil {
		return q, resolveList(ctx, s, q, f.Lists, of)
	}
	// The equalities are in the order of an index's columns.
	switch {
	case f.TransactionHash != nil:
		q.equal(mint.FieldTxPrefix, f.TransactionHash.Prefix())
		q.also(mint.FieldTxSuffix, f.TransactionHash.Suffix())
		if of.Contract != nil {
			q.also(mint.FieldContractID, *of.Contract)
		}
		if f.TokenID != nil {
			q.also(mint.FieldTokenID, f.TokenID.Bytes())
		}
	case f.Block == nil || f.Address != nil || f.Account != nil:
		q.restrict(of)
		q.counted = &of
	}
	return q, nil
}

// requireCovered refuses to answer from blocks that are not indexed. found says that
// there are items.
func requireCovered(ctx context.Context, s *Snapshot, q *query, f Filter, found bool) error {
	switch {
	case f.Partial, q.span.nothing, f.Block != nil && f.Block.Hash != nil, f.Lists != nil && f.Lists.nothing():
		return nil
	case f.Block != nil:
		return requireRange(ctx, s, &f.Block.Number, &f.Block.Number)
	case f.ranged():
		return requireRange(ctx, s, q.span.from, q.span.to)
	}
	covered, err := tables.Ranges(ctx, s.client(), coverage.KindIndexed)
	switch {
	case err != nil:
		return err
	case len(covered) == 0:
		return nft.Errorf(nft.BlockNotIndexed, "nothing is indexed yet: import a recording or follow a chain")
	case len(covered) == 1:
		return nil
	}
	if f.Lists != nil && f.Lists.TransactionHashes != nil {
		// A transaction that is found is in no hole.
		if found, err = s.foundAll(ctx, q); err != nil {
			return err
		}
	} else {
		found = found && f.TransactionHash != nil
	}
	if !found {
		return mayBeMissing(covered)
	}
	return nil
}
