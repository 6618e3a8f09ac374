package jsonrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/pace"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Options are the settings of a [Client].
type Options = settings.Options

// DefaultDepth is the default of [Options.Depth].
const DefaultDepth = settings.DefaultDepth

// Client reads blocks from the endpoints of one chain, with failover: it calls the
// first healthy endpoint; an endpoint that fails rests while the next one is called.
// Each result comes from one endpoint and was checked: an answer that contradicts
// itself is an error and leads to another attempt.
//
// Several goroutines may use a Client. Its methods return ctx's error when ctx
// ends, and otherwise errors that match the sentinels of package rpcerror.
type Client struct {
	o      *settings.Options
	nodes  []*node
	filter logFilter
	slots  *slot.Slots

	// mu guards everything below.
	mu sync.Mutex
	// chainID is the id that all endpoints must return, nil until it is known.
	chainID *uint64
	// caught are the ranges that an endpoint left logs out of, in order. They are
	// read from receipts, whichever endpoint is called.
	caught []evm.Range
	// notProvable are the ranges accepted without a proof, in order. proved is true
	// once a header of the chain was provable.
	notProvable []evm.Range
	proved      bool
	// zeroBloom is true once [Options.OnZeroBloom] was called.
	zeroBloom bool
	// compareAt is the time of the next comparison of the endpoints' heads.
	compareAt time.Time
}

// Dial returns a Client for one or more endpoints, in order of preference. URLs are
// http, https, ws or wss. Dial does not connect, because an endpoint that is down
// may come up later. It fails for an invalid URL; the error does not contain it.
func Dial(urls []string, o Options) (*Client, error) {
	if len(urls) == 0 {
		return nil, errors.New("no endpoint")
	}
	c := &Client{o: o.WithDefaults(), filter: logFilter{wire.NewLogFilter(o.Contracts, o.Unindexed)}, chainID: o.ChainID, proved: o.Proved}
	c.slots = slot.New(c.o.MaxBody)
	names := map[string]int{}
	for _, raw := range urls {
		e, err := endpoint.New(raw, c.o, c.slots)
		if err != nil {
			return nil, err
		}
		if names[e.Name]++; names[e.Name] > 1 {
			e.Name = fmt.Sprintf("%s (%d)", e.Name, names[e.Name])
		}
		c.nodes = append(c.nodes, &node{
			Endpoint: e, o: c.o, leavesOut: slices.Contains(o.LeavesOut, e.Name),
			receiptsBatch: receiptsBatch, pace: pace.Pace{Step: c.o.Step, Limit: c.o.MaxStep, Target: c.o.TargetLogs},
		})
	}
	return c, nil
}

// Close closes the connections.
func (c *Client) Close() {
	for _, e := range c.nodes {
		e.Close()
	}
}

// Limited reports whether an endpoint refused a call since the last report, because there were
// too many.
func (c *Client) Limited() (limited bool) {
	for _, e := range c.nodes {
		limited = e.Rest.Limited() || limited
	}
	return limited
}

// Health returns the state of each endpoint, in the order of [Dial].
func (c *Client) Health() []EndpointHealth {
	var all []EndpointHealth
	for _, e := range c.nodes {
		shown := e.Rest.Health()
		e.mu.Lock()
		all = append(all, EndpointHealth{e.Name, shown, e.highest, e.behind, e.leavesOut, e.firstBlock, e.wrongChain, e.contradicts})
		e.mu.Unlock()
	}
	return all
}

// try calls ask with one endpoint after another until one succeeds. An answer
// about the chain (such as: no block at that height) is final once every healthy
// endpoint has returned one; temporary failures are retried after a pause. Errors
// begin with what, and also name a contradiction that an earlier attempt found. The last
// failed call is named even if every endpoint rested since.
func (c *Client) try(ctx context.Context, what string, ask func(e *node) error) error {
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
	ask func(ctx context.Context, e *node, from, to uint64) (T, error),
) (result T, err error) {
	what = fmt.Sprintf("reading %s [%d, %d]", what, from, to)
	if from > to || to > wire.MaxBlockNumber {
		return result, fmt.Errorf("%s: not a range", what)
	}
	ctx = c.slots.Holding(ctx)
	defer slot.Of(ctx).Release()
	err = c.try(ctx, what, func(e *node) error {
		result, err = ask(ctx, e, from, to)
		return err
	})
	if _, pruned := rpcerror.FirstBlock(err); pruned {
		err = c.lowestFirst(evm.Range{From: from, To: to}, err)
	}
	return result, err
}

// errResting is the failure of a round in which no endpoint was called.
var errResting = fmt.Errorf("%w: every endpoint is resting", rpcerror.ErrTemporary)

// round calls the endpoints that are not resting, each at most once, until one
// succeeds. Then it returns nil and nil; otherwise final is the last answer about
// the chain, and failed the most useful failure.
func (c *Client) round(ctx context.Context, ask func(e *node) error) (final, failed error) {
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
func (c *Client) preferred() []*node {
	rank := func(e *node) int {
		e.mu.Lock()
		defer e.mu.Unlock()
		switch {
		case e.behind:
			return 2
		case e.leavesOut:
			return 1
		default:
			return 0
		}
	}
	return slices.SortedStableFunc(slices.Values(c.nodes), func(a, b *node) int { return rank(a) - rank(b) })
}

// maxWait bounds a single wait for an endpoint, so that one that requests a long pause cannot
// hold up a caller for longer than its attempts take.
const maxWait = 30 * time.Second

// waitReady waits until the first endpoint is ready, for maxWait, or until ctx ends. No other
// endpoint answers, so it ends the rest of that endpoint when it may be probed.
func (c *Client) waitReady(ctx context.Context) error {
	first := slices.MinFunc(c.nodes, func(a, b *node) int { return a.Rest.ProbeAt().Compare(b.Rest.ProbeAt()) })
	at := first.Rest.ProbeAt()
	wait := max(0, at.Sub(c.o.Now()))
	if err := c.o.Sleep(ctx, min(wait, maxWait)); err != nil || wait > maxWait {
		return err
	}
	first.Rest.EndRest(at)
	return nil
}

// Call calls contracts at the latest block and returns one result per call, in
// order. The results may come from different blocks. A call that reverts, fails in
// the EVM, or fails while the endpoint answers other calls has a result with a
// Problem. If Call returns an error, it returns no results.
func (c *Client) Call(ctx context.Context, calls []evm.Call) (results []evm.CallResult, err error) {
	if len(calls) == 0 {
		return []evm.CallResult{}, nil
	}
	err = c.try(ctx, fmt.Sprintf("calling %d contracts", len(calls)), func(e *node) error {
		results, err = e.CallContracts(ctx, calls)
		return err
	})
	return results, err
}

// Probe sends one request with a call of the method for each list of arguments to the first
// endpoint, without failover and checks, and returns the results.
func (c *Client) Probe(ctx context.Context, method string, args ...[]any) (results []json.RawMessage, err error) {
	e, calls := c.nodes[0], make([]*endpoint.Call, len(args))
	for i := range args {
		calls[i] = &endpoint.Call{Method: method, Args: args[i]}
	}
	err = e.Secrets.Hidden(cmp.Or(e.Send(ctx, calls), endpoint.FirstError(calls)))
	for _, c := range calls {
		results = append(results, c.Result)
	}
	return results, err
}
