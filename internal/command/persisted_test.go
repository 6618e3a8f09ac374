package command_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// byHash asks for a document by hash, and brings it along if it is not empty.
func (s *server) byHash(t *testing.T, method, hash, query, variables string) *reply {
	t.Helper()
	extensions := fmt.Sprintf(`{"persistedQuery": {"version": 1, "sha256Hash": %q}}`, hash)
	if method == "GET" {
		parameters := url.Values{"extensions": {extensions}, "variables": {variables}}
		if query != "" {
			parameters.Set("query", query)
		}
		return s.send(t, method, "/graphql?"+parameters.Encode(), "")
	}
	body := map[string]any{"extensions": json.RawMessage(extensions)}
	if query != "" {
		body["query"] = query
	}
	if variables != "" {
		body["variables"] = json.RawMessage(variables)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return s.send(t, method, "/graphql", string(text))
}

// TestPersisted_Automatic follows Apollo's protocol.
func TestPersisted_Automatic(t *testing.T) {
	s := serve(t, importChainA(t))
	for _, method := range []string{"GET", "POST"} {
		query := "query($n: Int) { mints(first: $n) { limit } } # " + method
		ask := func(hash, query string) *reply { return s.byHash(t, method, hash, query, `{"n": 2}`) }
		const want = `{"data":{"mints":{"limit":2}}}`

		if e := onlyError(t, ask(sha(query), "").answer(t), "PERSISTED_QUERY_NOT_FOUND"); e.Message != "PersistedQueryNotFound" {
			t.Errorf("%s: message %q", method, e.Message)
		}
		got := ask(sha("another"), query)
		if onlyError(t, got.answer(t), "BAD_USER_INPUT"); got.status != 400 {
			t.Errorf("%s, wrong hash: status %d", method, got.status)
		}
		onlyError(t, ask(sha("another"), "").answer(t), "PERSISTED_QUERY_NOT_FOUND")
		if got := ask(sha(query), query); got.body != want {
			t.Errorf("%s, with the query: %s", method, got.body)
		}
		for range 2 {
			if got := ask(sha(query), ""); got.body != want {
				t.Errorf("%s, by hash: %s", method, got.body)
			}
		}
		if got := ask(sha(query), query); got.body != want {
			t.Errorf("%s, with the query again: %s", method, got.body)
		}
		onlyError(t, ask(sha(query), query+" ").answer(t), "BAD_USER_INPUT")
	}
}

// TestPersisted_OnlyWhatRuns: what is refused is not kept.
func TestPersisted_OnlyWhatRuns(t *testing.T) {
	s := serve(t, importChainA(t))
	for query, code := range map[string]string{"{": "GRAPHQL_PARSE_FAILED", "{ price }": "GRAPHQL_VALIDATION_FAILED"} {
		onlyError(t, s.byHash(t, "POST", sha(query), query, "").answer(t), code)
		onlyError(t, s.byHash(t, "POST", sha(query), "", "").answer(t), "PERSISTED_QUERY_NOT_FOUND")
	}
}

// TestPersisted_Bounded: documents that nobody asks for make room for others.
func TestPersisted_Bounded(t *testing.T) {
	s := serve(t, importChainA(t))
	query := func(i int) string { return fmt.Sprintf("{ a%d: chain { lag } }", i) }
	kept := query(-1 << 20)
	kept = strings.ReplaceAll(kept, "-", "b")
	s.byHash(t, "POST", sha(kept), kept, "")
	const many = 1100
	for i := range many {
		s.byHash(t, "POST", sha(query(i)), query(i), "")
		if i%500 == 0 && len(s.byHash(t, "POST", sha(kept), "", "").answer(t).Errors) > 0 {
			t.Fatalf("after %d others the document that is in use is gone", i)
		}
	}
	onlyError(t, s.byHash(t, "POST", sha(query(0)), "", "").answer(t), "PERSISTED_QUERY_NOT_FOUND")
	if a := s.byHash(t, "POST", sha(query(many-1)), "", "").answer(t); len(a.Errors) > 0 {
		t.Errorf("the last one: %s", a.text)
	}
}

// TestPersisted_OtherClients: what one client registers and uses does not evict
// what others use.
func TestPersisted_OtherClients(t *testing.T) {
	s := serve(t, importChainA(t))
	attacker, other := from(t, "127.0.0.2"), from(t, "127.0.0.3")
	ask := func(client *http.Client, query string, bring bool) *answer {
		t.Helper()
		body := fmt.Sprintf(`{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": %q}}`, sha(query))
		if bring {
			body += fmt.Sprintf(`, "query": %q`, query)
		}
		return s.post(t, client, body+"}").answer(t)
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
			t.Fatalf("document %d is not kept: %s", i, a.text)
		}
	}
	for i := range 300 {
		ask(attacker, fmt.Sprintf("{ b%d: chain { lag } }", i), true)
	}
	for _, query := range []string{used, brought} {
		if a := ask(other, query, false); len(a.Errors) > 0 {
			t.Errorf("%s is gone: %s", query, a.text)
		}
	}
}

