package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mintburn/internal/chain/jsonrpc/node"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// Head is the end of a chain, as one node sees it.
type Head = node.Head

// Head returns the head of the first healthy endpoint that is not far behind
// another. Finalized is the lowest finalized block that such endpoints reported.
func (c *Client) Head(ctx context.Context) (head Head, err error) {
	err = c.try(ctx, "reading the head", func(e *member) error {
		found, err := e.Head(ctx)
		if err == nil {
			err = c.compareHeads(ctx, e, found.Latest.Number)
		}
		if err == nil {
			c.lowerFinality(e, &found)
			head = found
		}
		return err
	})
	return head, err
}

// MaxBehind is how many blocks the head of an endpoint may be below another's. One further
// below is stuck or on an orphaned branch, and is called only when no other endpoint answers.
const MaxBehind = 16

// compareEvery is the least time between two comparisons of heads.
const compareEvery = 15 * time.Second

// compareHeads compares the heads of all endpoints if [compareEvery] has passed, and
// fails with [rpcerror.ErrTemporary] if e, which has the given head, is far behind.
func (c *Client) compareHeads(ctx context.Context, e *member, head uint64) error {
	now := c.o.Now()
	c.mu.Lock()
	due := len(c.endpoints) > 1 && !now.Before(c.compareAt)
	if due {
		c.compareAt = now.Add(compareEvery)
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	heads, best := map[*member]uint64{e: head}, e
	for _, other := range c.endpoints {
		if other == e || other.Rest.Resting() {
			continue
		}
		err := c.checkChain(ctx, other)
		var theirs Head
		if err == nil {
			theirs, err = other.Node.Head(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			other.failed(err)
			continue
		}
		other.Rest.Answered()
		if heads[other] = theirs.Latest.Number; heads[other] > heads[best] {
			best = other
		}
	}
	for other, number := range heads {
		other.behind.Store(number+MaxBehind < heads[best])
	}
	if head+MaxBehind < heads[best] {
		return fmt.Errorf("%w: %s is at block %d, %s at block %d", rpcerror.ErrTemporary, e.Name, head, best.Name, heads[best])
	}
	return nil
}

// lowerFinality lowers the finalized block of e's head to the lowest finalized block
// of all healthy endpoints.
func (c *Client) lowerFinality(e *member, head *Head) {
	for _, other := range c.endpoints {
		h := other.Finalized()
		healthy := other.checked.Load() && !other.Rest.Resting() && !other.behind.Load() && h.Hash != (evm.Hash{})
		if other != e && healthy && h.Number < head.Finalized.Number {
			head.Finalized = h
		}
	}
}

// NewHeads calls each for every new head that an endpoint pushes. When the connection
// ends, it tries the next endpoint; it returns when ctx ends or after the last
// endpoint. The heads are only hints: they are not checked, and some may be missing
// or repeated. It fails with [rpcerror.ErrNoSubscription] if no endpoint is a WebSocket.
func (c *Client) NewHeads(ctx context.Context, each func(evm.Header)) error {
	failed := rpcerror.ErrNoSubscription
	for _, e := range c.endpoints {
		if e.Pushes() && ctx.Err() == nil {
			failed = c.newHeads(ctx, e, each)
		}
	}
	return fmt.Errorf("subscribing to new heads: %w", failed)
}

func (c *Client) newHeads(ctx context.Context, e *member, each func(evm.Header)) error {
	if err := c.checkChain(ctx, e); err != nil {
		return err
	}
	return e.Endpoint.NewHeads(ctx, func(text json.RawMessage) error {
		head, err := e.PushedHead(text)
		if err == nil {
			each(head)
		}
		return err
	})
}
