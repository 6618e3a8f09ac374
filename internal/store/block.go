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
)

// blockRow makes the row of a header. It shares memory with the header.
func blockRow(h *evm.Header) *ent.Block {
	row := &ent.Block{ID: int64(h.Number), HashHead: h.Hash.Prefix(), HashTail: h.Hash[8:], Time: h.Time}
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
	if h.Hash, err = evm.JoinHash(row.HashHead, row.HashTail); err != nil {
		return h, fmt.Errorf("reading block %d: %w", row.ID, err)
	}
	return h, nil
}

// blockNumber returns the height of an indexed block of the canonical chain.
// Its errors have the codes BLOCK_NOT_INDEXED, BLOCK_NOT_FOUND and
// BLOCK_NOT_CANONICAL.
func (s *Snapshot) blockNumber(ctx context.Context, name evm.BlockNumberOrHash) (uint64, error) {
	if name.Hash == nil {
		number := uint64(name.Number)
		return number, s.requireRange(ctx, &name.Number, &name.Number)
	}
	prefix, suffix := name.Hash.Prefix(), name.Hash.Suffix()
	var row ent.Block
	found, err := s.cached(ctx, statementKey{name: "block by hash"}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.HashHead(prefix), block.HashTail(suffix)).Select(block.FieldID).Selector()
	}, []any{prefix, suffix}, func(r *database.Row) error { return row.ReadRow(r, block.FieldID) })
	if err != nil {
		return 0, fmt.Errorf("looking up block %s: %w", name, err)
	}
	if found {
		return uint64(row.ID), nil
	}
	orphaned, found, err := s.orphaned(ctx, orphanedblock.Hash(*name.Hash))
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, nft.Errorf(nft.BlockNotFound, "no indexed block has the hash %s", name)
	}
	gone := nft.Errorf(nft.BlockNotCanonical, "block %s at height %d was reorganised away", name, orphaned.Number)
	gone.Details = map[string]any{"blockNumber": orphaned.Number, "canonicalHash": nil}
	header, found, err := s.header(ctx, orphaned.Number)
	if err != nil {
		return 0, err
	}
	if found {
		gone.Details["canonicalHash"] = header.Hash.String()
		gone.Message += fmt.Sprintf(": the canonical block there is %s", header.Hash)
	}
	return 0, gone
}

// header returns the stored canonical header at a height; where none is stored,
// it has the number only.
func (s *Snapshot) header(ctx context.Context, number uint64) (header evm.Header, found bool, err error) {
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

// orphaned returns the first remembered header of an orphaned block for which
// the predicate holds.
func (s *Snapshot) orphaned(ctx context.Context, where predicate.OrphanedBlock) (header evm.Header, found bool, err error) {
	row, err := s.client().OrphanedBlock.Query().Where(where).First(ctx)
	if ent.IsNotFound(err) {
		return header, false, nil
	}
	if err != nil {
		return header, false, fmt.Errorf("looking up an orphaned block: %w", err)
	}
	header.Number, header.Hash, header.ParentHash = uint64(row.Number), row.Hash, row.ParentHash
	return header, true, nil
}
