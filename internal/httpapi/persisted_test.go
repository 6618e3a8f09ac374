package httpapi_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/httpapi"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// byHash names a document by hash, and also sends it unless query is empty.
func byHash(t *testing.T, s *apitest.Client, method, hash, query, variables string) *apitest.Reply {
	t.Helper()
	extensions := fmt.Sprintf(`{"persistedQuery": {"version": 1, "sha256Hash": %q}}`, hash)
	if method == "GET" {
		parameters := url.Values{"extensions": {extensions}, "variables": {variables}}
		if query != "" {
			parameters.Set("query", query)
		}
		return s.Send(t, method, "/graphql?"+parameters.Encode(), "")
	}
	// null counts as absent.
	var document *string
	if query != "" {
		document = &query
	}
	text, _ := json.Marshal(document)
	return s.Post(t, fmt.Sprintf(`{"query": %s, "variables": %s, "extensions": %s}`, text, cmp.Or(variables, "null"), extensions))
}

// TestPersisted_Automatic follows Apollo's protocol.
func TestPersisted_Automatic(t *testing.T) {
	s := serve(t)
	for _, method := range []string{"GET", "POST"} {
		query := "query($n: Int) { mints(first: $n) { limit } } # " + method
		ask := func(hash, query string) *apitest.Reply { return byHash(t, s, method, hash, query, `{"n": 2}`) }
		const want = `{"data":{"mints":{"limit":2}}}`

		if e := ask(sha(query), "").OnlyError(t, "PERSISTED_QUERY_NOT_FOUND"); e.Message != "PersistedQueryNotFound" {
			t.Errorf("%s: message %q", method, e.Message)
		}
		got := ask(sha("another"), query)
		if got.OnlyError(t, "BAD_USER_INPUT"); got.Status != 400 {
			t.Errorf("%s, wrong hash: status %d", method, got.Status)
		}
		ask(sha("another"), "").OnlyError(t, "PERSISTED_QUERY_NOT_FOUND")
		if got := ask(sha(query), query); got.Body != want {
			t.Errorf("%s, with the query: %s", method, got.Body)
		}
		for range 2 {
			if got := ask(sha(query), ""); got.Body != want {
				t.Errorf("%s, by hash: %s", method, got.Body)
			}
		}
		if got := ask(sha(query), query); got.Body != want {
			t.Errorf("%s, with the query again: %s", method, got.Body)
		}
		ask(sha(query), query+" ").OnlyError(t, "BAD_USER_INPUT")
	}
}

// TestPersisted_OnlyValid checks that rejected documents are not persisted.
func TestPersisted_OnlyValid(t *testing.T) {
	s := serve(t)
	for query, code := range map[string]string{"{": "GRAPHQL_PARSE_FAILED", "{ price }": "GRAPHQL_VALIDATION_FAILED"} {
		byHash(t, s, "POST", sha(query), query, "").OnlyError(t, code)
		byHash(t, s, "POST", sha(query), "", "").OnlyError(t, "PERSISTED_QUERY_NOT_FOUND")
	}
}

// TestPersisted_Bounded checks that unused documents are evicted first.
func TestPersisted_Bounded(t *testing.T) {
	s := serve(t)
	query := func(i int) string { return fmt.Sprintf("{ a%d: chain { lag } }", i) }
	const kept = "{ kept: chain { lag } }"
	byHash(t, s, "POST", sha(kept), kept, "")
	const many = 1100
	for i := range many {
		byHash(t, s, "POST", sha(query(i)), query(i), "")
		if i%500 == 0 && len(byHash(t, s, "POST", sha(kept), "", "").Answer(t).Errors) > 0 {
			t.Fatalf("after %d others the used document is evicted", i)
		}
	}
	byHash(t, s, "POST", sha(query(0)), "", "").OnlyError(t, "PERSISTED_QUERY_NOT_FOUND")
	if a := byHash(t, s, "POST", sha(query(many-1)), "", "").Answer(t); len(a.Errors) > 0 {
		t.Errorf("the last one: %s", a.Text)
	}
}

