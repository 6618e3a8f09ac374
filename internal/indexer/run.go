package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// Run calls [Follower.Step] until it reaches [Follower.To], until it reaches the head if
// once, or until ctx ends. Errors and panics are logged and retried with growing waits;
// errors for which [Loop.Fatal] returns true are returned, and so is [ErrStalled] if once.
// wake may be nil; a value received from it, such as a new head, ends a wait.
func (f *Follower) Run(ctx context.Context, once bool, wake <-chan evm.Header) error {
	if f.Poll == 0 {
		f.untilNext = func() time.Duration { return f.schedule.wait(f.now()) }
	}
	return f.repeat(ctx, "following", func(ctx context.Context) error {
		err := f.Step(ctx)
		if f.Limited != nil && f.Limited() {
			f.schedule.refused()
		}
		if err == nil && f.level && !once {
			// The step began with reading the head.
			return ErrIdle
		}
		return err
	}, once, wake)
}

// ErrStalled means that a loop made no progress for [Loop.MaxStall]. The error that wraps it
// also wraps that of the last step.
var ErrStalled = errors.New("no progress")

// Loop configures a loop over steps.
type Loop struct {
	// Log receives the errors and panics of steps.
	Log *slog.Logger
	// Pause is the time between two steps, Poll the time after a step with nothing to
	// do. If Poll is 0, [Follower.Run] chooses it by the time between two blocks, up to
	// [MaxPoll].
	Pause, Poll time.Duration
	// Fatal, if not nil, reports whether an error is returned instead of retried.
	Fatal func(error) bool
	// Lost, if not nil, reports whether an error means that the store or the source
	// cannot be reached. Then the next attempt follows within a second.
	Lost func(error) bool
	// MaxStall, if not 0, is the time without progress after which a loop that runs once
	// returns the error of its last step.
	MaxStall time.Duration
	// Panicked, if not nil, is called after each panic.
	Panicked func()
	// Now returns the time; nil means the system clock.
	Now func() time.Time

	// progressed is the time of the last progress.
	progressed time.Time
	// untilNext, if not nil, replaces Poll.
	untilNext func() time.Duration
	// woken reports that the last wait was ended by wake.
	woken bool
}

func (l *Loop) now() time.Time { return retrying.Clock{Now: l.Now}.WithDefaults().Now() }

// advanced records progress.
func (l *Loop) advanced() { l.progressed = l.now() }

// maxPause is the longest pause after failures if l.Poll is shorter, so that the next block is
// stored soon after a node that refused every call is well again.
const maxPause = 5 * time.Second

// repeat calls step until it returns [ErrDone] or, if once, [ErrIdle], or until
// ctx ends. After ErrIdle it waits for l.Poll or wake; after other errors and panics
// it waits longer each time, up to [maxPause] or l.Poll. If once, it fails with [ErrStalled] after l.MaxStall without
// progress. Log messages begin with what.
func (l *Loop) repeat(ctx context.Context, what string, step func(context.Context) error, once bool, wake <-chan evm.Header) error {
	failures := 0
	l.advanced()
	for {
		err := retrying.Safely(l.Log, l.Panicked, func() error { return step(ctx) })
		wait := time.Duration(0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			l.advanced()
			failures, wait = 0, l.Pause
		case errors.Is(err, ErrDone), errors.Is(err, ErrIdle) && once:
			return nil
		case errors.Is(err, ErrIdle):
			failures, wait = 0, l.Poll
			if l.untilNext != nil {
				wait = l.untilNext()
			}
		case l.Fatal != nil && l.Fatal(err):
			return err
		case once && l.MaxStall > 0 && l.now().Sub(l.progressed) >= l.MaxStall:
			return fmt.Errorf("%w for %s: %w", ErrStalled, l.MaxStall, err)
		default:
			failures++
			if wait = min(retrying.Pause(failures, rand.Float64()), max(maxPause, l.Poll)); l.Lost != nil && l.Lost(err) {
				wait = retrying.ShortPause(failures, rand.Float64())
			}
			l.Log.Warn(what+": trying again", "error", err, "in", wait.Round(time.Millisecond).String())
		}
		if wait == 0 {
			continue
		}
		l.woken = false
		select {
		case <-time.After(wait):
		case _, l.woken = <-wake:
			if !l.woken {
				// The subscription ended: from now on only Poll ends a wait.
				wake = nil
			}
		case <-ctx.Done():
		}
	}
}
