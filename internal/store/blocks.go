package store

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// orphan copies the headers of a range to the table of orphaned blocks.
func orphan(ctx context.Context, client *ent.Client, r evm.Range) error {
	rows, err := client.Block.Query().Where(tables.BlockIDs(r)...).All(ctx)
	if err != nil {
		return fmt.Errorf("reading blocks: %w", err)
	}
	for _, row := range rows {
		h, err := tables.HeaderOf(row)
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

// commonAncestor returns the last canonical block of an orphaned block's branch. It returns
// false if the branch is not stored.
func commonAncestor(ctx context.Context, s *read.Snapshot, number uint64, anchor uint32) (evm.Header, bool, error) {
	rows, err := s.Client().OrphanedBlock.Query().Where(orphanedblock.Number(int64(number))).All(ctx)
	if err != nil {
		return evm.Header{}, false, fmt.Errorf("looking up orphaned blocks at %d: %w", number, err)
	}
	var parent *evm.Hash
	for _, row := range rows {
		if anchorOf(row.Hash.Prefix()) == anchor {
			parent = &row.ParentHash
		}
	}
	for parent != nil && number > 0 {
		number--
		header, found, err := read.Header(ctx, s, number)
		if err != nil || found && header.Hash == *parent {
			return header, found, err
		}
		orphaned, found, err := read.OrphanedHeader(ctx, s, orphanedblock.Hash(*parent))
		if err != nil || !found {
			return evm.Header{}, false, err
		}
		parent = &orphaned.ParentHash
	}
	return evm.Header{}, false, nil
}
