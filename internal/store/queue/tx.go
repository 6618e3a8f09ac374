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

// Tx is a writing transaction of the store.
type Tx interface {
	// Client returns ent's client.
	Client() *ent.Client
	// Exec executes a statement and returns the number of rows it changed.
	Exec(ctx context.Context, statement entsql.Querier) (int64, error)
	// PutDocument stores a document, unless the stored one has a later time. It returns
	// whether the token had a document before.
	PutDocument(ctx context.Context, m *nft.TokenMetadata, how Storing) (known bool, err error)
	// CountState notes a change of the fetch states of tokens.
	CountState(change tables.StateChange)
}

// Storing says how a document is stored.
type Storing struct {
	// Latest makes it replace even a document with a later time, because the clock may have
	// been set back.
	Latest bool
	// Cause is why it is stored, if the token had another document before.
	Cause nft.Cause
	// Keep is the number of different documents of the token that are kept, with this one.
	Keep int
}

// DefaultKeep is the default of [Options.Keep].
const DefaultKeep = 5

// MaxKeep is the maximum of [Options.Keep].
const MaxKeep = 100

// Write runs f in a writing transaction.
type Write func(ctx context.Context, f func(context.Context, Tx) error) error

// contractIDs returns the numbers of those contracts that have one.
func contractIDs(ctx context.Context, tx Tx, addresses ...evm.Address) (map[evm.Address]int64, error) {
	rows, err := tx.Client().Contract.Query().Where(contract.AddressIn(addresses...)).Select(contract.FieldAddress).All(ctx)
	ids := make(map[evm.Address]int64, len(rows))
	for _, row := range rows {
		ids[row.Address] = row.ID
	}
	return ids, database.Wrap(err, "looking up contracts")
}

// lastFinal returns the last finalized block, or -1 if no node has reported one. Every node
// that answers from now on has seen this block.
func lastFinal(ctx context.Context, tx Tx) (int64, error) {
	finalized, known, err := tables.FinalizedBlock(ctx, tx.Client())
	if err != nil || !known {
		return -1, err
	}
	return int64(finalized.Number), nil
}
