package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"mintburn/internal/evm"
)

// ClientOptions are the settings of a [Client]. The zero value of each field
// means its default.
type ClientOptions struct {
	// Contracts are the collections whose logs are asked for; none means all.
	Contracts []evm.Address
	// Unindexed are the contracts whose Transfer events have no indexed
	// arguments (CryptoKitties), and are asked for, too.
	Unindexed []evm.Address
	// ChainID is the id of the chain that the endpoints must serve, or nil if it
	// is not known: then it is that of the first endpoint that answers.
	ChainID *uint64
	// Final, if not nil, returns the last block up to a height that the caller
	// holds for final, and false if there is none. Endpoints that have another
	// block there are left out.
	Final func(ctx context.Context, upTo uint64) (evm.BlockRef, bool, error)
	// Timeout is the time for one request, 30 seconds by default.
	Timeout time.Duration
	// MaxBody is the size of an answer in bytes, unpacked, above which it is
	// refused and less is asked for; 64 MiB by default. An answer takes about
	// three times its size in memory.
	MaxBody int64
	// BatchSize is the most calls in one batch, 100 by default.
	BatchSize int
	// Step and MaxStep are the number of blocks of the first range, 1,000 by
	// default, and the most of any, 100,000 by default.
	Step, MaxStep uint64
	// TargetLogs is the number of logs that one answer to a range should hold,
	// 10,000 by default: ranges grow up to it.
	TargetLogs int
	// Depth is how far below the head a block counts as finalized where the
	// node does not say, 64 by default.
	Depth uint64
	// Samples is how many blocks of each range, chosen at random, are read whole
	// and compared with it: 1 by default, -1 for none. In a range without logs the
	// bloom filters of 16 times as many blocks are looked at.
	Samples int
	// LeavesOut are the endpoints, by [EndpointHealth.URL], that are known to leave
	// logs out of ranges: their ranges are read from receipts.
	LeavesOut []string
	// Caught, if not nil, is called when an endpoint is first caught at that, with
	// the evidence. If it fails, so does what was asked; it is called again when
	// the endpoint is caught again.
	Caught func(ctx context.Context, url string, evidence error) error
	// Numbering is how the chain numbers its logs, where that is known.
	Numbering evm.Numbering
	// Numbered, if not nil, is called with what the first block shows that shows how
	// the chain numbers its logs, and returns what is decided: from then on that
	// holds. If it fails, so does what was asked.
	Numbered func(ctx context.Context, shown evm.Numbering, block evm.BlockRef) (evm.Numbering, error)
	// Unprovable says that headers whose hash is not that of their fields are the
	// chain's own, and not a node's fault. Otherwise a second endpoint must have
	// the same header.
	Unprovable bool
	// Proved says that a block of the chain was proved before.
	Proved bool
	// NotProvable, if not nil, is called with blocks that are accepted without a
	// proof, because of Unprovable or because two endpoints agree, and the reason.
	// If it fails, so does what was asked.
	NotProvable func(ctx context.Context, r evm.Range, reason string) error
	// Attempts is how many times all endpoints are tried before a failure that
	// may pass is returned, 6 by default.
	Attempts int
	// MinRest and MaxRest bound the pause after a failure: it doubles from one
	// failure to the next, and half of it is random. 250 ms and 30 s by default.
	MinRest, MaxRest time.Duration
	// Now, Sleep and Random stand for the clock and for a source of numbers in
	// [0, 1). Sleep must return ctx's error when ctx ends before d has passed.
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
	// Transport sends HTTP requests; the default is one that keeps connections.
	Transport http.RoundTripper
}

