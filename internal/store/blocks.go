package store

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/evm"
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
