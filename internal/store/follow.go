package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Tip returns the last block of the indexed range that holds from or that follows
// it beyond gaps, see [Store.SetGap], and the number of its first one. It returns
// false if none does, and then as first the block to begin with: from, or the one
// after the last gap.
func (s *Store) Tip(ctx context.Context, from uint64) (tip evm.Header, first uint64, found bool, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	indexed, gaps, err := indexedAndGaps(ctx, snapshot)
	if err != nil {
		return tip, 0, false, err
	}
	next, r := from, Range{}
	for {
		i := slices.IndexFunc(indexed, func(r Range) bool { return r.From <= next && next <= r.To })
		if found = i >= 0; found {
			r, next = indexed[i], indexed[i].To+1
		}
		before := next
		for _, g := range gaps {
			if g.FromBlock <= next && next <= g.ToBlock {
				next = g.ToBlock + 1
			}
		}
		if next == before {
			break
		}
	}
	if !found {
		return tip, next, false, nil
	}
	tip, stored, err := header(ctx, snapshot, r.To)
	if err == nil && !stored {
		err = errors.New("internal error: the last indexed block has no header")
	}
	return tip, r.From, err == nil, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *Store) Header(ctx context.Context, number uint64) (h evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	return header(ctx, snapshot, number)
}

// Indexed returns the ranges of blocks that are indexed, in order.
func (s *Store) Indexed(ctx context.Context) (indexed []evm.Range, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	return tables.Ranges(ctx, snapshot.client(), coverage.KindIndexed)
}

// Gaps returns the blocks that were given up and are not indexed since, in order.
func (s *Store) Gaps(ctx context.Context) (gaps []evm.Gap, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	_, gaps, err = indexedAndGaps(ctx, snapshot)
	return gaps, err
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
