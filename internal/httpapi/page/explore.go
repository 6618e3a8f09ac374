package page

import (
	"cmp"
	"net/http"
	"path"
	"regexp"
	"strings"

	"mintburn/internal/evm"
)

// explorePath matches the paths of Explore's pages.
var explorePath = regexp.MustCompile(`^/explore(?:/(?:state|block/(?P<block>[0-9]{1,19}|latest|finalized)|tx/(?P<tx>0[xX][0-9a-fA-F]{64})|` +
	`account/(?P<account>0[xX][0-9a-fA-F]{40})|(?P<collection>0[xX][0-9a-fA-F]{40})(?:/(?P<token>[0-9]{1,78}|0[xX][0-9a-fA-F]{1,64}))?))?$`)

// Shown is what a page of Explore is about. At most one of its parts is set, except that TokenID is one
// of Collection.
type Shown struct {
	Collection, Account *evm.Address
	TokenID             *evm.Uint256
	Block               *evm.BlockNumberOrHash
	Transaction         *evm.Hash
}

// Share is what the title and the description of a page say, in the browser's tab and where its link is
// shared.
type Share struct {
	Title, Description string
	// Missing means that what the page is about is not indexed.
	Missing bool
	// Block is the number of the block that a tag names, to whose page the path of the tag leads.
	Block *evm.Long
}

// shownAt returns what the page at a path is about. It is false if there is no page.
func shownAt(at string) (shown Shown, found bool) {
	parts := explorePath.FindStringSubmatch(at)
	if parts == nil {
		return shown, false
	}
	for _, one := range []struct {
		name string
		set  func(text []byte) error
	}{
		{"collection", func(text []byte) error {
			shown.Collection = new(evm.Address)
			return shown.Collection.UnmarshalText(text)
		}},
		{"account", func(text []byte) error { shown.Account = new(evm.Address); return shown.Account.UnmarshalText(text) }},
		{"token", func(text []byte) error { shown.TokenID = new(evm.Uint256); return shown.TokenID.UnmarshalText(text) }},
		{"block", func(text []byte) error {
			shown.Block = new(evm.BlockNumberOrHash)
			return shown.Block.UnmarshalText(text)
		}},
		{"tx", func(text []byte) error {
			shown.Transaction = new(evm.Hash)
			return shown.Transaction.UnmarshalText(text)
		}},
	} {
		// Only the range of a number is not in the pattern.
		if text := parts[explorePath.SubexpIndex(one.name)]; text != "" && one.set([]byte(text)) != nil {
			return Shown{}, false
		}
	}
	return shown, true
}

// exploreData is the data that the script of Explore reads from the document.
type exploreData struct {
	// Endpoint is relative to Base, which is relative to the document.
	Endpoint    string   `json:"endpoint"`
	Base        string   `json:"base"`
	Gateways    Gateways `json:"gateways"`
	ExplorerURL string   `json:"explorerUrl"`
	Key         bool     `json:"key"`
	Chain       *Chain   `json:"chain,omitempty"`
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
		at, status, share := r.URL.EscapedPath(), http.StatusOK, (*Share)(nil)
		switch shown, found := shownAt(at); {
		case !found:
			status = http.StatusNotFound
		case shown == Shown{}:
			share = &Share{Title: "Explore", Description: "The NFTs that are minted and burned on a chain, as it happens."}
		default:
			share = c.Share(r.Context(), shown)
		}
		switch {
		case share == nil:
		case share.Block != nil:
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Location", share.Block.String())
			w.WriteHeader(http.StatusFound)
			return
		case share.Missing:
			status = http.StatusNotFound
		}
		base := cmp.Or(strings.Repeat("../", strings.Count(at, "/")-1), "./")
		chain := c.Chain(r)
		p.document(w, r, status, base, v, share, chain.links(base, "explore"), exploreData{c.endpoint(), base, c.Gateways, c.ExplorerURL(r.Context()), c.KeyRequired, chain})
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
