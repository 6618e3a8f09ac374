package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mintburn/internal/nft"
)

// origins are the origins whose scripts may read answers (CORS). The server's own
// origin always may.
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

// CheckOrigins returns the error of a list of origins for [Config], or nil.
func CheckOrigins(list []string) error {
	_, err := newOrigins(list)
	return err
}

// may reports whether scripts of an origin may read answers.
func (o origins) may(origin string) bool {
	return o.any || origin != "" && o.named[strings.ToLower(origin)]
}

// allow sets the headers that let a browser's scripts read answers. Fetch
// standard, "CORS protocol".
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
		// The star stands for every header except Authorization.
		h.Set("Access-Control-Allow-Headers", "*, Authorization")
		h.Set("Access-Control-Max-Age", "7200")
	}
}

// check rejects a GET that a browser sends for a page that may not read the
// answer, such as one with an image of that address. A POST needs no check: a
// browser sends JSON to another origin only after a preflight request. Visiting an
// address is like typing it. Fetch Metadata, section 2.
//
// [http.CrossOriginProtection] is no substitute: it lets every GET pass.
func (o origins) check(r *http.Request) *requestError {
	site := r.Header.Get("Sec-Fetch-Site")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || site != "cross-site" && site != "same-site" || o.may(r.Header.Get("Origin")) ||
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return statusError(http.StatusForbidden, nft.BadUserInput, "the request comes from a page of another origin: want a page of this server, or of an origin that --cors-origin names")
}
