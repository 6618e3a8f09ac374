package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/secret"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/jsonrpc/socket"
	"mintburn/internal/retrying"
)

// Endpoint is a URL with one node, or several nodes that answer as one, behind it.
type Endpoint struct {
	// Name is the scheme and host; the rest is left out, because it may be a credential.
	Name string
	// Secrets are the credentials in the URL.
	Secrets secret.Secrets
	// Rest decides when the endpoint may be called.
	Rest Rest

	o      *settings.Options
	url    string
	http   *http.Client
	isWS   bool
	slots  *slot.Slots
	ids    atomic.Int64 // of the last call over a WebSocket
	limits limits
}

// New returns the endpoint of a URL, which is http, https, ws or wss. It does not connect.
// Endpoints with the same slots share their memory for answers.
func New(raw string, o *settings.Options, slots *slot.Slots) (*Endpoint, error) {
	const want = "want an http, https, ws or wss URL, such as http://127.0.0.1:8545"
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url repeats the URL, which may hold a credential.
		return nil, errors.New("endpoint URL cannot be parsed: " + want)
	}
	e := &Endpoint{
		o: o, url: raw, http: &http.Client{Transport: o.Transport, CheckRedirect: stay}, slots: slots,
		Secrets: secret.Of(u), Rest: Rest{o: o, secrets: secret.Of(u)}, limits: limits{size: o.BatchSize, most: o.BatchSize, soon: o.BatchSize},
	}
	switch u.Scheme {
	case "http", "https":
	case "ws", "wss":
		e.isWS, e.http.Transport = true, new(socket.Transport)
	case "":
		return nil, errors.New("endpoint URL without a scheme: " + want)
	default:
		return nil, fmt.Errorf("endpoint URL begins with %q: %s", u.Scheme+":", want)
	}
	if u.Host == "" {
		return nil, errors.New("endpoint URL without a host: " + want)
	}
	e.Name = u.Scheme + "://" + u.Host
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		e.Name += "/…"
	}
	return e, nil
}

// MaxBatch returns the most calls that the endpoint accepts in a batch.
func (e *Endpoint) MaxBatch() int { return e.limits.batch() }

// Close closes the connections.
func (e *Endpoint) Close() { e.http.CloseIdleConnections() }

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

// newError completes the error of one call, or of a whole batch.
func (e *Endpoint) newError(calls []*Call, failed *rpcerror.Error) *rpcerror.Error {
	failed.Endpoint = e.Name
	byHash := false
	if len(calls) == 1 {
		failed.Method, byHash = calls[0].Method, calls[0].ByHash()
	}
	// An unknown block that was requested by number is above the node's head.
	if failed.Info.Kind == rpcerror.UnknownBlock && !byHash {
		failed.Info.Kind = rpcerror.BeyondHead
	}
	failed.Message = e.Secrets.Clean(failed.Message)
	return failed
}

// answerError returns the error of calls that a node answered with an error. batch
// means that it is the single error of a whole batch.
func (e *Endpoint) answerError(calls []*Call, said *rpcerror.Object, batch bool) *rpcerror.Error {
	said.Message = said.Message[:min(len(said.Message), rpcerror.MaxText)]
	failed := &rpcerror.Error{Code: said.Code, Message: said.Message, Info: rpcerror.Classify(said.Code, said.Message, batch)}
	// Some nodes return the reason only in data. For eth_call, data belongs to the
	// contract.
	if more := said.Details(); more != "" && !(len(calls) == 1 && calls[0].Method == "eth_call") {
		failed.Message += ": " + more
		if failed.Info.Kind == rpcerror.Size && failed.Info.Limit == 0 || failed.Info.Kind == rpcerror.Refused {
			failed.Info = rpcerror.Classify(said.Code, failed.Message, batch)
		}
	}
	return e.newError(calls, failed)
}

// badStatus returns the error of calls that were answered with an HTTP error.
func (e *Endpoint) badStatus(calls []*Call, response *http.Response, body []byte) error {
	status := response.StatusCode
	failed := &rpcerror.Error{Message: http.StatusText(status), Info: rpcerror.Info{Kind: rpcerror.OfStatus(status)}}
	if len(body) > 0 {
		failed.Message += ": got " + e.described(response, body)
	}
	if said := rpcerror.Read(bytes.TrimPrefix(body, byteOrderMark), e.Secrets.Excerpt); said != nil {
		failed = e.answerError(calls, said, len(calls) > 1)
		if failed.Info.Kind == rpcerror.Refused {
			failed.Info.Kind = rpcerror.OfStatus(status)
		}
	}
	if target, err := response.Location(); status < http.StatusBadRequest && err == nil {
		failed.Message = fmt.Sprintf("%s: the redirect to %s://%s is not followed", http.StatusText(status), target.Scheme, target.Host)
	}
	failed.Code, failed.Info.Status = status, status
	failed.Info.After = retrying.RetryAfter(response.Header, e.o.Now(), rpcerror.MaxRetryAfter)
	failed.Info.Whole = len(calls) > 1 && failed.Info.Kind == rpcerror.Temporary && failed.Info.After == 0
	return e.newError(calls, failed)
}

// transportError returns the error of calls whose answer did not arrive completely,
// or nil if err is nil. It returns an [*rpcerror.Error] unchanged.
func (e *Endpoint) transportError(calls []*Call, err error) error {
	if _, known := errors.AsType[*rpcerror.Error](err); err == nil || known {
		return err
	}
	failed := &rpcerror.Error{Info: rpcerror.Info{Kind: rpcerror.Slow}}
	if failed.TimedOut = errors.Is(err, context.DeadlineExceeded); failed.TimedOut {
		failed.Message = fmt.Sprintf("no answer within %s", e.o.Timeout)
	} else {
		// The error of package url repeats the URL.
		if outer := new(url.Error); errors.As(err, &outer) {
			err = outer.Err
		}
		failed.Message = err.Error()
	}
	return e.newError(calls, failed)
}

// byteOrderMark begins the answers of some servers, against RFC 8259, section 8.1.
var byteOrderMark = []byte("\uFEFF")

// described describes a response whose body is no JSON-RPC answer.
func (e *Endpoint) described(response *http.Response, body []byte) (text string) {
	for _, header := range []string{"Content-Type", "Content-Encoding"} {
		if value := response.Header.Get(header); value != "" {
			text += fmt.Sprintf("%s %s, ", strings.ToLower(header), e.Secrets.Excerpt([]byte(value)))
		}
	}
	return text + "body " + e.Secrets.Excerpt(body)
}