func (o ClientOptions) withDefaults() *ClientOptions {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	o.BatchSize = cmp.Or(o.BatchSize, 100)
	o.MaxStep = cmp.Or(o.MaxStep, 100_000)
	o.Step = cmp.Or(o.Step, min(1000, o.MaxStep))
	o.TargetLogs = cmp.Or(o.TargetLogs, 10_000)
	o.Depth = cmp.Or(o.Depth, 64)
	o.Samples = cmp.Or(o.Samples, 1)
	o.Attempts = cmp.Or(o.Attempts, 6)
	o.MinRest = cmp.Or(o.MinRest, 250*time.Millisecond)
	o.MaxRest = cmp.Or(o.MaxRest, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 32
		o.Transport = t
	}
	return &o
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Client asks the endpoints of one chain for blocks. The first endpoint that is
// well is asked; one that fails rests, and the next is asked in its place. Each
// answer comes from one endpoint, and is checked before it is given: what
// contradicts itself is an error and another try.
//
// A Client may be used by several goroutines. Its methods return ctx's error
// when ctx ends, and otherwise errors that match the sentinels of this package.
type Client struct {
	o         *ClientOptions
	endpoints []*endpoint
	wanted    wanted
	numbering *numbering

	// mu guards everything below.
	mu sync.Mutex
	// chainID is the id that all endpoints must give.
	chainID *uint64
	// caught are the ranges that an endpoint was caught leaving logs out of, in
	// order. They are read from receipts, whoever is asked.
	caught []evm.Range
	// notProvable are the ranges accepted without a proof, in order, and proved
	// says that some header of the chain was provable.
	notProvable []evm.Range
	proved      bool
	// compareAt is when the heads of the endpoints are compared next.
	compareAt time.Time
}

// Dial returns a Client for one or more endpoints, in order of preference:
// http, https, ws or wss. It does not connect: an endpoint that is down may
// come up later. It fails for a URL that cannot be used, without repeating it.
func Dial(urls []string, o ClientOptions) (*Client, error) {
	if len(urls) == 0 {
		return nil, errors.New("no endpoint")
	}
	c := &Client{o: o.withDefaults(), wanted: newWanted(o.Contracts, o.Unindexed), chainID: o.ChainID, proved: o.Proved}
	c.numbering = &numbering{store: o.Numbered, decided: o.Numbering}
	names := map[string]int{}
	for _, raw := range urls {
		e, err := newEndpoint(raw, c.o)
		if err != nil {
			return nil, err
		}
		if names[e.name]++; names[e.name] > 1 {
			e.name = fmt.Sprintf("%s (%d)", e.name, names[e.name])
			e.health.URL = e.name
		}
		e.c = c
		e.health.LeavesOut = slices.Contains(o.LeavesOut, e.name)
		c.endpoints = append(c.endpoints, e)
	}
	return c, nil
}

// Close closes the connections.
func (c *Client) Close() {
	for _, e := range c.endpoints {
		e.close()
	}
}

// Health returns what is known of each endpoint, in the order of [Dial].
func (c *Client) Health() []EndpointHealth {
	now := c.o.Now()
	var all []EndpointHealth
	for _, e := range c.endpoints {
		e.mu.Lock()
		h := e.health
		h.Step = e.pace.step
		if e.rest.After(now) {
			h.RestUntil = e.rest
		}
		e.mu.Unlock()
		all = append(all, h)
	}
	return all
}

// try calls ask with one endpoint after another until one succeeds. An answer
// about the chain (that there is no such block) is final when every endpoint
// that is well has given one; a failure that may pass is tried again after a
// pause.
func (c *Client) try(ctx context.Context, ask func(ctx context.Context, e *endpoint) error) error {
	var contradicted error
	for attempt := 1; ; attempt++ {
		final, failed := c.round(ctx, ask)
		if Contradicts(failed) {
			contradicted = failed
		}
		switch {
		case final == nil && failed == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case final != nil:
			return beside(final, contradicted)
		case attempt >= c.o.Attempts || !isTransient(failed):
			return beside(failed, contradicted)
		}
		if err := c.waitReady(ctx); err != nil {
			return err
		}
	}
}

// beside returns an error, and with it that an endpoint contradicted itself where
// it does not say so.
func beside(err, contradicted error) error {
	if contradicted == nil || Contradicts(err) {
		return err
	}
	return fmt.Errorf("%w; before that: %w", err, contradicted)
}

// round asks each endpoint that is not resting once. It returns nil and nil
// when one of them answered.
func (c *Client) round(ctx context.Context, ask func(ctx context.Context, e *endpoint) error) (final, failed error) {
	asked := false
	for _, e := range c.preferred() {
		if c.o.Now().Before(e.restUntil()) {
			continue
		}
		asked = true
		err := c.checkChain(ctx, e)
		if err == nil {
			err = ask(ctx, e)
		}
		if err == nil {
			e.answered()
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if isFinal(err) {
			e.answered()
			final = err
			continue
		}
		e.failed(refusalOf(err), err)
		// What may pass says more about the next try than what does not.
		if failed == nil || isTransient(err) && !Contradicts(failed) {
			failed = err
		}
	}
	if !asked {
		failed = fmt.Errorf("%w: every endpoint is resting", ErrTemporary)
	}
	return final, failed
}

// preferred returns the endpoints in the order of [Dial], those that leave logs
// out after the others, and those that are far behind another last.
func (c *Client) preferred() []*endpoint {
	rank := func(e *endpoint) int {
		e.mu.Lock()
		defer e.mu.Unlock()
		switch {
		case e.health.Behind:
			return 2
		case e.health.LeavesOut:
			return 1
		default:
			return 0
		}
	}
	ordered := slices.Clone(c.endpoints)
	slices.SortStableFunc(ordered, func(a, b *endpoint) int { return rank(a) - rank(b) })
	return ordered
}

// waitReady waits until an endpoint is ready.
func (c *Client) waitReady(ctx context.Context) error {
	first := c.endpoints[0].restUntil()
	for _, e := range c.endpoints[1:] {
		if at := e.restUntil(); at.Before(first) {
			first = at
		}
	}
	if wait := first.Sub(c.o.Now()); wait > 0 {
		return c.o.Sleep(ctx, wait)
	}
	return ctx.Err()
}

func (e *endpoint) restUntil() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rest
}

// answered ends a run of failures.
func (e *endpoint) answered() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures, e.rest = 0, time.Time{}
}

// failed lets the endpoint rest: as long as it asked for, or else ever longer
// with each failure.
func (e *endpoint) failed(r refusal, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	wait := e.o.MaxRest
	if shift := min(e.failures, 30); e.o.MinRest<<shift < wait && e.o.MinRest<<shift > 0 {
		wait = e.o.MinRest << shift
	}
	wait = wait/2 + time.Duration(e.o.Random()*float64(wait/2))
	e.failures++
	if r.kind != kindRate {
		// When it comes back, something else may answer in its place.
		e.checked = false
	}
	e.rest = e.o.Now().Add(max(wait, r.after))
	e.health.failed(err)
}
