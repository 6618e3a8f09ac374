package httpapi

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"mintburn/internal/nft"
)

// mediaType is a media type of answers.
type mediaType string

const (
	legacyJSON      mediaType = "application/json"
	graphqlResponse mediaType = "application/graphql-response+json"
)

// preference is a client's weight for a media type, and the exactness of the media range that
// set it: 1 for */*, 2 for application/*, 3 for the type itself.
type preference struct {
	weight    float64
	exactness int
}

// negotiate chooses the media type of the answer: application/json if the client has no
// preference, application/graphql-response+json if it names both with the same weight. RFC
// 9110, section 12.5.1; GraphQL over HTTP, "Media Types".
func negotiate(h http.Header) (mediaType, *requestError) {
	accept := h.Values("Accept")
	if strings.Join(accept, "") == "" {
		return legacyJSON, nil
	}
	var legacy, response preference
	eachWeighted(accept, func(name, parameters string, weight float64) {
		if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
			return
		}
		switch mediaType(name) {
		case "*/*":
			legacy.update(weight, 1)
			response.update(weight, 1)
		case "application/*":
			legacy.update(weight, 2)
			response.update(weight, 2)
		case legacyJSON:
			legacy.update(weight, 3)
		case graphqlResponse:
			response.update(weight, 3)
		}
	})
	// By weight, then by exactness.
	order := cmp.Or(cmp.Compare(response.weight, legacy.weight), cmp.Compare(response.exactness, legacy.exactness))
	switch {
	case legacy.weight == 0 && response.weight == 0:
		return legacyJSON, statusError(http.StatusNotAcceptable, nft.BadUserInput,
			"Accept allows no supported media type: want %s or %s", graphqlResponse, legacyJSON)
	case order > 0, order == 0 && response.exactness == 3:
		return graphqlResponse, nil
	default:
		return legacyJSON, nil
	}
}

// update records a weight, unless the client has named a more exact range.
func (p *preference) update(weight float64, exactness int) {
	if exactness > p.exactness || exactness == p.exactness && weight > p.weight {
		*p = preference{weight, exactness}
	}
}

// wantsPage reports whether a browser visits the endpoint itself: the URL has no parameters,
// and the client prefers text/html to every supported media type.
func wantsPage(r *http.Request) bool {
	if r.URL.RawQuery != "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	var html, answer float64
	eachWeighted(r.Header.Values("Accept"), func(name, _ string, weight float64) {
		switch name {
		case "text/html":
			html = max(html, weight)
		case "*/*", "application/*", string(legacyJSON), string(graphqlResponse):
			answer = max(answer, weight)
		}
	})
	return html > answer
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// checkContent rejects a body that is not uncompressed JSON in UTF-8. A browser sends
// application/json to another origin only after a preflight request, which forms and simple
// requests cannot make.
func checkContent(h http.Header) *requestError {
	name, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(name), string(legacyJSON)) {
		return statusError(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Type: got %q, want application/json", brief(name, 80)).
			with("Accept-Post", string(legacyJSON))
	}
	if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
		return statusError(http.StatusUnsupportedMediaType, nft.BadUserInput, "charset of the Content-Type: got %q, want utf-8", brief(charset, 80))
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return statusError(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Encoding: got %q, want identity or none", brief(coding, 80)).
			with("Accept-Encoding", "identity")
	}
	return nil
}

// eachWeighted calls visit for each member of a header such as Accept, with its name in lower
// case, its parameters and its weight, 1 by default. Members with an invalid weight are
// skipped. RFC 9110, section 12.4.2.
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

// weightOf returns the parameter q, or 1 without it. ok is false if it is invalid.
func weightOf(parameters string) (weight float64, ok bool) {
	text, found := parameter(parameters, "q")
	if !found {
		return 1, true
	}
	weight, err := strconv.ParseFloat(text, 64)
	return weight, err == nil && weight >= 0 && weight <= 1
}

// parameter returns the value of a media type parameter, without quotes.
func parameter(parameters, name string) (value string, found bool) {
	for one := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(one, "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	return "", false
}

// origins are the origins whose scripts may read answers (CORS), besides the server's own
// origin.
type origins struct {
	any   bool
	named map[string]bool
}

// newOrigins parses a list of origins, or "*".
func newOrigins(list []string) (o origins, err error) {
	o.named = map[string]bool{}
	for _, text := range list {
		if text == "*" {
			o.any = true
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Host, "*") || !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
			return o, fmt.Errorf("%q is no origin: want http://HOST or https://HOST, with or without :PORT, or *", text)
		}
		// Browsers leave out the default port.
		host := strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
		o.named[strings.ToLower(u.Scheme+"://"+strings.TrimSuffix(host, ":"))] = true
	}
	return o, nil
}

// CheckOrigins returns an error if a list of origins is invalid for [Config].
func CheckOrigins(list []string) error {
	_, err := newOrigins(list)
	return err
}

// may reports whether scripts of an origin may read answers.
func (o origins) may(origin string) bool {
	return o.any || origin != "" && o.named[strings.ToLower(origin)]
}

// allow sets the headers that let a browser's scripts read answers. Fetch standard, "CORS
// protocol".
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
	h.Set("Access-Control-Expose-Headers", "Retry-After, RateLimit, RateLimit-Policy, "+idHeader)
	if request.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		// The star covers every header except Authorization.
		h.Set("Access-Control-Allow-Headers", "*, Authorization")
		h.Set("Access-Control-Max-Age", "7200")
	}
}

