package queue

import (
	"context"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"

	entsql "entgo.io/ent/dialect/sql"
)

// Tx is the writing transaction of the store that the queue is a part of.
type Tx interface {
	// Client returns ent's client.
	Client() *ent.Client
	// Exec carries out a statement and returns how many rows it changed.
	Exec(ctx context.Context, statement entsql.Querier) (int64, error)
	// PutDocument stores a document, unless the stored one has a later time. With latest it
	// replaces that as well: the clock may have been set back. It returns whether the token
	// had one before.
	PutDocument(ctx context.Context, m *nft.TokenMetadata, latest bool) (known bool, err error)
	// CountState notes that fetch states of tokens change.
	CountState(change tables.StateChange)
}

// Write runs f in a writing transaction.
type Write func(ctx context.Context, f func(context.Context, Tx) error) error

// contractIDs returns the numbers of contracts, without those that have none.
func contractIDs(ctx context.Context, tx Tx, addresses ...evm.Address) (map[evm.Address]int64, error) {
	rows, err := tx.Client().Contract.Query().Where(contract.AddressIn(addresses...)).Select(contract.FieldAddress).All(ctx)
	ids := make(map[evm.Address]int64, len(rows))
	for _, row := range rows {
		ids[row.Address] = row.ID
	}
	return ids, database.Wrap(err, "looking up contracts")
}

// lastFinal returns the last block that the chain calls final, -1 where no node
// has said it: whatever a node answers from now on, it has seen this block.
func lastFinal(ctx context.Context, tx Tx) (int64, error) {
	finalized, known, err := tables.FinalizedBlock(ctx, tx.Client())
	if err != nil || !known {
		return -1, err
	}
	return int64(finalized.Number), nil
}
