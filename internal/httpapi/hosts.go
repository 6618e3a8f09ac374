package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
)

// hosts are the hosts for which requests are answered. This prevents DNS rebinding: another
// site can point its own name at this server to read answers as its own, but browsers then
// send that name as Host.
type hosts map[string]bool

// hostName matches a name or an IPv4 address.
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

// CheckHosts returns an error if a list of hosts is invalid for [Config].
func CheckHosts(list []string) error {
	_, err := newHosts(list)
	return err
}

// hostOf returns the host of a Host header, in lower case and without the port.
func hostOf(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// allowHosts rejects requests for hosts that are not in the configuration. RFC 9110, section
// 15.5.20.
func (e *endpoint) allowHosts(next http.Handler) (http.Handler, error) {
	known, err := newHosts(e.AllowedHosts)
	if err != nil || len(known) == 0 {
		return next, err
	}
	misdirected := func(host string) *failure.Error {
		return failure.WithStatus(http.StatusMisdirectedRequest, apierror.BadUserInput, "Host: got %q, want a host that --allowed-hosts names", failure.Brief(host, 80))
	}
	graphQL := observe.As(observe.GraphQL, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.sender.FailGraphQL(w, r, misdirected(r.Host))
	}))
	other := observe.As(observe.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.sender.Fail(w, r, misdirected(r.Host))
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
