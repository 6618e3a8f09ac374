package store

import (
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
	tip, err = reading(s, func(snapshot *Snapshot) (tip evm.Header, err error) {
		indexed, gaps, err := indexedAndGaps(ctx, snapshot)
		if err != nil {
			return tip, err
		}
		next, r := from, Range{}
		for {
			i := slices.IndexFunc(indexed, func(r Range) bool { return r.From <= next && next <= r.To })
			if found = i >= 0; found {
				r, next = indexed[i], indexed[i].To+1
			}
			after := afterGap(gaps, next)
			if after == next {
				break
			}
			next = after
		}
		if first = next; !found {
			return tip, nil
		}
		first = r.From
		tip, stored, err := header(ctx, snapshot, r.To)
		if err == nil && !stored {
			err = errors.New("internal error: the last indexed block has no header")
		}
		return tip, err
	})
	return tip, first, found && err == nil, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *Store) Header(ctx context.Context, number uint64) (h evm.Header, found bool, err error) {
	h, err = reading(s, func(snapshot *Snapshot) (h evm.Header, err error) {
		h, found, err = header(ctx, snapshot, number)
		return h, err
	})
	return h, found, err
}

// Indexed returns the ranges of blocks that are indexed, in order.
func (s *Store) Indexed(ctx context.Context) ([]evm.Range, error) {
	return reading(s, func(snapshot *Snapshot) ([]evm.Range, error) {
		return tables.Ranges(ctx, snapshot.client(), coverage.KindIndexed)
	})
}
