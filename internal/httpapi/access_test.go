package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apikeys"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// accessTime is the time in the key and quota tests.
var accessTime = time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)

// keyFile holds the lines of keys. The secret of a key is secret- and its name.
type keyFile []string

func (f keyFile) parse(t testing.TB) *apikeys.Set {
	t.Helper()
	var text strings.Builder
	text.WriteString("# keys\n")
	for _, line := range f {
		name, options, _ := strings.Cut(line, " ")
		key, err := apikeys.Line(name, "secret-"+name)
		expect.NoError(t, err)
		text.WriteString(key + " " + options + "\n")
	}
	set, err := apikeys.Parse([]byte(text.String()))
	expect.NoError(t, err)
	return set
}

// withKeys configures API keys.
func withKeys(set *apikeys.Set, a admit.Access) func(*httpapi.Config) {
	a.Keys = func() *apikeys.Set { return set }
	if a.Now == nil {
		a.Now = func() time.Time { return accessTime }
	}
	return func(c *httpapi.Config) { c.Access = &a }
}

const (
	lag       = `/graphql?query={chain{lag}}`
	mintsPath = "/v1/mints?limit=1"
)

// TestAccess_Keys sends credentials to servers that ignore, accept and require keys.
func TestAccess_Keys(t *testing.T) {
	keys := keyFile{"alice", "old expires=2027-01-31", "new expires=2027-02-01"}.parse(t)
	ignoring := serve(t)
	optional, required := serve(t, withKeys(keys, admit.Access{})), serve(t, withKeys(keys, admit.Access{Required: true}))
	for name, test := range map[string]struct {
		header             []string
		optional, required int
		challenge          string
	}{
		"none":              {nil, 200, 401, `Bearer realm="mintburn"`},
		"bearer":            {[]string{"Authorization", "Bearer secret-alice"}, 200, 200, ""},
		"another case":      {[]string{"Authorization", "bearer  secret-alice "}, 200, 200, ""},
		"X-API-Key":         {[]string{"X-API-Key", "secret-alice"}, 200, 200, ""},
		"valid until later": {[]string{"X-API-Key", "secret-new"}, 200, 200, ""},
		"of a proxy":        {[]string{"Authorization", "Basic c2VjcmV0LWFsaWNlOg=="}, 200, 401, `Bearer realm="mintburn"`},
		"unknown":           {[]string{"Authorization", "Bearer secret-eve"}, 401, 401, `Bearer realm="mintburn", error="invalid_token"`},
		"expired":           {[]string{"X-API-Key", "secret-old"}, 401, 401, `Bearer realm="mintburn", error="invalid_token"`},
		"empty":             {[]string{"Authorization", "Bearer"}, 401, 401, `Bearer realm="mintburn", error="invalid_token"`},
		"two":               {[]string{"Authorization", "Bearer secret-alice", "X-API-Key", "secret-alice"}, 401, 401, `Bearer realm="mintburn", error="invalid_request"`},
	} {
		for server, want := range map[*apitest.Client]int{ignoring: 200, optional: test.optional, required: test.required} {
			for what, got := range map[string]*apitest.Reply{
				"GET":   server.Send(t, "GET", lag, "", test.header...),
				"POST":  server.Post(t, inJSON("{ chain { lag } }"), test.header...),
				"batch": server.Post(t, apitest.BatchOf(inJSON("{ chain { lag } }")), test.header...),
				"REST":  server.Send(t, "GET", mintsPath, "", test.header...),
			} {
				challenge := ""
				if want == 401 {
					challenge = test.challenge
				}
				if got.Status != want || got.Header.Get("WWW-Authenticate") != challenge {
					t.Errorf("%s, %s: status %d, %q, want %d, %q: %.200s", name, what, got.Status, got.Header.Get("WWW-Authenticate"), want, challenge, got.Body)
				}
				if want == 401 && what == "REST" {
					if !strings.Contains(got.Body, `"code":"UNAUTHENTICATED","details":{}`) {
						t.Errorf("%s: %s", name, got.Body)
					}
				} else if want == 401 {
					got.OnlyError(t, "UNAUTHENTICATED")
				}
				if strings.Contains(got.Body, "secret-") {
					t.Errorf("%s, %s: the answer has the key: %s", name, what, got.Body)
				}
			}
		}
	}
}

