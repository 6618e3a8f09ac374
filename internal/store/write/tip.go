package write

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Tip returns the last block of the indexed range that contains from, and the number of its
// first block. If a gap, see [DB.SetGap], contains from or follows the range, Tip
// continues with the range after the gap. If there is none, it returns false, and first is
// the block to begin with: from, or the block after the last gap.
func (s *DB) Tip(ctx context.Context, from uint64) (tip evm.Header, first uint64, found bool, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	indexed, gaps, err := read.IndexedAndGaps(ctx, snapshot)
	if err != nil {
		return tip, 0, false, err
	}
	next, r := from, evm.Range{}
	for {
		i := slices.IndexFunc(indexed, func(r evm.Range) bool { return r.From <= next && next <= r.To })
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
	tip, stored, err := read.Header(ctx, snapshot, r.To)
	if err == nil && !stored {
		err = errors.New("internal error: the last indexed block has no header")
	}
	return tip, r.From, err == nil, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *DB) Header(ctx context.Context, number uint64) (h evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	return read.Header(ctx, snapshot, number)
}

// Indexed returns the indexed ranges of blocks, in order.
func (s *DB) Indexed(ctx context.Context) (indexed []evm.Range, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	return tables.Ranges(ctx, snapshot.Client(), coverage.KindIndexed)
}

// Gaps returns the blocks that were given up and are still not indexed, in order.
func (s *DB) Gaps(ctx context.Context) (gaps []evm.Gap, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	_, gaps, err = read.IndexedAndGaps(ctx, snapshot)
	return gaps, err
}

// SetGap stores a range of blocks as given up, or the result of another attempt at it. It
// replaces the parts of other gaps that it overlaps.
func (s *DB) SetGap(ctx context.Context, gap evm.Gap) error {
	return s.Write(ctx, func(ctx context.Context, w *Tx) error {
		var all []evm.Gap
		if _, err := tables.Get(ctx, w.client, tables.Gaps, &all); err != nil {
			return err
		}
		indexed, err := tables.Ranges(ctx, w.client, coverage.KindIndexed)
		if err != nil {
			return err
		}
		open := append(read.OpenGaps(read.OpenGaps(all, []evm.Range{gap.Range()}), indexed), read.OpenGaps([]evm.Gap{gap}, indexed)...)
		slices.SortFunc(open, func(a, b evm.Gap) int { return cmp.Compare(a.FromBlock, b.FromBlock) })
		return tables.Set(ctx, w.client, tables.Gaps, open)
	})
}
