package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Gaps stores the blocks that a [Follower] left out.
type Gaps interface {
	// Gaps returns the left-out blocks that are not indexed yet.
	Gaps(ctx context.Context) ([]evm.Gap, error)
	// SetGap stores a gap, or the result of another attempt to fill it. [Store.Tip]
	// skips the stored gaps.
	SetGap(ctx context.Context, gap evm.Gap) error
}

// The first and the longest time between two attempts to fill a gap.
const firstRetry, lastRetry = 10 * time.Minute, 24 * time.Hour

// contest is the search for the blocks that no endpoint gives.
type contest struct {
	// suspect is a range that contains such a block. It is halved until only the first
	// such block is left.
	suspect evm.Range
	// waiting are such blocks by number: since when, and how often they were tried.
	waiting map[uint64]*waiting
	// ahead is the first block above the waiting ones that was not looked at.
	ahead uint64
}

// waiting is a block that waits to become a gap.
type waiting struct {
	since time.Time
	tries uint64
}

// end returns the last block to fetch, given the first and the last one wanted: at most
// the middle of the suspect range, and no waiting block together with others. suspect is true
// if from lies in the suspect range.
func (c *contest) end(from, to uint64) (end uint64, suspect bool) {
	for number := range c.waiting {
		switch {
		case number < from:
			delete(c.waiting, number)
		case number == from:
			to = from
		default:
			to = min(to, number-1)
		}
	}
	if c.suspect == (evm.Range{}) || from < c.suspect.From || from > c.suspect.To {
		return to, false
	}
	return min(to, from+(c.suspect.To-from)/2), true
}

// wait counts a try of a block and returns its entry.
func (c *contest) wait(number uint64, now time.Time) *waiting {
	if c.waiting == nil {
		c.waiting = map[uint64]*waiting{}
	}
	if c.waiting[number] == nil {
		c.waiting[number] = &waiting{since: now}
	}
	c.waiting[number].tries++
	return c.waiting[number]
}

// fetchError is the error of fetching a range.
type fetchError struct {
	r   evm.Range
	err error
}

func (e *fetchError) Error() string {
	return fmt.Sprintf("fetching blocks %d to %d: %v", e.r.From, e.r.To, e.err)
}

func (e *fetchError) Unwrap() error { return e.err }

// dispute handles the error of a fetch. If no endpoint gives the range, it narrows the
// search for the first block that none gives, so that the blocks below it can be stored. If
// that block is final, it becomes a gap after [Follower.GiveUpAfter]; meanwhile the follower
// looks for more such blocks, so that they wait at the same time. Blocks that all nodes have
// pruned become a gap at once. All other errors are returned.
func (f *Follower) dispute(ctx context.Context, err error, finalized, head uint64) error {
	var failed *fetchError
	if f.Refused == nil || !errors.As(err, &failed) {
		return err
	}
	if first, pruned := f.pruned(failed.err); pruned && f.Gaps != nil && failed.r.From < first && first <= finalized {
		return f.skipPruned(ctx, evm.Range{From: failed.r.From, To: first - 1})
	}
	reason, refused := f.Refused(failed.err)
	if !refused {
		return err
	}
	c, now, number := &f.contest, f.now(), failed.r.From
	c.suspect = failed.r
	if number < failed.r.To {
		return nil
	}
	w := c.wait(number, now)
	if f.Gaps == nil || number > finalized || now.Sub(w.since) <= f.GiveUpAfter {
		if found, ahead := f.lookAhead(ctx, finalized, head); found || ahead != nil {
			return ahead
		}
		if f.Gaps != nil && number <= finalized {
			// GiveUpAfter ends this wait.
			f.advanced()
		}
		return fmt.Errorf("waiting for block %d, which no endpoint gives: %w", number, err)
	}
	gap := evm.Gap{
		FromBlock: number, ToBlock: number, Reason: reason, Tries: w.tries,
		Since: uint64(w.since.Unix()), NextTry: uint64(now.Add(firstRetry).Unix()),
	}
	if err := f.Gaps.SetGap(ctx, gap); err != nil {
		return err
	}
	f.Log.Error("leaving out a block that no endpoint gives; it is retried later", "block", number, "error", err)
	delete(c.waiting, number)
	c.suspect = evm.Range{}
	return nil
}

// Bounds of [Follower.lookAhead], in blocks.
const aheadSpan, mostAhead, mostWaiting = 128, 10_000, 1_000

// lookAhead fetches final blocks above the waiting ones, without storing them, until it finds
// another block that no endpoint gives, which then waits too.
func (f *Follower) lookAhead(ctx context.Context, finalized, head uint64) (found bool, err error) {
	c := &f.contest
	last := uint64(0)
	for number := range c.waiting {
		last = max(last, number)
	}
	c.ahead = max(c.ahead, last+1)
	for size := uint64(aheadSpan); c.ahead <= min(finalized, last+mostAhead) && len(c.waiting) < mostWaiting; {
		r := evm.Range{From: c.ahead, To: min(finalized, c.ahead+size-1)}
		_, err := f.fetch(ctx, r.From, r.To, head)
		_, refused := f.Refused(err)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case err == nil:
			c.ahead, size = r.To+1, aheadSpan
		case !refused:
			return false, nil
		case r.From < r.To:
			size = (r.To - r.From + 1) / 2
		default:
			c.wait(r.From, f.now())
			return true, nil
		}
	}
	return false, nil
}

