package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/expect"
)

var builtAssets = fstest.MapFS{
	"assets/README.md":                  {Data: []byte("# Assets")},
	"assets/built/page-AAAA.js.gz":      asset("run()"),
	"assets/built/page-BBBB.css.gz":     asset("body{}"),
	"assets/built/explore-DDDD.js.gz":   asset("show()"),
	"assets/built/explore-EEEE.css.gz":  asset("p{}"),
	"assets/built/licences-CCCC.txt.gz": asset("MIT"),
	"assets/built/folder/inner.js.gz":   asset("hidden()"),
	"assets/built/page-AAAA.js.br":      {Data: []byte("brotli")},
}

// asset returns a built file.
func asset(text string) *fstest.MapFile {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return &fstest.MapFile{Data: b.Bytes()}
}

var noAssets = fstest.MapFS{"assets/README.md": {Data: []byte("# Assets")}}

func someTabs(context.Context) ([]page.Tab, error) {
	return []page.Tab{{Title: "A", Query: "query A { a }", Variables: `{"x": "</script><b>&"}`}}, nil
}

// someGateways has gateways of each scheme.
var someGateways = page.Gateways{IPFS: []string{"https://one.example/ipfs/", "http://127.0.0.1:8081/ipfs/"}, Arweave: []string{"http://two.example/"}}

func newPage(assets fs.FS, tabs func(context.Context) ([]page.Tab, error)) http.Handler {
	return page.New(assets, "/graphql", 500, someGateways, tabs, slog.New(slog.DiscardHandler))
}

func get(t *testing.T, h http.Handler, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// readData parses the data block of a document.
func readData(t *testing.T, document string, data any) {
	t.Helper()
	block := regexp.MustCompile(`(?s)<script type="application/json" id="page-data">(.*?)</script>`).FindStringSubmatch(document)
	if block == nil {
		t.Fatalf("no data block in %s", document)
	}
	if strings.ContainsAny(block[1], "<>") {
		t.Errorf("data block has a raw angle bracket: %s", block[1])
	}
	if err := json.Unmarshal([]byte(block[1]), data); err != nil {
		t.Fatalf("data block %s: %v", block[1], err)
	}
}

// TestPage_Document checks that the document contains the tabs as data that cannot end its
// block, and loads nothing from other servers.
func TestPage_Document(t *testing.T) {
	w := get(t, newPage(builtAssets, someTabs), "GET", "/")
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, want 200: %s", w.Code, w.Body)
	}
	var got struct {
		Endpoint string
		Tabs     []page.Tab
	}
	readData(t, w.Body.String(), &got)
	want, _ := someTabs(t.Context())
	expect.Equal(t, "tabs", want, got.Tabs)
	if got.Endpoint != "graphql" {
		t.Errorf("endpoint %q, want graphql", got.Endpoint)
	}
	if !strings.Contains(w.Body.String(), `src="assets/page-AAAA.js"`) || !strings.Contains(w.Body.String(), `href="assets/page-BBBB.css"`) {
		t.Errorf("document does not link to the built files: %s", w.Body)
	}
	if found := regexp.MustCompile(`(?:src|href)="(?:https?:)?//[^"]*"`).FindString(w.Body.String()); found != "" {
		t.Errorf("document links elsewhere: %s", found)
	}
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(policy, "'unsafe-eval'") || strings.Contains(policy, "http") {
		t.Errorf("policy %q is too wide", policy)
	}
}

// TestPage_Explore checks that images may come from other hosts only if the URL says so, and
// everything else only from the server itself.
func TestPage_Explore(t *testing.T) {
	const rest = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; img-src "
	const narrow, wide = rest + "data:", rest + "data: https: http://127.0.0.1:8081 http://two.example"
	for target, want := range map[string]string{
		"/explore":                             narrow,
		"/explore?address=0x12&token=3":        narrow,
		"/explore?images=":                     narrow,
		"/explore?images=ALL":                  narrow,
		"/explore?images=some&images=all":      narrow,
		"/explore?images=all":                  wide,
		"/explore?address=0x12&images=all":     wide,
		"/explore?address=%3Bimg-src%20%2A%3B": narrow,
	} {
		w := get(t, newPage(builtAssets, someTabs), "GET", target)
		if got := w.Header().Get("Content-Security-Policy"); w.Code != http.StatusOK || got != want {
			t.Errorf("%s: status %d, policy %q, want %q", target, w.Code, got, want)
		}
		var got struct {
			Endpoint string
			Gateways page.Gateways
		}
		readData(t, w.Body.String(), &got)
		expect.Equal(t, "gateways", someGateways, got.Gateways)
		if got.Endpoint != "graphql" || !strings.Contains(w.Body.String(), `src="assets/explore-DDDD.js"`) || !strings.Contains(w.Body.String(), `href="assets/explore-EEEE.css"`) {
			t.Errorf("%s: endpoint %q, document %s", target, got.Endpoint, w.Body)
		}
	}
}

