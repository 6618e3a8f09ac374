package chain

import (
	"context"
	"encoding/json"
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
)

// endpoint is one node, or what stands for one behind a URL.
type endpoint struct {
	name    string
	url     string
	secrets []string
	o       *ClientOptions
	http    *http.Client
	socket  bool
	// c is the endpoint's client.
	c *Client

	// mu guards everything below.
	mu      sync.Mutex
	client  *rpc.Client
	checked bool // the chain is known to be right, see trust.go
	batch   int  // most calls in a batch
	// next is how many calls the next batch has at most: less than batch after
	// one that did not arrive.
	next int
	// addresses is the most addresses in a filter, 0 for any number.
	addresses int
	pace      pace
	// receiptsBatch is for how many blocks receipts are asked at once.
	receiptsBatch int
	failures      int       // since the last answer
	rest          time.Time // not asked before
	health        EndpointHealth
	// trusted are the ranges that were taken from eth_getLogs, in order.
	trusted []evm.Range
	// noFinalized and noBlockReceipts say what the node was seen to lack.
	noFinalized, noBlockReceipts bool
	// finalized are the last blocks that the endpoint called final, in order.
	finalized []evm.BlockRef
	// retracted is one of them that it replaced since, see [Head]; noVote says
	// that there is one.
	retracted   evm.BlockRef
	retractedTo uint64
	noVote      bool
	// lastFinalized is what was taken for its finalized block last.
	lastFinalized evm.Header
}

// EndpointHealth is what a [Client] has seen of one endpoint.
type EndpointHealth struct {
	// URL is scheme and host; the rest, which may be a credential, is left out.
	URL string
	// Calls and Requests are the JSON-RPC calls that were sent, and the HTTP
	// requests or WebSocket messages that held them.
	Calls, Requests uint64
	// Errors is the number of failed calls, those that only asked for smaller
	// ranges included. LastError is the class of the latest, see
	// [ErrorClass], or empty; LastFailure is its text, without credentials but in
	// the provider's words: for logs only.
	Errors                 uint64
	LastError, LastFailure string
	// Latency is a moving average over requests, 0 before the first.
	Latency time.Duration
	// Head is the highest block that the endpoint has shown, 0 before the first.
	Head uint64
	// Behind is true while the head is far below another endpoint's: this one is
	// asked only when no other answers.
	Behind bool
	// LeavesOut is true once the endpoint was caught leaving logs out of a range:
	// its ranges are read from receipts.
	LeavesOut bool
	// WrongChain is true while the endpoint serves another chain, and Contradicts
	// while it has other blocks than those that are final here: it is not asked for
	// blocks.
	WrongChain, Contradicts bool
	// Step is the number of blocks that are asked for at a time.
	Step uint64
	// RestUntil is the time before which the endpoint is not asked because it
	// failed or asked for a pause; zero when it is ready.
	RestUntil time.Time
}

func newEndpoint(raw string, o *ClientOptions) (*endpoint, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url repeats what may be a credential.
		return nil, errors.New("an endpoint's URL cannot be parsed")
	}
	e := &endpoint{url: raw, o: o, batch: o.BatchSize, next: o.BatchSize, receiptsBatch: 8, pace: pace{step: o.Step, limit: o.MaxStep, target: o.TargetLogs}}
	switch u.Scheme {
	case "http", "https":
	case "ws", "wss":
		e.socket = true
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
	e.secrets = secretsOf(u)
	e.health.URL = e.name
	e.http = &http.Client{Transport: &transport{base: o.Transport, maxBody: o.MaxBody, now: o.Now}}
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

// clean makes text from outside fit for an error.
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

// dialed returns the connection, which it makes at the first call.
func (e *endpoint) dialed(ctx context.Context) (*rpc.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client != nil {
		return e.client, nil
	}
	option := rpc.WithHTTPClient(e.http)
	if e.socket {
		option = rpc.WithWebsocketMessageSizeLimit(e.o.MaxBody)
	}
	client, err := rpc.DialOptions(ctx, e.url, option)
	if err != nil {
		return nil, err
	}
	e.client = client
	return client, nil
}

func (e *endpoint) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client != nil {
		e.client.Close()
		e.client = nil
	}
}

// call is one JSON-RPC call and its answer.
type call struct {
	method string
	args   []any
	result json.RawMessage
	err    error // an *Error, or nil
}

// null reports whether the answer is null, or nothing.
func (c *call) null() bool { return len(c.result) == 0 || c.result[0] == 'n' }

