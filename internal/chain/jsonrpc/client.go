package jsonrpc

import (
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/node"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/jsonrpc/slot"
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
	o         *settings.Options
	endpoints []*member
	slots     *slot.Slots

	// mu guards everything below.
	mu sync.Mutex
	// chainID is the id that all endpoints must return, nil until it is known.
	chainID *uint64
	// compareAt is the time of the next comparison of the endpoints' heads.
	compareAt time.Time
}

// member is a node of a client, and what the client found out about it.
type member struct {
	*node.Node
	// checked is true once the node was found to serve the right chain, see trust.go.
	checked atomic.Bool
	// behind, wrongChain and contradicts are those of [EndpointHealth].
	behind, wrongChain, contradicts atomic.Bool
}

// Close closes the connections.
func (c *Client) Close() {
	for _, e := range c.endpoints {
		e.Close()
	}
}

// Limited reports whether an endpoint refused a call since the last report, because there were
// too many.
func (c *Client) Limited() (limited bool) {
	for _, e := range c.endpoints {
		limited = e.Rest.Limited() || limited
	}
	return limited
}

// EndpointHealth is the state of one endpoint.
type EndpointHealth struct {
	// URL is the scheme and host; the rest is left out, because it may be a credential.
	URL string
	endpoint.Health
	// Head is the highest block that the endpoint has returned, 0 before the first.
	Head uint64
	// FirstBlock is the first block that the endpoint has, 0 while unknown or if it has all.
	FirstBlock uint64
	// LeavesOut is true once the endpoint has left logs out of a range: its blocks
	// are read from receipts.
	LeavesOut bool
	// Behind is true while the endpoint's head is far below another's: it is called
	// only when no other endpoint answers.
	Behind bool
	// WrongChain is true while the endpoint serves another chain, Contradicts while
	// its blocks differ from the stored final ones. No blocks are read from it then.
	WrongChain, Contradicts bool
}

// Health returns the state of each endpoint, in the order of [Dial].
func (c *Client) Health() (all []EndpointHealth) {
	for _, e := range c.endpoints {
		h := EndpointHealth{URL: e.Name, Health: e.Rest.Health(), Behind: e.behind.Load(), WrongChain: e.wrongChain.Load(), Contradicts: e.contradicts.Load()}
		h.Head, h.FirstBlock, h.LeavesOut = e.State()
		all = append(all, h)
	}
	return all
}

// failed makes the endpoint rest. When it recovers, another node may be behind the URL.
func (e *member) failed(err error) {
	e.Rest.Failed(err)
	if rpcerror.KindOf(err) != rpcerror.Rate {
		e.checked.Store(false)
	}
}
