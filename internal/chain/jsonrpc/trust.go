package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// ChainID returns the chain's id. It calls every endpoint that was not checked yet.
// Without [Options.ChainID] it fails with [rpcerror.ErrWrongChain] if two endpoints return
// different ids, and names both; with it, if no endpoint returns that id. It ignores
// endpoints that fail as long as one answers; they are checked before their first use. If
// none answers, it repeats temporary failures like any other call.
func (c *Client) ChainID(ctx context.Context) (uint64, error) {
	var failed error
	agreed := false
	for _, e := range c.nodes {
		err := c.checkChain(ctx, e)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if rpcerror.IsTransient(err) {
			e.failed(err)
		}
		switch {
		case errors.Is(err, rpcerror.ErrWrongChain) && c.o.ChainID == nil:
			return 0, err
		case err == nil, errors.Is(err, rpcerror.ErrWrongBranch):
			agreed = true
		case failed == nil || errors.Is(err, rpcerror.ErrWrongChain):
			failed = err
		}
	}
	if !agreed && rpcerror.IsTransient(failed) {
		err := c.waitReady(ctx)
		if err == nil {
			err = c.try(ctx, "connecting", func(*node) error { return nil })
		}
		failed, agreed = err, err == nil
	}
	if !agreed {
		return 0, failed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.chainID, nil
}

// Recheck is [Client.ChainID] that also calls the endpoints checked before, because
// another node may be behind a URL by now.
func (c *Client) Recheck(ctx context.Context) error {
	for _, e := range c.nodes {
		set(e, &e.checked, false)
	}
	_, err := c.ChainID(ctx)
	return err
}

// checkChain checks that an endpoint serves the right chain and branch. After a
// success it does nothing until the endpoint fails.
func (c *Client) checkChain(ctx context.Context, e *node) error {
	if err := e.Probe(ctx); err != nil || get(e, &e.checked) {
		return err
	}
	err := c.checkID(ctx, e)
	if err == nil {
		err = c.checkFinal(ctx, e)
	}
	err = e.Secrets.Hidden(err)
	e.mu.Lock()
	defer e.mu.Unlock()
	wrongChain, wrongBranch := errors.Is(err, rpcerror.ErrWrongChain), errors.Is(err, rpcerror.ErrWrongBranch)
	if e.checked = err == nil; e.checked || wrongChain || wrongBranch {
		e.wrongChain, e.contradicts = wrongChain, wrongBranch
	}
	return err
}

// checkID compares an endpoint's chain id with c.chainID, which the first endpoint
// sets.
func (c *Client) checkID(ctx context.Context, e *node) error {
	asked := &endpoint.Call{Method: "eth_chainId"}
	if err := e.Ask(ctx, asked); err != nil {
		return fmt.Errorf("reading the chain id: %w", err)
	}
	if asked.Null() {
		return rpcerror.Inconsistent("%s: chain id null", e.Name)
	}
	id, err := wire.Quantity(asked.Result, math.MaxUint64)
	if err != nil {
		return rpcerror.Inconsistent("%s: chain id: %w", e.Name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.chainID == nil:
		c.chainID = &id
	case *c.chainID == id:
	case c.o.ChainID != nil:
		return fmt.Errorf("%w: %s serves chain %d, want chain %d", rpcerror.ErrWrongChain, e.Name, id, *c.chainID)
	default:
		return fmt.Errorf("%w: %s serves chain %d, %s serves chain %d", rpcerror.ErrWrongChain, e.Name, id, c.checkedName(), *c.chainID)
	}
	return nil
}

// checkedName returns the name of an endpoint whose chain id was checked.
func (c *Client) checkedName() string {
	if i := slices.IndexFunc(c.nodes, func(e *node) bool { return get(e, &e.checked) }); i >= 0 {
		return c.nodes[i].Name
	}
	return "another endpoint"
}

// checkFinal compares the last stored final block with the endpoint's block at that
// height. If the endpoint's head is lower, it compares the last stored final block up
// to the endpoint's finalized block.
func (c *Client) checkFinal(ctx context.Context, e *node) error {
	if c.o.Final == nil {
		return nil
	}
	head, err := c.headOf(ctx, e)
	if err != nil {
		return err
	}
	ours, found, err := c.o.Final(ctx, math.MaxInt64)
	if err == nil && found && ours.Number > head.Latest.Number {
		ours, found, err = c.o.Final(ctx, head.Finalized.Number)
	}
	if err != nil || !found {
		return err
	}
	theirs, err := e.headerAt(ctx, ours.Number)
	if err != nil {
		return err
	}
	if theirs.Hash != ours.Hash {
		return fmt.Errorf("%w: %s has %s as block %d, the stored final block is %s", rpcerror.ErrWrongBranch, e.Name, theirs.Hash, ours.Number, ours.Hash)
	}
	return nil
}

// rememberedFinal is the number of finalized blocks remembered for each endpoint.
const rememberedFinal = 64

// losesVote records the finalized block of an endpoint, and reports whether the
// endpoint has replaced an earlier one. If so, its finalized block is ignored from
// then on unless it is at least [Options.Depth] below its head.
func (c *Client) losesVote(ctx context.Context, e *node, head *Head) (bool, error) {
	e.mu.Lock()
	var last, before evm.BlockRef
	for _, ref := range e.finalized {
		if last = ref; ref.Number <= head.Latest.Number {
			before = ref
		}
	}
	e.mu.Unlock()
	if head.Finalized.BlockRef == last {
		return false, nil
	}
	if before.Hash != (evm.Hash{}) && before != head.Finalized.BlockRef && before.Hash != head.Finalized.ParentHash {
		now, err := e.headerAt(ctx, before.Number)
		if err != nil {
			return false, err
		}
		if now.Hash != before.Hash {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.retracted, e.retractedTo = last, e.highest-min(e.highest, c.o.Depth)
			e.finalized = nil
			return true, nil
		}
	}
	if head.Finalized.Number > last.Number {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.finalized = append(e.finalized[max(0, len(e.finalized)+1-rememberedFinal):], head.Finalized.BlockRef)
	}
	return false, nil
}

// lowerFinality lowers the finalized block of e's head to the lowest finalized block
// of all healthy endpoints.
func (c *Client) lowerFinality(e *node, head *Head) {
	for _, other := range c.nodes {
		other.mu.Lock()
		healthy := other.checked && !other.Rest.Resting() && !other.behind && other.lastFinalized.Hash != (evm.Hash{})
		if h := other.lastFinalized; other != e && healthy && h.Number < head.Finalized.Number {
			head.Finalized = h
		}
		other.mu.Unlock()
	}
}
