package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"mintburn/internal/chain/jsonrpc/secret"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/jsonrpc/socket"
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
	u, err := url.Parse(raw)
	if err != nil {
		// The error of package url repeats the URL, which may hold a credential.
		return nil, errors.New("endpoint URL cannot be parsed")
	}
	e := &Endpoint{
		o: o, url: raw, http: &http.Client{Transport: o.Transport, CheckRedirect: stay}, slots: slots,
		Secrets: secret.Of(u), Rest: Rest{o: o, secrets: secret.Of(u)}, limits: limits{size: o.BatchSize, most: o.BatchSize, soon: o.BatchSize},
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
