package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"mintburn/internal/nft"
)

// mediaType is one of the two in which GraphQL answers.
type mediaType int

const (
	legacyJSON mediaType = iota
	graphqlResponse
)

// name is the media type as headers have it.
func (m mediaType) name() string {
	if m == graphqlResponse {
		return "application/graphql-response+json"
	}
	return "application/json"
}

// preference is how much a client likes a media type, and how exactly it said
// so: 1 for */*, 2 for application/*, 3 for the type itself.
type preference struct {
	weight    float64
	exactness int
}

// better reports whether a client prefers p to q. Of two equal weights that
// count which it named more exactly.
func (p preference) better(q preference) bool {
	return p.weight > q.weight || p.weight == q.weight && p.exactness > q.exactness
}

// negotiate chooses the media type of the answer; application/json where the
// client has no preference, application/graphql-response+json where it names
// both alike. RFC 9110, section 12.5.1; GraphQL over HTTP, "Media Types".
func negotiate(h http.Header) (mediaType, *refusal) {
	accept := h.Values("Accept")
	if strings.Join(accept, "") == "" {
		return legacyJSON, nil
	}
	var legacy, response preference
	eachWeighted(accept, func(name, parameters string, weight float64) {
		if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
			return
		}
		switch name {
		case "*/*":
			legacy.hear(weight, 1)
			response.hear(weight, 1)
		case "application/*":
			legacy.hear(weight, 2)
			response.hear(weight, 2)
		case legacyJSON.name():
			legacy.hear(weight, 3)
		case graphqlResponse.name():
			response.hear(weight, 3)
		}
	})
	switch {
	case legacy.weight == 0 && response.weight == 0:
		return legacyJSON, refuseWith(http.StatusNotAcceptable, nft.BadUserInput,
			"nothing that Accept names can be answered: want %s or %s", graphqlResponse.name(), legacyJSON.name())
	case response.better(legacy), response == legacy && response.exactness == 3:
		return graphqlResponse, nil
	default:
		return legacyJSON, nil
	}
}

// hear notes what a client said, if it never said it more exactly.
func (p *preference) hear(weight float64, exactness int) {
	if exactness > p.exactness || exactness == p.exactness && weight > p.weight {
		*p = preference{weight, exactness}
	}
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// checkContent refuses a body that is not JSON in UTF-8, as it is. A browser
// sends application/json to another origin only after asking that origin (a
// preflight request), which no form and no plain script can do.
func checkContent(h http.Header) *refusal {
	name, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(name), legacyJSON.name()) {
		r := refuseWith(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Type: got %q, want application/json", brief(name, 80))
		r.header = map[string]string{"Accept-Post": legacyJSON.name()}
		return r
	}
	if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
		return refuseWith(http.StatusUnsupportedMediaType, nft.BadUserInput, "charset of the Content-Type: got %q, want utf-8", brief(charset, 80))
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		r := refuseWith(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Encoding: got %q, want identity or none", brief(coding, 80))
		r.header = map[string]string{"Accept-Encoding": "identity"}
		return r
	}
	return nil
}

// eachWeighted calls visit with each member of a header such as Accept: its
// name in lower case, its parameters and its weight, which is 1 unless given.
// A member whose weight cannot be read is left out. RFC 9110, section 12.4.2.
func eachWeighted(values []string, visit func(name, parameters string, weight float64)) {
	for _, value := range values {
		for member := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(member, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			weight, ok := weightOf(parameters)
			if name != "" && ok {
				visit(name, parameters, weight)
			}
		}
	}
}

// weightOf returns the parameter q.
func weightOf(parameters string) (weight float64, ok bool) {
	text, found := parameter(parameters, "q")
	if !found {
		return 1, true
	}
	weight, err := strconv.ParseFloat(text, 64)
	return weight, err == nil && weight >= 0 && weight <= 1
}

// parameter returns the value of a parameter of a media type, without quotes.
func parameter(parameters, name string) (value string, found bool) {
	for one := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(one, "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	return "", false
}

// origins are the origins whose scripts may read answers: CORS. The origin of
// the server itself always may.
type origins struct {
	any   bool
	named map[string]bool
}

// newOrigins reads a list of origins, or "*".
func newOrigins(list []string) (o origins, err error) {
	o.named = map[string]bool{}
	for _, text := range list {
		if text == "*" {
			o.any = true
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Host, "*") || text != u.Scheme+"://"+u.Host {
			return o, fmt.Errorf("%q is no origin: want http://HOST or https://HOST, with or without :PORT, or *", text)
		}
		o.named[strings.ToLower(text)] = true
	}
	return o, nil
}

// CheckOrigins returns what is wrong with a list of origins for [Config].
func CheckOrigins(list []string) error {
	_, err := newOrigins(list)
	return err
}

// may reports whether scripts of an origin may read answers.
func (o origins) may(origin string) bool {
	return o.any || origin != "" && o.named[strings.ToLower(origin)]
}

// allow tells a browser what it may do. Fetch standard, "CORS protocol".
func (o origins) allow(h, request http.Header) {
	if !o.any && len(o.named) == 0 {
		return
	}
	if !o.any {
		h.Add("Vary", "Origin")
	}
	origin := request.Get("Origin")
	if origin == "" || !o.may(origin) {
		return
	}
	if o.any {
		origin = "*"
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Retry-After")
	if request.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		// The star stands for every header but Authorization.
		h.Set("Access-Control-Allow-Headers", "*, Authorization")
		h.Set("Access-Control-Max-Age", "7200")
	}
}

// check refuses what a browser sends on behalf of a page that may not read the
// answer, such as an image's address: it could only do harm. A POST with JSON
// and a preflight request never come without a page asking the server first;
// visiting an address is no different from typing it. Fetch Metadata, section 2.
func (o origins) check(r *http.Request) *refusal {
	site := r.Header.Get("Sec-Fetch-Site")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || site != "cross-site" && site != "same-site" || o.may(r.Header.Get("Origin")) ||
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return refuseWith(http.StatusForbidden, nft.BadUserInput, "the request comes from a page of another origin: want a page of this server, or of an origin that --cors-origin names")
}

// clients tells clients apart: by address, and for IPv6 by /64, which is what
// one customer of a provider has.
type clients struct {
	proxies []netip.Prefix
	log     *slog.Logger
	// warned says that headers of a proxy arrived and none is trusted.
	warned atomic.Bool
}

// newClients returns clients whose address the given proxies tell.
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

// CheckProxies returns what is wrong with the proxies of a [Config].
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
		c.warn(r.Context(), peer)
	}
	return clientOf(peer)
}

func (c *clients) warn(ctx context.Context, peer netip.Addr) {
	c.log.WarnContext(ctx, "requests arrive through a proxy, and count as one client: name it with --trusted-proxies", "proxy", peer)
}

// trusts reports whether an address is that of a trusted proxy.
func (c *clients) trusts(a netip.Addr) bool {
	for _, p := range c.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// behind returns the client behind a trusted proxy. A proxy sets one of the two
// headers and may pass on the other as the client sent it: where they differ,
// neither counts.
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

// nearest returns the last address of a header that is none of a trusted proxy:
// every proxy appends the address that it was called from.
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

// addressOf reads an address with or without a port. It is invalid if there is
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

// clientOf returns the address that stands for a client.
func clientOf(a netip.Addr) netip.Addr {
	if a.Is6() {
		// The only error is that of too many bits.
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}
