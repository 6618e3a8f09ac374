package admit

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"

	"mintburn/internal/httpapi/negotiate"
)

// Clients identifies clients by address; for IPv6 by /64, the usual prefix of one customer.
// Behind a trusted proxy, the address is the one in Forwarded or X-Forwarded-For. Clients is
// safe for concurrent use.
type Clients struct {
	proxies []netip.Prefix
	// socket reports whether the peers of a Unix socket are trusted proxies.
	socket bool
	log    *slog.Logger
	// identified reports whether requests have a [caller].
	identified bool
	// warned reports whether a proxy's headers have arrived although no proxy is trusted.
	warned atomic.Bool
}

// NewClients returns clients behind trusted proxies. It fails unless each entry is an address,
// a prefix or "unix", which trusts the peers of a Unix socket. The log gets one warning if a
// proxy's header arrives although no proxy is trusted.
func NewClients(proxies []string, log *slog.Logger) (*Clients, error) {
	c := &Clients{log: log}
	for _, text := range proxies {
		if text == "unix" {
			c.socket = true
			continue
		}
		p, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); addrErr == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q: want an address or a prefix, such as 10.0.0.0/8, or unix", text)
		}
		c.proxies = append(c.proxies, p.Masked())
	}
	return c, nil
}

// CheckProxies returns an error if a list of proxies is invalid for [NewClients].
func CheckProxies(list []string) error {
	_, err := NewClients(list, nil)
	return err
}

// Shared returns the client that has one share of the slots and of the memory for the work that
// several clients wait for. No request comes from it: see [Callers] for the addresses of keys.
func Shared() netip.Addr {
	return netip.AddrFrom16([16]byte(bytes.Repeat([]byte{0xff}, 16)))
}

const forwarded, forwardedFor = "Forwarded", "X-Forwarded-For"

// Of returns the client that sent a request. Clients with a key are identified by the key, at
// any address. The peer of a Unix socket that is no proxy has the invalid address.
func (c *Clients) Of(r *http.Request) netip.Addr {
	if c.identified {
		return callerOf(r.Context()).client
	}
	return c.byAddress(r)
}

// byAddress returns the address that identifies a request's client.
func (c *Clients) byAddress(r *http.Request) netip.Addr {
	peer := addressOf(r.RemoteAddr)
	byProxy := r.Header[forwarded] != nil || r.Header[forwardedFor] != nil
	switch {
	case !byProxy:
	case c.trusts(peer):
		peer = c.behind(peer, r.Header)
	case len(c.proxies) == 0 && !c.socket && c.warned.CompareAndSwap(false, true):
		c.log.WarnContext(r.Context(), "requests from behind an untrusted proxy count as one client: add the proxy to --trusted-proxies", "proxy", peer)
	}
	return clientOf(peer)
}

// trusts reports whether an address belongs to a trusted proxy. The peer of a Unix socket has
// the invalid address.
func (c *Clients) trusts(a netip.Addr) bool {
	return c.socket && !a.IsValid() || slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// behind returns the client behind a trusted proxy. A proxy sets one of the two headers, but
// may forward the other as the client sent it. If they disagree, both are ignored.
func (c *Clients) behind(proxy netip.Addr, h http.Header) netip.Addr {
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

// nearest returns the last address of a header that does not belong to a trusted proxy,
// because every proxy appends the address of its client.
func (c *Clients) nearest(proxy netip.Addr, list []string, node func(string) string) netip.Addr {
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

// forOf returns the parameter "for" of a Forwarded element. RFC 7239, section 5.2.
func forOf(element string) string {
	node, _ := negotiate.Parameter(element, "for")
	return node
}

// addressOf parses an address with or without a port. It returns the invalid address on
// failure.
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
		// Prefix fails only if there are too many bits.
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}
