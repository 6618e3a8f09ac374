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
// and retried with growing waits, except those for which [Loop.Fatal] holds.
// wake may be nil; a value received from it, such as a new head, ends a wait.
func (f *Follower) Run(ctx context.Context, once bool, wake <-chan evm.Header) error {
	return f.repeat(ctx, "following", f.Step, once, wake)
}

// Loop is what a loop over steps does between them.
type Loop struct {
	// Log gets the errors of steps, and the panics.
	Log *slog.Logger
	// Pause is the time between two steps, Poll that after a step without anything
	// to do.
	Pause, Poll time.Duration
	// Fatal, if not nil, reports errors that are returned instead of retried.
	Fatal func(error) bool
	// Lost, if not nil, reports errors of a store that is away: the next try comes
	// within a second.
	Lost func(error) bool
	// Panicked, if not nil, is called after each panic.
	Panicked func()
}

// repeat calls step until it returns [ErrDone] or, if once, [ErrIdle], or until
// ctx ends. After ErrIdle it waits for l.Poll or wake; after another error or a
// panic it waits longer each time. The log names what is done.
func (l *Loop) repeat(ctx context.Context, what string, step func(context.Context) error, once bool, wake <-chan evm.Header) error {
	failures := 0
	for {
		err := retrying.Safely(l.Log, l.Panicked, func() error { return step(ctx) })
		wait := time.Duration(0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures, wait = 0, l.Pause
		case errors.Is(err, ErrDone), errors.Is(err, ErrIdle) && once:
			return nil
		case errors.Is(err, ErrIdle):
			failures, wait = 0, l.Poll
		case l.Fatal != nil && l.Fatal(err):
			return err
		default:
			failures++
			if wait = retrying.Pause(failures, rand.Float64()); l.Lost != nil && l.Lost(err) {
				wait = retrying.ShortPause(failures, rand.Float64())
			}
			l.Log.Warn(what+": trying again", "error", err, "in", wait.Round(time.Millisecond).String())
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