// TestAccess_Open checks that a server that requires a key serves health checks, the page and
// the descriptions without one, but no data.
func TestAccess_Open(t *testing.T) {
	s := serve(t, withKeys(keyFile{"alice"}.parse(t), admit.Access{Required: true}), origins("https://a.example"), func(c *httpapi.Config) {
		c.Chains[0].Examples = func(context.Context) (page.Examples, error) { return page.Examples{}, fmt.Errorf("read") }
	})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 200, "/docs/": 200, "/llms.txt": 200, "/openapi.json": 200, "/schema.graphql": 200, "/metrics": 401, "/v1/none": 404} {
		if got := s.Send(t, "GET", path, ""); got.Status != want {
			t.Errorf("%s: status %d, want %d", path, got.Status, want)
		}
	}
	// With a key the page has the examples, which cannot be read here.
	if page.HasGraphiQL(page.Assets) {
		if got := s.Send(t, "GET", "/", "", "Authorization", "Bearer secret-alice"); got.Status != 500 {
			t.Errorf("/ with a key: status %d, want 500", got.Status)
		}
		if got := s.Send(t, "GET", "/", ""); !strings.Contains(got.Body, `"tabs":null`) {
			t.Errorf("/ without a key: %.300s", got.Body)
		}
	}
	if got := s.Send(t, "GET", "/metrics", "", "Authorization", "Bearer secret-alice"); got.Status != 200 || !strings.Contains(got.Body, `mintburn_errors_total{code="UNAUTHENTICATED"} 1`) {
		t.Errorf("/metrics with a key: status %d: %.300s", got.Status, got.Body)
	}
	// A page of another origin may send its key, and read the error.
	for _, path := range []string{lag, mintsPath} {
		got := s.Send(t, "OPTIONS", path, "", "Origin", "https://a.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization")
		if got.Status != 204 || !strings.Contains(got.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
			t.Errorf("preflight of %s: status %d, %v", path, got.Status, got.Header)
		}
		if got := s.Send(t, "GET", path, "", "Origin", "https://a.example"); got.Status != 401 || got.Header.Get("Access-Control-Allow-Origin") != "https://a.example" {
			t.Errorf("%s without a key: status %d, %v", path, got.Status, got.Header)
		}
	}
}

// TestAccess_KeyName checks that the context of an operation contains the name of its key.
func TestAccess_KeyName(t *testing.T) {
	names := make(chan string, 1)
	s := serve(t, withKeys(keyFile{"alice"}.parse(t), admit.Access{}), func(c *httpapi.Config) {
		c.Final = func(ctx context.Context, _ *ast.OperationDefinition, _ map[string]any) (is, verified bool, err error) {
			names <- admit.KeyName(ctx)
			return false, false, nil
		}
	})
	for key, want := range map[string]string{"secret-alice": "alice", "": ""} {
		s.Send(t, "GET", lag, "", "X-API-Key", key)
		if got := <-names; got != want {
			t.Errorf("the key %q has the name %q, want %q", key, got, want)
		}
	}
	if got := admit.KeyName(t.Context()); got != "" {
		t.Errorf("no request has the key %q", got)
	}
}

// TestAccess_Revoked replaces the keys while clients send requests. From then on each request
// with a revoked key fails, requests with other keys never do, and a running request
// completes.
func TestAccess_Revoked(t *testing.T) {
	var present atomic.Pointer[apikeys.Set]
	lines := make(keyFile, 10_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("client-%d", i)
	}
	present.Store(lines.parse(t))
	less := lines[1:].parse(t)
	started, proceed := make(chan bool), make(chan bool)
	s := serve(t, func(c *httpapi.Config) {
		c.Access = &admit.Access{Required: true, Keys: present.Load}
		final := c.Final
		c.Final = func(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) (is, verified bool, err error) {
			if o.Name == "Slow" {
				started <- true
				<-proceed
			}
			return final(ctx, o, variables)
		}
	})
	ask := func(client int) int {
		return s.Send(t, "GET", lag, "", "Authorization", fmt.Sprintf("Bearer secret-client-%d", client)).Status
	}
	var revoked atomic.Bool
	var running sync.WaitGroup
	slow := make(chan int, 1)
	running.Go(func() {
		slow <- s.Send(t, "GET", "/graphql?query=query%20Slow{chain{lag}}", "", "X-API-Key", "secret-client-0").Status
	})
	<-started
	stop := make(chan bool)
	for worker := range 4 {
		running.Go(func() {
			for i := 1; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if got := ask(1 + (i*4+worker)%9_999); got != 200 {
					t.Errorf("a key that stays: status %d", got)
					return
				}
				before := revoked.Load()
				if got := ask(0); before && got != 401 || got != 401 && got != 200 {
					t.Errorf("revoked before: %t, status %d", before, got)
					return
				}
			}
		})
	}
	for range 100 {
		ask(1)
	}
	present.Store(less)
	revoked.Store(true)
	for range 100 {
		ask(1)
	}
	proceed <- true
	close(stop)
	running.Wait()
	if got := <-slow; got != 200 {
		t.Errorf("a request that ran when its key was revoked: status %d", got)
	}
	if got := ask(0); got != 401 {
		t.Errorf("the revoked key: status %d", got)
	}
}

