package indexer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mintburn/internal/evm"
)

// Auditor proves what a [Follower] stored without a proof, behind its back, and
// repairs what differs from the chain.
type Auditor struct {
	// Verifier proves and repairs.
	Verifier *Verifier
	// Unverified returns the next range to prove, and false when there is none.
	Unverified func(ctx context.Context) (evm.Range, bool, error)
	Log        *slog.Logger
	// Poll is the time between two looks for something to prove.
	Poll time.Duration
	// Unprovable reports whether an error says that the chain, or what the
	// nodes keep of it, can not be proved.
	Unprovable func(error) bool
}

// auditSpan is how many blocks are proved in one step.
const auditSpan = 256

// Step proves some blocks. It returns [ErrIdle] when there is nothing to prove.
func (a *Auditor) Step(ctx context.Context) error {
	r, found, err := a.Unverified(ctx)
	switch {
	case err != nil:
		return err
	case !found:
		return ErrIdle
	}
	r.To = min(r.To, r.From+auditSpan-1)
	_, err = a.Verifier.Verify(ctx, r)
	return err
}

// Run steps until ctx ends or, if once, until nothing is left to prove. It ends
// with a warning where blocks can not be proved; other errors are logged and
// tried again, with growing waits.
func (a *Auditor) Run(ctx context.Context, once bool) error {
	failures := 0
	for {
		err := a.Step(ctx)
		wait := time.Duration(0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			failures = 0
		case errors.Is(err, ErrIdle) && once:
			return nil
		case errors.Is(err, ErrIdle):
			failures, wait = 0, a.Poll
		case a.Unprovable(err):
			a.Log.Warn("the audit ends", "error", err)
			return nil
		default:
			failures++
			wait = backOff(failures)
			a.Log.Warn("the audit tries again", "error", err, "in", wait.Round(time.Millisecond).String())
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}
