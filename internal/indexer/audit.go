package indexer

import (
	"context"
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
	// nodes keep of it, cannot be proved.
	Unprovable func(error) bool
	// Panicked, if not nil, is called after each panic that [Auditor.Run]
	// caught.
	Panicked func()
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
// with a warning where blocks cannot be proved; other errors are logged and
// tried again, with growing waits.
func (a *Auditor) Run(ctx context.Context, once bool) error {
	return repeat(ctx, a.Step, once, a.Poll, nil, func(err error, wait time.Duration) bool {
		if logPanic(a.Log, err, a.Panicked); a.Unprovable(err) {
			a.Log.Warn("the audit ends", "error", err)
			return false
		}
		a.Log.Warn("the audit tries again", "error", err, "in", wait.Round(time.Millisecond).String())
		return true
	})
}