// TestPage_BelowPath checks that a proxy may serve everything below a path: it follows every
// URL that a document, a redirect or the description of the routes contains.
func TestPage_BelowPath(t *testing.T) {
	site := http.NewServeMux()
	site.Handle("/", serve(t).Handler)
	for _, pattern := range []string{"/{$}", "/explore", "/assets/"} {
		site.Handle(pattern, newPage(builtAssets, someTabs))
	}
	for _, prefix := range []string{"", "/nft", "/a/b/c", "/with%20space"} {
		path, err := url.PathUnescape(prefix)
		expect.NoError(t, err)
		proxy := http.StripPrefix(path, site)
		at := func(base, relative string) string {
			from, err := url.Parse("http://host" + prefix + base)
			expect.NoError(t, err)
			to, err := from.Parse(relative)
			expect.NoError(t, err)
			return to.RequestURI()
		}
		for _, view := range []string{"/", "/explore", "/explore?address=0x12"} {
			document := get(t, proxy, "GET", prefix+view).Body.String()
			var data struct{ Endpoint string }
			readData(t, document, &data)
			links := []string{data.Endpoint + "?query=%7B__typename%7D"}
			for _, found := range regexp.MustCompile(`(?:src|href)="([^"#:]+)"`).FindAllStringSubmatch(document, -1) {
				links = append(links, found[1])
			}
			if len(links) < 7 {
				t.Errorf("%s%s: links %q", prefix, view, links)
			}
			for _, link := range links {
				if got := get(t, proxy, "GET", at(view, link)); got.Code != http.StatusOK {
					t.Errorf("%s%s: %s is %s: status %d", prefix, view, link, at(view, link), got.Code)
				}
			}
		}
		var described struct{ Servers []struct{ URL string } }
		expect.NoError(t, json.Unmarshal(get(t, proxy, "GET", prefix+"/openapi.json").Body.Bytes(), &described))
		if server := at("/openapi.json", described.Servers[0].URL); server != prefix+"/" {
			t.Errorf("%s: the server is %s", prefix, server)
		}
		r := httptest.NewRequest(http.MethodGet, prefix+"/graphql", nil)
		r.Header.Set("Accept", "text/html")
		redirected := httptest.NewRecorder()
		proxy.ServeHTTP(redirected, r)
		if to := at("/graphql", redirected.Header().Get("Location")); redirected.Code != http.StatusSeeOther || to != prefix+"/" {
			t.Errorf("%s: status %d to %s", prefix, redirected.Code, to)
		}
	}
}

func TestPage_Responses(t *testing.T) {
	const forEver = "public, max-age=31536000, immutable"
	tests := []struct {
		name, method, target string
		wantStatus           int
		wantType, wantCache  string
	}{
		{"document", "GET", "/", 200, "text/html; charset=utf-8", "no-cache"},
		{"document by HEAD", "HEAD", "/", 200, "text/html; charset=utf-8", "no-cache"},
		{"Explore", "GET", "/explore", 200, "text/html; charset=utf-8", "no-cache"},
		{"Explore by POST", "POST", "/explore", 405, "text/plain; charset=utf-8", ""},
		{"below Explore", "GET", "/explore/more", 404, "text/plain; charset=utf-8", ""},
		{"document by POST", "POST", "/", 405, "text/plain; charset=utf-8", ""},
		{"other path", "GET", "/nowhere", 404, "text/plain; charset=utf-8", ""},
		{"script", "GET", "/assets/page-AAAA.js", 200, "text/javascript; charset=utf-8", forEver},
		{"style", "GET", "/assets/page-BBBB.css", 200, "text/css; charset=utf-8", forEver},
		{"licences", "GET", "/assets/licences-CCCC.txt", 200, "text/plain; charset=utf-8", forEver},
		{"unknown asset", "GET", "/assets/page-OLD.js", 404, "text/plain; charset=utf-8", ""},
		{"asset folder", "GET", "/assets/", 404, "text/plain; charset=utf-8", ""},
		{"folder among the assets", "GET", "/assets/folder", 404, "text/plain; charset=utf-8", ""},
		{"README", "GET", "/assets/README.md", 404, "text/plain; charset=utf-8", ""},
		{"escape from the folder", "GET", "/assets/..%2FREADME.md", 404, "text/plain; charset=utf-8", ""},
	}
	handler := newPage(builtAssets, someTabs)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := get(t, handler, test.method, test.target)
			if w.Code != test.wantStatus {
				t.Errorf("status %d, want %d", w.Code, test.wantStatus)
			}
			expect.Equal(t, "Content-Type", test.wantType, w.Header().Get("Content-Type"))
			expect.Equal(t, "Cache-Control", test.wantCache, w.Header().Get("Cache-Control"))
		})
	}
}

