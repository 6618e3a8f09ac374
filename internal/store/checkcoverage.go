package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// checkRanges checks that the ranges of each kind of coverage are valid and
// neither overlap nor touch.
func checkRanges(ctx context.Context, c *checker) error {
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
	if err != nil {
		return err
	}
	return repairEach(ctx, c, slices.Collect(maps.Keys(wrong)), func(ctx context.Context, w *writer, kind coverage.Kind) error {
		ranges, err := validRanges(ctx, w.client, kind)
		if err != nil {
			return err
		}
		return tables.SetRanges(ctx, w.client, kind, ranges)
	})
}

func validRange(row *ent.Coverage) bool {
	return 0 <= row.FromBlock && row.FromBlock <= row.ToBlock && row.ToBlock <= MaxBlock
}

// validRanges returns the blocks of a kind as ranges in order that neither overlap
// nor touch, even if stored ranges do or are invalid.
func validRanges(ctx context.Context, client *ent.Client, kind coverage.Kind) (joined []Range, err error) {
	rows, err := client.Coverage.Query().Where(coverage.KindEQ(kind)).All(ctx)
	for _, row := range rows {
		if validRange(row) {
			joined = tables.RangeOf(row).Join(joined)
		}
	}
	return joined, database.Wrap(err, "reading coverage")
}

// storedRanges is validRanges of a kind now.
func storedRanges(ctx context.Context, c *checker, kind coverage.Kind) (ranges []Range, err error) {
	err = c.read(ctx, func(s *Snapshot) (err error) {
		ranges, err = validRanges(ctx, s.client(), kind)
		return err
	})
	return ranges, err
}

// checkClaims checks that no blocks are verified, queued, final or linked that are
// not indexed.
func checkClaims(ctx context.Context, c *checker) error {
	wrong := false
	err := c.read(ctx, func(s *Snapshot) error {
		indexed, err := validRanges(ctx, s.client(), coverage.KindIndexed)
		if err != nil {
			return err
		}
		for _, kind := range claimedKinds {
			ranges, err := validRanges(ctx, s.client(), kind)
			if err != nil {
				return err
			}
			for _, r := range ranges {
				for _, rest := range tables.Missing(indexed, r) {
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
		indexed, err := validRanges(ctx, w.client, coverage.KindIndexed)
		if err != nil {
			return err
		}
		for _, gap := range tables.Missing(indexed, Range{To: MaxBlock}) {
			for _, kind := range claimedKinds {
				if err := tables.Uncover(ctx, w.client, kind, gap); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
