package command

import (
	"fmt"
	"sync"
	"sync/atomic"

	"mintburn/internal/indexer"
)

// indexed counts the blocks that a follower has indexed.
type indexed struct {
	progress   *progress
	done, left atomic.Int64
	// last is the number of the last indexed block, head that of the last block of the chain.
	last, head    atomic.Uint64
	mints, reorgs atomic.Int64
	// endless is set for a follower that continues at the head.
	endless bool
	env     *env
	// atHead is closed at the head; mintsBefore is mints at that time.
	atHead      chan struct{}
	mintsBefore int64
	once        sync.Once
}

// String returns the counts as the rest of a sentence that begins with "Indexed".
func (i *indexed) String() string {
	done := i.done.Load()
	if done == 0 {
		return "nothing: the database is at the head of the chain"
	}
	return fmt.Sprintf("%d blocks with %d mints and burns, up to block %d", done, i.progress.records.Load(), i.last.Load())
}

// newIndexed shows the progress of a follower or a verifier. An endless one shows it up to the
// head.
func newIndexed(e *env, endless bool) *indexed {
	i := &indexed{env: e, endless: endless, atHead: make(chan struct{})}
	i.progress = newProgress(e, "blocks", func() (done, size int64) {
		done = i.done.Load()
		return done, done + i.left.Load()
	})
	return i
}

// add counts a committed transaction.
func (i *indexed) add(p indexer.Progress) {
	i.left.Store(max(0, int64(p.Head)-int64(p.Block)))
	i.last.Store(p.Block)
	i.mints.Add(int64(p.Mints))
	i.progress.add(p.Records)
	// Last, because show logs each number of blocks only once, with the other counts.
	i.done.Add(int64(p.Blocks))
	if i.endless && p.Block >= p.Head {
		i.caughtUp(p.Block)
	}
}

// caughtUp ends the progress of an endless follower and says so, once.
func (i *indexed) caughtUp(block uint64) {
	i.once.Do(func() {
		i.progress.stop()
		if i.env.terminal != nil {
			fmt.Fprintf(i.env.terminal, "caught up at block %d\n", block)
		} else {
			i.env.log.Info("caught up", "block", block)
		}
		i.mintsBefore = i.mints.Load()
		close(i.atHead)
	})
}
