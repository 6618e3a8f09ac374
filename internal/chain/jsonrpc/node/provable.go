package node

import (
	"context"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/evm"
)

// unprovable decides whether to accept a run of headers that are not provable, given
// the first and the last of them. It accepts them, and returns true, if
// [settings.Options.AcceptUnprovable] is set, if they were accepted before, or if another endpoint has
// the same headers. Otherwise it returns false, or [rpcerror.ErrMismatch] if a block of the
// chain was proved before, because then the endpoint may have forged them. cause is
// the error of [node.prove].
func (e *Node) unprovable(ctx context.Context, cause error, first, last *Header) (decided bool, err error) {
	run := evm.Range{From: first.Number, To: last.Number}
	e.chain.mu.Lock()
	known := slices.ContainsFunc(e.chain.notProvable, func(r evm.Range) bool { return r.From <= run.From && run.To <= r.To })
	proved := e.chain.proved
	e.chain.mu.Unlock()
	if known {
		return true, nil
	}
	if !e.o.AcceptUnprovable && !(e.agreeOn(ctx, first) && (first == last || e.agreeOn(ctx, last))) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if proved {
			return false, fmt.Errorf("%w: other blocks of this chain were proved, block %d cannot be: %w", rpcerror.ErrMismatch, run.From, cause)
		}
		return false, nil
	}
	if e.o.OnUnprovable != nil {
		reason := settings.ReasonHash
		if len(first.object.Unknown) > 0 {
			reason = settings.ReasonFields
		}
		if err := e.o.OnUnprovable(ctx, run, reason); err != nil {
			return false, err
		}
	}
	e.chain.mu.Lock()
	defer e.chain.mu.Unlock()
	e.chain.notProvable = run.Join(e.chain.notProvable)
	return true, nil
}

// agreeOn reports whether another endpoint returns a header with the same hash and
// fields.
func (e *Node) agreeOn(ctx context.Context, h *Header) bool {
	for other := range e.chain.others(ctx, e) {
		theirs, err := other.HeaderAt(ctx, h.Number)
		if err == nil && theirs.Hash == h.Hash && theirs.fieldsHash() == h.fieldsHash() {
			return true
		}
	}
	return false
}

// isProvable records that a header of the chain is provable.
func (c *Chain) isProvable() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proved = true
}
