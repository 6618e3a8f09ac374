package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/testing/apitest"
)

func TestHTTP_MediaTypes(t *testing.T) {
	s := serve(t)
	for accept, want := range map[string]string{
		"":                                      asJSON,
		"*/*":                                   asJSON,
		"application/*":                         asJSON,
		"application/json":                      asJSON,
		"APPLICATION/JSON":                      asJSON,
		asResponse:                              asResponse,
		asResponse + "; charset=utf-8":          asResponse,
		asResponse + "; charset=UTF-8; q=0.3":   asResponse,
		asResponse + ", application/json":       asResponse,
		"application/json, " + asResponse:       asResponse,
		asResponse + ",application/json;q=0.9":  asResponse,
		asResponse + ";q=0.5, application/json": asJSON,
		asResponse + ";q=0.5, application/json;q=0.4":     asResponse,
		asResponse + ";q=0, application/json;q=0.1":       asJSON,
		asResponse + ";q=0.5, */*":                        asJSON,
		asResponse + ", */*":                              asResponse,
		"application/json, */*":                           asJSON,
		"application/json;q=0, */*":                       asResponse,
		"application/json;q=0.2, */*;q=0.1":               asJSON,
		"text/html, */*;q=0.1":                            asJSON,
		"text/html,application/xhtml+xml,*/*;q=0.8":       asJSON,
		"application/json, multipart/mixed":               asJSON,
		"text/html":                                       "",
		"application/json;q=0":                            "",
		"*/*;q=0":                                         "",
		asResponse + ";charset=latin1":                    "",
		asResponse + ";charset=latin1, application/json":  asJSON,
		"application/json;q=nonsense":                     "",
		"application/graphql+json":                        "",
		"text/html;q=0.9, " + asResponse + ";q=0.1":       asResponse,
		"application/*;q=0.1, " + asResponse + ";q=0.05":  asJSON,
		asResponse + `; charset="utf-8"; foo="bar,baz;q"`: asResponse,
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			t.Run(method+" "+accept, func(t *testing.T) {
				path, body := "/graphql", inJSON("{ chain { lag } }")
				if method == http.MethodGet {
					path, body = path+"?query="+url.QueryEscape("{ chain { lag } }"), ""
				}
				got := s.Send(t, method, path, body, "Accept", accept)
				if want == "" {
					if got.OnlyError(t, "BAD_USER_INPUT"); got.Status != http.StatusNotAcceptable {
						t.Errorf("status %d, want 406", got.Status)
					}
					return
				}
				if got.Status != 200 || got.Header.Get("Content-Type") != want+"; charset=utf-8" {
					t.Errorf("status %d, %s: want 200, %s", got.Status, got.Header.Get("Content-Type"), want)
				}
			})
		}
	}
}

// TestHTTP_StatusAndData checks that requests that do not run have no data, and an error
// status only for clients that accept application/graphql-response+json.
func TestHTTP_StatusAndData(t *testing.T) {
	s := serve(t)
	for name, test := range map[string]struct {
		body           string
		json, response int
		code           string
		data           bool
	}{
		"a good one":          {inJSON("{ chain { lag } }"), 200, 200, "", true},
		"a field that failed": {inJSON("{ mints(first: -1) { page } }"), 200, 200, "BAD_USER_INPUT", true},
		"a part that failed":  {inJSON("{ chain { lag } node(id: 5) { id } }"), 200, 200, "BAD_USER_INPUT", true},
		"no document":         {inJSON("{"), 200, 400, "GRAPHQL_PARSE_FAILED", false},
		"an empty document":   {inJSON(" "), 200, 400, "GRAPHQL_VALIDATION_FAILED", false},
		"an invalid document": {inJSON("{ price }"), 200, 400, "GRAPHQL_VALIDATION_FAILED", false},
		"a mutation":          {inJSON("mutation { __typename }"), 200, 400, "GRAPHQL_VALIDATION_FAILED", false},
		"a subscription":      {inJSON("subscription { __typename }"), 200, 400, "GRAPHQL_VALIDATION_FAILED", false},
		"a bad variable":      {`{"query": "query($i: ID!) { node(id: $i) { id } }"}`, 200, 400, "BAD_USER_INPUT", false},
		"an unknown name":     {`{"query": "query A { chain { lag } }", "operationName": "B"}`, 200, 400, "GRAPHQL_VALIDATION_FAILED", false},
		"too much":            {inJSON("{ " + strings.Repeat("a: chain { lag } ", 51) + "}"), 200, 400, "QUERY_TOO_COSTLY", false},
		"an unknown hash":     {`{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "00"}}}`, 200, 400, "PERSISTED_QUERY_NOT_FOUND", false},
		"no query":            {`{}`, 400, 400, "BAD_USER_INPUT", false},
		"no JSON":             {`{`, 400, 400, "BAD_USER_INPUT", false},
	} {
		t.Run(name, func(t *testing.T) {
			for accept, want := range map[string]int{asJSON: test.json, asResponse: test.response} {
				got := s.Post(t, test.body, "Accept", accept)
				if got.Status != want {
					t.Errorf("%s: status %d, want %d: %s", accept, got.Status, want, got.Body)
				}
				var found map[string]json.RawMessage
				apitest.Decode(t, got.Body, &found)
				if _, data := found["data"]; data != test.data {
					t.Errorf("%s: data is there: %t, want %t: %s", accept, data, test.data, got.Body)
				}
				if _, extensions := found["extensions"]; extensions {
					t.Errorf("%s: there are extensions: %s", accept, got.Body)
				}
				if test.code == "" {
					if _, errors := found["errors"]; errors {
						t.Errorf("%s: errors: %s", accept, got.Body)
					}
					continue
				}
				got.OnlyError(t, test.code)
			}
		})
	}
}

