package indexer

import (
	"cmp"
	"context"
	"fmt"

	"mintburn/internal/evm"
)

// Auditor proves the blocks that a [Follower] stored without a proof, while the
// follower runs, and repairs those that differ from the chain. Its fields must not
// change while it runs.
type Auditor struct {
	// Verifier proves and repairs.
	Verifier *Verifier
	// Unverified returns the next range to prove outside of skip, and false if
	// there is none.
	Unverified func(ctx context.Context, skip []evm.Range) (evm.Range, bool, error)
	// Loop configures [Auditor.Run].
	Loop

	// skip are the unprovable blocks, which only the next Auditor tries again.
	skip []evm.Range
}

// auditSpan is the most blocks proved in one step.
const auditSpan = 10_000

// Step proves up to [auditSpan] blocks. It returns [ErrIdle] if there are none to prove.
func (a *Auditor) Step(ctx context.Context) error {
	r, left, err := a.Unverified(ctx, a.skip)
	if err != nil || !left {
		return cmp.Or(err, ErrIdle)
	}
	r.To = min(r.To, r.From+auditSpan-1)
	found, err := a.Verifier.Verify(ctx, r)
	for _, unprovable := range found.Unprovable {
		a.skip = unprovable.Join(a.skip)
	}
	if err == nil && found.Differing > 0 {
		err = fmt.Errorf("%d of blocks %d to %d differ and are not repaired", found.Differing, r.From, r.To)
	}
	return err
}

// Run calls [Auditor.Step] until ctx ends or, if once, until no provable block is left.
// Errors and panics are logged and retried with growing waits; errors for which
// [Loop.Fatal] returns true are returned.
func (a *Auditor) Run(ctx context.Context, once bool) error {
	return a.repeat(ctx, "auditing", a.Step, once, nil)
}
