package command_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"mintburn/internal/demo"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// at returns a server's API below a path.
func (s *server) at(path string) *server {
	return &server{apitest.Client{Base: s.Base + path}, s.output}
}

// onChain returns the body of a request for a document that names a chain, unless that is "".
func onChain(document, chain string) string {
	body := apitest.Request(document, "")
	if chain != "" {
		body = strings.TrimSuffix(body, "}") + `,"extensions":{"chain":"` + chain + `"}}`
	}
	return body
}

// streamed returns the first line of a stream for which ends returns true. header are names and values.
func streamed(t *testing.T, s *server, body string, ends func(line string) bool, header ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Base+"/graphql", strings.NewReader(body))
	expect.NoError(t, err)
	request.Header.Set("Content-Type", apitest.JSON)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	expect.NoError(t, err)
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if ends(lines.Text()) {
			return lines.Text()
		}
	}
	t.Fatalf("status %d: the stream ended", response.StatusCode)
	return ""
}

func hasChanges(line string) bool { return strings.Contains(line, `"changes"`) }

// talk opens a WebSocket with a key, sends operations one after the other, and returns the last message
// of each, and the code with which the server closed the socket, 0 if it did not.
func talk(t *testing.T, s *server, key string, payloads ...string) (last []string, code int) {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
	socket, response, err := dialer.DialContext(t.Context(), strings.Replace(s.Base, "http", "ws", 1)+"/graphql", nil)
	expect.NoError(t, err)
	expect.NoError(t, response.Body.Close())
	defer socket.Close()
	texts := []string{`{"type":"connection_init","payload":{"apiKey":"` + key + `"}}`}
	for i, payload := range payloads {
		texts = append(texts, fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":%s}`, i, payload))
	}
	for _, text := range texts {
		expect.NoError(t, socket.WriteMessage(websocket.TextMessage, []byte(text)))
		_, got, err := socket.ReadMessage()
		if closed, ok := err.(*websocket.CloseError); ok {
			return last, closed.Code
		}
		expect.NoError(t, err)
		if last = append(last, string(got)); strings.Contains(string(got), `"next"`) && !strings.Contains(text, "subscription") {
			_, _, err = socket.ReadMessage() // It is complete.
			expect.NoError(t, err)
		}
	}
	return last[1:], 0
}

// ways are the transports of an operation. chain is "" at the path of a chain.
var ways = map[string]func(t *testing.T, s *server, chain string) string{
	"POST": func(t *testing.T, s *server, chain string) string { return s.Post(t, onChain(chainsQuery, chain)).Body },
	"array": func(t *testing.T, s *server, chain string) string {
		return s.Post(t, apitest.BatchOf(onChain(chainsQuery, chain))).Body
	},
	"GET": func(t *testing.T, s *server, chain string) string {
		query := url.Values{"query": {chainsQuery}}
		if chain != "" {
			query.Set("extensions", `{"chain":"`+chain+`"}`)
		}
		return s.Send(t, http.MethodGet, "/graphql?"+query.Encode(), "").Body
	},
	"events": func(t *testing.T, s *server, chain string) string {
		return s.Post(t, onChain(chainsQuery, chain), "Accept", "text/event-stream").Body
	},
	"subscription": func(t *testing.T, s *server, chain string) string {
		return streamed(t, s, onChain("subscription { changes { cursor } }", chain), hasChanges, "Accept", "text/event-stream")
	},
	"multipart": func(t *testing.T, s *server, chain string) string {
		return streamed(t, s, onChain("subscription { changes { cursor } }", chain), hasChanges, "Accept", "multipart/mixed;subscriptionSpec=1.0")
	},
	"socket": func(t *testing.T, s *server, chain string) string {
		last, _ := talk(t, s, "", onChain(chainsQuery, chain), onChain("subscription { changes { cursor } }", chain))
		return strings.Join(last, "\n")
	},
}

const chainsQuery = `{ chain { chainId head { number hash } indexedRanges { fromBlock toBlock } } mints(first: 30, partial: true) { totalItems cursor data { id tokenId to } }
	burns(last: 5, partial: true) { totalItems data { id from } } }`

// twoChains returns a SQLite file and a database of PostgreSQL with different chains.
func twoChains(t *testing.T) (a, b string) {
	t.Helper()
	b = pgtest.DSN(t)
	importInto(t, b, demo.Open(), "-")
	return importChainA(t), b
}

// TestServe_Chains compares the answers of a server of two chains with those of a server for each, also the
// ids and cursors in them.
func TestServe_Chains(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs on PostgreSQL")
	a, b := twoChains(t)
	s := start(t, "serve", "--chain", "a="+a, "--chain", "b="+b, "--default-chain", "b")
	if said := s.output.String(); strings.Count(said, "msg=serving ") != 1 || strings.Contains(said, "unavailable") {
		t.Errorf("it logged %s", said)
	}
	const route = "/v1/block/82/nft/mints"
	want := map[string]string{}
	for name, db := range map[string]string{"a": a, "b": b} {
		alone := serve(t, db)
		want[name+route] = alone.Send(t, http.MethodGet, route, "").Body
		for way, answer := range ways {
			if want[name+way] = answer(t, alone, ""); !strings.Contains(want[name+way], `"cursor"`) {
				t.Fatalf("%s: %s", way, want[name+way])
			}
		}
	}
	for way, answer := range ways {
		for range 2 {
			for _, name := range []string{"a", "b"} {
				expect.Equal(t, way+" at "+name, want[name+way], answer(t, s.at("/"+name), ""))
				expect.Equal(t, way+" at the path of "+name+", which is named too", want[name+way], answer(t, s.at("/"+name), name))
				expect.Equal(t, way+" for "+name, want[name+way], answer(t, s, name))
			}
		}
		expect.Equal(t, way+" for the default chain", want["b"+way], answer(t, s, ""))
	}
	for _, name := range []string{"a", "b"} {
		expect.Equal(t, "REST at "+name, want[name+route], s.at("/"+name).Send(t, http.MethodGet, route, "").Body)
	}
	expect.Equal(t, "REST of the default chain", want["b"+route], s.Send(t, http.MethodGet, route, "").Body)
	if want["a"+route] == want["b"+route] || want["aPOST"] == want["bPOST"] {
		t.Error("the chains are equal")
	}
	script := regexp.MustCompile(`src="([^"]+\.js)"`)
	for _, at := range []string{"", "/a", "/b"} {
		for _, path := range []string{"/", "/docs/", "/docs/graphql", "/explore", "/explore/account/" + "0x" + strings.Repeat("0", 40), "/openapi.json", "/readyz", "/schema.graphql", "/llms.txt"} {
			got := s.Send(t, http.MethodGet, at+path, "")
			if got.Status != http.StatusOK {
				t.Errorf("%s%s: status %d: %.200s", at, path, got.Status, got.Body)
			}
			if path != "/explore" {
				continue
			}
			if asset := s.Send(t, http.MethodGet, at+"/"+strings.TrimPrefix(script.FindStringSubmatch(got.Body)[1], "./"), ""); asset.Status != http.StatusOK {
				t.Errorf("%s: a script has status %d", at, asset.Status)
			}
		}
	}
	expect.Equal(t, "a and b", "a: ready\nb: ready\n", s.Send(t, http.MethodGet, "/readyz", "").Body)
	expect.Equal(t, "b", "ready\n", s.Send(t, http.MethodGet, "/b/readyz", "").Body)
}

// TestServe_ChainsMistakes asks for chains that are not there, and names none where one is needed.
func TestServe_ChainsMistakes(t *testing.T) {
	t.Parallel()
	skipShort(t, "starts servers")
	a, b := importChainA(t), importDemo(t)
	s := start(t, "serve", "--chain", "a="+a, "--chain", "b="+b)
	moved := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got := (&apitest.Client{Base: s.Base, HTTP: moved}).Send(t, http.MethodGet, "/b?x=1", "")
	if got.Status != http.StatusPermanentRedirect || got.Header.Get("Location") != "b/?x=1" {
		t.Errorf("/b: status %d, to %q", got.Status, got.Header.Get("Location"))
	}
	for path, want := range map[string]string{
		"/c/graphql": "want one of a, b", "/c/v1/changes": "want one of a, b", "/c": "want one of a, b", "/c/explore": "want one of a, b", "/A/graphql": "want one of a, b", "/b/a/graphql": "",
		"/v1/changes": "want /a/v1/changes or /b/v1/changes", "/explore/state": "want /a/explore/state or /b/explore/state", "/b/metrics": "want /metrics", "/b/healthz": "want /healthz",
	} {
		if got := s.Send(t, http.MethodGet, path, ""); got.Status != http.StatusNotFound || !strings.Contains(got.Body, want) || want != "" && !strings.Contains(got.Body, `"NOT_FOUND"`) {
			t.Errorf("%s: status %d: %s", path, got.Status, got.Body)
		}
	}
	list := s.Send(t, http.MethodGet, "/", "")
	if list.Status != http.StatusOK || strings.Contains(list.Body, "<script") || !strings.Contains(list.Body, `href="a/explore"`) || !strings.Contains(list.Body, `href="b/"`) {
		t.Errorf("/: status %d: %s", list.Status, list.Body)
	}
	for _, c := range []struct{ at, chain string }{{"", ""}, {"", "c"}, {"/a", "b"}, {"/a", "c"}} {
		body := onChain("{ __typename }", c.chain)
		refused := s.at(c.at).Post(t, body)
		if failed := refused.OnlyError(t, "BAD_USER_INPUT"); refused.Status != http.StatusBadRequest || c.at == "" && !strings.Contains(failed.Message, "a, b") {
			t.Errorf("%+v: status %d: %s", c, refused.Status, refused.Body)
		}
		answers := s.at(c.at).Batch(t, apitest.BatchOf(onChain("{ __typename }", "a"), body))
		answers[1].OnlyError(t, "BAD_USER_INPUT")
		expect.Equal(t, "the other element", `{"data":{"__typename":"Query"}}`, answers[0].Text)
		last, code := talk(t, s.at(c.at), "", body, onChain("{ __typename }", "a"))
		if code != 0 || !strings.Contains(last[0], "BAD_USER_INPUT") || !strings.Contains(last[1], `"Query"`) {
			t.Errorf("%+v: closed with %d: %q", c, code, last)
		}
	}
	t.Run("addresses of a default chain", func(t *testing.T) {
		fails(t, 2, "--default-chain", "serve", "--chain", "a="+a, "--default-chain", "c")
		fails(t, 1, "chain none: no database at", "serve", "--listen", "127.0.0.1:0", "--chain", "none="+filepath.Join(t.TempDir(), "none.db"))
	})
}

// TestServe_ChainsKeys uses a key of one chain at another one.
func TestServe_ChainsKeys(t *testing.T) {
	t.Parallel()
	skipShort(t, "starts a server")
	lines, keys, file := "", map[string]string{}, filepath.Join(t.TempDir(), "keys")
	for name, chains := range map[string]string{"one": " chains=a,none", "all": ""} {
		line, printed := mustRun(t, "keys", "new", name)
		lines += strings.TrimSpace(line) + chains + "\n"
		keys[name] = regexp.MustCompile(`mintburn_[0-9a-f]+`).FindString(printed)
	}
	expect.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	s := start(t, "serve", "--chain", "a="+importChainA(t), "--chain", "b="+importDemo(t), "--default-chain", "b", "--api-keys", file, "--require-api-key")
	const message = "the key is not for this chain"
	query, other := onChain("{ __typename }", ""), onChain("{ __typename }", "a")
	for _, c := range []struct{ key, at, body, want string }{
		{"one", "/a", query, ""}, {"one", "/b", query, message}, {"one", "", other, ""}, {"one", "", query, message}, {"one", "", onChain("{ __typename }", "b"), message},
		{"all", "/a", query, ""}, {"all", "/b", query, ""}, {"all", "", query, ""},
	} {
		got := s.at(c.at).Post(t, c.body, "Authorization", "Bearer "+keys[c.key])
		if want := map[bool]int{true: 200, false: 401}[c.want == ""]; got.Status != want || !strings.Contains(got.Body, c.want) || want == 401 && got.OnlyError(t, "UNAUTHENTICATED").Message != message {
			t.Errorf("%+v: status %d: %s", c, got.Status, got.Body)
		}
	}
	for path, want := range map[string]int{"/a/v1/block/1/nft/mints": 200, "/b/v1/block/1/nft/mints": 401, "/v1/block/1/nft/mints": 401, "/metrics": 401, "/chains": 200, "/readyz": 200, "/b/readyz": 200, "/b/explore": 200} {
		for name, want := range map[string]int{"one": want, "all": http.StatusOK} {
			if got := s.Send(t, http.MethodGet, path, "", "X-Api-Key", keys[name]); got.Status != want {
				t.Errorf("%s, key %s: status %d, want %d: %s", path, name, got.Status, want, got.Body)
			}
		}
	}
	for name, want := range map[string][]string{"one": {"a"}, "all": {"a", "b"}} {
		var got struct{ Chains []struct{ Name string } }
		apitest.Decode(t, s.Send(t, http.MethodGet, "/chains", "", "X-Api-Key", keys[name]).Body, &got)
		var names []string
		for _, k := range got.Chains {
			names = append(names, k.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("/chains, key %s: %q", name, names)
		}
	}
	if got := s.Send(t, http.MethodGet, "/chains", ""); got.Status != http.StatusUnauthorized {
		t.Errorf("/chains without a key: status %d: %s", got.Status, got.Body)
	}
	open := start(t, "serve", "--chain", "a="+importChainA(t), "--api-keys", file)
	for key, want := range map[string]int{"": 200, "wrong": 401, keys["one"]: 200} {
		if got := open.Send(t, http.MethodGet, "/chains", "", "X-Api-Key", key); got.Status != want {
			t.Errorf("/chains where keys are optional, key %q: status %d: %s", key, got.Status, got.Body)
		}
	}
	got := s.Post(t, apitest.BatchOf(other, query), "X-Api-Key", keys["one"])
	if got.Status != http.StatusOK || !strings.HasPrefix(got.Body, `[{"data":{"__typename":"Query"}},{"errors":[{"message":"`+message) {
		t.Errorf("an array: status %d: %s", got.Status, got.Body)
	}
	if last, code := talk(t, s.at("/b"), keys["one"], query); code != 4401 {
		t.Errorf("a WebSocket closed with %d: %q", code, last)
	}
	last, code := talk(t, s, keys["one"], onChain("subscription { changes { cursor } }", "b"), other)
	if code != 0 || !strings.Contains(last[0], message) || !strings.Contains(last[1], "Query") {
		t.Errorf("a WebSocket at /graphql closed with %d: %q", code, last)
	}
	// The key loses the chain while a subscription is open.
	line := streamed(t, s, onChain("subscription { changes { cursor } }", "b"), func(line string) bool {
		if hasChanges(line) {
			expect.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(strings.ReplaceAll(lines, " chains=a,none", ""), "\n", " chains=a\n")), 0o600))
		}
		return strings.Contains(line, "errors")
	}, "Accept", "text/event-stream", "X-Api-Key", keys["all"])
	if !strings.Contains(line, message) || !strings.Contains(line, `"UNAUTHENTICATED"`) {
		t.Errorf("a subscription ended with %s", line)
	}
}

