package httpapi

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/nft"
)

// connections bounds the open connections of a server. At the bound, a new connection replaces
// one of the client with the most connections, or is closed if that is its own client.
type connections struct {
	net.Listener
	max     int
	clients *clients

	mu sync.Mutex // guards the fields below
	// open holds the connections of each client.
	open  map[netip.Addr]map[*connection]struct{}
	count int
}

// LimitConnections returns a listener that accepts at most so many connections for a server.
// Connections from trusted proxies count, but belong to no client. It fails if the proxies are
// invalid.
func LimitConnections(l net.Listener, server *http.Server, most int, proxies []string, log *slog.Logger) (net.Listener, error) {
	known, err := newClients(proxies, log)
	if err != nil {
		return nil, err
	}
	c := &connections{Listener: l, max: most, clients: known, open: map[netip.Addr]map[*connection]struct{}{}}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if encrypted, ok := conn.(*tls.Conn); ok {
			conn = encrypted.NetConn()
		}
		if one, ok := conn.(*connection); ok {
			one.active.Store(state == http.StateActive)
		}
	}
	return c, nil
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
	// active reports whether a request or its answer is in progress.
	active atomic.Bool
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

// Bounds on an open request: one whose body has not ended, or whose answer is not sent.
const (
	// maxHeaderFields is the maximum number of header fields and of names in Trailer.
	maxHeaderFields = 200
	// requestBytes is the memory of a request without its header: goroutine, buffers and the
	// first bytes of a body. nameBytes is that of a header field or trailer, besides its texts.
	requestBytes, nameBytes = 32 << 10, 128
	// http2Streams is the maximum number of streams of a connection, the least that RFC 9113
	// recommends (section 6.5.2). http2Frame bounds a frame, for which net/http reserves
	// memory before it arrives, and http2Window the bytes of bodies that a connection may send
	// before they are read.
	http2Streams, http2Frame, http2Window = 100, 16 << 10, 256 << 10
)

// held counts the memory of open requests in the budget, and refuses requests that exceed it
// or have too many header fields.
func (e *endpoint) held(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		names, size := memoryOf(r)
		b := e.budget.buffer(r)
		defer e.budget.drop(b)
		// Probes without a body end at once, and must be answered when no memory is left.
		probe := r.Body == http.NoBody && (r.URL.Path == "/metrics" || slices.Contains(probes, r.URL.Path))
		switch {
		case names > maxHeaderFields:
			e.refuse(w, r, statusError(http.StatusRequestHeaderFieldsTooLarge, nft.BadUserInput, "the request has %d header fields and trailers: want at most %d", names, maxHeaderFields))
		case !probe && !e.budget.take(b, size):
			e.refuse(w, r, busy("too many open requests"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// memoryOf returns the number of header fields and trailers of a request, and roughly the
// memory that it holds while it is open, in bytes.
func memoryOf(r *http.Request) (names, size int) {
	size = requestBytes + len(r.RequestURI)
	for _, header := range []http.Header{r.Header, r.Trailer} {
		for name, values := range header {
			names += max(1, len(values))
			size += len(name)
			for _, value := range values {
				size += len(value)
			}
		}
	}
	return names, size + names*nameBytes
}

// refuse sends an error and ends the request without waiting for its body, so that its memory
// is free at once.
func (e *endpoint) refuse(w http.ResponseWriter, r *http.Request, failed *requestError) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if r.URL.Path == "/graphql" {
		// If the client accepts no supported media type, the error is sent as JSON.
		media, _ := negotiate(r.Header)
		e.write(w, r, media, outcome{failed: failed})
	} else {
		e.fail(w, r, failed)
	}
	answer := http.NewResponseController(w)
	// Errors mean that the client is gone.
	if answer.EnableFullDuplex() == nil && answer.Flush() == nil {
		_ = answer.SetReadDeadline(time.Unix(1, 0))
	}
}

// Bounds on what is read of a request after its answer.
const (
	drainBytes = 16 << 20
	drainTime  = 5 * time.Second
)

// drained sends an answer, which may be an error, before it reads the rest of the body. If a
// connection with unread bytes is closed, the system resets it, and the client may lose the
// answer. net/http reads 256 KiB at most, before it sends the answer. HTTP/2 ends single streams
// instead.
func drained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A client that waits for "100 Continue" sends no body after a final answer.
		if r.ProtoMajor > 1 || r.Body == http.NoBody || r.Header.Get("Expect") != "" {
			next.ServeHTTP(w, r)
			return
		}
		body := &endingBody{ReadCloser: r.Body}
		r.Body = body
		next.ServeHTTP(w, r)
		if body.ended {
			return
		}
		// Errors mean that the client is gone.
		answer := http.NewResponseController(w)
		if answer.EnableFullDuplex() == nil && answer.Flush() == nil && answer.SetReadDeadline(time.Now().Add(drainTime)) == nil {
			_, _ = io.CopyN(io.Discard, body, drainBytes)
		}
	})
}

// endingBody is a body that records its end.
type endingBody struct {
	io.ReadCloser
	ended bool
}

func (b *endingBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}
