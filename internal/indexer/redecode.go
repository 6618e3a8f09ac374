package indexer

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
)

// Redecoder fetches the indexed blocks again, decodes them with other options, and
// replaces the stored records.
type Redecoder struct {
	// Follower fetches and decodes blocks, and drops orphaned ones. It must not run.
	*Follower
	// Left returns the ranges that remain, in order.
	Left func(ctx context.Context) ([]evm.Range, error)
	// Write replaces the stored blocks of a range; proven is true if the new ones are
	// proved. It fails with [nft.ErrConflict] if a block has another hash than the
	// stored one.
	Write func(ctx context.Context, blocks []nft.Block, r evm.Range, proven bool) error
}

// Run decodes until no range is left, or until the first error. A later call
// continues there.
func (d *Redecoder) Run(ctx context.Context) error {
	for {
		left, err := d.Left(ctx)
		if err != nil || len(left) == 0 {
			return err
		}
		err = retrying.Catch(func() error { return d.redecode(ctx, left[0]) })
		if !errors.Is(err, nft.ErrConflict) {
			if err != nil {
				return err
			}
			continue
		}
		if dropped, dropErr := d.drop(ctx, left[0].From); dropErr != nil || !dropped {
			return errors.Join(err, dropErr)
		}
	}
}

// redecode decodes the final blocks of a range, or if there are none, the first
// [unfinalizedSpan] blocks.
func (d *Redecoder) redecode(ctx context.Context, r evm.Range) error {
	latest, finalized, err := d.Source.Head(ctx)
	if err != nil {
		return err
	}
	if r.From > latest.Number {
		return fmt.Errorf("block %d is stored, but the head of the chain is %d: %w", r.From, latest.Number, nft.ErrConflict)
	}
	r.To = min(r.To, latest.Number)
	if r.From <= finalized.Number {
		return d.backfill(ctx, evm.Header{}, false, r.From, min(r.To, finalized.Number), latest.Number, d.write)
	}
	got, err := d.fetchLinked(ctx, r.From, min(r.To, r.From+unfinalizedSpan-1), d.ReceiptsDepth > 0)
	if err != nil {
		return err
	}
	return d.write(ctx, got, latest.Number)
}

func (d *Redecoder) write(ctx context.Context, got fetched, head uint64) error {
	return d.commit(ctx, got, head, func(decoded []nft.Block) error {
		return d.Write(ctx, decoded, got.r, got.proven)
	})
}

// drop removes the orphaned blocks at the end of the indexed range that contains a
// block, and reports whether there were any. [Follower] fetches their replacements
// later.
func (d *Redecoder) drop(ctx context.Context, number uint64) (dropped bool, err error) {
	latest, _, err := d.Source.Head(ctx)
	if err != nil {
		return false, err
	}
	tip, first, found, err := d.Store.Tip(ctx, number)
	if err != nil || !found || first > latest.Number {
		return false, err
	}
	end := min(tip.Number, latest.Number)
	ancestor, found, err := d.ancestor(ctx, first, end)
	if err != nil || !found || ancestor.Number == end {
		return false, err
	}
	d.Log.Warn("reorg: removing orphaned blocks", "common_ancestor", ancestor.Number, "up_to", tip.Number)
	return true, d.Store.ReplaceAbove(ctx, ancestor.Number, nil, false)
}
