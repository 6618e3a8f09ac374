package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc/pace"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/secret"
	"mintburn/internal/chain/jsonrpc/socket"
	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// endpoint is a URL with one node, or several nodes that answer as one, behind it.
type endpoint struct {
	c       *Client
	o       *Options
	name    string
	url     string
	secrets secret.Secrets
	http    *http.Client
	isWS    bool
	ids     atomic.Int64 // of the last call over a WebSocket

	// mu guards everything below.
	mu      sync.Mutex
	checked bool // serves the right chain, see trust.go
	batch   int  // most calls in a batch
	// next is the most calls in the next batch: fewer than batch after an answer
	// that did not arrive.
	next int
	// refused is the number of small batches refused in a row, see noteBatch.
	refused int
	// addresses is the most addresses in a filter, 0 for any number.
	addresses int
	pace      pace.Pace
	// receiptsBatch is the number of blocks whose receipts one batch requests.
	receiptsBatch int
	failures      int       // since the last answer
	rest          time.Time // no calls before this time
	probeAt       time.Time // end of the rest if no other endpoint answers
	health        EndpointHealth
	// fromLogs are the ranges read with eth_getLogs, in order.
	fromLogs []evm.Range
	// noFinalized and noBlockReceipts are true once the node has rejected the
	// finalized tag or eth_getBlockReceipts.
	noFinalized, noBlockReceipts bool
	// hasFinalized is true once the node has returned a finalized block.
	hasFinalized bool
	// firstUntil is the time until which health.FirstBlock is used.
	firstUntil time.Time
	// filterKnown is true once the answer to a filter was compared, see
	// [Client.checkFilter].
	filterKnown bool
	// misses counts the blocks in a row whose eth_getBlockReceipts was refused.
	misses int
	// numbering is how the endpoint numbers logs, unknown until a block shows it.
	numbering evm.Numbering
	// finalized are the last blocks that the endpoint called final, in order.
	finalized []evm.BlockRef
	// retracted is a finalized block that the endpoint has replaced since, see
	// [Head], or zero.
	retracted   evm.BlockRef
	retractedTo uint64
	// newest is the endpoint's last head, with its object until [endpoint.takeNewest], and
	// lastFinalized the finalized block of that head.
	newest        blockHeader
	lastFinalized evm.Header
}

// EndpointHealth is the state of one endpoint.
type EndpointHealth struct {
	// URL is the scheme and host; the rest is left out, because it may be a credential.
	URL string
	// LastError is the class of the latest failed call, see [rpcerror.Class], or empty. It
	// includes failures that only lead to smaller ranges. LastFailure is its text,
	// without credentials but in the provider's words: use it for logs only.
	LastError, LastFailure string
	// Latency is a moving average over answered requests, 0 before the first.
	Latency time.Duration
	// Head is the highest block that the endpoint has returned, 0 before the first.
	Head uint64
	// Behind is true while the endpoint's head is far below another's: it is called
	// only when no other endpoint answers.
	Behind bool
	// LeavesOut is true once the endpoint has left logs out of a range: its blocks
	// are read from receipts.
	LeavesOut bool
	// FirstBlock is the first block that the endpoint has, 0 while unknown or if it has all.
	FirstBlock uint64
	// WrongChain is true while the endpoint serves another chain, Contradicts while
	// its blocks differ from the stored final ones. No blocks are read from it then.
	WrongChain, Contradicts bool
	// Down is true from a failure until the next answer. One rejected call is an answer.
	Down bool
	// RestUntil is the end of the pause after a failure, or of one that the endpoint
	// requested; zero when the endpoint is ready.
	RestUntil time.Time
}

func newEndpoint(raw string, c *Client) (*endpoint, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url repeats the URL, which may hold a credential.
		return nil, errors.New("endpoint URL cannot be parsed")
	}
	o := c.o
	e := &endpoint{
		c: c, o: o, url: raw, secrets: secret.Of(u), http: &http.Client{Transport: o.Transport, CheckRedirect: stay}, batch: o.BatchSize, next: o.BatchSize,
		receiptsBatch: receiptsBatch, pace: pace.Pace{Step: o.Step, Limit: o.MaxStep, Target: o.TargetLogs},
	}
	switch u.Scheme {
	case "http", "https":
	case "ws", "wss":
		e.isWS, e.http.Transport = true, new(socket.Transport)
	default:
		return nil, fmt.Errorf("endpoint URL begins with %q: want http, https, ws or wss", u.Scheme+":")
	}
	if u.Host == "" {
		return nil, errors.New("endpoint URL has no host")
	}
	e.name = u.Scheme + "://" + u.Host
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		e.name += "/…"
	}
	return e, nil
}

