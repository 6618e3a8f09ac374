package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
)

// Tip returns the last block of the indexed range that holds from or that follows
// it beyond gaps, see [Store.SetGap], and the number of its first one. It returns
// false if none does, and then as first the block to begin with: from, or the one
// after the last gap.
func (s *Store) Tip(ctx context.Context, from uint64) (tip evm.Header, first uint64, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	indexed, err := snapshot.covered(ctx)
	if err != nil {
		return tip, 0, false, err
	}
	gaps, err := snapshot.gaps(ctx, indexed)
	if err != nil {
		return tip, 0, false, err
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
	if !found {
		return tip, next, false, nil
	}
	tip, found, err = snapshot.header(ctx, r.To)
	if err == nil && !found {
		err = errors.New("internal error: the last indexed block has no header")
	}
	return tip, r.From, found, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *Store) Header(ctx context.Context, number uint64) (header evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return snapshot.header(ctx, number)
}

// ClearVerified removes the mark of [Store.MarkVerified] from a range.
func (s *Store) ClearVerified(ctx context.Context, r evm.Range) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error { return w.uncoverRange(ctx, coverage.KindVerified, r) })
	if err != nil {
		return fmt.Errorf("clearing verified blocks %d to %d: %w", r.From, r.To, err)
	}
	return nil
}

// Indexed returns the ranges of blocks that are indexed, in order.
func (s *Store) Indexed(ctx context.Context) (ranges []evm.Range, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return snapshot.covered(ctx)
}
