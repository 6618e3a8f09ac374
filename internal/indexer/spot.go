package indexer

import (
	"context"
	"log/slog"
	"time"

	"mintburn/internal/evm"
)

// SpotAuditor proves single blocks of what a [Follower] stored without a proof,
// newest first, once the follower is at the head, and repairs what differs.
type SpotAuditor struct {
	// Verifier proves and repairs.
	Verifier *Verifier
	// Level reports whether the follower is at the head.
	Level func(ctx context.Context) (bool, error)
	// Next returns a block to prove, which is the first of the blocks that it
	// stands for, and false when there is none. Done notes that these were done.
	Next func(ctx context.Context) (evm.Range, bool, error)
	Done func(ctx context.Context, r evm.Range) error
	Log  *slog.Logger
	// Pause is the time between two blocks, Poll that between two looks for a
	// block.
	Pause, Poll time.Duration
	// Unprovable reports whether an error says that the chain, or what the nodes
	// keep of it, can't be proved.
	Unprovable func(error) bool
}

// Step proves one block. It returns [ErrIdle] when there is none to prove now.
func (a *SpotAuditor) Step(ctx context.Context) error {
	level, err := a.Level(ctx)
	if err != nil {
		return err
	}
	if !level {
		return ErrIdle
	}
	r, found, err := a.Next(ctx)
	if err != nil {
		return err
	}
	if !found {
		return ErrIdle
	}
	block, err := a.Verifier.Prover.Proven(ctx, r.From)
	if err != nil {
		return err
	}
	differences, err := a.Verifier.spot(ctx, block)
	if err != nil {
		return err
	}
	if differences > 0 {
		a.Log.Warn("the audit found a block that a node had given incompletely: others may be; --audit=full proves all", "block", r.From)
	}
	return a.Done(ctx, r)
}

// Run steps until ctx ends. It ends with a warning where blocks can't be proved;
// other errors are logged and tried again, with growing waits.
func (a *SpotAuditor) Run(ctx context.Context) error {
	paused := func(ctx context.Context) error {
		err := a.Step(ctx)
		if err != nil {
			return err
		}
		timer := time.NewTimer(a.Pause)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return repeat(ctx, paused, false, a.Poll, nil, func(err error, wait time.Duration) bool {
		if a.Unprovable(err) {
			a.Log.Warn("the audit ends", "error", err)
			return false
		}
		a.Log.Warn("the audit tries again", "error", err, "in", wait.Round(time.Millisecond).String())
		return true
	})
}
