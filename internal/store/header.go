package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/orphanedblock"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// blockRow makes the row of a header. It shares memory with the header.
func blockRow(h *evm.Header) *ent.Block {
	row := &ent.Block{ID: int64(h.Number), HashPrefix: h.Hash.Prefix(), HashSuffix: h.Hash[8:], Time: h.Time}
	if !h.ParentHash.IsZero() {
		row.ParentHash = &h.ParentHash
	}
	return row
}

// headerOf makes the header of a row.
func headerOf(row *ent.Block) (evm.Header, error) {
	h := evm.Header{BlockRef: evm.BlockRef{Number: uint64(row.ID)}, Time: row.Time}
	if row.ParentHash != nil {
		h.ParentHash = *row.ParentHash
	}
	var err error
	if h.Hash, err = evm.JoinHash(row.HashPrefix, row.HashSuffix); err != nil {
		return h, fmt.Errorf("reading block %d: %w", row.ID, err)
	}
	return h, nil
}

// blockIDs selects the headers of a range.
func blockIDs(r Range) []predicate.Block {
	return []predicate.Block{block.IDGTE(int64(r.From)), block.IDLTE(int64(r.To))}
}

// headers reads the stored headers of a range of blocks, by number.
func headers(ctx context.Context, client *ent.Client, r Range) (map[uint64]evm.Header, error) {
	rows, err := client.Block.Query().Where(blockIDs(r)...).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading blocks %d to %d: %w", r.From, r.To, err)
	}
	headers := make(map[uint64]evm.Header, len(rows)+1)
	for _, row := range rows {
		h, err := headerOf(row)
		if err != nil {
			return nil, err
		}
		headers[h.Number] = h
	}
	return headers, nil
}

// lastHeader returns the highest stored header of a range, and false if there is
// none.
func lastHeader(ctx context.Context, client *ent.Client, r Range) (header evm.Header, found bool, err error) {
	row, found, err := tables.Found(client.Block.Query().Where(blockIDs(r)...).Order(block.ByID(entsql.OrderDesc())).First(ctx))
	if err != nil {
		return header, false, fmt.Errorf("reading blocks: %w", err)
	}
	if found {
		header, err = headerOf(row)
	}
	return header, found, err
}

// header returns the stored canonical header at a height; where none is stored,
// it has the number only.
func header(ctx context.Context, s *Snapshot, number uint64) (header evm.Header, found bool, err error) {
	header.Number = number
	found, err = s.cached(ctx, statementKey{name: "block"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.ID(int64(number))).Selector()
	}, []any{int64(number)}, func(r *database.Row) error {
		var row ent.Block
		if err := row.ReadRow(r); err != nil {
			return err
		}
		header, err = headerOf(&row)
		return err
	})
	if err != nil {
		return header, false, fmt.Errorf("reading block %d: %w", number, err)
	}
	return header, found, nil
}

// orphanedHeader returns the first remembered header of an orphaned block for
// which the predicate holds.
func orphanedHeader(ctx context.Context, s *Snapshot, where predicate.OrphanedBlock) (header evm.Header, found bool, err error) {
	row, found, err := tables.Found(s.client().OrphanedBlock.Query().Where(where).First(ctx))
	if err != nil {
		return header, false, fmt.Errorf("looking up an orphaned block: %w", err)
	}
	if found {
		header.Number, header.Hash, header.ParentHash = uint64(row.Number), row.Hash, row.ParentHash
	}
	return header, found, nil
}

// orphan copies the headers of a range to the orphaned ones.
func orphan(ctx context.Context, client *ent.Client, r Range) error {
	rows, err := client.Block.Query().Where(blockIDs(r)...).All(ctx)
	if err != nil {
		return fmt.Errorf("reading blocks: %w", err)
	}
	for _, row := range rows {
		h, err := headerOf(row)
		if err != nil {
			return err
		}
		known, err := client.OrphanedBlock.Query().Where(orphanedblock.Hash(h.Hash)).Exist(ctx)
		if err == nil && !known {
			err = client.OrphanedBlock.Create().SetNumber(row.ID).SetHash(h.Hash).SetParentHash(h.ParentHash).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("remembering block %d: %w", row.ID, err)
		}
	}
	return nil
}

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
	gone := nft.Errorf(nft.BlockNotCanonical, "block %s at height %d was orphaned by a reorg", name, orphaned.Number)
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
