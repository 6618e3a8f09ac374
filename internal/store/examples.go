package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Examples are records that exist, to show how to ask; nil where there is none.
type Examples struct {
	// Mint and Burn are the newest of their kind.
	Mint, Burn *Transfer
	// Collection has token metadata.
	Collection *evm.Address
}

// Examples finds records that exist.
func (s *Snapshot) Examples(ctx context.Context) (*Examples, error) {
	examples := &Examples{}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		items, err := s.transfers(ctx, &query{kind: kind}, 0, maxPos, 1, true)
		switch {
		case err != nil:
			return nil, err
		case len(items) == 0:
		case kind == nft.Mint:
			examples.Mint = &items[0]
		default:
			examples.Burn = &items[0]
		}
	}
	t := s.builder().Table(contract.Table)
	statement := s.builder().Select(t.C(contract.FieldAddress)).From(t).
		Where(entsql.GT(t.C(contract.FieldTokens), 0)).OrderBy(entsql.Desc(t.C(contract.FieldTokens)), t.C(contract.FieldID)).Limit(1)
	err := s.query(ctx, statement, func(rows *rowReader) error {
		examples.Collection = new(evm.Address)
		return rows.Scan(examples.Collection)
	})
	if err != nil {
		return nil, fmt.Errorf("looking for a collection with metadata: %w", err)
	}
	return examples, nil
}