func TestHTTP_Rejected(t *testing.T) {
	s := serve(t)
	good := inJSON("{ chain { lag } }")
	get := "/graphql?query=" + url.QueryEscape("{ chain { lag } }")
	for name, test := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		told               string
	}{
		"PUT":                          {"PUT", "/graphql", good, nil, 405, "Allow: GET, HEAD, POST, OPTIONS"},
		"DELETE":                       {"DELETE", get, "", nil, 405, "Allow: GET, HEAD, POST, OPTIONS"},
		"PATCH":                        {"PATCH", "/graphql", good, nil, 405, "Allow: GET, HEAD, POST, OPTIONS"},
		"no content type":              {"POST", "/graphql", good, []string{"Content-Type", ""}, 415, "Accept-Post: application/json"},
		"text":                         {"POST", "/graphql", good, []string{"Content-Type", "text/plain"}, 415, "Accept-Post: application/json"},
		"a form":                       {"POST", "/graphql", "query=%7Bchain%7Blag%7D%7D", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, ""},
		"a form with files":            {"POST", "/graphql", good, []string{"Content-Type", "multipart/form-data; boundary=x"}, 415, ""},
		"a graphql body":               {"POST", "/graphql", "{ chain { lag } }", []string{"Content-Type", "application/graphql"}, 415, ""},
		"another charset":              {"POST", "/graphql", good, []string{"Content-Type", "application/json; charset=utf-16"}, 415, ""},
		"a compressed body":            {"POST", "/graphql", good, []string{"Content-Encoding", "gzip"}, 415, "Accept-Encoding: identity"},
		"a large body":                 {"POST", "/graphql", strings.Repeat(" ", 1<<20+1), nil, 413, ""},
		"no body":                      {"POST", "/graphql", "", nil, 400, ""},
		"no query in the URL":          {"GET", "/graphql", "", nil, 400, ""},
		"a query twice":                {"GET", get + "&query=x", "", nil, 400, ""},
		"a malformed URL":              {"GET", "/graphql?query=%zz", "", nil, 400, ""},
		"variables that are not JSON":  {"GET", get + "&variables=%7B", "", nil, 400, ""},
		"variables that are a list":    {"GET", get + "&variables=[1]", "", nil, 400, ""},
		"variables with a tail":        {"GET", get + "&variables={}x", "", nil, 400, ""},
		"extensions that are not JSON": {"GET", get + "&extensions=x", "", nil, 400, ""},
		"extensions that are text":     {"GET", get + "&extensions=%22x%22", "", nil, 400, ""},
		"a batch in the URL":           {"GET", "/graphql?query=[]", "", nil, 200, ""}, // it is an invalid document
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Send(t, test.method, test.path, test.body, test.header...)
			if got.Status != test.status {
				t.Errorf("status %d, want %d: %s", got.Status, test.status, got.Body)
			}
			code := "BAD_USER_INPUT"
			if test.status == 200 {
				code = "GRAPHQL_PARSE_FAILED"
			}
			got.OnlyError(t, code)
			if name, value, found := strings.Cut(test.told, ": "); found && got.Header.Get(name) != value {
				t.Errorf("%s is %q, want %q", name, got.Header.Get(name), value)
			}
		})
	}
	if got := s.Send(t, "OPTIONS", "/graphql", ""); got.Status != 204 || got.Header.Get("Allow") != "GET, HEAD, POST, OPTIONS" {
		t.Errorf("OPTIONS: status %d, Allow %q", got.Status, got.Header.Get("Allow"))
	}
	if got := s.Post(t, good, "Content-Type", "Application/JSON;charset=UTF-8"); got.Status != 200 {
		t.Errorf("status %d, want 200: %s", got.Status, got.Body)
	}
}

