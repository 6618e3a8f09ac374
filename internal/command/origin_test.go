package command_test

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

func TestOrigin_CORS(t *testing.T) {
	db := importChainA(t)
	none := serve(t, db)
	some := start(t, "serve", "--db", db, "--cors-origin", "https://a.example", "--cors-origin", "http://localhost:3000")
	all := start(t, "serve", "--db", db, "--cors-origin", "*")
	for name, test := range map[string]struct {
		server       *server
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
		"no origin":          {some, "", ""},
		"any":                {all, "https://b.example", "*"},
		"any, null":          {all, "null", "*"},
		"any, but no origin": {all, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, got := range []*reply{
				test.server.send(t, "POST", "/graphql", inJSON("{ chain { lag } }"), "Origin", test.origin),
				test.server.send(t, "POST", "/graphql", "{", "Origin", test.origin),
				test.server.send(t, "OPTIONS", "/graphql", "", "Origin", test.origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type"),
			} {
				if allowed := got.header.Get("Access-Control-Allow-Origin"); allowed != test.want {
					t.Errorf("status %d: allowed is %q, want %q", got.status, allowed, test.want)
				}
				varies := strings.Contains(strings.Join(got.header.Values("Vary"), ","), "Origin")
				if want := test.server == some; varies != want {
					t.Errorf("status %d: varies by origin: %t, want %t", got.status, varies, want)
				}
				if got.header.Get("Access-Control-Allow-Credentials") != "" {
					t.Error("cookies are allowed")
				}
				if got.status != 204 {
					continue
				}
				methods, headers := got.header.Get("Access-Control-Allow-Methods"), got.header.Get("Access-Control-Allow-Headers")
				if (methods == "GET, POST") != (test.want != "") || (headers == "*, Authorization") != (test.want != "") {
					t.Errorf("preflight: methods %q, headers %q", methods, headers)
				}
			}
		})
	}
}

func TestOrigin_BadFlag(t *testing.T) {
	for _, origin := range []string{"a.example", "https://a.example/", "https://a.example/path", "https://*.example", "ftp://a.example", "https://", "null", "https://u@a.example"} {
		_, stderr, code := run(t, nil, "serve", "--db", filepath.Join(t.TempDir(), "x.db"), "--listen", "127.0.0.1:0", "--cors-origin", origin)
		if code != 2 || !strings.Contains(stderr, "is no origin: want http") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", origin, code, stderr)
		}
	}
}

// TestOrigin_SimpleRequests: what a foreign page can make a browser send
// without asking the server first.
func TestOrigin_SimpleRequests(t *testing.T) {
	db := importChainA(t)
	closed, open := serve(t, db), start(t, "serve", "--db", db, "--cors-origin", "https://a.example")
	get := "/graphql?query=" + url.QueryEscape("{ chain { lag } }")
	for name, test := range map[string]struct {
		server *server
		header []string
		want   int
	}{
		"an image on a foreign page":   {closed, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		"a frame on a foreign page":    {closed, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"a script on a sister's page":  {closed, []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors", "Origin", "https://b.example"}, 403},
		"a link":                       {closed, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"the address bar":              {closed, []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"the page itself":              {closed, []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 200},
		"no browser":                   {closed, nil, 200},
		"a page that may":              {open, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://a.example"}, 200},
		"a page that may not":          {open, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://b.example"}, 403},
		"an image on a page that may ": {open, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.server.send(t, "GET", get, "", test.header...)
			if got.status != test.want {
				t.Errorf("status %d, want %d: %s", got.status, test.want, got.body)
			}
			if test.want == 403 {
				onlyError(t, got.answer(t), "BAD_USER_INPUT")
			}
		})
	}
	// The types that a form can send are refused whatever they hold.
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		if got := closed.send(t, "POST", "/graphql", inJSON("{ chain { lag } }"), "Content-Type", typ, "Origin", "https://b.example"); got.status != 415 {
			t.Errorf("%s: status %d", typ, got.status)
		}
	}
}

func TestIntrospection_Off(t *testing.T) {
	s := start(t, "serve", "--db", importChainA(t), "--no-introspection")
	for _, query := range []string{
		"{ __schema { types { name } } }", `{ __type(name: "Mint") { name } }`, "{ chain { lag } ...F } fragment F on Query { s: __schema { types { name } } }",
	} {
		got := s.send(t, "POST", "/graphql", inJSON(query))
		if e := onlyError(t, got.answer(t), "GRAPHQL_VALIDATION_FAILED"); e.Message != "introspection is turned off here" {
			t.Errorf("%s: %s", query, got.body)
		}
	}
	if got := s.send(t, "POST", "/graphql", inJSON("{ __typename mints(first: 1) { data { __typename } } }")); !strings.Contains(got.body, `"Mint"`) {
		t.Errorf("__typename: %s", got.body)
	}
	// Nothing of the schema shows in what is said of mistakes.
	open := serve(t, importChainA(t))
	for query, name := range map[string]string{
		"{ mint { page } }":                                   "mints",
		"{ mints(frist: 1) { page } }":                        "first",
		"{ mints { page { x } } }":                            "",
		"{ mints }":                                           "",
		"{ mints(order: ASX) { page } }":                      "ASC",
		"{ ...F } fragment F on Qery { __typename }":          "Query",
		"query($a: Addresss) { mints(address: $a) { page } }": "Address",
		"{ node(id: 1) { blockNumber } }":                     "Transfer",
		"{ mints { data { ... on Mnt { id } } } }":            "",
		"{ mints { data { id @inclde(if: true) } } }":         "",
		"{ mints { pageInfo { hasNextPages } totalItem } }":   "totalItems",
		"{ tokenMetadata { page } }":                          "",
		"{ tokenMetadata(addresss: \"0x\") { page } }":        "",
		"{ mints(address: {a: 1}) { page } }":                 "",
		"{ mints(first: ONE) { page } }":                      "",
		"query($a: Int) { mints(address: $a) { page } }":      "",
		"{ mints { page } mints: burns { page } }":            "",
		"{ mints { ...F } } fragment F on Burn { id }":        "",
		"{ mints { edges { node { id } cursor } dta { id } }": "",
	} {
		said := func(s *server) string {
			var messages []string
			for _, e := range s.send(t, "POST", "/graphql", inJSON(query)).answer(t).Errors {
				messages = append(messages, e.Message)
			}
			return strings.Join(messages, "; ")
		}
		if got := said(s); got == "" || strings.Contains(got, "Did you mean") {
			t.Errorf("%s: %q", query, got)
		}
		if name != "" && !strings.Contains(said(open), name) {
			t.Errorf("%s: with introspection %q does not suggest %s", query, said(open), name)
		}
	}
}

func TestHeaders_Page(t *testing.T) {
	s := serve(t, importChainA(t))
	got := s.send(t, "GET", "/", "")
	for name, want := range map[string]string{
		"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if !strings.Contains(got.header.Get(name), want) {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
}
