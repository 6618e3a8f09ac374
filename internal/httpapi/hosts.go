package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"mintburn/internal/nft"
)

// hosts are the hosts for which requests are answered. A page of another site can have
// its own name lead to this server (DNS rebinding), and reads the answers as its own; but
// a browser sends that name.
type hosts map[string]bool

// hostName matches a name, or an address of IPv4.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_.-]{0,252}[a-z0-9_])?$`)

func newHosts(list []string) (hosts, error) {
	known := hosts{}
	for _, text := range list {
		name := hostOf(text)
		if _, err := netip.ParseAddr(name); err != nil && !hostName.MatchString(name) || strings.TrimSuffix(strings.ToLower(text), ".") != name && text != "["+name+"]" {
			return nil, fmt.Errorf("got %q, want a host such as api.example.org or 192.0.2.7, without a port", text)
		}
		known[name] = true
	}
	return known, nil
}

// CheckHosts returns the error of a list of hosts for [Config], or nil.
func CheckHosts(list []string) error {
	_, err := newHosts(list)
	return err
}

// hostOf returns the host of a Host header, in lower case and without a port.
func hostOf(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// probes are answered for any host: they reveal nothing, and whoever probes a server may
// know its address only.
var probes = []string{"/healthz", "/readyz"}

// allowHosts rejects requests for other hosts than those of the configuration. RFC 9110,
// section 15.5.20.
func (e *endpoint) allowHosts(next http.Handler) (http.Handler, error) {
	known, err := newHosts(e.AllowedHosts)
	if err != nil || len(known) == 0 {
		return next, err
	}
	misdirected := func(host string) *requestError {
		return statusError(http.StatusMisdirectedRequest, nft.BadUserInput, "Host: got %q, want a host that --allowed-hosts names", brief(host, 80))
	}
	graphQL := as(routeGraphQL, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// If the client accepts no answer, one of JSON says why.
		media, _ := negotiate(r.Header)
		e.write(w, r, media, outcome{failed: misdirected(r.Host)})
	}))
	other := as(routeREST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.fail(w, r, misdirected(r.Host))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case known[hostOf(r.Host)], slices.Contains(probes, r.URL.Path):
			next.ServeHTTP(w, r)
		case r.URL.Path == "/graphql":
			graphQL.ServeHTTP(w, r)
		default:
			other.ServeHTTP(w, r)
		}
	}), nil
}
