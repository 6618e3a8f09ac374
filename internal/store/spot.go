package store

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
)

// A spot is a block that stands for those above it: it has records, or it is one
// of spotEvery blocks without. Spots are looked at from the newest final block
// down. They do not count as verified: in a long chain that would be a range of
// coverage for each.
const spotEvery = 64

// NextSpot returns the newest final, indexed block to prove, and the blocks above
// it that it stands for: r.From is the block. It returns false when none is left.
// Blocks within skip, verified blocks and those given to [Store.Spotted] are left
// out.
func (s *Store) NextSpot(ctx context.Context, skip []Range) (r Range, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	open, err := snapshot.unspotted(ctx)
	for _, left := range skip {
		open = without(open, left)
	}
	if err != nil || len(open) == 0 {
		return r, false, err
	}
	r = open[len(open)-1]
	if r.To-r.From >= spotEvery {
		r.From = r.To - spotEvery + 1
	}
	last, err := snapshot.lastRecord(ctx, r)
	if err != nil {
		return r, false, fmt.Errorf("looking for a block with records: %w", err)
	}
	r.From = max(r.From, last)
	return r, true, nil
}

// SpotsLeft returns the number of final, indexed blocks that are neither verified
// nor given to [Store.Spotted].
func (s *Store) SpotsLeft(ctx context.Context) (blocks uint64, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	open, err := snapshot.unspotted(ctx)
	for _, r := range open {
		blocks += r.To - r.From + 1
	}
	return blocks, err
}

// Spotted notes that blocks need not be looked at again.
func (s *Store) Spotted(ctx context.Context, r Range) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		var spotted []Range
		if err := w.get(ctx, map[string]any{settingSpotted: &spotted}); err != nil {
			return err
		}
		return w.setJSON(ctx, settingSpotted, r.Join(spotted))
	})
	return err
}

// unspotted returns the ranges that spots are still to be taken from, in order.
func (s *Snapshot) unspotted(ctx context.Context) (open []Range, err error) {
	c, err := s.Chain(ctx)
	if err != nil || c.Finalized == nil {
		return nil, err
	}
	var spotted []Range
	if _, err := s.get(ctx, settingSpotted, &spotted); err != nil {
		return nil, err
	}
	for _, r := range c.Indexed {
		if r.To = min(r.To, c.Finalized.Number); r.From <= r.To {
			open = append(open, r)
		}
	}
	for _, done := range append(spotted, c.Verified...) {
		open = without(open, done)
	}
	return open, nil
}

// lastRecord returns the newest block of a range that has records, or 0.
func (s *Snapshot) lastRecord(ctx context.Context, r Range) (number uint64, err error) {
	mints, err := s.client().Mint.Query().Where(mint.IDGTE(firstIn(r.From)), mint.IDLTE(lastIn(r.To))).
		Order(mint.ByID(entsql.OrderDesc())).Limit(1).IDs(ctx)
	if err != nil {
		return 0, err
	}
	burns, err := s.client().Burn.Query().Where(burn.IDGTE(firstIn(r.From)), burn.IDLTE(lastIn(r.To))).
		Order(burn.ByID(entsql.OrderDesc())).Limit(1).IDs(ctx)
	for _, pos := range append(mints, burns...) {
		number = max(number, blockOf(pos))
	}
	return number, err
}
