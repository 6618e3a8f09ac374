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

// Proxy is a TCP proxy to a database, which a test can cut off while the server keeps
// running.
type Proxy struct {
	// DSN is a postgres:// URL of the database through the proxy.
	DSN string
	// Delay is the latency of each answer. It must be set before the proxy is used.
	Delay time.Duration

	t       testing.TB
	address string // where the proxy listens
	server  string // the server's address

	mu       sync.Mutex // guards the fields below
	listener net.Listener
	// conns are the client connections, each with the number of texts of before that the
	// client has sent.
	conns map[net.Conn]int
	// left is the number of answers after which all connections are closed, 0 for never.
	left int
	// trips counts the round trips.
	trips int
	// thawed is closed by Thaw, nil while the proxy is not frozen.
	thawed chan struct{}
	// before are the texts that freeze the proxy, see FreezeBefore.
	before []string
}

// RoundTrips returns the number of round trips of all clients so far.
func (p *Proxy) RoundTrips() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trips
}

// NewProxy returns a proxy to a new database, see [DSN]. It is closed at the end of the
// test.
func NewProxy(t testing.TB) *Proxy {
	t.Helper()
	return NewProxies(t, DSN(t))[0]
}

// NewProxies returns a proxy to each host of a URL. The DSN of each lists all proxies.
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

// DropAfter closes all connections instead of sending the n-th answer from now on.
func (p *Proxy) DropAfter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = n
}

// Freeze stops all traffic in both directions, including the ends of connections, like a
// broken network. Connections stay open, and new ones are accepted, but get no answer.
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
// in this order. All bytes before the last text still pass.
func (p *Proxy) FreezeBefore(texts ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = texts
	for client := range p.conns {
		p.conns[client] = 0
	}
}

// Frozen reports whether the proxy is frozen.
func (p *Proxy) Frozen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.thawed != nil
}

// Thaw ends Freeze, and sends the data that was held back.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.thawed != nil {
		close(p.thawed)
		p.thawed = nil
	}
	p.before = nil
}

// await waits while the proxy is frozen.
func (p *Proxy) await() {
	p.mu.Lock()
	thawed := p.thawed
	p.mu.Unlock()
	if thawed != nil {
		<-thawed
	}
}

// look freezes the proxy if sent contains the last of the texts to freeze before, and
// returns the number of bytes that pass.
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

// answered counts an answer, and reports whether to drop the connections instead of
// sending it. asked is set if the client has sent something since the last answer.
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
			time.Sleep(p.Delay) //nolint:forbidigo // It is the latency of a network.
		}
		if _, failed := client.Write(answer[:n]); err != nil || failed != nil {
			break
		}
	}
}
