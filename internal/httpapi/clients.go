package httpapi

import (
	"container/list"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clients identifies clients by their addresses; by /64 for IPv6, which is what one
// customer of a provider has.
type clients struct {
	proxies []netip.Prefix
	log     *slog.Logger
	// warned says that a proxy's headers arrived although none is trusted.
	warned atomic.Bool
}

// newClients returns clients behind trusted proxies. It fails on anything but
// addresses and prefixes.
func newClients(proxies []string, log *slog.Logger) (*clients, error) {
	c := &clients{log: log}
	for _, text := range proxies {
		p, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); addrErr == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q: want an address or a prefix, such as 10.0.0.0/8", text)
		}
		c.proxies = append(c.proxies, p.Masked())
	}
	return c, nil
}

// CheckProxies returns the error of a list of proxies for [Config], or nil.
func CheckProxies(list []string) error {
	_, err := newClients(list, nil)
	return err
}

const forwarded, forwardedFor = "Forwarded", "X-Forwarded-For"

// of returns the client that sent a request.
func (c *clients) of(r *http.Request) netip.Addr {
	peer := addressOf(r.RemoteAddr)
	byProxy := r.Header[forwarded] != nil || r.Header[forwardedFor] != nil
	switch {
	case !byProxy:
	case c.trusts(peer):
		peer = c.behind(peer, r.Header)
	case len(c.proxies) == 0 && c.warned.CompareAndSwap(false, true):
		c.log.WarnContext(r.Context(), "requests arrive through a proxy, and count as one client: name it with --trusted-proxies", "proxy", peer)
	}
	return clientOf(peer)
}

// trusts reports whether an address is that of a trusted proxy.
func (c *clients) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// behind returns the client behind a trusted proxy. A proxy sets one of the two
// headers, and may pass on the client's own for the other: if they differ, neither
// counts.
func (c *clients) behind(proxy netip.Addr, h http.Header) netip.Addr {
	inFor, inForwarded := h[forwardedFor], h[forwarded]
	if inForwarded == nil {
		return c.nearest(proxy, inFor, strings.TrimSpace)
	}
	client := c.nearest(proxy, inForwarded, forOf)
	if inFor != nil && client != c.nearest(proxy, inFor, strings.TrimSpace) {
		return proxy
	}
	return client
}

// nearest returns the last address of a header that is not a trusted proxy's:
// every proxy appends the address of its client.
func (c *clients) nearest(proxy netip.Addr, list []string, node func(string) string) netip.Addr {
	nearest := proxy
	for i := len(list) - 1; i >= 0; i-- {
		for rest := list[i]; ; {
			comma := strings.LastIndexByte(rest, ',')
			a := addressOf(node(rest[comma+1:]))
			if !a.IsValid() {
				return nearest
			}
			if nearest = a; !c.trusts(a) {
				return nearest
			}
			if comma < 0 {
				break
			}
			rest = rest[:comma]
		}
	}
	return nearest
}

// forOf returns the parameter "for" of an element of the header Forwarded. RFC
// 7239, section 5.2.
func forOf(element string) string {
	node, _ := parameter(element, "for")
	return node
}

// addressOf reads an address with or without a port; it is invalid if there is
// none.
func addressOf(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// clientOf returns the address that identifies a client.
func clientOf(a netip.Addr) netip.Addr {
	if a.Is6() {
		// The only error is too many bits.
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}

// connections bounds the connections of a server. Beyond the bound, a new one
// replaces one of the client that has the most, or is closed if that client is its
// own.
type connections struct {
	net.Listener
	max     int
	clients *clients

	mu sync.Mutex // guards what follows
	// open has the connections of each client.
	open  map[netip.Addr]map[*connection]struct{}
	count int
}

// LimitConnections returns a listener for a server that accepts at most so many
// connections. Those from trusted proxies count, but belong to no client. It fails
// if it cannot read the proxies.
func LimitConnections(l net.Listener, server *http.Server, most int, proxies []string, log *slog.Logger) (net.Listener, error) {
	known, err := newClients(proxies, log)
	if err != nil {
		return nil, err
	}
	c := &connections{Listener: l, max: most, clients: known, open: map[netip.Addr]map[*connection]struct{}{}}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
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

// connection is one connection of a client; the zero address is a trusted
// proxy's.
type connection struct {
	net.Conn
	of     *connections
	client netip.Addr
	since  time.Time
	// active says that a request or its answer is in progress.
	active atomic.Bool
}

// before reports whether to close a connection before another one of its client:
// idle ones come first, then the oldest.
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

// CloseWrite lets the server send its last answer before it closes a connection
// whose request it has not read completely.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// lru caches values within a number and a weight. Each has an owner. Beyond a
// bound, the owner with the most loses its least recently used value, so that no
// client evicts the values of others by sending many of its own. It is safe for
// concurrent use.
type lru[V any] struct {
	maxEntries, maxWeight int

	mu      sync.Mutex // guards what follows
	weight  int
	entries map[string]*list.Element
	owners  map[netip.Addr]*owned
}

// owned has the values of one owner.
type owned struct {
	// order has an entry[V] for each value, the last used one in front.
	order  list.List
	weight int
}

type entry[V any] struct {
	key    string
	value  V
	weight int
	owner  netip.Addr
}

func newLRU[V any](maxEntries, maxWeight int) *lru[V] {
	return &lru[V]{maxEntries: maxEntries, maxWeight: maxWeight, entries: map[string]*list.Element{}, owners: map[netip.Addr]*owned{}}
}

// get returns the value of a key.
func (l *lru[V]) get(key string) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	element, ok := l.entries[key]
	if !ok {
		return value, false
	}
	e := element.Value.(*entry[V])
	l.owners[e.owner].order.MoveToFront(element)
	return e.value, true
}

// put caches a value unless it is heavier than the whole cache. Others are
// evicted for it. The first value of a key stays.
func (l *lru[V]) put(key string, value V, weight int, owner netip.Addr) {
	if weight > l.maxWeight {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.entries[key]; ok {
		return
	}
	o := l.owners[owner]
	if o == nil {
		o = &owned{}
		l.owners[owner] = o
	}
	l.entries[key] = o.order.PushFront(&entry[V]{key, value, weight, owner})
	l.weight += weight
	o.weight += weight
	for len(l.entries) > l.maxEntries || l.weight > l.maxWeight {
		l.remove(l.largest().order.Back())
	}
}

// largest returns the owner with the most values, or the heaviest, by the bound
// that is exceeded. The caller must hold mu.
func (l *lru[V]) largest() (most *owned) {
	byNumber := len(l.entries) > l.maxEntries
	for _, o := range l.owners {
		if most == nil || byNumber && o.order.Len() > most.order.Len() || !byNumber && o.weight > most.weight {
			most = o
		}
	}
	return most
}

// drop removes the value of a key.
func (l *lru[V]) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element, ok := l.entries[key]; ok {
		l.remove(element)
	}
}

// remove removes a value. The caller must hold mu.
func (l *lru[V]) remove(element *list.Element) {
	e := element.Value.(*entry[V])
	o := l.owners[e.owner]
	o.order.Remove(element)
	if o.weight -= e.weight; o.order.Len() == 0 {
		delete(l.owners, e.owner)
	}
	delete(l.entries, e.key)
	l.weight -= e.weight
}
