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
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// endpoint is one node, or what answers as one behind a URL.
type endpoint struct {
	c       *Client
	o       *Options
	name    string
	url     string
	secrets []string
	http    *http.Client
	isWS    bool

	// mu guards everything below.
	mu sync.Mutex
	// socket is the connection of a WebSocket, nil before the first call.
	socket  *rpc.Client
	checked bool // the chain is known to be right, see trust.go
	batch   int  // most calls in a batch
	// next is how many calls the next batch has at most: less than batch after
	// one that did not arrive.
	next int
	// addresses is the most addresses in a filter, 0 for any number.
	addresses int
	pace      pace
	// receiptsBatch is the number of blocks whose receipts one batch requests.
	receiptsBatch int
	failures      int       // since the last answer
	rest          time.Time // no calls before
	health        EndpointHealth
	// fromLogs are the ranges that were read by eth_getLogs, in order.
	fromLogs []evm.Range
	// noFinalized and noBlockReceipts say what the node was seen to lack.
	noFinalized, noBlockReceipts bool
	// finalized are the last blocks that the endpoint called final, in order.
	finalized []evm.BlockRef
	// retracted is one of them that it replaced since, see [Head], or zero.
	retracted   evm.BlockRef
	retractedTo uint64
	// lastFinalized is the finalized block of its last head.
	lastFinalized evm.Header
}

// EndpointHealth is the state of one endpoint.
type EndpointHealth struct {
	// URL is scheme and host; the rest, which may be a credential, is left out.
	URL string
	// Calls and Requests are the JSON-RPC calls that were sent, and the HTTP
	// requests or WebSocket messages that held them.
	Calls, Requests uint64
	// Errors is the number of failed calls, those that only lead to smaller ranges
	// included. LastError is the class of the latest, see [ErrorClass], or empty;
	// LastFailure is its text, without credentials but in the provider's words: for
	// logs only.
	Errors                 uint64
	LastError, LastFailure string
	// Latency is a moving average over requests, 0 before the first.
	Latency time.Duration
	// Head is the highest block that the endpoint has shown, 0 before the first.
	Head uint64
	// Behind is true while the head is far below another endpoint's: this one is
	// called only when no other answers.
	Behind bool
	// LeavesOut is true once the endpoint left logs out of a range: its ranges are
	// read from receipts.
	LeavesOut bool
	// WrongChain is true while the endpoint serves another chain, and Contradicts
	// while it has other blocks than the stored final ones: no blocks are read from
	// it.
	WrongChain, Contradicts bool
	// Step is the number of blocks in its next range.
	Step uint64
	// RestUntil is the time before which the endpoint is not called because it
	// failed or requested a pause; zero when it is ready.
	RestUntil time.Time
}

func newEndpoint(raw string, c *Client) (*endpoint, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url repeats the URL, which may hold a credential.
		return nil, errors.New("an endpoint's URL cannot be parsed")
	}
	o := c.o
	e := &endpoint{
		c: c, o: o, url: raw, secrets: secretsOf(u), http: &http.Client{Transport: o.Transport}, batch: o.BatchSize, next: o.BatchSize,
		receiptsBatch: 8, pace: pace{step: o.Step, limit: o.MaxStep, target: o.TargetLogs},
	}
	switch u.Scheme {
	case "http", "https":
	case "ws", "wss":
		e.isWS = true
	default:
		return nil, fmt.Errorf("an endpoint's URL begins with %q: want http, https, ws or wss", u.Scheme+":")
	}
	if u.Host == "" {
		return nil, errors.New("an endpoint's URL has no host")
	}
	e.name = u.Scheme + "://" + u.Host
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		e.name += "/…"
	}
	return e, nil
}

// secretsOf returns the parts of a URL that may be credentials, in each form in
// which a provider may repeat them, the longest first.
func secretsOf(u *url.URL) (secrets []string) {
	add := func(text string) {
		for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text)} {
			// A letter or two would be found in any word.
			if len(form) > 2 {
				secrets = append(secrets, form)
			}
		}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		add(u.User.String())
		add(password)
		add(u.User.Username())
	}
	add(u.RawQuery)
	for _, values := range u.Query() {
		for _, value := range values {
			add(value)
		}
	}
	add(strings.Trim(u.EscapedPath(), "/"))
	for segment := range strings.SplitSeq(u.Path, "/") {
		add(segment)
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(secrets)
}

// clean returns text from outside as one line of bounded length without
// credentials.
func (e *endpoint) clean(text string) string {
	for _, secret := range e.secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// get returns a field that e.mu guards.
func get[T any](e *endpoint, field *T) T {
	e.mu.Lock()
	defer e.mu.Unlock()
	return *field
}

// set changes a field that e.mu guards.
func set[T any](e *endpoint, field *T, value T) { e.locked(func() { *field = value }) }

// locked calls f while it holds e.mu.
func (e *endpoint) locked(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// sawHead notes a block that the endpoint has shown.
func (e *endpoint) sawHead(number uint64) {
	e.locked(func() { e.health.Head = max(e.health.Head, number) })
}

// answered ends a run of failures.
func (e *endpoint) answered() { e.locked(func() { e.failures, e.rest = 0, time.Time{} }) }

// failed makes the endpoint rest: as long as it requested, or else longer with
// each failure.
func (e *endpoint) failed(err error) {
	info := infoOf(err)
	e.mu.Lock()
	defer e.mu.Unlock()
	wait := retrying.Spread(retrying.Doubled(e.o.MinRest, e.o.MaxRest, e.failures), e.o.Random())
	e.failures++
	if info.kind != kindRate {
		// When it comes back, another node may answer behind the URL.
		e.checked = false
	}
	e.rest = e.o.Now().Add(max(wait, info.after))
	e.health.failed(err)
}

// failed notes an error.
func (h *EndpointHealth) failed(err error) { h.LastError, h.LastFailure = ErrorClass(err), err.Error() }

// note counts one request.
func (e *endpoint) note(calls []*call, err error, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := &e.health
	if h.Requests == 0 {
		h.Latency = took
	}
	h.Latency += (took - h.Latency) / 8
	h.Requests++
	h.Calls += uint64(len(calls))
	if err != nil {
		h.Errors += uint64(len(calls))
		h.failed(err)
	}
	for _, c := range calls {
		if c.err != nil {
			h.Errors++
			h.failed(c.err)
		}
	}
}

// dialed returns the connection of a WebSocket, which it makes at the first call.
func (e *endpoint) dialed(ctx context.Context) (*rpc.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	if e.socket == nil {
		e.socket, err = rpc.DialOptions(ctx, e.url, rpc.WithWebsocketMessageSizeLimit(e.o.MaxBody))
	}
	return e.socket, err
}

func (e *endpoint) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.socket != nil {
		e.socket.Close()
		e.socket = nil
	}
	e.http.CloseIdleConnections()
}