const trustedQuery = "query($n: Int) { mints(first: $n) { limit } }"

// trustedForms are the ways to list trustedQuery, as files, with the ids by
// which it is then known.
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
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestTrusted(t *testing.T) {
	db := importChainA(t)
	for name, form := range trustedForms {
		t.Run(name, func(t *testing.T) {
			s := start(t, "serve", "--db", db, "--trusted-documents", filepath.Join(writeFiles(t, form.files), form.path))
			const want = `{"data":{"mints":{"limit":2}}}`
			for _, id := range form.ids {
				byID := fmt.Sprintf(`{"documentId": %q, "variables": {"n": 2}}`, id)
				for how, got := range map[string]*reply{
					"documentId":     s.send(t, "POST", "/graphql", byID),
					"documentId GET": s.send(t, "GET", "/graphql?"+url.Values{"documentId": {id}, "variables": {`{"n":2}`}}.Encode(), ""),
					"hash":           s.byHash(t, "POST", id, "", `{"n": 2}`),
					"hash GET":       s.byHash(t, "GET", id, "", `{"n": 2}`),
					"batch":          {body: strings.Trim(s.send(t, "POST", "/graphql", inBatch(byID)).body, "[]")},
				} {
					if got.body != want {
						t.Errorf("%s %s: %s", how, id, got.body)
					}
				}
			}
			if got := s.send(t, "POST", "/graphql", fmt.Sprintf(`{"query": %q, "variables": {"n": 2}}`, trustedQuery)); got.body != want {
				t.Errorf("the document itself: %s", got.body)
			}
			// Nothing else runs, however it is asked for.
			const other = "{ chain { head { number } } }"
			for how, got := range map[string]*reply{
				"another document":            s.send(t, "POST", "/graphql", inJSON(other)),
				"another document GET":        s.send(t, "GET", "/graphql?query="+url.QueryEscape(other), ""),
				"an unknown id":               s.send(t, "POST", "/graphql", `{"documentId": "no"}`),
				"an unknown hash":             s.byHash(t, "POST", sha(other), "", ""),
				"a document with its hash":    s.byHash(t, "POST", sha(other), other, ""),
				"after it was brought":        s.byHash(t, "POST", sha(other), "", ""),
				"an unknown id and a listed":  s.send(t, "POST", "/graphql", fmt.Sprintf(`{"documentId": "no", "query": %q}`, trustedQuery)),
				"introspection":               s.send(t, "POST", "/graphql", inJSON("{ __schema { types { name } } }")),
				"a listed one, with one more": s.send(t, "POST", "/graphql", inJSON(trustedQuery+" query B "+other)),
			} {
				if e := onlyError(t, got.answer(t), "PERSISTED_QUERY_NOT_FOUND"); !strings.Contains(e.Message, "only trusted documents run here") {
					t.Errorf("%s: %s", how, e.Message)
				}
			}
			// An id beside another document runs what the id names.
			if got := s.send(t, "POST", "/graphql", fmt.Sprintf(`{"documentId": %q, "query": %q, "variables": {"n": 2}}`, form.ids[0], other)); got.body != want {
				t.Errorf("an id beside another document: %s", got.body)
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
		"no such path":        {nil, "none", "no such file"},
		"an empty folder":     {map[string]string{"list/README.md": "x"}, "list", "there is no document"},
		"no JSON":             {map[string]string{"list.json": "{"}, "list.json", "want a JSON object"},
		"another format":      {map[string]string{"list.json": `{"format": "x"}`}, "list.json", "want apollo-persisted-query-manifest"},
		"a value that is one": {map[string]string{"list.json": `{"a": 5}`}, "list.json", "document a: want a string"},
		"an invalid document": {map[string]string{"list/Bad.graphql": "{ price }"}, "list", `document Bad: Cannot query field "price"`},
		"no document in file": {map[string]string{"list/Bad.graphql": "{"}, "list", "document Bad: "},
		"an id twice": {map[string]string{"list.json": `{"format": "apollo-persisted-query-manifest", "operations": [
			{"id": "a", "body": "{ chain { lag } }"}, {"id": "a", "body": "{ mints { page } }"}]}`}, "list.json", "belongs to another document"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(writeFiles(t, test.files), test.path)
			_, stderr, code := run(t, nil, "serve", "--db", emptyDB(t), "--listen", "127.0.0.1:0", "--trusted-documents", path)
			if code != 1 || !strings.Contains(stderr, "reading trusted documents") || !strings.Contains(stderr, test.told) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, %q: want 1, one line with %q", code, stderr, test.told)
			}
		})
	}
}

// TestPersisted_NotTrusted: ids mean nothing where there is no list.
func TestPersisted_NotTrusted(t *testing.T) {
	s := serve(t, importChainA(t))
	onlyError(t, s.send(t, "POST", "/graphql", `{"documentId": "one"}`).answer(t), "PERSISTED_QUERY_NOT_FOUND")
}
