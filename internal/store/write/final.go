package write

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Nodes report the finalized block. It does not tell which stored blocks are final:
// they may belong to a branch that was orphaned while no follower was running, or
// the finalized block may lie beyond them. The coverage of the kind "final" does: it
// contains the blocks of an indexed range up to the finalized block, once that block
// is stored, and blocks that were already final when the follower stored them.
// [DB.ReplaceAbove] never replaces them with others.

// SetFinalized stores the chain's finalized block, unless a later one is stored.
func (s *DB) SetFinalized(ctx context.Context, header evm.Header) error {
	return s.Write(ctx, func(ctx context.Context, w *Tx) error {
		before, known, err := tables.FinalizedBlock(ctx, w.client)
		if err != nil || known && header.Number < before.Number {
			return err
		}
		if err := tables.Set(ctx, w.client, tables.Finalized, header); err != nil {
			return err
		}
		stored, err := tables.Headers(ctx, w, evm.Range{From: header.Number, To: header.Number})
		if err != nil {
			return err
		}
		if h, found := stored[header.Number]; found && h.Hash == header.Hash {
			if err := coverFinal(ctx, w, header.Number, header.Number); err != nil {
				return err
			}
		}
		return nil
	})
}

// RetractFinalized lowers the finalized block to a number, or to the next stored
// block below it, after a node replaced the block was, which it had reported as final.
// The finality that such a node reports is ignored. RetractFinalized does nothing if
// another finalized block is stored by now.
func (s *DB) RetractFinalized(ctx context.Context, was evm.BlockRef, number uint64) error {
	err := s.Write(ctx, func(ctx context.Context, w *Tx) error {
		now, known, err := tables.FinalizedBlock(ctx, w.client)
		if err != nil || !known || now.BlockRef != was || number >= was.Number {
			return err
		}
		return lowerFinalized(ctx, w, number)
	})
	return database.Wrap(err, "retracting the finalized block %d", was.Number)
}

// lowerFinalized makes the stored block at a height, or the next below, the
// finalized block. If there is none, it removes the finalized block.
func lowerFinalized(ctx context.Context, w *Tx, number uint64) error {
	if err := tables.Uncover(ctx, w.client, coverage.KindFinal, evm.Range{From: number + 1, To: tables.MaxBlock}); err != nil {
		return err
	}
	w.Log.Lower(number)
	h, found, err := tables.LastHeader(ctx, w.client, evm.Range{To: number})
	if err == nil && !found {
		return tables.Remove(ctx, w.client, tables.Finalized)
	}
	if err != nil {
		return err
	}
	return tables.Set(ctx, w.client, tables.Finalized, h)
}

// coverFinal marks the indexed range that contains number as final, up to the block
// to.
func coverFinal(ctx context.Context, w *Tx, number, to uint64) error {
	r, found, err := tables.RangeContaining(ctx, w.client, coverage.KindIndexed, number)
	if err != nil || !found {
		return err
	}
	final := evm.Range{From: r.From, To: min(to, r.To)}
	w.Log.Raise(final.To)
	return tables.Cover(ctx, w.client, coverage.KindFinal, final)
}

// coverStored marks the final blocks of newly stored ranges as final.
func coverStored(ctx context.Context, w *Tx, stored []evm.Range) error {
	finalized, known, err := tables.FinalizedBlock(ctx, w.client)
	if err != nil || !known {
		return err
	}
	for _, r := range tables.Common(stored, evm.Range{To: finalized.Number}) {
		if err := coverFinal(ctx, w, r.From, r.To); err != nil {
			return err
		}
	}
	return nil
}

// FinalBlock returns the last stored final block that is not above a height, and
// false if there is none.
func (s *DB) FinalBlock(ctx context.Context, upTo uint64) (ref evm.BlockRef, found bool, err error) {
	upTo = min(upTo, tables.MaxBlock)
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	r, found, err := tables.RangeBelow(ctx, snapshot.Client(), coverage.KindFinal, upTo)
	if err != nil || !found {
		return ref, false, err
	}
	h, found, err := tables.LastHeader(ctx, snapshot.Client(), evm.Range{From: r.From, To: min(r.To, upTo)})
	return h.BlockRef, found, err
}
