package write

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/change"
	"mintburn/internal/store/tables"
)

// ErrDeepReorg says that a reorg would remove final blocks or replace them with
// others.
var ErrDeepReorg = errors.New("final blocks would be replaced")

// ReplaceAbove replaces all blocks above a height with others, in one transaction. It
// keeps the headers of the orphaned blocks. With proven the new blocks count as
// verified. It returns [ErrDeepReorg] and changes nothing if it would change final
// blocks.
func (s *DB) ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	return replaceAbove(ctx, s, above, blocks, proven, func(ctx context.Context, w *Tx) error {
		return checkDeep(ctx, w, above, blocks)
	})
}

// DeepReplaceAbove is [DB.ReplaceAbove], but also changes final blocks.
func (s *DB) DeepReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	return replaceAbove(ctx, s, above, blocks, proven, func(ctx context.Context, w *Tx) error {
		finalized, known, err := tables.FinalizedBlock(ctx, w.client)
		if err != nil || !known || finalized.Number <= above {
			return err
		}
		return lowerFinalized(ctx, w, above)
	})
}

func replaceAbove(ctx context.Context, s *DB, above uint64, blocks []nft.Block, proven bool, prepare func(context.Context, *Tx) error) error {
	return s.Write(ctx, func(ctx context.Context, w *Tx) error {
		err := prepare(ctx, w)
		if err == nil {
			err = removeAbove(ctx, w, above)
		}
		if err != nil {
			return fmt.Errorf("rolling back to block %d: %w", above, err)
		}
		return applyProven(ctx, w, blocks, covering(blocks), proven)
	})
}

// removeAbove removes everything above a block, but keeps the headers as those of
// orphaned blocks.
func removeAbove(ctx context.Context, w *Tx, above uint64) error {
	if above >= tables.MaxBlock {
		return nil
	}
	if err := removeOrphanedTokens(ctx, w, above); err != nil {
		return err
	}
	removed := evm.Range{From: above + 1, To: tables.MaxBlock}
	last, _, err := tables.RangeBelow(ctx, w.client, coverage.KindIndexed, tables.MaxBlock)
	if err != nil {
		return err
	}
	if last.To > above {
		w.Log.Void(evm.Range{From: removed.From, To: last.To}, change.Reorg)
	}
	w.Log.Lower(above)
	if err := Orphan(ctx, w.client, removed); err != nil {
		return err
	}
	if err := RemoveBlocks(ctx, w, removed, false); err != nil {
		return err
	}
	for _, kind := range append([]coverage.Kind{coverage.KindIndexed}, ClaimedKinds...) {
		if err := tables.Uncover(ctx, w.client, kind, removed); err != nil {
			return err
		}
	}
	return nil
}

// ClaimedKinds are the kinds of coverage other than indexed, which only indexed blocks
// may have.
var ClaimedKinds = []coverage.Kind{coverage.KindVerified, coverage.KindQueued, coverage.KindFinal, coverage.KindLinked, coverage.KindDigested}

// checkDeep returns an error that matches [ErrDeepReorg] if blocks, which replace all
// blocks above a height, omit final blocks of the range that they continue, or differ
// from the final blocks of any range.
func checkDeep(ctx context.Context, w *Tx, above uint64, blocks []nft.Block) error {
	rows, err := w.client.Coverage.Query().Where(coverage.KindEQ(coverage.KindFinal), coverage.ToBlockGT(int64(above))).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	followed, found, err := tables.RangeContaining(ctx, w.client, coverage.KindIndexed, above+1)
	if err != nil || len(rows) == 0 {
		return err
	}
	instead, last := make(map[uint64]evm.Header, len(blocks)), above
	for i := range blocks {
		h := blocks[i].Header
		instead[h.Number], last = h, max(last, h.Number)
	}
	for _, row := range rows {
		final := evm.Range{From: max(uint64(row.FromBlock), above+1), To: uint64(row.ToBlock)}
		continued := found && final.From <= followed.To
		if continued && final.To > last {
			return fmt.Errorf("%w: blocks %d to %d are final, and nothing replaces those above block %d", ErrDeepReorg, final.From, final.To, last)
		}
		stored, err := tables.Headers(ctx, w, evm.Range{From: final.From, To: min(final.To, last+1)})
		if err != nil {
			return err
		}
		for number, h := range stored {
			b, given := instead[number]
			switch {
			case given && b.Hash == h.Hash, !given && number <= last && !continued:
				continue
			case number == last+1 && (last == above || h.ParentHash.IsZero() || h.ParentHash == instead[last].Hash):
				continue
			}
			return fmt.Errorf("%w: block %d is final as %s", ErrDeepReorg, number, h.Hash)
		}
	}
	return nil
}

// Orphan copies the headers of a range to the table of orphaned blocks.
func Orphan(ctx context.Context, client *ent.Client, r evm.Range) error {
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
