package indexer

import (
	"cmp"
	"context"

	"mintburn/internal/evm"
)

// SpotAuditor proves single blocks that a [Follower] stored without a proof,
// newest first, once the follower is at the head, and repairs those that differ.
// Its fields must not change while it runs.
type SpotAuditor struct {
	// Verifier proves and repairs.
	Verifier *Verifier
	// Level reports whether the follower is at the head.
	Level func(ctx context.Context) (bool, error)
	// Next returns a block to prove outside of skip: the first of the blocks that
	// it stands for. It returns false if there is none.
	Next func(ctx context.Context, skip []evm.Range) (evm.Range, bool, error)
	// Done marks the blocks that a proved one stands for.
	Done func(ctx context.Context, r evm.Range) error
	// Loop is what [SpotAuditor.Run] does between steps, each of which proves a block.
	Loop

	// skip are the blocks whose spots can't be proved, inRow is the number of such
	// spots since the last one that was proved. They are tried again by the next
	// SpotAuditor.
	skip  []evm.Range
	inRow int
}

// maxUnprovable is the number of unprovable spots in a row after which ever larger
// ranges are skipped: most likely the whole range down to some fork of the chain is
// unprovable, and each try costs calls and a stored range.
const maxUnprovable = 16

// Step proves one block. It returns [ErrIdle] if there is none to prove now.
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
		a.Log.Warn("the audit found a block that a node had given incompletely: others may be; --audit=full proves all", "block", r.From)
	}
	return a.Done(ctx, r)
}

// leaveOut skips the blocks for which an unprovable one stands.
func (a *SpotAuditor) leaveOut(r evm.Range, reason error) {
	if a.inRow++; a.inRow == 1 {
		a.Log.Warn("the audit skips blocks that can't be proved", "newest", r.To, "error", reason)
	}
	if a.inRow > maxUnprovable {
		r.From -= min(r.From, 1<<min(a.inRow-maxUnprovable+5, 63))
	}
	a.skip = r.Join(a.skip)
}

// Run steps until ctx ends. Errors and panics are logged and retried with growing
// waits, except those for which [Loop.Fatal] holds.
func (a *SpotAuditor) Run(ctx context.Context) error {
	return a.repeat(ctx, "auditing single blocks", a.Step, false, nil)
}
