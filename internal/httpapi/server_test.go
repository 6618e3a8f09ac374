package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/expect"
)

// TestServer_Methods checks that each path rejects other methods with Allow, and answers HEAD
// like GET.
func TestServer_Methods(t *testing.T) {
	c := config(nil)
	c.Final = func(context.Context, *ast.OperationDefinition, map[string]any) (is, verified bool, err error) {
		return false, false, nil
	}
	address := listen(t, newHandler(t, c))
	const block = "/v1/block/1/nft/mints"
	query := "/graphql?query=" + url.QueryEscape("{ __typename }")
	ask := func(method, path string, site ...string) http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
		expect.NoError(t, err)
		r.Header["Sec-Fetch-Site"] = site
		response, err := http.DefaultTransport.RoundTrip(r)
		expect.NoError(t, err)
		response.Body.Close()
		return *response
	}
	paths := map[string]string{
		"/metrics": "GET, HEAD", "/readyz": "GET, HEAD", "/healthz": "GET, HEAD", "/openapi.json": "GET, HEAD", "/schema.graphql": "GET, HEAD", "/docs/": "GET, HEAD", "/explore": "GET, HEAD", "/assets/page.js": "GET, HEAD", "/llms.txt": "GET, HEAD", block: "GET, HEAD, OPTIONS",
		"/": "GET, HEAD", query: "GET, HEAD, POST, OPTIONS",
	}
	for path, allowed := range paths {
		for _, method := range []string{"PUT", "DELETE", "PATCH", "POST", "OPTIONS"} {
			if strings.Contains(allowed, method) {
				continue
			}
			if got := ask(method, path); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != allowed {
				t.Errorf("%s %s: status %d, Allow %q, want 405, %q", method, path, got.StatusCode, got.Header.Get("Allow"), allowed)
			}
		}
		get, head := ask("GET", path), ask("HEAD", path)
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") ||
			path == query && head.ContentLength != int64(len(`{"data":{"__typename":"Query"}}`)) {
			t.Errorf("%s: HEAD has status %d, %v, GET %d, %v", path, head.StatusCode, head.Header, get.StatusCode, get.Header)
		}
	}
	if got := ask("POST", "/price"); got.StatusCode != http.StatusNotFound {
		t.Errorf("no path: status %d, want 404", got.StatusCode)
	}
	if got := ask("HEAD", query, "cross-site"); got.StatusCode != http.StatusForbidden {
		t.Errorf("HEAD for a page of another origin: status %d, want 403", got.StatusCode)
	}
}

// TestServer_UncleanPaths checks that unclean paths are rejected, which ServeMux would
// redirect.
func TestServer_UncleanPaths(t *testing.T) {
	handler := newHandler(t, config(nil))
	for _, path := range []string{
		"/v1/nft//burns", "/v1/nft/../x", "/v1/nft/./x", "//v1/prices", "/v1//", "/v1/nft/..", "//graphql", "//", "/assets/../graphql",
	} {
		w := get(t, handler, "GET", "http://example.org"+path)
		var body struct {
			Message, Code string
			Details       map[string]any
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusBadRequest || body.Code != "BAD_USER_INPUT" || body.Details == nil ||
			!strings.Contains(body.Message, `a segment that is empty, "." or ".."`) {
			t.Errorf("%s: status %d, %s (%v)", path, w.Code, w.Body, err)
		}
	}
	for path, status := range map[string]int{"/v1": 404, "/v1/": 404, "/v1/prices/": 404, "/v1/nft/..x/y/z": 404, "/v1/block/%2F%2F/nft/mints": 400, "/prices": 404} {
		if w := get(t, handler, "GET", path); w.Code != status {
			t.Errorf("%s: status %d, want %d: %s", path, w.Code, status, w.Body)
		}
	}
}

// TestServer_Smuggling checks that the connection is closed after a request with two lengths,
// which a proxy may see as two requests. RFC 9112, section 6.1.
func TestServer_Smuggling(t *testing.T) {
	address := listen(t, newHandler(t, config(nil)))
	const body = `{"query":"{ __typename }"}`
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	for name, test := range map[string]struct {
		headers, body string
		closed        bool
	}{
		"a length":            {fmt.Sprintf("Content-Length: %d\r\n", len(body)), body, false},
		"chunks":              {"Transfer-Encoding: chunked\r\n", chunked, true},
		"both":                {fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(chunked)), chunked, true},
		"both, a short one":   {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunked, true},
		"both, the other way": {"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", chunked, true},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", address)
			expect.NoError(t, err)
			defer conn.Close()
			in := bufio.NewReader(conn)
			for again := range 2 {
				if _, err = fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n%s", test.headers, test.body); err != nil && again == 0 {
					t.Fatal(err)
				}
				response, err := http.ReadResponse(in, nil)
				if again == 1 && test.closed {
					if err == nil {
						t.Error("the connection was used again")
					}
					return
				}
				expect.NoError(t, err)
				var answer struct{ Data map[string]string }
				err = json.NewDecoder(response.Body).Decode(&answer)
				response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK || answer.Data["__typename"] != "Query" || response.Close != test.closed {
					t.Errorf("status %d, %v, closed %t, want 200, closed %t (%v)", response.StatusCode, answer, response.Close, test.closed, err)
				}
			}
		})
	}
}

// TestOpenAPI_Tag checks that a client with the current document gets status 304.
func TestOpenAPI_Tag(t *testing.T) {
	handler := newHandler(t, config(nil))
	first := get(t, handler, "GET", "/openapi.json")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || !strings.HasPrefix(tag, `W/"`) || !json.Valid(first.Body.Bytes()) || first.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("status %d, %v", first.Code, first.Header())
	}
	for known, status := range map[string]int{tag: 304, `"x", ` + tag: 304, tag[len("W/"):]: 304, "*": 304, `"x"`: 200} {
		r := httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
		r.Header.Set("If-None-Match", known)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != status || w.Header().Get("ETag") != tag || status == 304 && w.Body.Len() > 0 {
			t.Errorf("%s: status %d, want %d, %d bytes", known, w.Code, status, w.Body.Len())
		}
	}
}

// TestExplore_Late serves a page of Explore whose subject the database does not name in time.
func TestExplore_Late(t *testing.T) {
	c := config(nil)
	c.Chains[0].Share = func(ctx context.Context, _ page.Shown) (*page.Share, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	got := get(t, newHandler(t, c), "GET", "/explore/0x"+strings.Repeat("a", 40)+"/1")
	if got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "<title>Explore · Mintburn</title>") || strings.Contains(got.Body.String(), "og:title") {
		t.Errorf("status %d: %.600s", got.Code, got.Body)
	}
}