// TestPersisted_OtherClients checks that the documents of one client do not evict those of
// others.
func TestPersisted_OtherClients(t *testing.T) {
	handler := serve(t).Handler
	attacker, other := &apitest.Client{Handler: handler, RemoteAddr: "10.0.0.2:1"}, &apitest.Client{Handler: handler, RemoteAddr: "10.0.0.3:1"}
	ask := func(client *apitest.Client, query string, bring bool) *apitest.Answer {
		t.Helper()
		if !bring {
			return byHash(t, client, "POST", sha(query), "", "").Answer(t)
		}
		return byHash(t, client, "POST", sha(query), query, "").Answer(t)
	}
	const used, brought = "{ used: chain { lag } }", "{ brought: chain { lag } }"
	for _, query := range []string{used, brought} {
		ask(other, query, true)
	}
	ask(other, used, false)
	for i := range 1_100 {
		query := fmt.Sprintf("{ a%d: chain { lag } }", i)
		ask(attacker, query, true)
		if a := ask(attacker, query, false); len(a.Errors) > 0 {
			t.Fatalf("document %d is not kept: %s", i, a.Text)
		}
	}
	for i := range 300 {
		ask(attacker, fmt.Sprintf("{ b%d: chain { lag } }", i), true)
	}
	for _, query := range []string{used, brought} {
		if a := ask(other, query, false); len(a.Errors) > 0 {
			t.Errorf("%s is gone: %s", query, a.Text)
		}
	}
}

const trustedQuery = "query($n: Int) { mints(first: $n) { limit } }"

// trustedForms are the ways to list trustedQuery, as files, with its ids in each.
var trustedForms = map[string]struct {
	files map[string]string
	path  string
	ids   []string
}{
	"a folder": {map[string]string{"list/Mints.graphql": trustedQuery + "\n", "list/inner/Other.gql": "{ chain { lag } }", "list/README.md": "no document"},
		"list", []string{"Mints", sha(trustedQuery), sha(trustedQuery + "\n")}},
	"Apollo's manifest": {map[string]string{"list.json": `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [
		{"id": "one", "name": "Mints", "type": "query", "body": "` + trustedQuery + `"}]}`}, "list.json", []string{"one", sha(trustedQuery)}},
	"Relay's map": {map[string]string{"list.json": `{"0123456789abcdef": "` + trustedQuery + `"}`}, "list.json", []string{"0123456789abcdef", sha(trustedQuery)}},
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return folder
}

func TestTrusted(t *testing.T) {
	for name, form := range trustedForms {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(c *httpapi.Config) { c.TrustedDocuments = filepath.Join(writeFiles(t, form.files), form.path) })
			const want = `{"data":{"mints":{"limit":2}}}`
			for _, id := range form.ids {
				byID := fmt.Sprintf(`{"documentId": %q, "variables": {"n": 2}}`, id)
				for how, got := range map[string]*apitest.Reply{
					"documentId":     s.Post(t, byID),
					"documentId GET": s.Send(t, "GET", "/graphql?"+url.Values{"documentId": {id}, "variables": {`{"n":2}`}}.Encode(), ""),
					"hash":           byHash(t, s, "POST", id, "", `{"n": 2}`),
					"hash GET":       byHash(t, s, "GET", id, "", `{"n": 2}`),
					"batch":          {Body: strings.Trim(s.Post(t, apitest.BatchOf(byID)).Body, "[]")},
				} {
					if got.Body != want {
						t.Errorf("%s %s: %s", how, id, got.Body)
					}
				}
			}
			if got := s.Post(t, fmt.Sprintf(`{"query": %q, "variables": {"n": 2}}`, trustedQuery)); got.Body != want {
				t.Errorf("the document itself: %s", got.Body)
			}
			if got := s.Post(t, fmt.Sprintf(`{"documentId": "sha256:%s", "variables": {"n": 2}}`, sha(trustedQuery))); got.Body != want {
				t.Errorf("the hash as documentId: %s", got.Body)
			}
			// No request can run another document.
			const other = "{ chain { head { number } } }"
			for how, got := range map[string]*apitest.Reply{
				"another document":                         s.Post(t, inJSON(other)),
				"another document GET":                     s.Send(t, "GET", "/graphql?query="+url.QueryEscape(other), ""),
				"an unknown id":                            s.Post(t, `{"documentId": "no"}`),
				"an unknown hash as documentId":            s.Post(t, fmt.Sprintf(`{"documentId": "sha256:%s", "query": %q}`, sha(other), other)),
				"an unknown hash":                          byHash(t, s, "POST", sha(other), "", ""),
				"a document with its hash":                 byHash(t, s, "POST", sha(other), other, ""),
				"the hash of a rejected document":          byHash(t, s, "POST", sha(other), "", ""),
				"an unknown id with a listed document":     s.Post(t, fmt.Sprintf(`{"documentId": "no", "query": %q}`, trustedQuery)),
				"introspection":                            s.Post(t, inJSON("{ __schema { types { name } } }")),
				"a listed document with another operation": s.Post(t, inJSON(trustedQuery+" query B "+other)),
			} {
				if e := got.OnlyError(t, "PERSISTED_QUERY_NOT_FOUND"); !strings.Contains(e.Message, "only trusted documents run here") {
					t.Errorf("%s: %s", how, e.Message)
				}
			}
			// If a request also contains another document, the id decides.
			if got := s.Post(t, fmt.Sprintf(`{"documentId": %q, "query": %q, "variables": {"n": 2}}`, form.ids[0], other)); got.Body != want {
				t.Errorf("an id with another document: %s", got.Body)
			}
		})
	}
}

