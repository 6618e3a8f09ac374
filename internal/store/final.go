package store

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Final reports whether the records of a filter are final: its range is given at
// both ends, wholly indexed, and final on the chain. Then only a new generation
// changes them, see [Snapshot.Generation]. verified says that they are proved
// complete, too, so that no repair will change them. Its errors are those of
// [Snapshot.Page] and, of a block that is named by its hash, of [Page.Read].
func (s *Snapshot) Final(ctx context.Context, f Filter) (final, verified bool, err error) {
	if err := f.check(); err != nil {
		return false, false, err
	}
	var from, to uint64
	switch {
	case f.Block != nil:
		if from = uint64(f.Block.Number); f.Block.Hash != nil {
			if from, err = blockNumber(ctx, s, *f.Block.Hash); err != nil {
				return false, false, err
			}
		}
		to = from
	case f.FromBlock != nil && f.ToBlock != nil:
		from, to = uint64(*f.FromBlock), uint64(*f.ToBlock)
	default:
		return false, false, nil
	}
	// A page's range may reach beyond what is indexed, and what is indexed may
	// end below the finalized block.
	indexed, ok, err := rangeContaining(ctx, s, coverage.KindIndexed, from)
	if err != nil || !ok || to > indexed.To {
		return false, false, err
	}
	var finalized evm.Header
	known, err := getSetting(ctx, s, tables.Finalized, &finalized)
	if err != nil || !known || to > finalized.Number {
		return false, false, err
	}
	proved, ok, err := rangeContaining(ctx, s, coverage.KindVerified, from)
	return true, ok && to <= proved.To, err
}
