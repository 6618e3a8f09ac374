package write

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// counts collects the changes of a transaction to the counts of tokens and their metadata.
// They are written at its end.
type counts struct {
	// contracts are the changes by collection.
	contracts map[int64]*contractCounts
	// tried is 1 for a token that became tried, and -1 for one that no longer is. See
	// package derive.
	tried map[tables.TokenKey]int64
	// Derived are the collections whose counts must be derived from their rows.
	Derived map[int64]struct{}
	// Traits are the changes to the counts of traits and their values.
	Traits facet.Changes
}

func newCounts() counts {
	return counts{contracts: map[int64]*contractCounts{}, tried: map[tables.TokenKey]int64{}, Derived: map[int64]struct{}{}, Traits: facet.NewChanges()}
}

// of returns the changes to the counts of a collection.
func (c *counts) of(contractID int64) *contractCounts {
	if c.contracts[contractID] == nil {
		c.contracts[contractID] = new(contractCounts)
	}
	return c.contracts[contractID]
}

// flushContracts writes the changes to the counts of collections. The records must not have
// changed since the changes were collected.
func (c *counts) flushContracts(ctx context.Context, tx *database.Tx, loading bool) error {
	if err := c.addRecordless(ctx, tx, loading); err != nil {
		return err
	}
	var ids []int64
	columns, excess := make([][]int64, 9), map[int64][2]counter.Amount{}
	for _, id := range slices.Sorted(maps.Keys(c.contracts)) {
		n := *c.contracts[id]
		if n == (contractCounts{}) {
			continue
		}
		ids = append(ids, id)
		for i, v := range [...]int64{n.documents, n.tokens, n.resolved, n.pending, n.failed, n.recordless, n.records[nft.Mint].N, n.records[nft.Burn].N, n.traits} {
			columns[i] = append(columns[i], v)
		}
		if more := [2]counter.Amount{n.records[nft.Mint].Excess(), n.records[nft.Burn].Excess()}; more != [2]counter.Amount{} {
			excess[id] = more
		}
	}
	clear(c.contracts)
	if len(ids) == 0 {
		return nil
	}
	err := derive.Update(ctx, tx, query.Arrays{ids, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6], columns[7], columns[8]},
		"tokens = tokens + k.v1, token_count = token_count + k.v2, resolved = resolved + k.v3, pending = pending + k.v4, failed = failed + k.v5, "+
			"recordless = recordless + k.v6, mint_count = mint_count + k.v7, burn_count = burn_count + k.v8, traits = traits + k.v9")
	if err != nil {
		return fmt.Errorf("counting the records and documents of collections: %w", err)
	}
	return derive.AddExcess(ctx, tx, excess)
}

// addRecordless counts the tokens without records that became tried or no longer are.
func (c *counts) addRecordless(ctx context.Context, tx *database.Tx, loading bool) error {
	defer clear(c.tried)
	if loading {
		return nil
	}
	var keys []tables.TokenKey
	for key, delta := range c.tried {
		if delta != 0 {
			keys = append(keys, key)
		}
	}
	none, err := withoutRecords(ctx, tx, keys)
	for _, key := range none {
		c.of(key.ContractID).recordless += c.tried[key]
	}
	return err
}

// flush writes the changes.
func (c *counts) flush(ctx context.Context, tx *database.Tx, client *ent.Client, loading bool) error {
	traits, err := c.Traits.Flush(ctx, tx, client)
	if err != nil {
		return err
	}
	for id, n := range traits {
		c.of(id).traits += n
	}
	if err := c.flushContracts(ctx, tx, loading); err != nil {
		return err
	}
	return derive.Some(ctx, tx, slices.Sorted(maps.Keys(c.Derived)), loading)
}
