package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/rejectedlog"
	"mintburn/ent/transaction"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/change"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// checkRanges checks that the ranges of each kind of coverage are valid and neither
// overlap nor touch.
func checkRanges(ctx context.Context, c *checker) error {
	wrong := map[coverage.Kind]bool{}
	err := c.read(ctx, func(s *read.Snapshot) error {
		for _, kind := range append([]coverage.Kind{coverage.KindIndexed}, write.ClaimedKinds...) {
			rows, err := s.Client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
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
	return repairEach(ctx, c, slices.Collect(maps.Keys(wrong)), func(ctx context.Context, w *write.Tx, kind coverage.Kind) error {
		ranges, err := validRanges(ctx, w.Client(), kind)
		if err != nil {
			return err
		}
		return tables.SetRanges(ctx, w.Client(), kind, ranges)
	})
}

func validRange(row *ent.Coverage) bool {
	return 0 <= row.FromBlock && row.FromBlock <= row.ToBlock && row.ToBlock <= tables.MaxBlock
}

// validRanges returns the valid ranges of a kind in order. It joins stored ranges that
// overlap or touch, and leaves out invalid ones.
func validRanges(ctx context.Context, client *ent.Client, kind coverage.Kind) (joined []evm.Range, err error) {
	rows, err := client.Coverage.Query().Where(coverage.KindEQ(kind)).All(ctx)
	for _, row := range rows {
		if validRange(row) {
			joined = tables.RangeOf(row).Join(joined)
		}
	}
	return joined, database.Wrap(err, "reading coverage")
}

// storedRanges returns the validRanges of a kind in a new snapshot.
func storedRanges(ctx context.Context, c *checker, kind coverage.Kind) (ranges []evm.Range, err error) {
	err = c.read(ctx, func(s *read.Snapshot) (err error) {
		ranges, err = validRanges(ctx, s.Client(), kind)
		return err
	})
	return ranges, err
}

// checkClaims checks that verified, queued, final and linked blocks are indexed.
func checkClaims(ctx context.Context, c *checker) error {
	wrong := false
	err := c.read(ctx, func(s *read.Snapshot) error {
		indexed, err := validRanges(ctx, s.Client(), coverage.KindIndexed)
		if err != nil {
			return err
		}
		for _, kind := range write.ClaimedKinds {
			ranges, err := validRanges(ctx, s.Client(), kind)
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
	return c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
		indexed, err := validRanges(ctx, w.Client(), coverage.KindIndexed)
		if err != nil {
			return err
		}
		for _, gap := range tables.Missing(indexed, evm.Range{To: tables.MaxBlock}) {
			for _, kind := range write.ClaimedKinds {
				if err := tables.Uncover(ctx, w.Client(), kind, gap); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// A block is stored completely or not at all, including its header. If headers outside the
// indexed ranges link to each other or to an indexed block, their blocks were indexed and
// only the coverage was lost: a repair adds them to it. Rows of other blocks, without a
// header, are debris. A repair removes them, because they would conflict with the rows of
// the block when it is indexed.

// maxWidened is how many blocks are added to coverage at once, maxCleared from how many
// blocks debris is removed at once.
const (
	maxWidened = 10_000
	maxCleared = 100
)

// checkUncovered looks for rows of blocks that are not indexed, and repairs them.
func checkUncovered(ctx context.Context, c *checker) error {
	indexed, err := storedRanges(ctx, c, coverage.KindIndexed)
	if err != nil {
		return err
	}
	for _, gap := range tables.Missing(indexed, evm.Range{To: tables.MaxBlock}) {
		headers, others := false, false
		err := c.read(ctx, func(s *read.Snapshot) error {
			// The follower may have filled the gap meanwhile.
			now, err := validRanges(ctx, s.Client(), coverage.KindIndexed)
			if err != nil {
				return err
			}
			for _, left := range tables.Missing(now, gap) {
				for _, table := range [...]string{block.Table, mint.Table, burn.Table, rejectedlog.Table, transaction.Table} {
					first, found, err := read.EndOf(ctx, s, table, left, entsql.Asc("id"))
					if err != nil {
						return err
					}
					if !found {
						continue
					}
					c.differ("blocks %d to %d are not indexed, but there are %s of block %d: sync --from-block %d indexes it", left.From, left.To, table, first, first)
					headers, others = headers || table == block.Table, others || table != block.Table
				}
			}
			return nil
		})
		if err == nil && headers {
			err = widen(ctx, c, gap)
		}
		if err == nil && others {
			err = clearGap(ctx, c, gap)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// widen adds the blocks of a gap to coverage whose headers prove that they were indexed.
func widen(ctx context.Context, c *checker, gap evm.Range) error {
	for from, more := gap.From, c.opts.Repair; more; {
		err := c.repair(ctx, func(ctx context.Context, w *write.Tx) (err error) {
			from, more, err = widenBy(ctx, w, evm.Range{From: from, To: gap.To})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// widenBy is widen for the next run of linked headers in a range. It returns the block to
// continue with, and false if no header is left.
func widenBy(ctx context.Context, w *write.Tx, r evm.Range) (next uint64, more bool, err error) {
	rows, err := w.Client().Block.Query().Where(tables.BlockIDs(r)...).Order(block.ByID()).Limit(maxWidened).All(ctx)
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	var run []evm.Header
	for _, row := range rows {
		h, err := tables.HeaderOf(row)
		if err != nil {
			return uint64(row.ID) + 1, true, coverRun(ctx, w, run)
		}
		if n := len(run); n > 0 && (h.Number != run[n-1].Number+1 || h.ParentHash != run[n-1].Hash) {
			break
		}
		run = append(run, h)
	}
	return run[len(run)-1].Number + 1, true, coverRun(ctx, w, run)
}

// coverRun adds a run of linked headers to coverage if it proves that their blocks were
// indexed: it has several headers or links to a stored neighbour, and contradicts none.
func coverRun(ctx context.Context, w *write.Tx, run []evm.Header) error {
	if len(run) == 0 {
		return nil
	}
	first, last, stored := run[0], run[len(run)-1], map[uint64]evm.Header{}
	for _, number := range [...]uint64{first.Number - 1, last.Number + 1} {
		beside, err := tables.Headers(ctx, w, evm.Range{From: number, To: number})
		if err != nil {
			return err
		}
		maps.Copy(stored, beside)
	}
	below, hasBelow := stored[first.Number-1]
	hasBelow = hasBelow && !first.ParentHash.IsZero()
	above, hasAbove := stored[last.Number+1]
	hasAbove = hasAbove && !above.ParentHash.IsZero()
	switch {
	case hasBelow && below.Hash != first.ParentHash, hasAbove && above.ParentHash != last.Hash, len(run) == 1 && !hasBelow && !hasAbove:
		return nil
	}
	r := evm.Range{From: first.Number, To: last.Number}
	w.Log.Add(r)
	return tables.Cover(ctx, w.Client(), coverage.KindIndexed, r)
}

// clearGap removes the records and rejected logs of the blocks of a gap that have no
// header.
func clearGap(ctx context.Context, c *checker, gap evm.Range) error {
	for from, more := gap.From, c.opts.Repair; more; {
		var debris []uint64
		err := c.read(ctx, func(s *read.Snapshot) error {
			for more = true; more && len(debris) < maxCleared; {
				first, found := uint64(0), false
				for _, table := range [...]string{mint.Table, burn.Table, rejectedlog.Table, transaction.Table} {
					number, has, err := read.EndOf(ctx, s, table, evm.Range{From: from, To: gap.To}, entsql.Asc("id"))
					if err != nil {
						return err
					}
					if has && (!found || number < first) {
						first, found = number, true
					}
				}
				if more = found && first < gap.To; found {
					debris, from = append(debris, first), first+1
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = repairEach(ctx, c, debris, func(ctx context.Context, w *write.Tx, number uint64) error {
			return database.Wrap(clearBlock(ctx, w, number), "block %d", number)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// clearBlock removes the records and rejected logs of a block, unless it is indexed or has
// a header by now.
func clearBlock(ctx context.Context, w *write.Tx, number uint64) error {
	_, indexed, err := tables.RangeContaining(ctx, w.Client(), coverage.KindIndexed, number)
	if err != nil || indexed {
		return err
	}
	stored, err := tables.Headers(ctx, w, evm.Range{From: number, To: number})
	if err != nil || len(stored) > 0 {
		return err
	}
	r := evm.Range{From: number, To: number}
	w.Log.Void(r, change.Repair)
	if err := write.RemoveBlocks(ctx, w, r, true); err != nil {
		return err
	}
	return proof.Recount(ctx, w, number)
}
