package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// A spot is a block that stands for those above it: it has records, or it is one
// of spotEvery blocks without. Spots are proved from the newest final block down.
// They do not count as verified: in a long chain that would be a range of coverage
// for each.
const spotEvery = 64

// NextSpot returns the newest final, indexed block to prove, and the blocks above
// it that it stands for: r.From is the block. It returns false when none is left.
// Blocks within skip, verified blocks and those given to [Proofs.Spotted] are left
// out.
func (p Proofs) NextSpot(ctx context.Context, skip []Range) (r Range, found bool, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.end(&err)
	open, err := unspotted(ctx, snapshot)
	open = tables.Without(open, skip...)
	if err != nil || len(open) == 0 {
		return r, false, err
	}
	r = open[len(open)-1]
	if r.To-r.From >= spotEvery {
		r.From = r.To - spotEvery + 1
	}
	last, err := lastRecord(ctx, snapshot, r)
	r.From = max(r.From, last)
	return r, err == nil, database.Wrap(err, "looking for a block with records")
}

// SpotsLeft returns the number of final, indexed blocks that are neither verified
// nor given to [Proofs.Spotted].
func (p Proofs) SpotsLeft(ctx context.Context) (blocks uint64, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.end(&err)
	open, err := unspotted(ctx, snapshot)
	for _, r := range open {
		blocks += r.To - r.From + 1
	}
	return blocks, err
}

// Spotted notes blocks of which a spot was proved.
func (p Proofs) Spotted(ctx context.Context, r Range) error {
	return p.store.write(ctx, func(ctx context.Context, w *writer) error {
		var spotted []Range
		if _, err := tables.Get(ctx, w.client, tables.Spotted, &spotted); err != nil {
			return err
		}
		return tables.Set(ctx, w.client, tables.Spotted, r.Join(spotted))
	})
}

// unspotted returns the ranges that spots are still to be taken from, in order.
func unspotted(ctx context.Context, s *Snapshot) ([]Range, error) {
	c, err := s.Chain(ctx)
	if err != nil || c.Finalized == nil {
		return nil, err
	}
	var spotted []Range
	if _, err := getSetting(ctx, s, tables.Spotted, &spotted); err != nil {
		return nil, err
	}
	return tables.Without(tables.Common(c.Indexed, Range{To: c.Finalized.Number}), append(spotted, c.Verified...)...), nil
}

// lastRecord returns the newest block of a range that has records, or 0.
func lastRecord(ctx context.Context, s *Snapshot, r Range) (number uint64, err error) {
	for _, table := range [...]string{mint.Table, burn.Table} {
		last, _, err := endOf(ctx, s, table, r, entsql.Desc("id"))
		if err != nil {
			return 0, err
		}
		number = max(number, last)
	}
	return number, nil
}
