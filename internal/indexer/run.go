package indexer

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintburn/internal/evm"
)

// maxWait is the longest time between two tries.
const maxWait = 30 * time.Second

// Run steps until [Follower.To] is reached or, if once, until the store is
// level with the chain; otherwise until ctx ends. Errors and panics are logged
// and tried again, with growing waits; Run itself fails only with ctx's error. wake may
// be nil; what it receives cuts a wait short, such as news of a new head.
func (f *Follower) Run(ctx context.Context, once bool, wake <-chan evm.Header) error {
	return repeat(ctx, f.Step, once, f.Poll, wake, func(err error, wait time.Duration) bool {
		logPanic(f.Log, err, f.Panicked)
		f.Log.Warn("trying again", "error", err, "in", wait.Round(time.Millisecond).String())
		return true
	})
}

// repeat calls step until it returns [ErrDone] or, if once, [ErrIdle], or until
// ctx ends. After ErrIdle it waits for poll or wake; after another error or a
// panic ever longer, unless again says that there is no use.
func repeat(ctx context.Context, step func(context.Context) error, once bool, poll time.Duration, wake <-chan evm.Header,
	again func(err error, wait time.Duration) bool,
) error {
	failures := 0
	for {
		err := safely(func() error { return step(ctx) })
		wait := time.Duration(0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures = 0
		case errors.Is(err, ErrDone), errors.Is(err, ErrIdle) && once:
			return nil
		case errors.Is(err, ErrIdle):
			failures, wait = 0, poll
		default:
			failures++
			wait = backOff(failures)
			if !again(err, wait) {
				return nil
			}
		}
		if wait == 0 {
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case _, open := <-wake:
			if !open {
				// The subscription ended: from now on only poll wakes.
				wake = nil
			}
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// backOff grows with the failures in a row and is spread, so that several
// followers of one node do not come back together.
func backOff(failures int) time.Duration {
	wait := min(100*time.Millisecond<<min(failures-1, 10), maxWait)
	return wait/2 + rand.N(wait/2)
}
