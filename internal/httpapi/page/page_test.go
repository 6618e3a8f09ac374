package page_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mintburn/internal/httpapi/openapi"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/expect"
)

var builtAssets = fstest.MapFS{
	"assets/README.md":                      {Data: []byte("# Assets")},
	"assets/built/page-AAAA.js.gz":          asset("run()"),
	"assets/built/page-BBBB.css.gz":         asset("body{}"),
	"assets/built/licences-CCCC.txt.gz":     asset("MIT"),
	"assets/built/folder/inner.js.gz":       asset("hidden()"),
	"assets/built/page-AAAA.js.br":          {Data: []byte("brotli")},
	"assets/explore/explore-DDDD.js.gz":     asset("show()"),
	"assets/explore/explore-EEEE.css.gz":    asset("p{}"),
	"assets/explore/licences-GGGG.txt.gz":   asset("BSD"),
	"assets/explore/documents-FFFF.json.gz": asset(`{"hash a": "{ a }", "hash b": "{ b }"}`),
}

// noGraphiQL are the assets of a binary that was built without npm.
var noGraphiQL = func() fstest.MapFS {
	assets := maps.Clone(builtAssets)
	maps.DeleteFunc(assets, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, "assets/built/") })
	return assets
}()

// asset returns a built file.
func asset(text string) *fstest.MapFile {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return &fstest.MapFile{Data: b.Bytes()}
}

// someFiles are the documents.
var someFiles = fstest.MapFS{"README.md": {Data: []byte("# Mintburn")}, "docs/index.md": {Data: []byte("# Documentation")}}

func someTabs(context.Context) ([]page.Tab, error) {
	return []page.Tab{{Title: "A", Query: "query A { a }", Variables: `{"x": "</script><b>&"}`}}, nil
}

// someGateways has gateways of each scheme.
var someGateways = page.Gateways{IPFS: []string{"https://one.example/ipfs/", "http://127.0.0.1:8081/ipfs/"}, Arweave: []string{"http://two.example/"}}

func newPage(assets fs.FS, tabs func(context.Context) ([]page.Tab, error)) http.Handler {
	return page.New(assets, page.Config{Endpoint: "/graphql", MaxCost: 500, Tabs: tabs, Gateways: someGateways, Files: someFiles, ExplorerURL: func(context.Context) string { return "" }, Chain: func(*http.Request) *page.Chain { return nil }, OpenAPI: &openapi.Document{}, Share: func(context.Context, page.Shown) *page.Share { return nil }, Log: slog.New(slog.DiscardHandler)})
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
	if !strings.Contains(w.Body.String(), `src="./assets/page-AAAA.js"`) || !strings.Contains(w.Body.String(), `href="./assets/page-BBBB.css"`) {
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
		{"page of Explore", "GET", "/explore/state", 200, "text/html; charset=utf-8", "no-cache"},
		{"page of Explore by POST", "POST", "/explore/state", 405, "text/plain; charset=utf-8", ""},
		{"no page of Explore", "GET", "/explore/more", 404, "text/html; charset=utf-8", "no-cache"},
		{"no page of Explore by HEAD", "HEAD", "/explore/more", 404, "text/html; charset=utf-8", "no-cache"},
		{"icon", "GET", "/favicon.ico", 200, "image/svg+xml", "public, max-age=86400"},
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

func TestDocuments(t *testing.T) {
	got, err := page.Documents(noGraphiQL)
	expect.NoError(t, err)
	slices.Sort(got)
	expect.Equal(t, "documents", []string{"{ a }", "{ b }"}, got)
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

// TestPage_WithoutGraphiQL checks that a binary that was built without npm loads GraphiQL from a CDN,
// and has Explore.
func TestPage_WithoutGraphiQL(t *testing.T) {
	handler := newPage(noGraphiQL, someTabs)
	w := get(t, handler, "GET", "/")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "https://cdn.") {
		t.Errorf("status %d, body %s: want a page with CDN addresses", w.Code, w.Body)
	}
	if page.HasGraphiQL(noGraphiQL) || !page.HasGraphiQL(builtAssets) {
		t.Error("HasGraphiQL is wrong")
	}
	for target, want := range map[string]int{"/explore": 200, "/explore/state": 200, "/assets/explore-DDDD.js": 200, "/assets/licences-GGGG.txt": 200, "/assets/README.md": 404} {
		if w := get(t, handler, "GET", target); w.Code != want {
			t.Errorf("%s: status %d, want %d", target, w.Code, want)
		}
	}
}
