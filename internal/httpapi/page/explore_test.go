package page_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/expect"
)

// Parts of addresses of Explore's pages.
var (
	someAddress = "0x" + strings.Repeat("aB", 20)
	someHash    = "0x" + strings.Repeat("0f", 32)
)

// explorePages maps the paths of Explore's pages to the relative URL of the root.
var explorePages = map[string]string{
	"/explore":                               "./",
	"/explore/state":                         "../",
	"/explore/" + someAddress:                "../",
	"/explore/" + someAddress + "/7":         "../../",
	"/explore/" + someAddress + "/0xfF":      "../../",
	"/explore/tx/" + someHash:                "../../",
	"/explore/block/19000000":                "../../",
	"/explore/account/" + someAddress:        "../../",
	"/explore/" + someAddress + "?tab=mints": "../",
}

// TestExplore_Pages checks the data of each page.
func TestExplore_Pages(t *testing.T) {
	handler := page.New(builtAssets, page.Config{
		Endpoint: "/graphql", Gateways: someGateways, ExplorerURL: func(context.Context) string { return "https://scan.example/a" }, Chain: func(*http.Request) *page.Chain { return nil }, KeyRequired: true, Log: slog.New(slog.DiscardHandler),
		Share: func(context.Context, page.Shown) *page.Share { return nil },
	})
	for target, base := range explorePages {
		w := get(t, handler, "GET", target)
		got := map[string]any{}
		readData(t, w.Body.String(), &got)
		expect.Equal(t, target, map[string]any{
			"endpoint": "graphql", "base": base, "explorerUrl": "https://scan.example/a", "key": true,
			"gateways": map[string]any{"ipfs": []any{someGateways.IPFS[0], someGateways.IPFS[1]}, "arweave": []any{someGateways.Arweave[0]}},
		}, got)
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", target, w.Code)
		}
	}
}

// TestExplore_NoPages checks that other paths have Explore's document, which works there too.
func TestExplore_NoPages(t *testing.T) {
	for target, base := range map[string]string{
		"/explore/State":                          "../",
		"/explore/0x12":                           "../",
		"/explore/" + someAddress + "/":           "",
		"/explore/" + someAddress + "/x":          "../../",
		"/explore/" + someAddress + "/7/8":        "../../../",
		"/explore/" + someAddress + "/7/":         "",
		"/explore/" + someAddress + "%2F7":        "../",
		"/explore/" + someHash:                    "../",
		"/explore/tx":                             "../",
		"/explore/tx/":                            "../../",
		"/explore/tx/" + someAddress:              "../../",
		"/explore/block/0x7":                      "../../",
		"/explore/block/-7":                       "../../",
		"/explore/account/" + someAddress + "/7":  "../../../",
		"/explore/" + strings.Repeat("x", 10_000): "../",
		"/explore/%3Cscript%3E":                   "../",
	} {
		w := get(t, newPage(builtAssets, someTabs), "GET", target)
		if base == "" {
			if w.Code != http.StatusMovedPermanently {
				t.Errorf("%s: status %d, want a redirect", target, w.Code)
			}
			continue
		}
		var data struct{ Base string }
		readData(t, w.Body.String(), &data)
		if w.Code != http.StatusNotFound || data.Base != base {
			t.Errorf("%s: status %d, base %s, want %s", target, w.Code, data.Base, base)
		}
	}
}

