package queue

import (
	"context"

	"mintburn/ent"
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
	// ContractID returns the number of a contract, and false if it has none.
	ContractID(ctx context.Context, address evm.Address) (int64, bool, error)
	// PutDocument stores a document, unless a newer one is stored.
	PutDocument(ctx context.Context, m *nft.TokenMetadata) error
}

// Write runs f in a writing transaction.
type Write func(ctx context.Context, f func(context.Context, Tx) error) error

// lastFinal returns the last block that the chain calls final, -1 where no node
// has said it: whatever a node answers from now on, it has seen this block.
func lastFinal(ctx context.Context, tx Tx) (int64, error) {
	finalized, known, err := tables.FinalizedBlock(ctx, tx.Client())
	if err != nil || !known {
		return -1, err
	}
	return int64(finalized.Number), nil
}
