package store

import (
	"context"

	"mintburn/ent/mint"
	"mintburn/internal/nft"
)

// resolve looks up what a checked filter names: its block and its contract.
// It makes sure that what the filter spans is indexed.
func (s *Snapshot) resolve(ctx context.Context, f Filter) (*query, error) {
	q := &query{kind: f.Kind, desc: f.Order == Desc, hi: maxPos}
	if f.Block != nil {
		number, err := s.blockNumber(ctx, *f.Block)
		if err != nil {
			return nil, err
		}
		q.lo, q.hi = firstIn(number), lastIn(number)
	}
	if f.FromBlock != nil || f.ToBlock != nil {
		if err := s.requireRange(ctx, f.FromBlock, f.ToBlock); err != nil {
			return nil, err
		}
		// Both ends are clamped: a Long may exceed what a position holds.
		if f.FromBlock != nil {
			q.lo = firstIn(min(uint64(*f.FromBlock), maxBlock))
		}
		if f.ToBlock != nil {
			q.hi = lastIn(min(uint64(*f.ToBlock), maxBlock))
		}
	}
	scopes := scopes{kind: f.Kind}
	var contractID int64
	if f.Address != nil {
		id, known, err := s.contractID(ctx, *f.Address)
		if err != nil {
			return nil, err
		}
		if !known {
			if err := s.requireContract(ctx, *f.Address); err != nil {
				return nil, err
			}
			q.lo, q.hi = 1, 0
		}
		contractID = id
	}
	// The order of the equalities is that of an index's columns.
	switch {
	case f.TransactionHash != nil:
		q.equal(mint.FieldTxHead, f.TransactionHash.Head())
		q.rest(mint.FieldTxTail, f.TransactionHash.Tail())
		if f.Address != nil {
			q.equal(mint.FieldContractID, contractID)
		}
	case f.Account != nil && f.Address != nil:
		q.account(*f.Account)
		q.equal(mint.FieldContractID, contractID)
		q.scope = scopes.accountContract(*f.Account, contractID)
	case f.Account != nil:
		q.account(*f.Account)
		q.scope = scopes.account(*f.Account)
	case f.TokenID != nil:
		q.equal(mint.FieldContractID, contractID)
		q.equal(mint.FieldTokenID, f.TokenID.Bytes())
		q.scope = scopes.token(contractID, *f.TokenID)
	case f.Address != nil:
		q.equal(mint.FieldContractID, contractID)
		q.scope = scopes.contract(contractID)
	case f.Block == nil:
		q.scope = scopes.all()
	}
	return q, nil
}

// explainEmpty refuses to call a page empty when nothing is indexed at all.
func (s *Snapshot) explainEmpty(ctx context.Context, f Filter) error {
	if f.Block != nil {
		return nil
	}
	covered, err := s.covered(ctx)
	if err != nil {
		return err
	}
	if len(covered) == 0 {
		return nft.Errorf(nft.BlockNotIndexed, "nothing is indexed yet: import a recording or follow a chain")
	}
	return nil
}