// pruned calls f.Pruned, which may be nil.
func (f *Follower) pruned(err error) (first uint64, pruned bool) {
	if f.Pruned == nil {
		return 0, false
	}
	return f.Pruned(err)
}

// skipPruned makes a range that all nodes have pruned a gap, together with the pruned gap
// below it.
func (f *Follower) skipPruned(ctx context.Context, r evm.Range) error {
	now := f.now()
	gap := evm.Gap{
		FromBlock: r.From, ToBlock: r.To, Reason: evm.ReasonPruned, Tries: 1,
		Since: uint64(now.Unix()), NextTry: uint64(now.Add(firstRetry).Unix()),
	}
	gaps, err := f.Gaps.Gaps(ctx)
	if err != nil {
		return err
	}
	for _, below := range gaps {
		if below.Reason == evm.ReasonPruned && below.FromBlock < r.From && below.ToBlock+1 >= r.From {
			gap.FromBlock, gap.Since, gap.Tries, gap.NextTry = below.FromBlock, below.Since, below.Tries, below.NextTry
		}
	}
	f.Log.Warn(fmt.Sprintf("no node has blocks %d to %d, which all have pruned: indexing from block %d on. "+
		"To index them too, add the --rpc of a node with history, or import archive files; without them, use --from-block %d",
		gap.FromBlock, gap.ToBlock, gap.ToBlock+1, gap.ToBlock+1))
	f.contest = contest{}
	return f.Gaps.SetGap(ctx, gap)
}

// fill tries to index the first gap that is due, or its end, and reports whether it indexed
// any block.
func (f *Follower) fill(ctx context.Context, head uint64) (filled bool, err error) {
	if f.Gaps == nil {
		return false, nil
	}
	gaps, err := f.Gaps.Gaps(ctx)
	if err != nil {
		return false, err
	}
	// A process may have other nodes than the one before.
	if f.untried == nil {
		f.untried = map[uint64]bool{}
		for _, gap := range gaps {
			f.untried[gap.FromBlock] = gap.Reason == evm.ReasonPruned
		}
	}
	for _, gap := range gaps {
		// A later NextTry was set by a clock that was ahead: ignore it.
		if wait := int64(gap.NextTry) - f.now().Unix(); wait > 0 && wait <= int64(lastRetry/time.Second) && !f.untried[gap.FromBlock] {
			continue
		}
		return f.fillGap(ctx, gap, head)
	}
	return false, nil
}

// fillGap tries to index a gap or its end. If no block of it is given, the gap is tried
// again later; if only its last block is not, that block alone.
func (f *Follower) fillGap(ctx context.Context, gap evm.Gap, head uint64) (filled bool, err error) {
	r := gap.Range()
	filled, failed := f.fillDown(ctx, r, head)
	if first, pruned := f.pruned(failed); !filled && pruned && r.From < first && first <= r.To {
		filled, failed = f.fillDown(ctx, evm.Range{From: first, To: r.To}, head)
	}
	_, refused := f.Refused(failed)
	last := evm.Range{From: r.To, To: r.To}
	if !filled && refused && r.From < r.To {
		// One block may be the only one that is not given.
		if filled, _ = f.fillDown(ctx, last, head); !filled {
			below := evm.Range{From: r.To - 1, To: r.To - 1}
			if given, _ := f.fillDown(ctx, below, head); given {
				r = last
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return filled, ctx.Err()
	case filled:
		if failed == nil {
			f.Log.Info("filled a gap, or its end", "from", gap.FromBlock, "to", gap.ToBlock)
		}
		return true, nil
	}
	delete(f.untried, gap.FromBlock)
	gap.FromBlock, gap.ToBlock = r.From, r.To
	if reason, refused := f.Refused(failed); refused {
		gap.Reason = reason
	}
	gap.Tries++
	wait := min(lastRetry, firstRetry<<min(gap.Tries, 20))
	gap.NextTry = uint64(f.now().Add(wait).Unix())
	f.Log.Warn("filling a gap: trying again", "from", gap.FromBlock, "to", gap.ToBlock, "error", failed, "in", wait.String())
	return false, f.Gaps.SetGap(ctx, gap)
}

// fillDown indexes the end of a range, from its last block down, so that no hole is left
// between the blocks above and those that it stores. It reports whether it stored any.
func (f *Follower) fillDown(ctx context.Context, r evm.Range, head uint64) (filled bool, err error) {
	left, size := max(1, f.Workers), cmp.Or(f.span.Load(), firstSpan)
	ranges := inOrder(ctx, left, func() func(context.Context) (fetched, error) {
		if left == 0 || r.To < r.From {
			return nil
		}
		part := evm.Range{From: max(r.From, r.To-min(r.To, size-1)), To: r.To}
		if left--; part.From == 0 {
			left = 0
		}
		r.To = part.From - 1
		return func(ctx context.Context) (fetched, error) {
			got, err := f.fetch(ctx, part.From, part.To, head)
			// Heights without a block may lie at the end.
			got.r = part
			return got, err
		}
	})
	for got, err := range ranges {
		if err == nil {
			err = f.commit(ctx, got, head, func(decoded []nft.Block) error {
				return f.Store.Extend(ctx, decoded, got.r, got.proven)
			})
		}
		if err != nil {
			return filled, err
		}
		filled = true
		f.adapt(got)
	}
	return filled, ctx.Err()
}
