package store

import (
	"cmp"
	"context"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Gaps returns the blocks that were given up and are not indexed since, in order.
func (s *Store) Gaps(ctx context.Context) ([]evm.Gap, error) {
	return reading(s, func(snapshot *Snapshot) ([]evm.Gap, error) {
		_, gaps, err := indexedAndGaps(ctx, snapshot)
		return gaps, err
	})
}

// SetGap notes blocks as given up, or the result of another try.
func (s *Store) SetGap(ctx context.Context, gap evm.Gap) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		var all []evm.Gap
		if _, err := tables.Get(ctx, w.client, tables.Gaps, &all); err != nil {
			return err
		}
		open := []evm.Gap{gap}
		for _, g := range all {
			_, indexed, err := tables.RangeContaining(ctx, w.client, coverage.KindIndexed, g.FromBlock)
			if err != nil {
				return err
			}
			if !indexed && g.Range() != gap.Range() {
				open = append(open, g)
			}
		}
		slices.SortFunc(open, func(a, b evm.Gap) int { return cmp.Compare(a.FromBlock, b.FromBlock) })
		return tables.Set(ctx, w.client, tables.Gaps, open)
	})
}

// indexedAndGaps returns the indexed ranges and the open gaps.
func indexedAndGaps(ctx context.Context, s *Snapshot) (indexed []Range, open []evm.Gap, err error) {
	if indexed, err = tables.Ranges(ctx, s.client(), coverage.KindIndexed); err != nil {
		return nil, nil, err
	}
	_, err = getSetting(ctx, s, tables.Gaps, &open)
	return indexed, openGaps(open, indexed), err
}

// openGaps returns the parts of gaps that are not indexed.
func openGaps(all []evm.Gap, indexed []Range) (open []evm.Gap) {
	for _, g := range all {
		for _, left := range tables.Missing(indexed, g.Range()) {
			g.FromBlock, g.ToBlock = left.From, left.To
			open = append(open, g)
		}
	}
	return open
}

// afterGap returns the block after the gap that contains a block, and the block
// itself if there is none.
func afterGap(gaps []evm.Gap, number uint64) uint64 {
	for _, g := range gaps {
		if g.FromBlock <= number && number <= g.ToBlock {
			number = g.ToBlock + 1
		}
	}
	return number
}
