package write

import (
	"context"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// createTrees creates a tree for every scope with more than [counter.LeafSize] records. Until
// then the trees count each record as one token.
func createTrees(ctx context.Context, from tables.Querier, trees *counter.Trees) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		large, err := query.LargeScopes(ctx, from, kind, counter.LeafSize)
		if err != nil {
			return err
		}
		for _, scope := range large {
			if err := trees.Create(ctx, scope); err != nil {
				return err
			}
		}
	}
	return addAmounts(ctx, from, trees)
}

// createMissing creates all trees after a migration that has left none: before schema version 8
// they had no amounts. During a load there is none.
func createMissing(ctx context.Context, tx *database.Tx, apply func() error) error {
	if err := apply(); err != nil {
		return err
	}
	client := ent.NewClient(ent.Driver(tx.Driver()))
	found, err := client.Counter.Query().Exist(ctx)
	if err != nil || found {
		return database.Wrap(err, "reading counters")
	}
	if _, found, err = tables.Setting(ctx, client, tables.PendingIndexes); err != nil || found {
		return err
	}
	rows := derive.NewCounterRows(tx, client, client)
	rows.Single = true
	return createTrees(ctx, tx, counter.New(rows, nil))
}
