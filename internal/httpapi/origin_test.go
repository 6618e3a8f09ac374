package httpapi_test

import (
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
)

func TestOrigin_CORS(t *testing.T) {
	none, some, all := serve(t), serve(t, origins("https://a.example", "http://localhost:3000")), serve(t, origins("*"))
	ports := serve(t, origins("https://a.example:443", "http://b.example:80", "http://c.example:443", "https://d.example:", "HTTPS://E.Example:8443", "https://[::1]:443"))
	apps := serve(t, origins("tauri://localhost", "app://example:80"))
	for name, test := range map[string]struct {
		server       *apitest.Client
		origin, want string
	}{
		"none configured":    {none, "https://a.example", ""},
		"a configured one":   {some, "https://a.example", "https://a.example"},
		"the other":          {some, "http://localhost:3000", "http://localhost:3000"},
		"another port":       {some, "http://localhost:3001", ""},
		"another scheme":     {some, "http://a.example", ""},
		"an ending":          {some, "https://evil-a.example", ""},
		"a longer one":       {some, "https://a.example.evil.example", ""},
		"null":               {some, "null", ""},
		"a default port":     {ports, "https://a.example", "https://a.example"},
		"that of http":       {ports, "http://b.example", "http://b.example"},
		"one of the other":   {ports, "http://c.example:443", "http://c.example:443"},
		"only with it":       {ports, "http://c.example", ""},
		"no port":            {ports, "https://d.example", "https://d.example"},
		"upper case":         {ports, "https://e.example:8443", "https://e.example:8443"},
		"an IPv6 address":    {ports, "https://[::1]", "https://[::1]"},
		"no origin":          {some, "", ""},
		"any":                {all, "https://b.example", "*"},
		"any, null":          {all, "null", "*"},
		"any, but no origin": {all, "", "*"},
		"an app's":           {apps, "tauri://localhost", "tauri://localhost"},
		"another app's":      {apps, "capacitor://localhost", ""},
		"an app's port":      {apps, "app://example:80", "app://example:80"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, got := range []*apitest.Reply{
				test.server.Send(t, "POST", "/graphql", inJSON("{ chain { lag } }"), "Origin", test.origin),
				test.server.Send(t, "POST", "/graphql", "{", "Origin", test.origin),
				test.server.Send(t, "OPTIONS", "/graphql", "", "Origin", test.origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type"),
			} {
				if allowed := got.Header.Get("Access-Control-Allow-Origin"); allowed != test.want {
					t.Errorf("status %d: allowed is %q, want %q", got.Status, allowed, test.want)
				}
				varies := strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Origin")
				if want := test.server != none && test.server != all; varies != want {
					t.Errorf("status %d: varies by origin: %t, want %t", got.Status, varies, want)
				}
				if got.Header.Get("Access-Control-Allow-Credentials") != "" {
					t.Error("cookies are allowed")
				}
				if got.Status != 204 {
					continue
				}
				methods, headers := got.Header.Get("Access-Control-Allow-Methods"), got.Header.Get("Access-Control-Allow-Headers")
				if (methods == "GET, POST") != (test.want != "") || (headers == "*, Authorization") != (test.want != "") {
					t.Errorf("preflight: methods %q, headers %q", methods, headers)
				}
			}
		})
	}
}

// origins configures the origins whose pages may read answers.
func origins(list ...string) func(*httpapi.Config) {
	return func(c *httpapi.Config) { c.Origins = list }
}

func TestOrigin_Bad(t *testing.T) {
	for _, origin := range []string{"a.example", "https://a.example/", "https://a.example/path", "https://*.example", "file://", "file:///a", "tauri:", "//a.example", "https://", "https://:443", "null", "https://u@a.example"} {
		if err := httpapi.CheckOrigins([]string{origin}); err == nil || !strings.Contains(err.Error(), "is not an origin: want http") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", origin, err)
		}
	}
}