// TestServe_ChainsObserved reads the log and the metrics of two chains that are followed, and of one without
// a name.
func TestServe_ChainsObserved(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows nodes")
	node, _ := generated(t, 30, 5)
	folder := t.TempDir()
	args := []string{"serve", "--poll", "10ms", "--no-metadata", "--access-log", "1", "--log-format", "json", "--default-chain", "a"}
	s := start(t, append(args, "--chain", "a="+filepath.Join(folder, "a.db"), "--rpc", "a="+node.URL, "--chain", "b="+filepath.Join(folder, "b.db"), "--rpc", "b="+node.URL, "--to-block", "20")...)
	for _, name := range []string{"a", "b"} {
		until(t, func() bool { return s.at("/"+name).headIs(t, 20) })
	}
	ids := map[string]string{"none": "", "path": "b", "named": "b", "array": "b", "mistake": "b", "default": "a", "route": "a", "page": "a", "docs": "", "of b": "b"}
	body := onChain("{ chain { lag } }", "b")
	for id, send := range map[string]func(header ...string) *apitest.Reply{
		"none":    func(h ...string) *apitest.Reply { return s.Send(t, http.MethodGet, "/chains", "", h...) },
		"path":    func(h ...string) *apitest.Reply { return s.at("/b").Post(t, onChain("{ chain { lag } }", ""), h...) },
		"named":   func(h ...string) *apitest.Reply { return s.Post(t, body, h...) },
		"array":   func(h ...string) *apitest.Reply { return s.Post(t, apitest.BatchOf(body, body), h...) },
		"mistake": func(h ...string) *apitest.Reply { return s.at("/b").Post(t, "{", h...) },
		"default": func(h ...string) *apitest.Reply { return s.Post(t, onChain("{ chain { lag } }", ""), h...) },
		"route":   func(h ...string) *apitest.Reply { return s.Send(t, http.MethodGet, "/v1/changes", "", h...) },
		"page":    func(h ...string) *apitest.Reply { return s.Send(t, http.MethodGet, "/explore", "", h...) },
		"docs":    func(h ...string) *apitest.Reply { return s.Send(t, http.MethodGet, "/docs/", "", h...) },
		"of b":    func(h ...string) *apitest.Reply { return s.Send(t, http.MethodGet, "/b/docs/", "", h...) },
	} {
		send("X-Request-Id", strings.ReplaceAll(id, " ", "-"))
	}
	logged := map[string]int{}
	for line := range strings.Lines(s.output.String()) {
		var l struct{ Msg, Chain, Request string }
		apitest.Decode(t, line, &l)
		if strings.Count(line, `"chain":`) > 1 {
			t.Errorf("a line names two chains: %s", line)
		}
		if want, known := ids[strings.ReplaceAll(l.Request, "-", " ")]; known && l.Msg == "request" {
			expect.Equal(t, "chain of the request "+l.Request, want, l.Chain)
			delete(ids, strings.ReplaceAll(l.Request, "-", " "))
		} else if l.Chain != "" {
			logged[l.Msg]++
		}
	}
	if len(ids) > 0 || logged["another chain has the same chain id"] != 1 || logged["the chain failed: beginning again"] > 0 {
		t.Errorf("not logged: %v; of chains: %v", ids, logged)
	}
	alone := start(t, "serve", "--db", filepath.Join(folder, "a.db"))
	labelled := func(s *server) (all, chains map[string]bool) {
		all, chains = map[string]bool{}, map[string]bool{}
		for _, sample := range regexp.MustCompile(`(?m)^(mintburn_\w+)(\{[^}]*\})? `).FindAllStringSubmatch(s.Send(t, http.MethodGet, "/metrics", "").Body, -1) {
			all[sample[1]] = true
			if strings.Contains(sample[2], `chain="`) {
				chains[sample[1]] = true
			}
		}
		return all, chains
	}
	all, of := labelled(s)
	alike, none := labelled(alone)
	expect.Equal(t, "metrics of a chain without a name", 0, len(none))
	for name := range alike {
		if !all[name] {
			t.Errorf("there is no %s with chains", name)
		}
	}
	for _, name := range []string{"head_block", "indexed_blocks", "database_up", "writer", "follower_blocks_total", "reorg_depth_blocks_bucket", "endpoint_up", "records", "read_connections", "disk_bytes"} {
		if !of["mintburn_"+name] {
			t.Errorf("%s has no chain", name)
		}
	}
	for name := range of {
		if strings.HasPrefix(name, "mintburn_http_") || strings.HasPrefix(name, "mintburn_cache_") || strings.HasPrefix(name, "mintburn_subscriptions") {
			t.Errorf("%s has a chain", name)
		}
	}
}