func TestHTTP_Get(t *testing.T) {
	s := serve(t)
	for name, parameters := range map[string]url.Values{
		"a query":        {"query": {"{ mints(first: 2) { limit } }"}},
		"with variables": {"query": {"query($n: Int) { mints(first: $n) { limit } }"}, "variables": {`{"n": 2}`}, "extensions": {`{"other": [1]}`}},
		"with a name":    {"query": {"query A { chain { lag } } query B { mints(first: 2) { limit } }"}, "operationName": {"B"}},
		"with nothing":   {"query": {"{ mints(first: 2) { limit } }"}, "variables": {""}, "operationName": {""}, "extensions": {""}},
		"with null":      {"query": {"{ mints(first: 2) { limit } }"}, "variables": {"null"}, "extensions": {"null"}},
		"with unknown":   {"query": {"{ mints(first: 2) { limit } }"}, "x": {"1", "2"}},
		"with 60 kB":     {"query": {"{ mints(first: 2) { limit } }" + strings.Repeat("\n", 20_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Send(t, "GET", "/graphql?"+parameters.Encode(), "")
			if want := `{"data":{"mints":{"limit":2}}}`; got.Body != want {
				t.Errorf("got %s, want %s", got.Body, want)
			}
		})
	}
}

// TestHTTP_MalformedJSON checks that the error of a malformed request describes the mistake
// and never repeats the request.
func TestHTTP_MalformedJSON(t *testing.T) {
	s := serve(t)
	const secret = "hunter2"
	nested := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for name, test := range map[string]struct{ body, told string }{
		"an open string":           {`{"query": "` + secret, "ends too early, after 18 bytes"},
		"an open object":           {`{"query": "{ chain { lag } }"`, "ends too early, after 29 bytes"},
		"a word":                   {secret, "not JSON in UTF-8, from byte 0"},
		"a tail":                   {inJSON("{ chain { lag } }") + secret, "continues after its JSON value, which has 29 bytes"},
		"a second value":           {inJSON("{ chain { lag } }") + " {}", "continues after its JSON value"},
		"a trailing comma":         {`{"query": "{ chain { lag } }",}`, "not JSON in UTF-8, from byte 29"},
		"single quotes":            {`{'query': '` + secret + `'}`, "not JSON in UTF-8, from byte 1"},
		"a name twice":             {`{"query": "{ chain { lag } }", "query": "` + secret + `"}`, "has a duplicate name"},
		"a variable twice":         {`{"query": "{ chain { lag } }", "variables": {"` + secret + `": 1, "` + secret + `": 2}}`, "has a duplicate name"},
		"bytes that are not UTF-8": {"{\"query\": \"" + secret + "\xff\"}", "not JSON in UTF-8"},
		"half a surrogate":         {`{"query": "` + secret + `\ud800"}`, "not JSON in UTF-8"},
		"a control character":      {"{\"query\": \"" + secret + "\x00\"}", "not JSON in UTF-8"},
		"a byte order mark":        {"\ufeff" + inJSON("{ chain { lag } }"), "not JSON in UTF-8, from byte 0"},
		"bytes":                    {strings.Repeat("\x00\xff", 100), "not JSON in UTF-8, from byte 0"},
		"a number":                 {"17", "neither a JSON object nor an array"},
		"null":                     {"null", "neither a JSON object nor an array"},
		"a string":                 {`"` + secret + `"`, "neither a JSON object nor an array"},
		"a query that is not text": {`{"query": ["` + secret + `"]}`, "query is not a string"},
		"a name that is not text":  {`{"query": "{ chain { lag } }", "operationName": 17}`, "operationName is not a string"},
		"variables that are text":  {`{"query": "{ chain { lag } }", "variables": "` + secret + `"}`, "variables is not a JSON object"},
		"variables as a number":    {`{"query": "{ chain { lag } }", "variables": 5}`, "variables is not a JSON object"},
		"extensions as a list":     {`{"query": "{ chain { lag } }", "extensions": ["` + secret + `"]}`, "extensions is not a JSON object"},
		"no object with a hash":    {`{"extensions": {"persistedQuery": "` + secret + `"}}`, "persistedQuery is not a JSON object"},
		"another version":          {`{"extensions": {"persistedQuery": {"version": 2, "sha256Hash": "` + secret + `"}}}`, "a version other than 1"},
		"no version":               {`{"extensions": {"persistedQuery": {"sha256Hash": "` + secret + `"}}}`, "a version other than 1"},
		"no hash":                  {`{"extensions": {"persistedQuery": {"version": 1}}}`, "has no sha256Hash"},
		"nothing":                  {`{"query": null, "variables": {"` + secret + `": 1}}`, "has no query"},
		"deep variables":           {`{"query": "{ chain { lag } }", "variables": {"a": ` + nested + `}}`, "nest deeper than 32"},
		"many variables":           {`{"query": "{ chain { lag } }", "variables": {"a": [` + strings.Repeat("1,", 20_000) + `1]}}`, "more than 20000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Post(t, test.body)
			code := "BAD_USER_INPUT"
			if name == "many variables" || name == "deep variables" {
				code = "QUERY_TOO_COSTLY"
			}
			e := got.OnlyError(t, code)
			if got.Status != 400 || !strings.Contains(e.Message, test.told) {
				t.Errorf("status %d, %q: want 400, %q", got.Status, e.Message, test.told)
			}
			if strings.Contains(got.Body, secret) {
				t.Errorf("the request is repeated: %s", got.Body)
			}
		})
	}
	// Unusual but valid requests.
	for name, body := range map[string]string{
		"nulls":           `{"query": "{ mints(first: 2) { limit } }", "variables": null, "operationName": null, "extensions": null, "documentId": null}`,
		"unknown members": `{"id": 7, "x": {"y": [1e5, true, null]}, "query": "{ mints(first: 2) { limit } }"}`,
		"space around":    " \r\n\t" + `{"query": "{ mints(first: 2) { limit } }"}` + "\n",
		"escapes":         `{"\u0071uery": "{ mints(first: \u0032) { limit } }"}`,
		"nested values":   `{"query": "query($n: Int) { mints(first: $n) { limit } }", "variables": {"n": 2, "o": {"a": [null, true, 1.5, "x"]}}}`,
	} {
		if got := s.Post(t, body); got.Body != `{"data":{"mints":{"limit":2}}}` {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
}

// TestHTTP_ErrorsAreBounded sends a document with thousands of mistakes, and documents with a
// very long one.
func TestHTTP_ErrorsAreBounded(t *testing.T) {
	s := serve(t)
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, "x%d ", i)
	}
	for name, query := range map[string]string{"many": "{ mints { " + many.String() + "} }", "long": "{ " + strings.Repeat("x", 500_000) + " }",
		"a long variable": "query($" + strings.Repeat("x", 500_000) + ": Int!) { chain { lag } }"} {
		got := s.Post(t, inJSON(query))
		if a := got.Answer(t); len(a.Errors) == 0 || len(a.Errors) > 10 || name == "many" && len(a.Errors) < 10 || len(got.Body) > 6_000 {
			t.Errorf("%s: %d errors in %d bytes", name, len(a.Errors), len(got.Body))
		}
	}
}

// TestHTTP_Headers checks the headers of every answer.
func TestHTTP_Headers(t *testing.T) {
	s := serve(t)
	for _, body := range []string{inJSON("{ chain { lag } }"), inJSON("{"), "{"} {
		got := s.Post(t, body)
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": ""} {
			if got.Header.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
			}
		}
		if vary := strings.Join(got.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept, Accept-Encoding") {
			t.Errorf("Vary is %q", vary)
		}
	}
}

// TestHTTP_Defer checks that @defer is not part of the schema.
func TestHTTP_Defer(t *testing.T) {
	s := serve(t)
	e := s.Ask(t, "{ mints(first: 2) { page ... @defer { totalItems } } }", "").OnlyError(t, "GRAPHQL_VALIDATION_FAILED")
	if want := `Unknown directive "@defer".`; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
	if a := s.Ask(t, "{ __schema { directives { name } } }", ""); strings.Contains(a.Text, "defer") {
		t.Errorf("the schema announces %s", a.Text)
	}
}
