package page

import (
	"net/http"
	"net/url"
	"strings"

	"mintburn/internal/httpapi/layout"
)

// pagePolicy lets GraphiQL load from this server only. Styles need 'unsafe-inline' because the
// Monaco editor writes style elements and attributes. The editor's icons are data: URLs.
const pagePolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// explorePolicy lets Explore load from this server only. The image sources are appended.
// Trusted Types keep its script from creating HTML or scripts from text.
const explorePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; img-src data:"

// Gateways are the URLs, each with a final slash, from which browsers load content: the rest
// of an ipfs: or ar: address is appended.
type Gateways struct {
	IPFS    []string `json:"ipfs"`
	Arweave []string `json:"arweave"`
}

// withPolicy sets the policy of Explore. If the URL has images=all, images may come from any
// host over https, and from the gateways.
func (g Gateways) withPolicy(next http.Handler) http.Handler {
	sources := []string{explorePolicy, "https:"}
	for _, list := range [][]string{g.IPFS, g.Arweave} {
		for _, text := range list {
			if u, err := url.Parse(text); err == nil && u.Scheme == "http" {
				sources = append(sources, "http://"+u.Host)
			}
		}
	}
	narrow, wide := layout.WithPolicy(explorePolicy, next), layout.WithPolicy(strings.Join(sources, " "), next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("images") == "all" {
			wide.ServeHTTP(w, r)
			return
		}
		narrow.ServeHTTP(w, r)
	})
}
