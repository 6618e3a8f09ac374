package jsonrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/node"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/wire"
)

// Dial returns a Client for one or more endpoints, in order of preference. URLs are
// http, https, ws or wss. Dial does not connect, because an endpoint that is down
// may come up later. It fails for an invalid URL; the error does not contain it.
func Dial(urls []string, o Options) (*Client, error) {
	if len(urls) == 0 {
		return nil, errors.New("no endpoint")
	}
	c := &Client{o: o.WithDefaults(), chainID: o.ChainID}
	c.slots = slot.New(c.o.MaxBody)
	chain := node.NewChain(c.o, c.others)
	names := map[string]int{}
	for _, raw := range urls {
		e, err := endpoint.New(raw, c.o, c.slots)
		if err != nil {
			return nil, err
		}
		if names[e.Name]++; names[e.Name] > 1 {
			e.Name = fmt.Sprintf("%s (%d)", e.Name, names[e.Name])
		}
		c.endpoints = append(c.endpoints, &member{Node: node.New(e, chain, slices.Contains(o.LeavesOut, e.Name))})
	}
	return c, nil
}

// try calls ask with one endpoint after another until one succeeds. An answer
// about the chain (such as: no block at that height) is final once every healthy
// endpoint has returned one; temporary failures are retried after a pause. Errors
// begin with what, and also name a contradiction that an earlier attempt found. The last
// failed call is named even if every endpoint rested since.
func (c *Client) try(ctx context.Context, what string, ask func(e *member) error) error {
	var contradicted, cause error
	for attempt := 1; ; attempt++ {
		final, failed := c.round(ctx, ask)
		if errors.Is(failed, errResting) {
			failed = cmp.Or(cause, failed)
		}
		cause = failed
		if rpcerror.Contradicts(failed) {
			contradicted = failed
		}
		err := cmp.Or(final, failed)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			err = ctx.Err()
		case final == nil && attempt < c.o.Attempts && rpcerror.IsTransient(failed):
			if err = c.waitReady(ctx); err == nil {
				continue
			}
		case contradicted != nil && !rpcerror.Contradicts(err):
			err = fmt.Errorf("%w; before that: %w", err, contradicted)
		}
		return fmt.Errorf("%s: %w", what, err)
	}
}

// tryRange is [Client.try] for a range of blocks, both ends included. It fails
// without a call if the range is invalid.
func tryRange[T any](ctx context.Context, c *Client, what string, from, to uint64,
	ask func(n *node.Node, ctx context.Context, from, to uint64) (T, error),
) (result T, err error) {
	what = fmt.Sprintf("reading %s [%d, %d]", what, from, to)
	if from > to || to > wire.MaxBlockNumber {
		return result, fmt.Errorf("%s: not a range", what)
	}
	ctx = c.slots.Holding(ctx)
	defer slot.Of(ctx).Release()
	err = c.try(ctx, what, func(e *member) error {
		result, err = ask(e.Node, ctx, from, to)
		return err
	})
	if _, pruned := rpcerror.FirstBlock(err); pruned {
		err = c.lowestFirst(from, err)
	}
	return result, err
}

// errResting is the failure of a round in which no endpoint was called.
var errResting = fmt.Errorf("%w: every endpoint is resting", rpcerror.ErrTemporary)

// round calls the endpoints that are not resting, each at most once, until one
// succeeds. Then it returns nil and nil; otherwise final is the last answer about
// the chain, and failed the most useful failure.
func (c *Client) round(ctx context.Context, ask func(e *member) error) (final, failed error) {
	asked := false
	for _, e := range c.preferred() {
		if !e.Rest.Ready() {
			continue
		}
		asked = true
		err := c.checkChain(ctx, e)
		if err == nil {
			err = e.Secrets.Hidden(ask(e))
		}
		slot.Of(ctx).Release()
		if err == nil {
			e.Rest.Answered()
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if rpcerror.IsFinal(err) {
			e.Rest.Answered()
			final = err
			continue
		}
		e.failed(err)
		// A temporary failure means that another attempt may succeed.
		if failed == nil || rpcerror.IsTransient(err) && !rpcerror.Contradicts(failed) {
			failed = err
		}
	}
	if !asked {
		failed = errResting
	}
	return final, failed
}

// preferred returns the endpoints in the order of [Dial], except that those that
// leave logs out come after the others, and those far behind another come last.
func (c *Client) preferred() []*member {
	rank := func(e *member) int {
		if e.behind.Load() {
			return 2
		}
		if _, _, leavesOut := e.State(); leavesOut {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(c.endpoints), func(a, b *member) int { return rank(a) - rank(b) })
}

// maxWait bounds a single wait for an endpoint, so that one that requests a long pause cannot
// hold up a caller for longer than its attempts take.
const maxWait = 30 * time.Second

// waitReady waits until the first endpoint is ready, for maxWait, or until ctx ends. No other
// endpoint answers, so it ends the rest of that endpoint when it may be probed.
func (c *Client) waitReady(ctx context.Context) error {
	first := slices.MinFunc(c.endpoints, func(a, b *member) int { return a.Rest.ProbeAt().Compare(b.Rest.ProbeAt()) })
	at := first.Rest.ProbeAt()
	wait := max(0, at.Sub(c.o.Now()))
	if err := c.o.Sleep(ctx, min(wait, maxWait)); err != nil || wait > maxWait {
		return err
	}
	first.Rest.EndRest(at)
	return nil
}

// lowestFirst returns a [rpcerror.PrunedError] for the lowest first block of the endpoints that
// have pruned a block.
func (c *Client) lowestFirst(block uint64, err error) error {
	first := uint64(0)
	for _, e := range c.endpoints {
		if _, f, _ := e.State(); f > block && (first == 0 || f < first) {
			first = f
		}
	}
	if first == 0 {
		return err
	}
	return &rpcerror.PrunedError{First: first, Text: err.Error()}
}

// ChainID returns the chain's id. It calls every endpoint that was not checked yet.
// Without [Options.ChainID] it fails with [rpcerror.ErrWrongChain] if two endpoints return
// different ids, and names both; with it, if no endpoint returns that id. It ignores
// endpoints that fail as long as one answers; they are checked before their first use. If
// none answers, it repeats temporary failures like any other call.
func (c *Client) ChainID(ctx context.Context) (uint64, error) {
	var failed error
	agreed := false
	for _, e := range c.endpoints {
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
		if c.o.OnWait != nil {
			c.o.OnWait(failed)
		}
		err := c.waitReady(ctx)
		if err == nil {
			err = c.try(ctx, "connecting", func(*member) error { return nil })
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
	for _, e := range c.endpoints {
		e.checked.Store(false)
	}
	_, err := c.ChainID(ctx)
	return err
}

// Probe sends one request with a call of the method for each list of arguments to the first
// endpoint, without failover and checks, and returns the results.
func (c *Client) Probe(ctx context.Context, method string, args ...[]any) (results []json.RawMessage, err error) {
	e, calls := c.endpoints[0], make([]*endpoint.Call, len(args))
	for i := range args {
		calls[i] = &endpoint.Call{Method: method, Args: args[i]}
	}
	err = e.Secrets.Hidden(cmp.Or(e.Send(ctx, calls), endpoint.FirstError(calls)))
	for _, c := range calls {
		results = append(results, c.Result)
	}
	return results, err
}
