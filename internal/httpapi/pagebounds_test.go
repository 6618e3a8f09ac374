package httpapi_test

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestRoutes_Bounds checks that docs/limits.md names the bound of each route.
func TestRoutes_Bounds(t *testing.T) {
	text, err := os.ReadFile("../../docs/limits.md")
	expect.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "\n## Routes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]bool{}
	for line := range strings.Lines(section) {
		if column := strings.Split(line, "|"); len(column) == 5 {
			for _, path := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(column[1], -1) {
				rows[path[1]] = true
			}
		}
	}
	c := config(openStore(t, recorded(t)))
	c.Introspection = true
	patterns := map[string]bool{}
	for _, pattern := range httpapi.Patterns(newHandler(t, c)) {
		path := pattern[strings.Index(pattern, "/"):]
		patterns[strings.TrimSuffix(path, "{$}")] = true
	}
	expect.Equal(t, "routes of docs/limits.md and of the server", rows, patterns)
}

// TestRoutes_Apart keeps all slots of the probes busy. Operations and pages don't wait for them.
func TestRoutes_Apart(t *testing.T) {
	t.Parallel()
	release, entered := make(chan struct{}), make(chan struct{}, 100)
	c := config(openStore(t, recorded(t)))
	c.Ready = func(context.Context) error {
		entered <- struct{}{}
		<-release
		return nil
	}
	s := online(t, &apitest.Client{Handler: newHandler(t, c)})
	var probes sync.WaitGroup
	for range runtime.GOMAXPROCS(0) + 1 {
		probes.Go(func() {
			if got := s.Send(t, http.MethodGet, "/readyz", ""); got.Status != http.StatusOK {
				t.Errorf("/readyz: status %d", got.Status)
			}
		})
	}
	<-entered
	for _, path := range []string{"/docs/search?q=mint", "/docs/none", "/explore", "/graphql?query={mints(first:1){limit}}"} {
		if got := s.Send(t, http.MethodGet, path, "", "Accept", "*/*"); got.Status != http.StatusOK && path != "/docs/none" {
			t.Errorf("%s: status %d", path, got.Status)
		}
	}
	close(release)
	probes.Wait()
}

// TestGraphQL_FinalSlash checks that the error says what is accepted.
func TestGraphQL_FinalSlash(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/graphql/", "/graphql/x"} {
		got := s.Send(t, http.MethodPost, path, `{"query":"{__typename}"}`)
		if got.Status != http.StatusNotFound || !strings.Contains(got.Body, `"message":"there is nothing at this path: want /graphql"`) {
			t.Errorf("%s: status %d: %s", path, got.Status, got.Body)
		}
	}
}
