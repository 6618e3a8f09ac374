package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
)

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
		if err != nil || u.Hostname() == "" || strings.Contains(u.Host, "*") || !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
			return o, fmt.Errorf("%q is not an origin: want http://HOST, https://HOST or an app's SCHEME://HOST, with or without :PORT, or *", text)
		}
		o.named[strings.ToLower(u.Scheme+"://"+strings.TrimSuffix(withoutPort(u.Scheme, u.Host), ":"))] = true
	}
	return o, nil
}

// withoutPort returns a host without the default port of a scheme. Browsers leave it out, others
// may not.
func withoutPort(scheme, host string) string {
	switch scheme {
	case "http", "ws":
		return strings.TrimSuffix(host, ":80")
	case "https", "wss":
		return strings.TrimSuffix(host, ":443")
	default:
		return host
	}
}

// own reports whether an origin is that of the host of a request.
func own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(withoutPort(u.Scheme, u.Host), withoutPort(u.Scheme, host))
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

// allowing lets a browser's scripts read the answers of next, errors included.
func (o origins) allowing(next http.Handler) http.Handler {
	if !o.any && len(o.named) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.allow(w.Header(), r.Header)
		next.ServeHTTP(w, r)
	})
}

// allow sets the headers that let a browser's scripts read an answer. Fetch standard, "CORS
// protocol".
func (o origins) allow(h, request http.Header) {
	origin := "*"
	if !o.any {
		h.Add("Vary", "Origin")
		origin = request.Get("Origin")
	}
	// A cache may use the answer to a request without an origin for one with any.
	if !o.any && !o.may(origin) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Retry-After, RateLimit, RateLimit-Policy, "+observe.CostHeader+", "+observe.IDHeader)
	if request.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		// The star covers every header except Authorization.
		h.Set("Access-Control-Allow-Headers", "*, Authorization")
		h.Set("Access-Control-Max-Age", "7200")
	}
}

// answersPreflight answers a preflight request that [origins.allow] allowed, whatever its path: a script may
// also read that there is nothing.
func answersPreflight(w http.ResponseWriter, r *http.Request) bool {
	allowed := r.Method == http.MethodOptions && w.Header().Get("Access-Control-Allow-Methods") != ""
	if allowed {
		w.WriteHeader(http.StatusNoContent)
	}
	return allowed
}

// check rejects a GET that a browser sends on behalf of a page that may not read the answer,
// such as a page with an image of this URL. A POST needs no check, because a browser sends
// JSON to another origin only after a preflight request. Following a link is allowed, like
// typing the URL. Fetch Metadata, section 2.
//
// [http.CrossOriginProtection] is no substitute, because it lets every GET pass.
func (o origins) check(r *http.Request) *failure.Error {
	site := r.Header.Get("Sec-Fetch-Site")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || site != "cross-site" && site != "same-site" || o.may(r.Header.Get("Origin")) ||
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return failure.WithStatus(http.StatusForbidden, apierror.BadUserInput, "the request comes from a page of another origin: want a page of this server, or of an origin that --cors-origin names")
}
