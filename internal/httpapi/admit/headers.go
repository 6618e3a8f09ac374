package admit

import (
	"bytes"
	"errors"
	"net/http"
)

// headerBudget is the memory for headers that have not ended, of all connections. A field takes
// about fieldBytes, besides its texts, and so does a name in Trailer.
const headerBudget, fieldBytes = 96 << 20, 128

var errHeaders = errors.New("too many headers that have not ended")

// connectionKey is the context key of a [connection].
type connectionKey struct{}

// HeaderRead notes that the header of a request has ended, whose memory the request itself
// accounts for from now on.
func HeaderRead(r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil {
		c.end(r.ProtoMajor > 1)
	}
}

// Read implements [net.Conn]. It fails if the memory for headers is used up: net/http would hold a
// header of 64 KiB, and more than a megabyte for its fields, on each connection until its timeout.
func (c *connection) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n == 0 || c.requested {
		return n, err
	}
	fields := bytes.Count(p[:n], []byte{'\n'}) + bytes.Count(p[:n], []byte{','})
	if !c.of.headers.Take(&c.header, n+fieldBytes*fields) {
		return 0, errHeaders
	}
	return n, err
}

// begin notes that what follows is the header of another request.
func (c *connection) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requested = c.multiplexed
	c.of.headers.Release(&c.header)
}

// end notes that the header has ended, or the connection.
func (c *connection) end(multiplexed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requested, c.multiplexed = true, c.multiplexed || multiplexed
	c.of.headers.Release(&c.header)
}
