package pgtest

import (
	"bytes"
	"errors"
	"net"
	"net/url"
	"strings"
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
	// conns has each client's connection, with how many of the texts before it has sent.
	conns map[net.Conn]int
	// left is the number of answers after which all connections are closed, 0 for never.
	left int
	// trips counts how often the server answered what a client had sent.
	trips int
	// thawed is closed by Thaw, nil while the proxy is not frozen.
	thawed chan struct{}
	// before has the texts that freeze the proxy, see FreezeBefore.
	before []string
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
	return NewProxies(t, DSN(t))[0]
}

// NewProxies returns a proxy of each host of a URL. The DSN of each names all of them.
func NewProxies(t testing.TB, dsn string) (proxies []*Proxy) {
	t.Helper()
	through, err := url.Parse(dsn)
	must(t, err)
	var addresses []string
	for _, host := range strings.Split(through.Host, ",") {
		p := &Proxy{t: t, address: "127.0.0.1:0", server: host, conns: map[net.Conn]int{}}
		p.Restore()
		t.Cleanup(func() {
			p.Cut()
			p.Thaw()
		})
		proxies, addresses = append(proxies, p), append(addresses, p.address)
	}
	through.Host = strings.Join(addresses, ",")
	for _, p := range proxies {
		p.DSN = through.String()
	}
	return proxies
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

// Freeze lets nothing pass in either direction, the ends of connections included, as a
// network does that is lost. Connections stay open, and new ones open, but are not
// answered.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freeze()
}

// freeze is Freeze. The caller must hold mu.
func (p *Proxy) freeze() {
	if p.thawed == nil {
		p.thawed = make(chan struct{})
	}
	p.before = nil
}

// FreezeBefore freezes the proxy once a client has sent these texts over one connection
// in this order: the last of them does not pass, though what is before it does.
func (p *Proxy) FreezeBefore(texts ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = texts
	for client := range p.conns {
		p.conns[client] = 0
	}
}

// Frozen reports whether nothing passes.
func (p *Proxy) Frozen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.thawed != nil
}

// Thaw ends Freeze: what was held back passes.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.thawed != nil {
		close(p.thawed)
		p.thawed = nil
	}
	p.before = nil
}

// await waits while nothing passes.
func (p *Proxy) await() {
	p.mu.Lock()
	thawed := p.thawed
	p.mu.Unlock()
	if thawed != nil {
		<-thawed
	}
}

// look freezes the proxy if the last of the texts to freeze before is in what a client
// sends, and returns how many bytes of that pass.
func (p *Proxy) look(client net.Conn, sent []byte) (pass int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.before) > 0 {
		text := p.before[p.conns[client]]
		at := bytes.Index(sent[pass:], []byte(text))
		if at < 0 {
			break
		}
		pass += at
		if p.conns[client]++; p.conns[client] == len(p.before) {
			p.freeze()
			return pass
		}
		pass += len(text)
	}
	return len(sent)
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
	p.mu.Lock()
	p.conns[client] = 0
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, client)
	}()
	p.await()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var asked atomic.Bool
	go func() {
		for question := make([]byte, 64<<10); ; {
			n, err := client.Read(question)
			p.await()
			pass := p.look(client, question[:n])
			asked.Store(true)
			_, failed := server.Write(question[:pass])
			if pass < n && failed == nil {
				p.await()
				_, failed = server.Write(question[pass:n])
			}
			if err != nil || failed != nil {
				break
			}
		}
		_ = server.Close()
	}()
	for answer := make([]byte, 64<<10); ; {
		n, err := server.Read(answer)
		p.await()
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
}
