package page

import (
	"cmp"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// explorePath matches the paths of Explore's pages.
var explorePath = regexp.MustCompile(`^/explore(/(state|block/[0-9]{1,19}|tx/0[xX][0-9a-fA-F]{64}|` +
	`account/0[xX][0-9a-fA-F]{40}|0[xX][0-9a-fA-F]{40}(/([0-9]{1,78}|0[xX][0-9a-fA-F]{1,64}))?))?$`)

// exploreData is the data that the script of Explore reads from the document.
type exploreData struct {
	// Endpoint is relative to Base, which is relative to the document.
	Endpoint    string   `json:"endpoint"`
	Base        string   `json:"base"`
	Gateways    Gateways `json:"gateways"`
	ExplorerURL string   `json:"explorerUrl"`
	Key         bool     `json:"key"`
}

// explore serves Explore's document at every path from /explore on, with status 404 if the
// path is none of a page. The script shows the page, or that there is none.
func (p *page) explore(v view, c Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := moved(r); to != "" {
			// http.Redirect would make the path absolute, which is wrong below a proxy's path.
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusMovedPermanently)
			return
		}
		at, status := r.URL.EscapedPath(), http.StatusOK
		if !explorePath.MatchString(at) {
			status = http.StatusNotFound
		}
		base := cmp.Or(strings.Repeat("../", strings.Count(at, "/")-1), "./")
		p.document(w, r, status, base, v, exploreData{c.endpoint(), base, c.Gateways, c.ExplorerURL, c.KeyRequired})
	})
}

// moved returns the relative URL of the page that a request means, or "" if it is the
// request's own: collections and tokens were at /explore?address=…&token=…, and a final slash
// is dropped.
func moved(r *http.Request) string {
	at, query, to := r.URL.EscapedPath(), r.URL.Query(), ""
	if address := strings.TrimSpace(query.Get("address")); at == "/explore" && address != "" {
		to = strings.TrimSuffix("explore/"+address+"/"+strings.TrimSpace(query.Get("token")), "/")
		if !explorePath.MatchString("/" + to) {
			return ""
		}
	} else if without, ok := strings.CutSuffix(at, "/"); ok && explorePath.MatchString(without) {
		to = "../" + path.Base(without)
	}
	if to != "" && query.Get("images") == "all" {
		to += "?images=all"
	}
	return to
}
