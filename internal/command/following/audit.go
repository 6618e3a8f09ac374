package following

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
	"mintburn/internal/store/check"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
)

// newAuditor returns an auditor that proves and repairs finalized blocks.
func newAuditor(e *process.Env, s *write.DB, client *jsonrpc.Client, d *nft.Decoder) *indexer.Auditor {
	return &indexer.Auditor{
		Verifier: &indexer.Verifier{
			Prover: client, Records: proof.Of(s), Decoder: d, Workers: 4, Repair: proof.Of(s).Repair, Unprovable: ReasonUnprovable,
			Report: func(line string) { e.Log.Warn("auditing", "found", line) },
		},
		Unverified: proof.Of(s).Unverified,
		Loop:       indexer.Loop{Log: e.Log, Poll: 10 * time.Second, Fatal: fatal(e), Panicked: e.Events.Panics.Inc, Now: e.Now},
	}
}

// doubtful returns an auditor of the ranges that an endpoint returned before it was
// caught leaving logs out.
func doubtful(a *indexer.Auditor, client *jsonrpc.Client, s *write.DB) *indexer.Auditor {
	of := *a
	of.Unverified = func(ctx context.Context, skip []evm.Range) (evm.Range, bool, error) {
		return proof.Of(s).UnverifiedIn(ctx, client.Doubtful(), skip)
	}
	return &of
}

// spots proves single blocks once the follower of the blocks from a number on has reached the head.
func spots(ctx context.Context, e *process.Env, s *write.DB, client *jsonrpc.Client, v *indexer.Verifier, from uint64) error {
	left, err := proof.Of(s).SpotsLeft(ctx)
	if err == nil && left > 0 {
		// Two calls for each: header and receipts.
		e.Log.Info("proving blocks in the background that were read from logs alone: those with records, and a sample of the others",
			"blocks", left, "calls_at_most", 2*left)
	}
	return (&indexer.SpotAuditor{
		Verifier: v, Next: proof.Of(s).NextSpot, Done: proof.Of(s).Spotted,
		Loop: indexer.Loop{Log: e.Log, Pause: time.Second, Poll: indexer.MaxPoll, Fatal: fatal(e), Panicked: e.Events.Panics.Inc},
		Level: func(ctx context.Context) (bool, error) {
			tip, _, found, err := s.Tip(ctx, from)
			head := uint64(0)
			for _, h := range client.Health() {
				head = max(head, h.Head)
			}
			return found && head > 0 && tip.Number+NearHead >= head, err
		},
	}).Run(ctx)
}

// NearHead is how far below the head, in blocks, a follower counts as having reached it.
const NearHead = 16

// settle proves the ranges that were stored before their endpoint was caught leaving
// logs out. It fails if they cannot be proved, because logs may be missing.
func settle(ctx context.Context, doubtful *indexer.Auditor) error {
	if err := doubtful.Run(ctx, true); err != nil {
		return err
	}
	r, left, err := doubtful.Unverified(ctx, nil)
	if err == nil && left {
		err = fmt.Errorf("logs may be missing from block %d on: an endpoint leaves logs out, and its blocks can't be proved; sync a new database from another endpoint", r.From)
	}
	return err
}

// ReasonUnprovable reports whether err means that no node can prove a block. It also
// returns the class of the reason.
func ReasonUnprovable(err error) (class string, unprovable bool) {
	for _, reason := range []error{rpcerror.ErrNotProvable, rpcerror.ErrPruned} {
		if errors.Is(err, reason) {
			return reason.Error(), true
		}
	}
	return "", false
}

// fillDigests adds missing digests until ctx ends, with about a tenth of a core. After each pause
// without any it looks for those of new blocks.
func fillDigests(ctx context.Context, e *process.Env, s *write.DB, pause time.Duration) error {
	for next := time.Duration(0); ; {
		if err := retrying.Sleep(ctx, next); err != nil {
			return err
		}
		began, done := time.Now(), false
		err := retrying.Safely(e.Log, e.Events.Panics.Inc, func() (err error) {
			_, done, err = write.FillDigests(ctx, s)
			return err
		})
		if next = 9 * time.Since(began); done || err != nil {
			next = pause
		}
		if err != nil && ctx.Err() == nil {
			e.Log.Warn("adding digests: trying again", "error", err, "in", next.String())
		}
	}
}

// checkCounters compares counters with records until ctx ends. After each pause, it
// compares a part of one filter's counters.
func checkCounters(ctx context.Context, e *process.Env, s *write.DB, pause time.Duration) error {
	counters := check.NewCounters(s, func(line string) { e.Log.Warn("repairing counters", "difference", line) })
	for next := pause; ; {
		if err := retrying.Sleep(ctx, next); err != nil {
			return err
		}
		err := retrying.Safely(e.Log, e.Events.Panics.Inc, func() error { return counters.Step(ctx) })
		if next = pause; err != nil && ctx.Err() == nil {
			next = 60 * pause
			e.Log.Warn("checking counters: trying again", "error", err, "in", next.String())
		}
	}
}
