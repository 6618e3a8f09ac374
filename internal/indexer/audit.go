package indexer

import (
	"cmp"
	"context"
	"fmt"

	"mintburn/internal/evm"
)

// Auditor proves the blocks that a [Follower] stored without a proof, beside it,
// and repairs those that differ from the chain. Its fields must not change while
// it runs.
type Auditor struct {
	// Verifier proves and repairs.
	Verifier *Verifier
	// Unverified returns the next range to prove outside of skip, and false if
	// there is none.
	Unverified func(ctx context.Context, skip []evm.Range) (evm.Range, bool, error)
	// Loop is what [Auditor.Run] does between steps.
	Loop

	// skip are the blocks that can't be proved. They are tried again by the next
	// Auditor.
	skip []evm.Range
}

// auditSpan is the number of blocks that are proved in one step.
const auditSpan = 10_000

// Step proves some blocks. It returns [ErrIdle] if there is none to prove.
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

// Run steps until ctx ends or, if once, until no block is left that can be proved.
// Errors and panics are logged and retried with growing waits, except those for
// which [Loop.Fatal] holds.
func (a *Auditor) Run(ctx context.Context, once bool) error {
	return a.repeat(ctx, "auditing", a.Step, once, nil)
}
