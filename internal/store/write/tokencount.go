package write

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// countNewTokens counts the tokens of blocks that have no record yet. It must be called
// before the blocks are stored.
func countNewTokens(ctx context.Context, w *Tx, blocks []nft.Block) error {
	if w.loading {
		return nil
	}
	tokens := map[tables.TokenKey]struct{}{}
	for i := range blocks {
		for _, records := range [][]nft.Record{blocks[i].Mints, blocks[i].Burns} {
			for n := range records {
				tokens[tables.TokenKey{ContractID: w.Contracts[records[n].Contract], TokenID: records[n].TokenID}] = struct{}{}
			}
		}
	}
	return countTokens(ctx, w, tokens, 1)
}

// countTokens updates the counts for those of tokens that have no record: delta is 1 before
// they get their first one, and -1 after they lost the last.
func countTokens(ctx context.Context, w *Tx, tokens map[tables.TokenKey]struct{}, delta int64) error {
	keys := make([]tables.TokenKey, 0, len(tokens))
	for key := range tokens {
		keys = append(keys, key)
	}
	none, err := withoutRecords(ctx, w.Tx, keys)
	if err != nil {
		return err
	}
	ids := map[int64]struct{}{}
	for _, key := range none {
		ids[key.ContractID] = struct{}{}
		w.Counts.of(key.ContractID).tokens += delta
	}
	if delta > 0 {
		// Few collections have tried tokens without a record.
		some, err := withRecordless(ctx, w, slices.Collect(maps.Keys(ids)))
		if err != nil {
			return err
		}
		none = slices.DeleteFunc(none, func(key tables.TokenKey) bool { return !some[key.ContractID] })
	}
	tried, err := selectTokenKeys(ctx, w.Tx, none, "(SELECT 1 FROM "+token.Table+" AS t WHERE t.contract_id = k.n AND t.token_id = k.b) IS NOT NULL "+
		"OR (SELECT 1 FROM "+resolution.Table+" AS r WHERE r.contract_id = k.n AND r.token_id = k.b AND r.error IS NOT NULL) IS NOT NULL")
	for _, key := range tried {
		w.Counts.of(key.ContractID).recordless -= delta
	}
	return err
}

// withRecordless returns the collections that have tried tokens without records. The ids
// must be distinct.
func withRecordless(ctx context.Context, w *Tx, ids []int64) (map[int64]bool, error) {
	some := map[int64]bool{}
	for part := range slices.Chunk(ids, tables.MaxArgs) {
		found, err := w.client.Contract.Query().Where(contract.IDIn(part...), contract.RecordlessNEQ(0)).IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading contracts: %w", err)
		}
		for _, id := range found {
			some[id] = true
		}
	}
	return some, nil
}
