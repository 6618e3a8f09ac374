package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
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
		items, _, err := transfers(ctx, s, &query{kind: kind}, 0, tables.MaxPosition, 1, true)
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
	row, found, err := tables.Found(s.client().Contract.Query().Where(contract.TokensGT(0)).
		Order(contract.ByTokens(entsql.OrderDesc()), contract.ByID()).First(ctx))
	if found {
		examples.Collection = &row.Address
	}
	return examples, database.Wrap(err, "looking for a collection with metadata")
}