// TestOrigin_Everywhere checks that pages may read the answers of all routes, errors included, also
// those that a cache stored for a request without an origin.
func TestOrigin_Everywhere(t *testing.T) {
	const origin = "https://a.example"
	some, all := serve(t, origins(origin)), serve(t, origins("*"))
	for _, path := range []string{
		lag, mintsPath, "/v1/none", "/v1/nft/x/y/z/none", "/v1//mints", "/none", "/graphql/none", "/healthz", "/readyz", "/metrics", "/openapi.json", "/schema.graphql", "/", "/docs/", "/docs/none", "/docs/search?q=a",
		"/explore", "/v1/mints?limit=x", "/v1/changes", "/graphql?query={none}",
	} {
		if got := some.Send(t, "OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "GET"); got.Status != 204 || got.Header.Get("Access-Control-Allow-Origin") != origin {
			t.Errorf("preflight of %s: status %d, %v", path, got.Status, got.Header)
		}
		for _, method := range []string{"GET", "DELETE"} {
			for _, header := range [][]string{nil, {"Origin", origin}, {"Origin", "https://b.example"}} {
				got := all.Send(t, method, path, "", header...)
				if got.Header.Get("Access-Control-Allow-Origin") != "*" {
					t.Errorf("%s %s %v: status %d, %v", method, path, header, got.Status, got.Header)
				}
				want := ""
				if len(header) > 0 && header[1] == origin {
					want = origin
				}
				got = some.Send(t, method, path, "", header...)
				if varies := strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Origin"); got.Header.Get("Access-Control-Allow-Origin") != want || !varies {
					t.Errorf("%s %s %v: status %d, %v", method, path, header, got.Status, got.Header)
				}
				if got.Header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s %s: cookies are allowed", method, path)
				}
			}
		}
	}
}

// TestOrigin_SimpleRequests sends the requests that a foreign page can make a browser send
// without a preflight.
func TestOrigin_SimpleRequests(t *testing.T) {
	closed, open := serve(t), serve(t, origins("https://a.example"))
	get := "/graphql?query=" + url.QueryEscape("{ chain { lag } }")
	for name, test := range map[string]struct {
		server *apitest.Client
		header []string
		want   int
	}{
		"an image on a foreign page":   {closed, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		"a frame on a foreign page":    {closed, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"a script on a same-site page": {closed, []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors", "Origin", "https://b.example"}, 403},
		"a link":                       {closed, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"the address bar":              {closed, []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"the page itself":              {closed, []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 200},
		"no browser":                   {closed, nil, 200},
		"a page that may":              {open, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://a.example"}, 200},
		"a page that may not":          {open, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://b.example"}, 403},
		"an image on a page that may":  {open, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.server.Send(t, "GET", get, "", test.header...)
			if got.Status != test.want {
				t.Errorf("status %d, want %d: %s", got.Status, test.want, got.Body)
			}
			if test.want == 403 {
				got.OnlyError(t, "BAD_USER_INPUT")
			}
		})
	}
	// The media types that a form can send are always rejected.
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		if got := closed.Send(t, "POST", "/graphql", inJSON("{ chain { lag } }"), "Content-Type", typ, "Origin", "https://b.example"); got.Status != 415 {
			t.Errorf("%s: status %d", typ, got.Status)
		}
	}
}

// TestOrigin_Unavailable checks that pages may read why there is no data yet, while the database is not open.
func TestOrigin_Unavailable(t *testing.T) {
	c := closedConfig()
	c.Origins = []string{"https://a.example"}
	s := &apitest.Client{Base: "http://" + listen(t, newHandler(t, c))}
	for _, path := range []string{"/graphql?query=%7Bchain%7Blag%7D%7D", "/v1/mints"} {
		for method, want := range map[string]int{"GET": 503, "OPTIONS": 204} {
			got := s.Send(t, method, path, "", "Origin", "https://a.example", "Access-Control-Request-Method", "GET")
			if got.Status != want || got.Header.Get("Access-Control-Allow-Origin") != "https://a.example" {
				t.Errorf("%s %s: status %d, %v", method, path, got.Status, got.Header)
			}
		}
	}
}
