package indexer

import (
	"cmp"
	"context"

	"mintburn/internal/evm"
)

// SpotAuditor proves single blocks that a [Follower] stored without a proof, and
// repairs those that differ. It works while the follower is at the head, from the
// newest block down. Its fields must not change while it runs.
type SpotAuditor struct {
	// Verifier proves and repairs.
	Verifier *Verifier
	// Level reports whether the follower is at the head.
	Level func(ctx context.Context) (bool, error)
	// Next returns a range outside of skip, whose first block is proved on behalf of
	// all of them. It returns false if there is none.
	Next func(ctx context.Context, skip []evm.Range) (evm.Range, bool, error)
	// Done marks a range whose first block was proved.
	Done func(ctx context.Context, r evm.Range) error
	// Loop configures [SpotAuditor.Run]. Each step proves one block.
	Loop

	// skip are the ranges whose first block is unprovable, which only the next
	// SpotAuditor tries again. inRow is the number of unprovable blocks since the last
	// proved one.
	skip  []evm.Range
	inRow int
}

// maxUnprovable is the number of consecutive unprovable blocks after which larger and
// larger ranges are skipped: most likely all blocks down to some fork of the chain are
// unprovable, and each attempt costs calls and a stored range.
const maxUnprovable = 16

// Step proves one block. It returns [ErrIdle] if there is none to prove.
func (a *SpotAuditor) Step(ctx context.Context) error {
	var r evm.Range
	found, err := a.Level(ctx)
	if err == nil && found {
		r, found, err = a.Next(ctx, a.skip)
	}
	if err != nil || !found {
		return cmp.Or(err, ErrIdle)
	}
	block, err := a.Verifier.Prover.Proven(ctx, r.From)
	if _, unprovable := a.Verifier.unprovable(err); unprovable {
		a.leaveOut(r, err)
		return nil
	}
	if err != nil {
		return err
	}
	a.inRow = 0
	differences, err := a.Verifier.spot(ctx, block)
	if err != nil {
		return err
	}
	if differences > 0 {
		a.Log.Warn("the audit found a block that was stored incompletely: there may be others; --audit=full proves all", "block", r.From)
	}
	return a.Done(ctx, r)
}

// leaveOut skips a range whose first block is unprovable.
func (a *SpotAuditor) leaveOut(r evm.Range, reason error) {
	if a.inRow++; a.inRow == 1 {
		a.Log.Warn("the audit skips unprovable blocks", "newest", r.To, "error", reason)
	}
	if a.inRow > maxUnprovable {
		r.From -= min(r.From, 1<<min(a.inRow-maxUnprovable+5, 63))
	}
	a.skip = r.Join(a.skip)
}

// Run calls [SpotAuditor.Step] until ctx ends. Errors and panics are logged and retried
// with growing waits; errors for which [Loop.Fatal] returns true are returned.
func (a *SpotAuditor) Run(ctx context.Context) error {
	return a.repeat(ctx, "auditing single blocks", a.Step, false, nil)
}
