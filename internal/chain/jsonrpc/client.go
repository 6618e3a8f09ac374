package jsonrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Client reads blocks from the endpoints of one chain, with failover: it calls the
// first healthy endpoint; an endpoint that fails rests while the next one is called.
// Each result comes from one endpoint and was checked: an answer that contradicts
// itself is an error and leads to another attempt.
//
// Several goroutines may use a Client. Its methods return ctx's error when ctx
// ends, and otherwise errors that match the sentinels of package rpcerror.
type Client struct {
	o         *Options
	endpoints []*endpoint
	filter    logFilter
	slots     *slot.Slots
	limited   atomic.Bool

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
	c := &Client{o: o.withDefaults(), filter: logFilter{wire.NewLogFilter(o.Contracts, o.Unindexed)}, chainID: o.ChainID, proved: o.Proved}
	c.slots = slot.New(c.o.MaxBody)
	names := map[string]int{}
	for _, raw := range urls {
		e, err := newEndpoint(raw, c)
		if err != nil {
			return nil, err
		}
		if names[e.name]++; names[e.name] > 1 {
			e.name = fmt.Sprintf("%s (%d)", e.name, names[e.name])
		}
		e.health.URL = e.name
		e.health.LeavesOut = slices.Contains(o.LeavesOut, e.name)
		c.endpoints = append(c.endpoints, e)
	}
	return c, nil
}

// Close closes the connections.
func (c *Client) Close() {
	for _, e := range c.endpoints {
		e.http.CloseIdleConnections()
	}
}

// Limited reports whether an endpoint refused a call since the last report, because there were
// too many.
func (c *Client) Limited() bool { return c.limited.Swap(false) }

// Health returns the state of each endpoint, in the order of [Dial].
func (c *Client) Health() []EndpointHealth {
	now := c.o.Now()
	var all []EndpointHealth
	for _, e := range c.endpoints {
		e.mu.Lock()
		h := e.health
		if e.rest.After(now) {
			h.RestUntil = e.rest
		}
		e.mu.Unlock()
		all = append(all, h)
	}
	return all
}

// try calls ask with one endpoint after another until one succeeds. An answer
// about the chain (such as: no block at that height) is final once every healthy
// endpoint has returned one; temporary failures are retried after a pause. Errors
// begin with what, and also name a contradiction that an earlier attempt found. The last
// failed call is named even if every endpoint rested since.
func (c *Client) try(ctx context.Context, what string, ask func(e *endpoint) error) error {
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
	ask func(ctx context.Context, e *endpoint, from, to uint64) (T, error),
) (result T, err error) {
	what = fmt.Sprintf("reading %s [%d, %d]", what, from, to)
	if from > to || to > wire.MaxBlockNumber {
		return result, fmt.Errorf("%s: not a range", what)
	}
	ctx = c.slots.Holding(ctx)
	defer slot.Of(ctx).Release()
	err = c.try(ctx, what, func(e *endpoint) error {
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
func (c *Client) round(ctx context.Context, ask func(e *endpoint) error) (final, failed error) {
	asked := false
	for _, e := range c.preferred() {
		if !e.ready() {
			continue
		}
		asked = true
		err := c.checkChain(ctx, e)
		if err == nil {
			err = e.secrets.Hidden(ask(e))
		}
		slot.Of(ctx).Release()
		if err == nil {
			e.answered()
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if rpcerror.IsFinal(err) {
			e.answered()
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
func (c *Client) preferred() []*endpoint {
	rank := func(e *endpoint) int {
		switch h := get(e, &e.health); {
		case h.Behind:
			return 2
		case h.LeavesOut:
			return 1
		default:
			return 0
		}
	}
	return slices.SortedStableFunc(slices.Values(c.endpoints), func(a, b *endpoint) int { return rank(a) - rank(b) })
}

// maxWait bounds a single wait for an endpoint, so that one that requests a long pause cannot
// hold up a caller for longer than its attempts take.
const maxWait = 30 * time.Second

// waitReady waits until the first endpoint is ready, for maxWait, or until ctx ends. No other
// endpoint answers, so it ends the rest of that endpoint when it may be probed.
func (c *Client) waitReady(ctx context.Context) error {
	first := slices.MinFunc(c.endpoints, func(a, b *endpoint) int { return get(a, &a.probeAt).Compare(get(b, &b.probeAt)) })
	at := get(first, &first.probeAt)
	wait := max(0, at.Sub(c.o.Now()))
	if err := c.o.Sleep(ctx, min(wait, maxWait)); err != nil || wait > maxWait {
		return err
	}
	first.locked(func() {
		// Another caller may already probe it.
		if first.probeAt == at {
			first.rest = at
		}
	})
	return nil
}
