package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

func get(t *testing.T, h http.Handler, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// TestBelowPath checks that a proxy may serve the API below a path: the description of the
// routes and the redirect of browsers lead to what is below it.
func TestBelowPath(t *testing.T) {
	for _, prefix := range []string{"", "/nft", "/a/b/c"} {
		proxy := http.StripPrefix(prefix, serve(t).Handler)
		at := func(base, relative string) string {
			from, err := url.Parse("http://host" + prefix + base)
			expect.NoError(t, err)
			to, err := from.Parse(relative)
			expect.NoError(t, err)
			return to.RequestURI()
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
