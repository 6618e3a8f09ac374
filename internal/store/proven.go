package store

import (
	"context"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/internal/nft"
)

// coverProven notes as verified those of the blocks, in order and stored by this
// transaction, that were given as proven.
func (w *writer) coverProven(ctx context.Context, blocks []nft.Block) error {
	var proven []nft.Block
	for i := range blocks {
		if blocks[i].Proven {
			proven = append(proven, blocks[i])
		}
	}
	w.applied.Proven += len(proven)
	for _, r := range covering(proven) {
		if err := w.cover(ctx, coverage.KindVerified, r); err != nil {
			return fmt.Errorf("storing what is verified: %w", err)
		}
	}
	return nil
}
