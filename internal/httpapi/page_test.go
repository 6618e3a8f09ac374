package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"mintburn/internal/expect"
	"mintburn/internal/httpapi"
)

var builtAssets = fstest.MapFS{
	"assets/README.md":               {Data: []byte("# Assets")},
	"assets/built/page-AAAA.js":      {Data: []byte("run()")},
	"assets/built/page-BBBB.css":     {Data: []byte("body{}")},
	"assets/built/licences-CCCC.txt": {Data: []byte("MIT")},
	"assets/built/folder/inner.js":   {Data: []byte("hidden()")},
}

var noAssets = fstest.MapFS{"assets/README.md": {Data: []byte("# Assets")}}

func someTabs(context.Context) ([]httpapi.Tab, error) {
	return []httpapi.Tab{{Title: "A", Query: "query A { a }", Variables: `{"x": "</script><b>&"}`}}, nil
}

func get(t *testing.T, h http.Handler, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// TestPage_Document: it has the tabs as data that cannot end its block, and loads
// nothing from elsewhere.
func TestPage_Document(t *testing.T) {
	w := get(t, httpapi.NewPage(builtAssets, "/graphql", someTabs, slog.New(slog.DiscardHandler)), "GET", "/")
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, want 200: %s", w.Code, w.Body)
	}
	block := regexp.MustCompile(`(?s)<script type="application/json" id="page-data">(.*?)</script>`).FindStringSubmatch(w.Body.String())
	if block == nil {
		t.Fatalf("no data block in %s", w.Body)
	}
	if strings.ContainsAny(block[1], "<>") {
		t.Errorf("data block has a raw angle bracket: %s", block[1])
	}
	var got struct {
		Endpoint string
		Tabs     []httpapi.Tab
	}
	if err := json.Unmarshal([]byte(block[1]), &got); err != nil {
		t.Fatalf("data block %s: %v", block[1], err)
	}
	want, _ := someTabs(t.Context())
	expect.Equal(t, "tabs", want, got.Tabs)
	if got.Endpoint != "/graphql" {
		t.Errorf("endpoint %q, want /graphql", got.Endpoint)
	}
	if !strings.Contains(w.Body.String(), `src="/assets/page-AAAA.js"`) || !strings.Contains(w.Body.String(), `href="/assets/page-BBBB.css"`) {
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
	handler := httpapi.NewPage(builtAssets, "/graphql", someTabs, slog.New(slog.DiscardHandler))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := get(t, handler, test.method, test.target)
			if w.Code != test.wantStatus {
				t.Errorf("status %d, want %d", w.Code, test.wantStatus)
			}
			if got := w.Header().Get("Content-Type"); got != test.wantType {
				t.Errorf("Content-Type %q, want %q", got, test.wantType)
			}
			if got := w.Header().Get("Cache-Control"); got != test.wantCache {
				t.Errorf("Cache-Control %q, want %q", got, test.wantCache)
			}
		})
	}
}

func TestPage_TabsFail(t *testing.T) {
	failing := func(context.Context) ([]httpapi.Tab, error) { return nil, errors.New("disk on fire") }
	w := get(t, httpapi.NewPage(builtAssets, "/graphql", failing, slog.New(slog.DiscardHandler)), "GET", "/")
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", w.Code)
	}
	if strings.Contains(w.Body.String(), "fire") {
		t.Errorf("the internal error is shown: %s", w.Body)
	}
}

func TestPage_BuiltWithoutAssets(t *testing.T) {
	handler := httpapi.NewPage(noAssets, "/graphql", someTabs, slog.New(slog.DiscardHandler))
	w := get(t, handler, "GET", "/")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "https://cdn.") {
		t.Errorf("status %d, body %s: want a page with CDN addresses", w.Code, w.Body)
	}
	if w := get(t, handler, "GET", "/assets/README.md"); w.Code != http.StatusNotFound {
		t.Errorf("README: status %d, want 404", w.Code)
	}
}

// TestPage_Headers asks for the embedded page, with or without built assets.
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