// TestPage_Codings checks which of the built files each client gets.
func TestPage_Codings(t *testing.T) {
	const unpacked = "run()"
	packed := string(builtAssets["assets/built/page-AAAA.js.gz"].Data)
	handler := newPage(builtAssets, someTabs)
	for accepted, want := range map[string]struct{ coding, body string }{
		"":                          {"", unpacked},
		"gzip, deflate, br, zstd":   {"br", "brotli"},
		"*":                         {"br", "brotli"},
		"gzip":                      {"gzip", packed},
		"gzip, br;q=0.5":            {"gzip", packed},
		"gzip;q=0.5, br;q=0":        {"gzip", packed},
		"br;q=0, gzip;q=0, zstd":    {"", unpacked},
		"identity, deflate, snappy": {"", unpacked},
	} {
		r := httptest.NewRequest(http.MethodGet, "/assets/page-AAAA.js", nil)
		r.Header.Set("Accept-Encoding", accepted)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); w.Code != http.StatusOK || got != want.coding || w.Body.String() != want.body || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: status %d, coding %q, want %q, vary %q, body %q", accepted, w.Code, got, want.coding, w.Header().Get("Vary"), w.Body)
		}
	}
}

func TestPage_TabsFail(t *testing.T) {
	failing := func(context.Context) ([]page.Tab, error) { return nil, errors.New("disk on fire") }
	w := get(t, newPage(builtAssets, failing), "GET", "/")
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", w.Code)
	}
	if strings.Contains(w.Body.String(), "fire") {
		t.Errorf("the internal error is shown: %s", w.Body)
	}
}

func TestPage_BuiltWithoutAssets(t *testing.T) {
	handler := newPage(noAssets, someTabs)
	w := get(t, handler, "GET", "/")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "https://cdn.") {
		t.Errorf("status %d, body %s: want a page with CDN addresses", w.Code, w.Body)
	}
	for _, target := range []string{"/explore", "/assets/README.md"} {
		if w := get(t, handler, "GET", target); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", target, w.Code)
		}
	}
}

// TestPage_Headers checks the headers of the embedded page, with or without built assets.
func TestPage_Headers(t *testing.T) {
	s := serve(t)
	got := s.Send(t, "GET", "/", "")
	if got.Status != http.StatusOK {
		t.Errorf("status %d, want 200", got.Status)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if !strings.Contains(got.Header.Get(name), want) {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
}

// TestPage_Post checks that an operation that is sent to the page leads to the endpoint.
func TestPage_Post(t *testing.T) {
	s := serve(t)
	for _, header := range [][]string{{"Accept", asJSON}, {"Accept", asResponse}, {"Accept", "text/html"}, {"Content-Type", "text/plain"}, {}} {
		got := s.Send(t, "POST", "/", inJSON("{ chain { lag } }"), header...)
		e := got.OnlyError(t, "BAD_USER_INPUT")
		if got.Status != http.StatusMethodNotAllowed || !strings.Contains(e.Message, "want POST /graphql") || got.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%v: status %d, %v: %s", header, got.Status, got.Header, got.Body)
		}
	}
	if got := s.Send(t, "PUT", "/", ""); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("PUT: status %d", got.Status)
	}
}

// TestPage_Browser checks that browsers that visit the endpoint are redirected to the page,
// and that other clients are not.
func TestPage_Browser(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
	s := serve(t)
	for name, test := range map[string]struct {
		method, target, accept string
		want                   int
	}{
		"a browser":                           {"GET", "/graphql", browser, 303},
		"a browser's HEAD":                    {"HEAD", "/graphql", browser, 303},
		"only HTML":                           {"GET", "/graphql", "text/html", 303},
		"with a query":                        {"GET", "/graphql?query=%7Bchain%7Blag%7D%7D", browser, 200},
		"with an extension":                   {"GET", "/graphql?extensions=%7B%7D", browser, 400},
		"by POST":                             {"POST", "/graphql", browser, 200},
		"JSON as well":                        {"GET", "/graphql", "application/json, text/html", 400},
		"anything":                            {"GET", "/graphql", "*/*", 400},
		"anything preferred to HTML":          {"GET", "/graphql", "text/html;q=0.7, */*;q=0.8", 400},
		"application types preferred to HTML": {"GET", "/graphql", "text/html;q=0.7, application/*", 400},
		"never HTML":                          {"GET", "/graphql", "text/html;q=0", 406},
		"no preference":                       {"GET", "/graphql", "", 400},
	} {
		t.Run(name, func(t *testing.T) {
			got := httptest.NewRecorder()
			r := httptest.NewRequest(test.method, test.target, strings.NewReader(inJSON("{ chain { lag } }")))
			r.Header.Set("Accept", test.accept)
			r.Header.Set("Content-Type", "application/json")
			s.Handler.ServeHTTP(got, r)
			if got.Code != test.want {
				t.Fatalf("status %d, want %d: %s", got.Code, test.want, got.Body)
			}
			to := got.Header().Get("Location")
			if (to == "./") != (test.want == 303) || !strings.Contains(strings.Join(got.Header().Values("Vary"), ","), "Accept") {
				t.Errorf("Location %q, Vary %q", to, got.Header().Values("Vary"))
			}
		})
	}
}
