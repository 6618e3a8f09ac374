package jsonrpc

import (
	"context"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// The reasons why a header is not provable.
const (
	// ReasonFields says that the header has fields that Ethereum headers lack.
	ReasonFields = "the header has fields that Ethereum headers lack"
	// ReasonHash says that the hash is not computed as on Ethereum.
	ReasonHash = "the hash of the header is not that of its fields"
)

// unprovable decides whether to accept a run of headers that are not provable, given
// the first and the last of them. It accepts them, and returns true, if
// [settings.Options.AcceptUnprovable] is set, if they were accepted before, or if another endpoint has
// the same headers. Otherwise it returns false, or [rpcerror.ErrMismatch] if a block of the
// chain was proved before, because then the endpoint may have forged them. cause is
// the error of [node.prove].
func (c *Client) unprovable(ctx context.Context, e *node, cause error, first, last *blockHeader) (decided bool, err error) {
	run := evm.Range{From: first.Number, To: last.Number}
	c.mu.Lock()
	known := slices.ContainsFunc(c.notProvable, func(r evm.Range) bool { return r.From <= run.From && run.To <= r.To })
	proved := c.proved
	c.mu.Unlock()
	if known {
		return true, nil
	}
	if !c.o.AcceptUnprovable && !(c.agreeOn(ctx, e, first) && (first == last || c.agreeOn(ctx, e, last))) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if proved {
			return false, fmt.Errorf("%w: other blocks of this chain were proved, block %d cannot be: %w", rpcerror.ErrMismatch, run.From, cause)
		}
		return false, nil
	}
	if c.o.OnUnprovable != nil {
		reason := ReasonHash
		if len(first.object.Unknown) > 0 {
			reason = ReasonFields
		}
		if err := c.o.OnUnprovable(ctx, run, reason); err != nil {
			return false, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notProvable = run.Join(c.notProvable)
	return true, nil
}

// agreeOn reports whether another endpoint returns a header with the same hash and
// fields.
func (c *Client) agreeOn(ctx context.Context, e *node, h *blockHeader) bool {
	for _, other := range c.nodes {
		if other == e || other.Rest.Resting() || c.checkChain(ctx, other) != nil {
			continue
		}
		theirs, err := other.headerAt(ctx, h.Number)
		if err == nil && theirs.Hash == h.Hash && theirs.fieldsHash() == h.fieldsHash() {
			return true
		}
	}
	return false
}

// fieldsHash returns the hash of the header's Ethereum fields, or zero if one is
// missing.
func (h *blockHeader) fieldsHash() evm.Hash {
	_, hash, err := h.object.Ethereum()
	if err != nil {
		return evm.Hash{}
	}
	return hash
}

// isProvable records that a header of the chain is provable.
func (c *Client) isProvable() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proved = true
}