// TestExplore_Moved checks what addresses of releases, and those with a final slash, lead to.
func TestExplore_Moved(t *testing.T) {
	for _, test := range []struct{ target, want string }{
		{"/explore?address=" + someAddress, "/explore/" + someAddress},
		{"/explore?address=%20" + someAddress + "%20&token=", "/explore/" + someAddress},
		{"/explore?token=7&address=" + someAddress, "/explore/" + someAddress + "/7"},
		{"/explore?images=all&address=" + someAddress + "&token=0x7", "/explore/" + someAddress + "/0x7?images=all"},
		{"/explore?images=some&address=" + someAddress, "/explore/" + someAddress},
		{"/explore/", "/explore"},
		{"/explore/?images=all", "/explore?images=all"},
		{"/explore/state/", "/explore/state"},
		{"/explore/" + someAddress + "/7/", "/explore/" + someAddress + "/7"},
		// These are no addresses, and lead nowhere.
		{"/explore?address=&token=7", ""},
		{"/explore?address=0x12&token=7", ""},
		{"/explore?address=//host.example", ""},
		{"/explore?address=..&token=..", ""},
		{"/explore/state?address=" + someAddress, ""},
	} {
		for _, prefix := range []string{"", "/a/b"} {
			w := get(t, http.StripPrefix(prefix, newPage(builtAssets, someTabs)), "GET", prefix+test.target)
			from, err := url.Parse(prefix + test.target)
			expect.NoError(t, err)
			to, err := from.Parse(w.Header().Get("Location"))
			expect.NoError(t, err)
			if test.want == "" {
				if w.Code != http.StatusOK {
					t.Errorf("%s: status %d to %s", test.target, w.Code, to)
				}
			} else if w.Code != http.StatusMovedPermanently || to.String() != prefix+test.want {
				t.Errorf("%s%s: status %d to %s, want %s", prefix, test.target, w.Code, to, test.want)
			}
		}
	}
}

// TestExplore_Policy checks that images may come from other hosts only if the URL says so, and
// everything else only from the server itself.
func TestExplore_Policy(t *testing.T) {
	const rest = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; img-src "
	const narrow, wide = rest + "data:", rest + "data: https: http://127.0.0.1:8081 http://two.example"
	for query, want := range map[string]string{
		"":                         narrow,
		"?images=":                 narrow,
		"?images=ALL":              narrow,
		"?images=some&images=all":  narrow,
		"?images=all":              wide,
		"?tab=mints&images=all":    wide,
		"?tab=%3Bimg-src%20%2A%3B": narrow,
	} {
		for _, path := range []string{"/explore", "/explore/" + someAddress, "/explore/nowhere"} {
			if got := get(t, newPage(builtAssets, someTabs), "GET", path+query).Header().Get("Content-Security-Policy"); got != want {
				t.Errorf("%s%s: policy %q, want %q", path, query, got, want)
			}
		}
	}
}

// TestPage_BelowPath checks that a proxy may serve the page below a path: it follows every URL
// of the documents.
func TestPage_BelowPath(t *testing.T) {
	site := http.NewServeMux()
	for _, pattern := range page.Paths {
		site.Handle(pattern, newPage(builtAssets, someTabs))
	}
	site.HandleFunc("/graphql", func(http.ResponseWriter, *http.Request) {})
	targets := []string{"/", "/explore/no/page/at/all"}
	for target := range explorePages {
		targets = append(targets, target)
	}
	for _, prefix := range []string{"", "/nft", "/a/b/c", "/with%20space"} {
		path, err := url.PathUnescape(prefix)
		expect.NoError(t, err)
		proxy := http.StripPrefix(path, site)
		for _, target := range targets {
			document := get(t, proxy, "GET", prefix+target).Body.String()
			var data struct{ Base, Endpoint string }
			readData(t, document, &data)
			links := []string{data.Base + data.Endpoint, data.Base + "favicon.ico"}
			for _, found := range regexp.MustCompile(`(?:src|href)="([^"#:]+)"`).FindAllStringSubmatch(document, -1) {
				links = append(links, found[1])
			}
			if len(links) < 8 {
				t.Errorf("%s%s: links %q", prefix, target, links)
			}
			from, err := url.Parse("http://host" + prefix + target)
			expect.NoError(t, err)
			for _, link := range links {
				to, err := from.Parse(link)
				expect.NoError(t, err)
				if got := get(t, proxy, "GET", to.RequestURI()); got.Code != http.StatusOK || !strings.HasPrefix(to.RequestURI(), prefix+"/") {
					t.Errorf("%s%s: %s is %s: status %d", prefix, target, link, to, got.Code)
				}
			}
		}
	}
}
