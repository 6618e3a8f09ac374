package store

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Nodes report the finalized block. It does not tell which stored blocks are final:
// they may belong to a branch that was orphaned while no follower was running, or
// the finalized block may lie beyond them. The coverage of the kind "final" does: it
// contains the blocks of an indexed range up to the finalized block, once that block
// is stored, and blocks that were already final when the follower stored them.
// [Store.ReplaceAbove] never replaces them with others.

// SetFinalized stores the chain's finalized block, unless a later one is stored.
func (s *Store) SetFinalized(ctx context.Context, header evm.Header) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		before, known, err := tables.FinalizedBlock(ctx, w.client)
		if err != nil || known && header.Number < before.Number {
			return err
		}
		if err := tables.Set(ctx, w.client, tables.Finalized, header); err != nil {
			return err
		}
		stored, err := tables.Headers(ctx, w.client, evm.Range{From: header.Number, To: header.Number})
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
func (s *Store) RetractFinalized(ctx context.Context, was evm.BlockRef, number uint64) error {
	err := s.write(ctx, func(ctx context.Context, w *writer) error {
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
func lowerFinalized(ctx context.Context, w *writer, number uint64) error {
	if err := tables.Uncover(ctx, w.client, coverage.KindFinal, evm.Range{From: number + 1, To: tables.MaxBlock}); err != nil {
		return err
	}
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
func coverFinal(ctx context.Context, w *writer, number, to uint64) error {
	r, found, err := tables.RangeContaining(ctx, w.client, coverage.KindIndexed, number)
	if err != nil || !found {
		return err
	}
	return tables.Cover(ctx, w.client, coverage.KindFinal, evm.Range{From: r.From, To: min(to, r.To)})
}

// coverStored marks the final blocks of newly stored ranges as final.
func coverStored(ctx context.Context, w *writer, stored []evm.Range) error {
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
func (s *Store) FinalBlock(ctx context.Context, upTo uint64) (ref evm.BlockRef, found bool, err error) {
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

// decidingBlocks returns the range of blocks that must be final for the result of a checked
// filter to be final, and false if the filter has no upper bound, or a tag. Without a lower
// bound, the range begins at block 0. A range of times includes the stored blocks beyond its
// ends: without them, the next block could have the same time as the last and belong to the
// result.
func decidingBlocks(ctx context.Context, s *read.Snapshot, f *Filter) (from, to uint64, bounded bool, err error) {
	if f.tagged() {
		return 0, 0, false, nil
	}
	if f.Block != nil {
		if from = uint64(f.Block.Number); f.Block.Hash != nil {
			from, err = read.BlockNumber(ctx, s, *f.Block.Hash)
		}
		return from, from, true, err
	}
	r, err := spanOf(ctx, s, f)
	if err != nil || f.ToBlock == nil && r.after == nil {
		return 0, 0, false, err
	}
	if r.from != nil {
		from = uint64(*r.from)
	}
	if r.before != nil && *r.before+1 == from {
		from = *r.before
	}
	to = uint64(evm.MaxLong)
	if f.ToBlock != nil {
		to = uint64(*f.ToBlock)
	}
	if r.after != nil {
		to = min(to, *r.after)
	}
	return from, to, from <= to, nil
}

// Final reports whether the records of a filter are final: its range of blocks or times has an
// end, and is completely indexed and final on the chain. Then only a new
// generation changes them, see [read.Snapshot.Generation]. verified means that they are also
// proved complete, so that no repair will change them. Its errors are those of
// [read.Snapshot.Page] and, for a block selected by its hash, of [Page.Read].
func (s *Snapshot) Final(ctx context.Context, f Filter) (final, verified bool, err error) {
	if err := f.Check(); err != nil {
		return false, false, err
	}
	from, to, bounded, err := decidingBlocks(ctx, s.Snapshot, &f)
	if err != nil || !bounded {
		return false, false, err
	}
	indexed := false
	err = s.Tx.Together(ctx, 3, func(ctx context.Context, i int) error {
		switch i {
		case 0:
			// A page's range may end beyond the indexed range, which may end below the
			// finalized block.
			r, ok, err := read.RangeContaining(ctx, s.Snapshot, coverage.KindIndexed, from)
			indexed = ok && to <= r.To
			return err
		case 1:
			var finalized evm.Header
			known, err := read.GetSetting(ctx, s.Snapshot, tables.Finalized, &finalized)
			final = known && to <= finalized.Number
			return err
		default:
			proved, ok, err := read.RangeContaining(ctx, s.Snapshot, coverage.KindVerified, from)
			verified = ok && to <= proved.To
			return err
		}
	})
	if err != nil || !indexed || !final {
		return false, false, err
	}
	return true, verified, nil
}
