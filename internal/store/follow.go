package store

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
)

// Tip returns the last block of the indexed range that holds from, and false
// if from is not indexed.
func (s *Store) Tip(ctx context.Context, from uint64) (header evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	r, found, err := snapshot.rangeContaining(ctx, coverage.KindIndexed, from)
	if err != nil || !found {
		return header, false, err
	}
	header, found, err = snapshot.header(ctx, r.To)
	if err == nil && !found {
		err = errors.New("internal error: the last indexed block has no header")
	}
	return header, found, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *Store) Header(ctx context.Context, number uint64) (header evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return snapshot.header(ctx, number)
}

// MarkVerified notes that a range of blocks is proved complete.
func (s *Store) MarkVerified(ctx context.Context, r evm.Range) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.cover(ctx, coverage.KindVerified, r)
	})
	if err != nil {
		return fmt.Errorf("marking blocks %d to %d as verified: %w", r.From, r.To, err)
	}
	return nil
}

// ClearVerified takes back what [Store.MarkVerified] noted of a range.
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

// Unverified returns the first range of final, indexed blocks that are not
// verified, and false when there are none.
func (s *Store) Unverified(ctx context.Context) (r evm.Range, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	c, err := snapshot.Chain(ctx)
	if err != nil || c.Finalized == nil {
		return r, false, err
	}
	r, found = c.unverified(evm.Range{To: c.Finalized.Number})
	return r, found, nil
}

// UnverifiedIn returns the first range of indexed blocks, final or not, that lie
// within one of these and are not verified, and false when there are none.
func (s *Store) UnverifiedIn(ctx context.Context, within []evm.Range) (r evm.Range, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	c, err := snapshot.Chain(ctx)
	for i := 0; i < len(within) && err == nil && !found; i++ {
		r, found = c.unverified(within[i])
	}
	return r, found, err
}

// unverified returns the first range of indexed blocks within another that are not
// verified.
func (c *Chain) unverified(within evm.Range) (evm.Range, bool) {
	for _, r := range c.Indexed {
		r = evm.Range{From: max(r.From, within.From), To: min(r.To, within.To)}
		for _, v := range c.Verified {
			if v.From <= r.From && r.From <= v.To {
				r.From = v.To + 1
			} else if r.From < v.From {
				r.To = min(r.To, v.From-1)
			}
		}
		if r.From <= r.To {
			return r, true
		}
	}
	return evm.Range{}, false
}
