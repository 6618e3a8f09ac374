package admit

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// connections bounds the open connections of a server. At the bound, a new connection replaces
// one of the client with the most connections, or is closed if that is its own client.
type connections struct {
	net.Listener
	max     int
	clients *Clients
	// headers is the memory for headers that have not ended.
	headers *Budget

	mu sync.Mutex // guards the fields below
	// open holds the connections of each client.
	open  map[netip.Addr]map[*connection]struct{}
	count int
}

// LimitConnections returns a listener that accepts at most so many connections for a server.
// Connections from trusted proxies count, but belong to no client. It fails if the proxies are
// invalid.
func LimitConnections(l net.Listener, server *http.Server, most int, proxies []string, log *slog.Logger) (net.Listener, error) {
	known, err := NewClients(proxies, log)
	if err != nil {
		return nil, err
	}
	c := &connections{Listener: l, max: most, clients: known, headers: NewBudget(headerBudget, known), open: map[netip.Addr]map[*connection]struct{}{}}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if one := connectionOf(conn); one != nil {
			one.active.Store(state == http.StateActive || state == http.StateHijacked)
			if state == http.StateIdle {
				one.begin()
			}
		}
	}
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, connectionOf(conn))
	}
	return c, nil
}

// connectionOf returns the connection below a server's, or nil.
func connectionOf(conn net.Conn) *connection {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	one, _ := conn.(*connection)
	return one
}

// Accept implements [net.Listener].
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		// The zero address stands for all trusted proxies.
		peer := addressOf(conn.RemoteAddr().String())
		one := &connection{Conn: conn, of: c, since: time.Now()}
		if !c.clients.trusts(peer) {
			one.client = clientOf(peer)
		}
		one.header.owner = one.client
		closing := c.add(one)
		if closing == nil {
			return one, nil
		}
		_ = closing.Close()
		if closing != one {
			return one, nil
		}
	}
}

// add adds a connection and returns the one to close, if any.
func (c *connections) add(one *connection) (closing *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[one.client] == nil {
		c.open[one.client] = map[*connection]struct{}{}
	}
	c.open[one.client][one] = struct{}{}
	c.count++
	if c.count <= c.max {
		return nil
	}
	most := one.client
	for client, list := range c.open {
		if client.IsValid() && (!most.IsValid() || len(list) > len(c.open[most])) {
			most = client
		}
	}
	if most == one.client {
		return one
	}
	for other := range c.open[most] {
		if closing == nil || other.before(closing) {
			closing = other
		}
	}
	return closing
}

// remove removes a closed connection.
func (c *connections) remove(one *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.open[one.client]
	if _, ok := list[one]; !ok {
		return
	}
	delete(list, one)
	c.count--
	if len(list) == 0 {
		delete(c.open, one.client)
	}
}

// connection is a connection of a client; client is the zero address for a trusted proxy.
type connection struct {
	net.Conn
	of     *connections
	client netip.Addr
	since  time.Time
	// active reports whether a request or its answer is in progress, or the connection is a
	// WebSocket.
	active atomic.Bool

	mu sync.Mutex // guards the fields below
	// header holds the memory of the header that is being read, unless the connection has a
	// request. multiplexed reports that it has had one of HTTP/2, whose headers it bounds itself.
	header                 Buffer
	requested, multiplexed bool
}

// before reports whether to close a connection before another one of its client: idle
// connections come first, then the oldest.
func (c *connection) before(other *connection) bool {
	if active := c.active.Load(); active != other.active.Load() {
		return !active
	}
	return c.since.Before(other.since)
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.of.remove(c)
	c.end(false)
	return c.Conn.Close()
}

// CloseWrite lets the server send its last answer before it closes a connection with a partly
// read request.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