func TestTrusted_BadLists(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		path  string
		told  string
	}{
		"no such path":             {nil, "none", "no such file"},
		"an empty folder":          {map[string]string{"list/README.md": "x"}, "list", "there is no document"},
		"not JSON":                 {map[string]string{"list.json": "{"}, "list.json", "want a JSON object"},
		"another format":           {map[string]string{"list.json": `{"format": "x"}`}, "list.json", "want apollo-persisted-query-manifest"},
		"a value that is not text": {map[string]string{"list.json": `{"a": 5}`}, "list.json", "document a: want a string"},
		"an invalid document":      {map[string]string{"list/Bad.graphql": "{ price }"}, "list", `document Bad: Cannot query field "price"`},
		"no document in file":      {map[string]string{"list/Bad.graphql": "{"}, "list", "document Bad: "},
		"an id twice": {map[string]string{"list.json": `{"format": "apollo-persisted-query-manifest", "operations": [
			{"id": "a", "body": "{ chain { lag } }"}, {"id": "a", "body": "{ mints { page } }"}]}`}, "list.json", "belongs to another document"},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(nil)
			c.TrustedDocuments = filepath.Join(writeFiles(t, test.files), test.path)
			_, err := httpapi.New(c)
			if err == nil || !strings.HasPrefix(err.Error(), "reading trusted documents: ") || !strings.Contains(err.Error(), test.told) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line with %q", err, test.told)
			}
		})
	}
}

// TestPersisted_DocumentID checks that without trusted documents an id is a hash.
func TestPersisted_DocumentID(t *testing.T) {
	s := serve(t)
	const query, want = "{ mints(first: 3) { limit } }", `{"data":{"mints":{"limit":3}}}`
	post := func(id, query string) *apitest.Reply {
		return s.Post(t, fmt.Sprintf(`{"documentId": %q, "query": %q}`, id, query))
	}
	for _, id := range []string{"one", "sha256:", "sha256:one", sha(query), "sha256:" + sha(query), "md5:" + sha(query)} {
		post(id, "").OnlyError(t, "PERSISTED_QUERY_NOT_FOUND")
	}
	post("sha256:"+sha("another"), query).OnlyError(t, "BAD_USER_INPUT")
	if got := post("sha256:"+sha(query), query); got.Body != want {
		t.Errorf("with the document: %s", got.Body)
	}
	id := "sha256:" + sha(query)
	for how, got := range map[string]string{
		"POST": post(id, "").Body, "GET": s.Send(t, "GET", "/graphql?documentId="+url.QueryEscape(id), "").Body,
		"batch": strings.Trim(s.Post(t, apitest.BatchOf(fmt.Sprintf(`{"documentId": %q}`, id))).Body, "[]"), "Apollo's hash": byHash(t, s, "POST", sha(query), "", "").Body,
	} {
		if got != want {
			t.Errorf("%s: %s", how, got)
		}
	}
}

// TestPlans checks that a document's plan lives in the document: it is compiled again for a
// document that is not cached yet, and then never.
func TestPlans(t *testing.T) {
	compiled := 0
	c := serve(t, func(c *httpapi.Config) {
		compile := c.Schema.Compile
		c.Schema.Compile = func(c *fastql.Compiler, selections ast.SelectionSet) []fastql.RootField {
			compiled++
			return compile(c, selections)
		}
	})
	for i, want := range []int{1, 2, 2, 2} {
		c.Get(t, `{ mints(first: 1) { page } }`, "")
		if compiled != want {
			t.Errorf("request %d: compiled %d times, want %d", i+1, compiled, want)
		}
	}
}
