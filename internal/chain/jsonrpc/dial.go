package jsonrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/node"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
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
		e.uncheck()
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