// stay returns [http.ErrUseLastResponse] unless a redirect repeats the request at the
// same scheme, host and port, because the URL, the Referer or the Location may contain a
// credential.
func stay(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || next.Method != first.Method || next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	next.Header.Del("Referer")
	return nil
}

// get returns a field guarded by e.mu.
func get[T any](e *endpoint, field *T) T {
	e.mu.Lock()
	defer e.mu.Unlock()
	return *field
}

// set changes a field guarded by e.mu.
func set[T any](e *endpoint, field *T, value T) { e.locked(func() { *field = value }) }

// locked calls f with e.mu held.
func (e *endpoint) locked(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// sawHead records the number of a block that the endpoint returned.
func (e *endpoint) sawHead(number uint64) {
	e.locked(func() { e.health.Head = max(e.health.Head, number) })
}

// answered resets the failure count and the pause.
func (e *endpoint) answered() {
	e.locked(func() { e.failures, e.rest, e.probeAt, e.health.Down = 0, time.Time{}, time.Time{}, false })
}

// While no endpoint answers, each is probed every [probeEvery] at the latest. A probe must be
// answered within [probeTimeout]. Together they are less than 10 seconds, the time within
// which a follower continues after an endpoint recovers.
const (
	probeEvery   = 5 * time.Second
	probeTimeout = 4 * time.Second
)

// ready reports whether the endpoint may be called. The caller then probes an endpoint that
// is down; until the probe has ended, the endpoint is not ready for other callers.
func (e *endpoint) ready() bool {
	now := e.o.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Before(e.rest) {
		return false
	}
	if e.health.Down {
		e.rest = now.Add(probeTimeout)
		e.probeAt = e.rest
	}
	return true
}

// probe makes the cheapest call to an endpoint that is down, because one that hangs would
// delay the next call, and thus the next endpoint, by the time for a whole request. It
// fails if the endpoint does not answer.
func (e *endpoint) probe(ctx context.Context) error {
	health := get(e, &e.health)
	if !health.Down {
		return nil
	}
	limit := max(probeTimeout, 2*health.Latency)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := e.ask(ctx, &call{method: "eth_blockNumber"})
	if rpcerror.IsNoData(err) {
		return nil
	}
	if failed, ok := errors.AsType[*rpcerror.Error](err); ok && failed.TimedOut && limit < e.o.Timeout {
		failed.Message = fmt.Sprintf("no answer within %s", limit)
	}
	return err
}

// failed makes the endpoint rest: longer with each failure, and at least as long as
// the endpoint requested. If no other endpoint answers, the rest ends after [probeEvery],
// unless the endpoint requested a longer one.
func (e *endpoint) failed(err error) {
	info := rpcerror.InfoOf(err)
	e.mu.Lock()
	defer e.mu.Unlock()
	wait := retrying.Jitter(retrying.Backoff(e.o.MinRest, e.o.MaxRest, e.failures), e.o.Random())
	e.failures++
	if info.Kind != rpcerror.Rate {
		// When the endpoint recovers, another node may be behind the URL.
		e.checked = false
	}
	now := e.o.Now()
	e.rest, e.probeAt = now.Add(max(wait, info.After)), now.Add(max(min(wait, probeEvery), info.After))
	// A single error may be about the call.
	e.health.Down = e.health.Down || e.failures > 1 || !rpcerror.IsNoData(err)
	e.health.failed(e.secrets.Hidden(err))
}

// failed records the latest error.
func (h *EndpointHealth) failed(err error) {
	h.LastError, h.LastFailure = rpcerror.Class(err), err.Error()
}

// note records the latency and errors of one request.
func (e *endpoint) note(calls []*call, err error, took time.Duration) {
	limits := func(c *call) bool { return rpcerror.KindOf(c.err) == rpcerror.Rate }
	if rpcerror.KindOf(err) == rpcerror.Rate || slices.ContainsFunc(calls, limits) {
		e.c.limited.Store(true)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	h := &e.health
	if err != nil {
		h.failed(err)
	} else {
		if h.Latency == 0 {
			h.Latency = took
		}
		h.Latency += (took - h.Latency) / 8
	}
	for _, c := range calls {
		if c.err != nil {
			h.failed(c.err)
		}
	}
}