// check rejects a GET that a browser sends on behalf of a page that may not read the answer,
// such as a page with an image of this URL. A POST needs no check, because a browser sends
// JSON to another origin only after a preflight request. Following a link is allowed, like
// typing the URL. Fetch Metadata, section 2.
//
// [http.CrossOriginProtection] is no substitute, because it lets every GET pass.
func (o origins) check(r *http.Request) *requestError {
	site := r.Header.Get("Sec-Fetch-Site")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || site != "cross-site" && site != "same-site" || o.may(r.Header.Get("Origin")) ||
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return statusError(http.StatusForbidden, nft.BadUserInput, "the request comes from a page of another origin: want a page of this server, or of an origin that --cors-origin names")
}

// clients identifies clients by address; for IPv6 by /64, the usual prefix of one customer.
type clients struct {
	proxies []netip.Prefix
	// socket reports whether the peers of a Unix socket are trusted proxies.
	socket bool
	log    *slog.Logger
	// identified reports whether requests have a [caller].
	identified bool
	// warned reports whether a proxy's headers have arrived although no proxy is trusted.
	warned atomic.Bool
}

// newClients returns clients behind trusted proxies. It fails unless each entry is an address,
// a prefix or "unix".
func newClients(proxies []string, log *slog.Logger) (*clients, error) {
	c := &clients{log: log}
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

// CheckProxies returns an error if a list of proxies is invalid for [Config].
func CheckProxies(list []string) error {
	_, err := newClients(list, nil)
	return err
}

const forwarded, forwardedFor = "Forwarded", "X-Forwarded-For"

// of returns the client that sent a request. Clients with a key are identified by the key, at
// any address.
func (c *clients) of(r *http.Request) netip.Addr {
	if c.identified {
		return callerOf(r.Context()).client
	}
	return c.byAddress(r)
}

// byAddress returns the address that identifies a request's client.
func (c *clients) byAddress(r *http.Request) netip.Addr {
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
func (c *clients) trusts(a netip.Addr) bool {
	return c.socket && !a.IsValid() || slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// behind returns the client behind a trusted proxy. A proxy sets one of the two headers, but
// may forward the other as the client sent it. If they disagree, both are ignored.
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

// nearest returns the last address of a header that does not belong to a trusted proxy,
// because every proxy appends the address of its client.
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

// forOf returns the parameter "for" of a Forwarded element. RFC 7239, section 5.2.
func forOf(element string) string {
	node, _ := parameter(element, "for")
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
