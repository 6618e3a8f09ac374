package httpapi_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestRouter_Bounds walks the routes: each has a bound, and docs/limits.md lists it.
func TestRouter_Bounds(t *testing.T) {
	bounds, err := httpapi.Bounds(config(nil))
	expect.NoError(t, err)
	for pattern, bound := range bounds {
		if bound == "" {
			t.Errorf("%s has no bound", pattern)
		}
	}
	for _, pattern := range page.Paths {
		if bounds[pattern] == "" {
			t.Errorf("%s has no bound", pattern)
		}
	}
	text, err := os.ReadFile("../../docs/limits.md")
	expect.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "\n## Routes\n")
	table, _, _ = strings.Cut(table, "\n## ")
	documented := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (`+"`"+`.+) \| ([^|]+?) \|$`).FindAllStringSubmatch(table, -1) {
		for _, pattern := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			documented[pattern[1]] = row[2]
		}
	}
	if !maps.Equal(documented, bounds) {
		t.Errorf("docs/limits.md has %v, the router %v", documented, bounds)
	}
}

// TestRouter_OwnSlot fills the slot of each route that computes: others of the route wait and are
// refused, and a query is answered meanwhile.
func TestRouter_OwnSlot(t *testing.T) {
	started, proceed := make(chan bool), make(chan bool)
	s := serve(t, func(c *httpapi.Config) {
		c.Limits.Concurrency, c.Limits.Timeout = 1, 100_000_000
		c.Chains[0].Ready = func(context.Context) error {
			started <- true
			<-proceed
			return nil
		}
	})
	ended := make(chan int)
	go func() { ended <- s.Send(t, "GET", "/readyz", "").Status }()
	<-started
	if got := s.Send(t, "GET", "/readyz", ""); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("while the slot is taken: status %d: %s", got.Status, got.Body)
	}
	for _, path := range []string{"/docs/search?q=mint", "/metrics", "/", "/docs/", "/healthz", lag} {
		if got := s.Send(t, "GET", path, ""); got.Status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, got.Status, got.Body)
		}
	}
	proceed <- true
	expect.Equal(t, "status of the first", 200, <-ended)
}

// TestRouter_Misdirected sends operations to paths of other servers, and to /graphql/.
func TestRouter_Misdirected(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/graphql/", "/query"} {
		for _, got := range []*apitest.Reply{s.Send(t, "POST", path, inJSON("{ __typename }"), "Content-Type", asJSON), s.Send(t, "GET", path+"?query={__typename}", "")} {
			if e := got.OnlyError(t, "NOT_FOUND"); got.Status != 404 || !strings.HasSuffix(e.Message, ": want /graphql") {
				t.Errorf("%s: status %d: %s", path, got.Status, got.Body)
			}
		}
	}
	if got := s.Send(t, "GET", "/graphql/none", ""); got.Status != 404 || slices.Contains([]string{"{", "["}, got.Body[:1]) {
		t.Errorf("below: status %d: %s", got.Status, got.Body)
	}
}

// TestRouter_StatePanics lets the state of a chain panic, outside the goroutine of the request.
func TestRouter_StatePanics(t *testing.T) {
	c := config(nil)
	c.Chains[0].State = func(context.Context) (httpapi.ChainState, error) { panic("no state") }
	s := &apitest.Client{Handler: newHandlerIn(t, c, "default")}
	want := "one: not ready: see the log\ntwo: not ready: see the log\n"
	if got := s.Send(t, "GET", "/readyz", ""); got.Status != 503 || got.Body != want {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
}