// byHash reports whether the call asks for a block by its hash.
func (c *call) byHash() bool {
	if len(c.args) == 0 {
		return false
	}
	switch about := c.args[0].(type) {
	case evm.Hash:
		return true
	case filter:
		return about.BlockHash != nil
	default:
		return false
	}
}

// send sends calls as one request.
func (e *endpoint) send(ctx context.Context, calls []*call) error {
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	ctx, about := withNote(ctx, len(calls) > 1)
	start := e.o.Now()
	client, err := e.dialed(ctx)
	if err == nil && len(calls) == 1 {
		calls[0].err = nil
		err = client.CallContext(ctx, &calls[0].result, calls[0].method, calls[0].args...)
		if err == nil {
			calls[0].result, err = about.result(calls[0].result)
		}
		var answered rpc.Error
		if errors.As(err, &answered) || errors.Is(err, rpc.ErrNoResult) {
			calls[0].err, err = e.failure(about, calls[0], err, false), nil
		}
	} else if err == nil {
		elements := make([]rpc.BatchElem, len(calls))
		for i, c := range calls {
			elements[i] = rpc.BatchElem{Method: c.method, Args: c.args, Result: &c.result}
		}
		if err = client.BatchCallContext(ctx, elements); err == nil {
			for i, c := range calls {
				c.err = nil
				if elements[i].Error == nil {
					c.result, elements[i].Error = about.result(c.result)
				}
				if elements[i].Error != nil {
					c.err = e.failure(about, c, elements[i].Error, false)
				}
			}
		}
	}
	if err != nil {
		whole := new(call)
		if len(calls) == 1 {
			whole = calls[0]
		}
		err = e.failure(about, whole, err, len(calls) > 1)
	}
	e.note(calls, err, e.o.Now().Sub(start))
	return err
}

// note keeps the books about one request.
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

// failure makes an *Error of what go-ethereum's client returned. A batch that
// failed as a whole has the zero call.
func (e *endpoint) failure(about *note, c *call, err error, batch bool) error {
	failed := &Error{Endpoint: e.name, Method: c.method}
	var (
		answered rpc.Error
		status   rpc.HTTPError
		tooLarge errTooLarge
	)
	switch {
	case about.wholeError != nil:
		failed.say(about.wholeError, true)
		failed.refusal.whole = failed.refusal.kind == kindTemporary
	case errors.As(err, &answered):
		said := &wireError{Code: answered.ErrorCode(), Message: answered.Error()}
		// The data of a call that reverted are the contract's own words.
		if more := rpc.DataError(nil); c.method != "eth_call" && errors.As(err, &more) {
			said.Data = more.ErrorData()
		}
		failed.say(said, batch)
	case errors.As(err, &status):
		failed.Code, failed.Message = status.StatusCode, http.StatusText(status.StatusCode)
		failed.refusal = classifyStatus(status.StatusCode)
		if said := parseError(status.Body); said != nil {
			of := failed.refusal
			if failed.say(said, batch); failed.refusal.kind == kindRefused {
				failed.refusal.kind = of.kind
			}
			failed.Code = status.StatusCode
		}
		// What is wrong with the request may be the number of its calls.
		failed.refusal.whole = status.StatusCode == http.StatusBadRequest && failed.refusal.kind == kindTemporary
	case errors.As(err, &tooLarge):
		failed.Message, failed.refusal = tooLarge.Error(), refusal{kind: kindSize}
	case errors.Is(err, context.DeadlineExceeded):
		failed.Message, failed.refusal, failed.timedOut = fmt.Sprintf("no answer within %s", e.o.Timeout), refusal{kind: kindSlow}, true
	default:
		// Broken connections and broken JSON: what was sent did not arrive whole.
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		failed.Message, failed.refusal = err.Error(), refusal{kind: kindSlow}
	}
	// Of a block that was asked for by number nobody says that it is gone.
	if failed.refusal.kind == kindUnknownBlock && !c.byHash() {
		failed.refusal.kind = kindBeyondHead
	}
	failed.Message = e.clean(failed.Message)
	failed.refusal.after = max(failed.refusal.after, about.retryAfter)
	return failed
}

// sawHead notes a block that the endpoint has shown.
func (e *endpoint) sawHead(number uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.health.Head = max(e.health.Head, number)
}

// flag reads a flag that mu guards.
func (e *endpoint) flag(f *bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return *f
}

// setFlag sets a flag that mu guards.
func (e *endpoint) setFlag(f *bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*f = true
}
