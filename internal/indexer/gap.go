package indexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
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

// contest is the search for the first block about which every endpoint contradicts
// itself.
type contest struct {
	// suspect is a range that contains such a block. It is halved until only the first
	// such block is left.
	suspect evm.Range
	// block is that block, first tried at since and tries times in all.
	block uint64
	since time.Time
	tries uint64
}

// end returns the last block to fetch, given the first and the last one wanted: at most
// the middle of the suspect range. suspect is true if from lies in that range.
func (c *contest) end(from, to uint64) (end uint64, suspect bool) {
	if c.tries == 0 && c.suspect == (evm.Range{}) || from < c.suspect.From || from > c.suspect.To {
		return to, false
	}
	return min(to, from+(c.suspect.To-from)/2), true
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

// dispute handles the error of a fetch. If every endpoint contradicts itself, it
// narrows the search for the first such block, so that the blocks below it can be
// stored. If that block is final, it becomes a gap after [Follower.GiveUpAfter]. All
// other errors are returned.
func (f *Follower) dispute(ctx context.Context, err error, finalized uint64) error {
	var failed *fetchError
	if f.Contradicted == nil || !errors.As(err, &failed) {
		return err
	}
	reason, contradicted := f.Contradicted(failed.err)
	if !contradicted {
		return err
	}
	if failed.r.From < failed.r.To {
		f.contest.suspect = failed.r
		return nil
	}
	c, now, number := &f.contest, f.now(), failed.r.From
	if c.tries == 0 || c.block != number {
		*c = contest{block: number, since: now}
	}
	c.suspect = failed.r
	c.tries++
	if f.Gaps == nil || number > finalized || now.Sub(c.since) <= f.GiveUpAfter {
		return fmt.Errorf("waiting for block %d, about which every endpoint contradicts itself: %w", number, err)
	}
	gap := evm.Gap{
		FromBlock: number, ToBlock: number, Reason: reason, Tries: c.tries,
		Since: uint64(c.since.Unix()), NextTry: uint64(now.Add(firstRetry).Unix()),
	}
	if err := f.Gaps.SetGap(ctx, gap); err != nil {
		return err
	}
	f.Log.Error("leaving out a block about which every endpoint contradicts itself; it is retried later", "block", number, "error", err)
	*c = contest{}
	return nil
}

// fill tries to index the first gap that is due. It reports whether a gap was due.
func (f *Follower) fill(ctx context.Context, head uint64) (tried bool, err error) {
	if f.Gaps == nil {
		return false, nil
	}
	gaps, err := f.Gaps.Gaps(ctx)
	if err != nil {
		return false, err
	}
	for _, gap := range gaps {
		// A later NextTry was set by a clock that was ahead: ignore it.
		if wait := int64(gap.NextTry) - f.now().Unix(); wait > 0 && wait <= int64(lastRetry/time.Second) {
			continue
		}
		got, err := f.fetch(ctx, gap.FromBlock, gap.ToBlock, head)
		if err == nil {
			err = f.commit(ctx, got, head, func(decoded []nft.Block) error {
				return f.Store.Extend(ctx, decoded, got.r, got.proven)
			})
		}
		if err == nil {
			f.Log.Info("filled a gap", "from", gap.FromBlock, "to", gap.ToBlock)
			return true, nil
		}
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		gap.Tries++
		if reason, contradicted := f.Contradicted(err); contradicted {
			gap.Reason = reason
		}
		wait := min(lastRetry, firstRetry<<min(gap.Tries, 20))
		gap.NextTry = uint64(f.now().Add(wait).Unix())
		f.Log.Warn("filling a gap: trying again", "from", gap.FromBlock, "to", gap.ToBlock, "error", err, "in", wait.String())
		return true, f.Gaps.SetGap(ctx, gap)
	}
	return false, nil
}

func (f *Follower) now() time.Time { return retrying.Clock{Now: f.Now}.WithDefaults().Now() }
