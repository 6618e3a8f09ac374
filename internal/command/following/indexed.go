package following

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/command/console"
	"mintburn/internal/command/process"
	"mintburn/internal/command/state"
	"mintburn/internal/indexer"
	"mintburn/internal/retrying"
	"mintburn/internal/store/write"
)

// Indexed counts the blocks that a follower has indexed.
type Indexed struct {
	Progress   *console.Progress
	done, left atomic.Int64
	// last is the number of the last indexed block, head that of the last block of the chain.
	last, head    atomic.Uint64
	mints, reorgs atomic.Int64
	// endless is set for a follower that continues at the head.
	endless bool
	env     *process.Env
	// atHead is closed at the head; mintsBefore is mints at that time.
	atHead      chan struct{}
	mintsBefore int64
	once        sync.Once
}

// String returns the counts as the rest of a sentence that begins with "Indexed".
func (i *Indexed) String() string {
	done := i.done.Load()
	if done == 0 {
		return "nothing: the database is at the head of the chain"
	}
	return fmt.Sprintf("%s with %d mints and burns, up to block %d", console.Count(done, "block"), i.Progress.Records.Load(), i.last.Load())
}

// NewIndexed shows the progress of a follower or a verifier. An endless one shows it up to the
// head.
func NewIndexed(e *process.Env, endless bool) *Indexed {
	i := &Indexed{env: e, endless: endless, atHead: make(chan struct{})}
	i.Progress = console.NewProgress(e.Console, "blocks", func() (done, size int64) {
		done = i.done.Load()
		return done, done + i.left.Load()
	})
	return i
}

// Add counts a committed transaction.
func (i *Indexed) Add(p indexer.Progress) {
	i.left.Store(max(0, int64(p.Head)-int64(p.Block)))
	i.last.Store(p.Block)
	i.mints.Add(int64(p.Mints))
	i.Progress.Add(p.Records)
	// Last, because show logs each number of blocks only once, with the other counts.
	i.done.Add(int64(p.Blocks))
	if i.endless && p.Block >= p.Head {
		i.caughtUp(p.Block)
	}
}

// caughtUp ends the progress of an endless follower and says so, once.
func (i *Indexed) caughtUp(block uint64) {
	i.once.Do(func() {
		i.Progress.Stop()
		if i.env.Terminal != nil {
			fmt.Fprintf(i.env.Terminal, "caught up at block %d\n", block)
		} else {
			i.env.Log.Info("caught up", "block", block)
		}
		i.mintsBefore = i.mints.Load()
		close(i.atHead)
	})
}

// status shows the state of a follower at the head until ctx ends: a line on a terminal, a log
// line a minute elsewhere.
func (i *Indexed) status(ctx context.Context, e *process.Env, s *write.DB) {
	every := 6 * e.Every
	if e.Terminal != nil {
		every = e.Every / 5
		defer e.Terminal.Show("")
	}
	for caughtUp := false; !caughtUp; {
		select {
		case <-i.atHead:
			caughtUp = true
		case <-time.After(min(every, time.Second)):
			// Without a commit, only the stored head shows that nothing is missing.
			chain, err := state.ChainOf(ctx, s)
			if head := i.head.Load(); err == nil && head > 0 && i.done.Load() == 0 && chain.Head != nil && chain.Head.Number >= head {
				i.caughtUp(chain.Head.Number)
			}
		case <-ctx.Done():
			return
		}
	}
	recent := console.Window{Span: time.Minute}
	recent.Since(e.Now(), i.mintsBefore)
	for retrying.Sleep(ctx, every) == nil {
		now := e.Now()
		mints, _ := recent.Since(now, i.mints.Load())
		figures, err := state.FiguresOf(ctx, s, now)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && e.Terminal != nil:
			e.Terminal.Show(console.OneLine(err))
		case err != nil:
			e.Log.Warn("reading the state of the chain", "error", err)
		case e.Terminal != nil:
			e.Terminal.Show(fmt.Sprintf("head %d, lag %s, %d mints/min, documents: %d waiting, %d failed, %d reorgs",
				figures.Head, figures.Lag, mints[0], figures.Waiting, figures.Failed, i.reorgs.Load()))
		default:
			e.Log.Info("following", "block", figures.Head, "lag", figures.Lag.String(), "mints_last_minute", mints[0],
				"documents_waiting", figures.Waiting, "documents_failed", figures.Failed, "reorgs", i.reorgs.Load())
		}
	}
}
