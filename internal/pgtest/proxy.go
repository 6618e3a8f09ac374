package pgtest

import (
	"errors"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy is a database behind an address of its own, which can be cut off while the
// server runs on.
type Proxy struct {
	// DSN is a postgres:// URL of the database by way of the proxy.
	DSN string
	// Delay is how long an answer is on its way. It must be set before the proxy is used.
	Delay time.Duration

	t       testing.TB
	address string // where the proxy listens
	server  string // the server's address

	mu       sync.Mutex // guards what follows
	listener net.Listener
	conns    map[net.Conn]struct{}
	// left is the number of answers after which all connections are closed, 0 for never.
	left int
	// trips counts how often the server answered what a client had sent.
	trips int
}

// RoundTrips returns how often clients have waited for an answer so far.
func (p *Proxy) RoundTrips() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trips
}

// NewProxy returns a proxy of a new database, see [DSN]. It is closed at the end of the
// test.
func NewProxy(t testing.TB) *Proxy {
	t.Helper()
	dsn, err := url.Parse(DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{t: t, address: "127.0.0.1:0", server: dsn.Host, conns: map[net.Conn]struct{}{}}
	p.Restore()
	t.Cleanup(p.Cut)
	dsn.Host = p.address
	p.DSN = dsn.String()
	return p
}

// Restore makes the database reachable.
func (p *Proxy) Restore() {
	p.t.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener, p.address = listener, listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(client)
		}
	}()
}

// Cut closes all connections and refuses new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	if err := p.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		p.t.Error(err)
	}
	p.mu.Unlock()
	p.Drop()
}

// Drop closes all connections.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
	clear(p.conns)
}

// DropAfter closes all connections in place of the n-th answer from now on.
func (p *Proxy) DropAfter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = n
}

// answered counts an answer, and reports whether it is the one to drop. asked says
// that the client has sent something since the last one.
func (p *Proxy) answered(asked bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if asked {
		p.trips++
	}
	if p.left == 0 {
		return false
	}
	p.left--
	return p.left == 0
}

// pass copies the bytes of one connection in both directions.
func (p *Proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns[client] = struct{}{}
	p.mu.Unlock()
	var asked atomic.Bool
	go func() {
		for question := make([]byte, 64<<10); ; {
			n, err := client.Read(question)
			asked.Store(true)
			if _, failed := server.Write(question[:n]); err != nil || failed != nil {
				break
			}
		}
		_ = server.Close()
	}()
	for answer := make([]byte, 64<<10); ; {
		n, err := server.Read(answer)
		first := asked.Swap(false)
		if n > 0 && p.answered(first) {
			p.Drop()
		}
		if first {
			time.Sleep(p.Delay) //nolint:forbidigo // That is what a network does.
		}
		if _, failed := client.Write(answer[:n]); err != nil || failed != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
}
