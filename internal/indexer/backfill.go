package indexer

import (
	"cmp"
	"context"

	"mintburn/internal/evm"
)

// Bounds of one range of a backfill.
const (
	// firstSpan and maxSpan are the first and the largest number of blocks.
	firstSpan, maxSpan = 128, 10_000
	// wantedLogs is the target number of logs in a range: enough to keep the cost of
	// calls and commits low, few enough to hold Workers ranges in memory.
	wantedLogs = 10_000
)

// backfill fetches several ranges of final blocks at once, each of f.span blocks, and
// stores them in order. It stops at the first error and keeps the blocks
// stored before. If begun, the first range must follow tip.
func (f *Follower) backfill(ctx context.Context, tip evm.Header, begun bool, from, to, head uint64) error {
	ranges := inOrder(ctx, max(1, f.Workers), func() func(context.Context) (fetched, error) {
		if from > to {
			return nil
		}
		r := evm.Range{From: from, To: min(to, from+cmp.Or(f.span.Load(), firstSpan)-1)}
		from = r.To + 1
		return func(ctx context.Context) (fetched, error) {
			if f.Begin != nil {
				f.Begin()
			}
			return f.fetch(ctx, r.From, r.To, head)
		}
	})
	for got, err := range ranges {
		if err != nil {
			return err
		}
		if begun {
			if err := got.links(tip.BlockRef); err != nil {
				return err
			}
		}
		tip, begun = got.blocks[len(got.blocks)-1].Header, true
		if err := f.append(ctx, got, head); err != nil {
			return err
		}
		f.adapt(got)
	}
	return ctx.Err()
}

// adapt sets the next span by the number of logs in a range. It at most doubles or
// halves the range's length, so that a single unusual range has little effect.
func (f *Follower) adapt(got fetched) {
	logs := uint64(1)
	for i := range got.blocks {
		logs += uint64(len(got.blocks[i].Logs))
	}
	span := got.r.To - got.r.From + 1
	f.span.Store(min(max(span*wantedLogs/logs, span/2, 1), span*2, maxSpan))
}
