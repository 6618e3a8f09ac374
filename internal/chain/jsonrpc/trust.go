package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/node"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
)

// checkChain checks that an endpoint serves the right chain and branch. After a
// success it does nothing until the endpoint fails.
func (c *Client) checkChain(ctx context.Context, e *member) error {
	if err := e.Probe(ctx); err != nil || e.checked.Load() {
		return err
	}
	err := c.checkID(ctx, e)
	if err == nil {
		err = c.checkFinal(ctx, e)
	}
	err = e.Secrets.Hidden(err)
	e.checked.Store(err == nil)
	if wrongChain, wrongBranch := errors.Is(err, rpcerror.ErrWrongChain), errors.Is(err, rpcerror.ErrWrongBranch); err == nil || wrongChain || wrongBranch {
		e.wrongChain.Store(wrongChain)
		e.contradicts.Store(wrongBranch)
	}
	return err
}

// checkID compares an endpoint's chain id with c.chainID, which the first endpoint
// sets.
func (c *Client) checkID(ctx context.Context, e *member) error {
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
	if i := slices.IndexFunc(c.endpoints, func(e *member) bool { return e.checked.Load() }); i >= 0 {
		return c.endpoints[i].Name
	}
	return "another endpoint"
}

// checkFinal compares the last stored final block with the endpoint's block at that
// height. If the endpoint's head is lower, it compares the last stored final block up
// to the endpoint's finalized block.
func (c *Client) checkFinal(ctx context.Context, e *member) error {
	if c.o.Final == nil {
		return nil
	}
	head, err := e.Head(ctx)
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
	theirs, err := e.HeaderAt(ctx, ours.Number)
	if err != nil {
		return err
	}
	if theirs.Hash != ours.Hash {
		return fmt.Errorf("%w: %s has %s as block %d, the stored final block is %s", rpcerror.ErrWrongBranch, e.Name, theirs.Hash, ours.Number, ours.Hash)
	}
	return nil
}

// others returns the nodes besides one that are ready and serve the right chain.
func (c *Client) others(ctx context.Context, n *node.Node) iter.Seq[*node.Node] {
	return func(yield func(*node.Node) bool) {
		for _, other := range c.endpoints {
			if other.Node == n || other.Rest.Resting() || c.checkChain(ctx, other) != nil {
				continue
			}
			if !yield(other.Node) {
				return
			}
		}
	}
}
