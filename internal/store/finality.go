package store

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

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
	if err != nil || f.ToBlock == nil && r.After == nil {
		return 0, 0, false, err
	}
	if r.From != nil {
		from = uint64(*r.From)
	}
	if r.Before != nil && *r.Before+1 == from {
		from = *r.Before
	}
	to = uint64(evm.MaxLong)
	if f.ToBlock != nil {
		to = uint64(*f.ToBlock)
	}
	if r.After != nil {
		to = min(to, *r.After)
	}
	return from, to, from <= to, nil
}

// Final reports whether the records of a filter are final: its range of blocks or times has an
// end, and is completely indexed and final on the chain. Then only a repair or a deep reorg changes
// them. verified means that they are also proved complete, so that no repair will change them. Its
// errors are those of [Snapshot.Page] and, for a block selected by its hash, of [Page.Read].
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