// TestAccess_PrivateCaching checks that shared caches may not store answers if keys are
// required.
func TestAccess_PrivateCaching(t *testing.T) {
	const path = "/v1/block/3/nft/mints?limit=1"
	keys := keyFile{"alice quota=1000"}.parse(t)
	optional, required := serve(t, withKeys(keys, admit.Access{})), serve(t, withKeys(keys, admit.Access{Required: true}))
	get := func(s *apitest.Client) *apitest.Reply { return s.Send(t, "GET", path, "", "X-API-Key", "secret-alice") }
	public, private := get(optional), get(required)
	if got, want := private.Header.Get("Cache-Control"), "private, "+strings.TrimPrefix(public.Header.Get("Cache-Control"), "public, "); got != want || public.Header.Get("ETag") == "" {
		t.Errorf("Cache-Control is %q, want %q", got, want)
	}
	if strings.HasPrefix(public.Header.Get("Cache-Control"), "public") && public.Header.Get("RateLimit") != "" {
		t.Errorf("a shared cache may store one client's quota: %v", public.Header)
	}
	if private.Header.Get("RateLimit") == "" {
		t.Errorf("no quota: %v", private.Header)
	}
}

// TestAccess_Hosts sends requests for allowed and for other hosts, preflights too. The latter are chunked, after
// which a connection ends.
func TestAccess_Hosts(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.AllowedHosts = []string{"API.example.org", "192.0.2.7", "::1"} }, origins("*"))
	for host, want := range map[string]int{
		"api.example.org": 200, "API.Example.ORG:8443": 200, "api.example.org.": 200, "192.0.2.7:80": 200, "[::1]:8080": 200, "[::1]": 200,
		"evil.example": 421, "api.example.org.evil.example": 421, "evil.example:80": 421, "127.0.0.1:8080": 421, "": 421, "[::2]": 421, "xapi.example.org": 421,
	} {
		for path, code := range map[string]string{lag: `"code":"BAD_USER_INPUT"}}]}`, mintsPath: `"code":"BAD_USER_INPUT","details"`, "/": "", "/metrics": "", "/openapi.json": ""} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
			expect.NoError(t, err)
			r.Host = host
			w := httptest.NewRecorder()
			s.Handler.ServeHTTP(w, r)
			if w.Code != want || want == 421 && !strings.Contains(w.Body.String(), code) {
				t.Errorf("%q, %s: status %d, want %d: %.200s", host, path, w.Code, want, w.Body)
			}
		}
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodOptions, mintsPath, http.NoBody)
		r.Host, r.TransferEncoding = host, []string{"chunked"}
		r.Header.Set("Access-Control-Request-Method", "GET")
		w := httptest.NewRecorder()
		if s.Handler.ServeHTTP(w, r); w.Code != map[int]int{200: 204, 421: 421}[want] || want == 200 && w.Header().Get("Connection") != "close" {
			t.Errorf("%q, a preflight: status %d, %v", host, w.Code, w.Header())
		}
		r, _ = http.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", http.NoBody)
		r.Host = host
		w = httptest.NewRecorder()
		if s.Handler.ServeHTTP(w, r); w.Code != 200 {
			t.Errorf("%q, /healthz: status %d", host, w.Code)
		}
	}
	for _, wrong := range []string{"", "example.org:80", "*.example.org", "http://example.org", "a b", "[::1]:80", "exämple.org"} {
		if err := httpapi.CheckHosts([]string{"a.example", wrong}); err == nil || !strings.Contains(err.Error(), "want a host such as") {
			t.Errorf("%q: error %v", wrong, err)
		}
	}
}
