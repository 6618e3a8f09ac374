package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// blockNumber returns the height of an indexed block of the canonical chain.
// Its errors have the codes BLOCK_NOT_INDEXED, BLOCK_NOT_FOUND and
// BLOCK_NOT_CANONICAL.
func blockNumber(ctx context.Context, s *Snapshot, name evm.BlockNumberOrHash) (uint64, error) {
	if name.Hash == nil {
		number := uint64(name.Number)
		return number, requireRange(ctx, s, &name.Number, &name.Number)
	}
	prefix, suffix := name.Hash.Prefix(), name.Hash.Suffix()
	var row ent.Block
	found, err := s.cached(ctx, statementKey{name: "block by hash"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.HashPrefix(prefix), block.HashSuffix(suffix)).Select(block.FieldID).Selector()
	}, []any{prefix, suffix}, func(r *database.Row) error { return row.ReadRow(r, block.FieldID) })
	if err != nil {
		return 0, fmt.Errorf("looking up block %s: %w", name, err)
	}
	if found {
		return uint64(row.ID), nil
	}
	orphaned, found, err := orphanedHeader(ctx, s, orphanedblock.Hash(*name.Hash))
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, nft.Errorf(nft.BlockNotFound, "no indexed block has the hash %s", name)
	}
	gone := nft.Errorf(nft.BlockNotCanonical, "block %s at height %d was reorganised away", name, orphaned.Number)
	gone.Details = map[string]any{"blockNumber": orphaned.Number, "canonicalHash": nil}
	h, found, err := header(ctx, s, orphaned.Number)
	if err != nil {
		return 0, err
	}
	if found {
		gone.Details["canonicalHash"] = h.Hash.String()
		gone.Message += fmt.Sprintf(": the canonical block there is %s", h.Hash)
	}
	return 0, gone
}
