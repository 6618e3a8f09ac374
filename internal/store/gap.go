package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mintburn/internal/evm"
)

// settingGaps are the blocks that were given up, as a JSON array of [evm.Gap] in
// order. Those that are indexed since are no gaps any more; the next change of the
// setting drops them.
const settingGaps = "gaps"

// Gaps returns the blocks that were given up and are not indexed since, in order.
func (s *Store) Gaps(ctx context.Context) (gaps []evm.Gap, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	indexed, err := snapshot.covered(ctx)
	if err != nil {
		return nil, err
	}
	return snapshot.gaps(ctx, indexed)
}

// SetGap notes blocks as given up, or what another try of them came to.
func (s *Store) SetGap(ctx context.Context, gap evm.Gap) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		var all []evm.Gap
		if err := w.get(ctx, map[string]any{settingGaps: &all}); err != nil {
			return err
		}
		kept := []evm.Gap{gap}
		for _, g := range all {
			_, indexed, err := w.indexedRange(ctx, g.FromBlock)
			if err != nil {
				return err
			}
			if !indexed && g.Range() != gap.Range() {
				kept = append(kept, g)
			}
		}
		slices.SortFunc(kept, func(a, b evm.Gap) int { return cmp.Compare(a.FromBlock, b.FromBlock) })
		return w.setJSON(ctx, settingGaps, kept)
	})
	return err
}

// gaps is [Store.Gaps] beside the indexed ranges.
func (s *Snapshot) gaps(ctx context.Context, indexed []Range) (open []evm.Gap, err error) {
	var all []evm.Gap
	_, err = s.get(ctx, settingGaps, &all)
	return openGaps(all, indexed), err
}

// openGaps returns what is left of gaps beside the indexed ranges.
func openGaps(all []evm.Gap, indexed []Range) (open []evm.Gap) {
	for _, g := range all {
		for _, left := range gaps(indexed, g.Range()) {
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
