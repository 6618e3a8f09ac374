package indexer

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// Run steps until [Follower.To] is reached or, if once, until the store is
// level with the chain; otherwise until ctx ends. Errors and panics are logged
// and retried with growing waits, except those for which [Follower.Fatal] holds.
// wake may be nil; a value received from it, such as a new head, ends a wait.
func (f *Follower) Run(ctx context.Context, once bool, wake <-chan evm.Header) error {
	r := retries{what: "following", log: f.Log, fatal: f.Fatal, panicked: f.Panicked}
	return r.repeat(ctx, f.Step, once, f.Poll, wake)
}

// retries says what happens to the errors of a step.
type retries struct {
	// what is being done, for the log.
	what string
	log  *slog.Logger
	// pause is the time between two steps.
	pause time.Duration
	// fatal, if not nil, reports errors that are returned instead of retried.
	fatal func(error) bool
	// panicked, if not nil, is called after each panic.
	panicked func()
}

// repeat calls step until it returns [ErrDone] or, if once, [ErrIdle], or until
// ctx ends. After ErrIdle it waits for poll or wake; after another error or a
// panic it waits longer each time.
func (r *retries) repeat(ctx context.Context, step func(context.Context) error, once bool, poll time.Duration, wake <-chan evm.Header) error {
	failures := 0
	for {
		err := retrying.Safely(r.log, r.panicked, func() error { return step(ctx) })
		wait := time.Duration(0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures, wait = 0, r.pause
		case errors.Is(err, ErrDone), errors.Is(err, ErrIdle) && once:
			return nil
		case errors.Is(err, ErrIdle):
			failures, wait = 0, poll
		case r.fatal != nil && r.fatal(err):
			return err
		default:
			failures++
			wait = retrying.Pause(failures, rand.Float64())
			r.log.Warn(r.what+": trying again", "error", err, "in", wait.Round(time.Millisecond).String())
		}
		if wait == 0 {
			continue
		}
		select {
		case <-time.After(wait):
		case _, open := <-wake:
			if !open {
				// The subscription ended: from now on only poll wakes.
				wake = nil
			}
		case <-ctx.Done():
		}
	}
}
