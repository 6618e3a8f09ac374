package store

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/coverage"
)

// claimedKinds are the kinds of coverage that say more of blocks that are indexed.
var claimedKinds = []coverage.Kind{coverage.KindVerified, coverage.KindQueued, coverage.KindFinal, coverage.KindLinked}

// ranges checks that the ranges of each kind of coverage are valid and neither
// overlap nor touch.
func (c *checker) ranges(ctx context.Context) error {
	wrong := map[coverage.Kind]bool{}
	err := c.read(ctx, func(s *Snapshot) error {
		for _, kind := range append([]coverage.Kind{coverage.KindIndexed}, claimedKinds...) {
			rows, err := s.client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
			if err != nil {
				return fmt.Errorf("reading coverage: %w", err)
			}
			before := int64(-2)
			for _, row := range rows {
				switch {
				case !validRange(row):
					c.differ("coverage: %s blocks %d to %d are no range", kind, row.FromBlock, row.ToBlock)
				case row.FromBlock <= before+1:
					c.differ("coverage: %s blocks %d to %d overlap or touch those up to %d", kind, row.FromBlock, row.ToBlock, before)
				default:
					before = row.ToBlock
					continue
				}
				wrong[kind] = true
				if validRange(row) {
					before = max(before, row.ToBlock)
				}
			}
			c.compared(int64(len(rows)))
		}
		return nil
	})
	if err != nil || len(wrong) == 0 {
		return err
	}
	return c.repair(ctx, func(ctx context.Context, w *writer) error {
		for kind := range wrong {
			if err := w.joinRanges(ctx, kind); err != nil {
				return fmt.Errorf("storing coverage: %w", err)
			}
		}
		return nil
	})
}

func validRange(row *ent.Coverage) bool {
	return 0 <= row.FromBlock && row.FromBlock <= row.ToBlock && row.ToBlock <= MaxBlock
}

// joinRanges replaces the ranges of a kind by those that have the same blocks and
// neither overlap nor touch.
func (w *writer) joinRanges(ctx context.Context, kind coverage.Kind) error {
	client := w.store.client(w.tx).Coverage
	rows, err := client.Query().Where(coverage.KindEQ(kind)).All(ctx)
	if err != nil {
		return err
	}
	if _, err := client.Delete().Where(coverage.KindEQ(kind)).Exec(ctx); err != nil {
		return err
	}
	for _, r := range joinValid(rows) {
		if err := client.Create().SetKind(kind).SetFromBlock(int64(r.From)).SetToBlock(int64(r.To)).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// claims checks that nothing more is said of blocks that are not indexed.
func (c *checker) claims(ctx context.Context) error {
	wrong := false
	err := c.read(ctx, func(s *Snapshot) error {
		indexed, err := s.validRanges(ctx, coverage.KindIndexed)
		if err != nil {
			return err
		}
		for _, kind := range claimedKinds {
			ranges, err := s.validRanges(ctx, kind)
			if err != nil {
				return err
			}
			for _, r := range ranges {
				for _, rest := range gaps(indexed, r) {
					c.differ("coverage: blocks %d to %d are %s and not indexed", rest.From, rest.To, kind)
					wrong = true
				}
			}
		}
		return nil
	})
	if err != nil || !wrong {
		return err
	}
	return c.repair(ctx, func(ctx context.Context, w *writer) error {
		rows, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed)).All(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		for _, gap := range gaps(joinValid(rows), Range{To: MaxBlock}) {
			for _, kind := range claimedKinds {
				if err := w.uncoverRange(ctx, kind, gap); err != nil {
					return fmt.Errorf("trimming coverage: %w", err)
				}
			}
		}
		return nil
	})
}

// validRanges returns the blocks of a kind as ranges in order, also where those
// that are stored overlap or are none.
func (s *Snapshot) validRanges(ctx context.Context, kind coverage.Kind) ([]Range, error) {
	rows, err := s.client().Coverage.Query().Where(coverage.KindEQ(kind)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	return joinValid(rows), nil
}

func joinValid(rows []*ent.Coverage) (joined []Range) {
	for _, row := range rows {
		if validRange(row) {
			joined = Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}.Join(joined)
		}
	}
	return joined
}
