package command_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

const wholePage = "data { blockHash blockTime tokenId transactionHash to } totalItems"

// finalRequests ask for what cannot change any more, by document. The
// documents that hashed requests name are known to neither server at first.
func finalRequests() map[string]asked {
	const document = "query A($b: BlockNumberOrHash!) { mints(block: $b) { " + wholePage + " } }"
	hashed := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, sha(document))
	values := func(more url.Values) string {
		more.Set("variables", `{"b":3}`)
		return "/graphql?" + more.Encode()
	}
	return map[string]asked{
		"a POST":                posted(`{"query":"{ mints(block: 3) { ` + wholePage + ` } }"}`),
		"a POST with variables": posted(fmt.Sprintf(`{"query":%q,"variables":{"b":3}}`, document)),
		"a POST that brings and names a document": posted(fmt.Sprintf(`{"query":%q,"variables":{"b":3},"extensions":%s}`, document, hashed)),
		"a POST that names a document":            posted(fmt.Sprintf(`{"variables":{"b":3},"extensions":%s}`, hashed)),
		"a GET":                                   {method: "GET", path: "/graphql?query=" + url.QueryEscape("{ mints(fromBlock: 1, toBlock: 15) { "+wholePage+" } }")},
		"a GET with variables":                    {method: "GET", path: values(url.Values{"query": {document}})},
		"a GET that names a document":             {method: "GET", path: values(url.Values{"extensions": {hashed}})},
		"REST":                                    {method: "GET", path: "/v1/block/3/nft/mints"},
		"REST with a limit":                       {method: "GET", path: "/v1/block/3/nft/mints?limit=2"},
		"REST, the head alone":                    {method: "HEAD", path: "/v1/block/4/nft/mints"},
		"an empty answer":                         posted(`{"query":"{ burns(block: 3) { data { id } } }"}`),
	}
}

// TestAnswerCache_IsAsIfComputed: status, headers and bytes are those of a
// server that keeps nothing, the first time and the next.
func TestAnswerCache_IsAsIfComputed(t *testing.T) {
	db := filepath.Join(t.TempDir(), "final.db")
	finalDatabase(t, db)
	kept, plainly := remembering(t, db, "1", "--cors-origin", "https://example.org")
	requests := finalRequests()
	for _, s := range []*server{kept, plainly} {
		requests["a POST that brings and names a document"].of(t, s, "Accept-Encoding", "br")
	}
	for name, a := range requests {
		for _, accept := range []string{asJSON, asResponse} {
			for _, coding := range []string{"identity", "gzip", "zstd", "gzip, zstd;q=0.5"} {
				for _, origin := range []string{"https://example.org", "https://example.com"} {
					headers := []string{"Accept", accept, "Accept-Encoding", coding, "Origin", origin}
					want := a.of(t, plainly, headers...)
					if want.status != http.StatusOK {
						t.Fatalf("%s: status %d: %s", name, want.status, want.body)
					}
					a.of(t, kept, headers...)
					before := kept.hits(t)
					if diff := cmp.Diff(*want, *a.of(t, kept, headers...), cmp.AllowUnexported(reply{})); diff != "" {
						t.Errorf("%s, %v (-computed +kept):\n%s", name, headers, diff)
					}
					if got := kept.hits(t) - before; got != 1 {
						t.Errorf("%s, %v: %d hits, want 1", name, headers, got)
					}
					tag := want.header.Get("ETag")
					if tag == "" {
						continue
					}
					headers = append(headers, "If-None-Match", tag)
					got := a.of(t, kept, headers...)
					if diff := cmp.Diff(*a.of(t, plainly, headers...), *got, cmp.AllowUnexported(reply{})); diff != "" || got.status != http.StatusNotModified {
						t.Errorf("%s, %v: status %d (-computed +kept):\n%s", name, headers, got.status, diff)
					}
					if got := kept.hits(t) - before; got != 2 {
						t.Errorf("%s, %v: %d hits, want 2", name, headers, got)
					}
				}
			}
		}
	}
}

// TestAnswerCache_NothingOld changes final blocks as another process would, in
// each way there is, and asks again.
func TestAnswerCache_NothingOld(t *testing.T) {
	withBoth(t, func(t *testing.T, dsn string) {
		s := finalDatabase(t, dsn)
		kept, plainly := remembering(t, dsn, "1")
		requests := finalRequests()
		same := func(after string) {
			t.Helper()
			for name, a := range requests {
				// What is computed, what is kept, and what was kept a moment ago.
				for range 2 {
					if diff := cmp.Diff(*a.of(t, plainly), *a.of(t, kept), cmp.AllowUnexported(reply{})); diff != "" {
						t.Errorf("%s, %s (-computed +kept):\n%s", after, name, diff)
					}
				}
			}
		}
		same("at first")
		for _, change := range []struct {
			name string
			do   func() error
		}{
			{"a rollback", func() error {
				return replaceFinal(t, s, 2, version(2).blocks(3, lastIndexed))
			}},
			{"a repair", func() error { return s.Repair(t.Context(), version(3).repaired(version(2), 3)) }},
			{"a rollback that leaves nothing", func() error { return replaceFinal(t, s, 2, nil) }},
			{"a range without anything", func() error {
				return s.Extend(t.Context(), nil, store.Range{From: 3, To: lastIndexed}, false)
			}},
			{"logs that a node had kept back", func() error {
				return s.Extend(t.Context(), version(4).blocks(3, 5), store.Range{From: 3, To: 5}, false)
			}},
		} {
			before := requests["a POST"].of(t, plainly).body
			if err := change.do(); err != nil {
				t.Fatalf("%s: %v", change.name, err)
			}
			if requests["a POST"].of(t, plainly).body == before {
				t.Fatalf("%s changed nothing", change.name)
			}
			same(change.name)
		}
		// What only adds blocks lets answers be.
		requests["a POST"].of(t, kept)
		if _, err := s.Apply(t.Context(), version(4).blocks(lastIndexed+1, lastIndexed+9)); err != nil {
			t.Fatal(err)
		}
		if err := s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: lastIndexed}}); err != nil {
			t.Fatal(err)
		}
		before := kept.hits(t)
		if requests["a POST"].of(t, kept); kept.hits(t) != before+1 {
			t.Error("new blocks made the server forget old ones")
		}
	})
}

// TestAnswerCache_DuringRollbacks asks while final blocks change, again and
// again: each answer is at least as new as what was committed before it was
// asked for.
func TestAnswerCache_DuringRollbacks(t *testing.T) {
	withBoth(t, func(t *testing.T, dsn string) {
		s := finalDatabase(t, dsn)
		kept := start(t, "serve", "--db", dsn, "--answer-cache", "1")
		var begun, committed atomic.Uint64
		begun.Store(1)
		committed.Store(1)
		var readers sync.WaitGroup
		ended := make(chan struct{})
		for range 3 {
			readers.Go(func() {
				for {
					select {
					case <-ended:
						return
					default:
					}
					oldest := committed.Load()
					got := posted(`{"query":"{ mints(block: 8, first: 1) { data { blockTime } } }"}`).of(t, kept)
					newest := begun.Load()
					var answer struct {
						Data struct {
							Mints struct{ Data []struct{ BlockTime uint64 } }
						}
					}
					if err := json.Unmarshal([]byte(got.body), &answer); err != nil || len(answer.Data.Mints.Data) != 1 {
						t.Errorf("status %d: %s", got.status, got.body)
						return
					}
					if v := answer.Data.Mints.Data[0].BlockTime; v < oldest || v > newest {
						t.Errorf("got version %d, want %d to %d", v, oldest, newest)
					}
				}
			})
		}
		before := 0
		for v := uint64(2); v < 100; v++ {
			begun.Store(v)
			var err error
			if v%2 == 0 {
				err = replaceFinal(t, s, 7, version(v).blocks(8, 10))
			} else {
				err = s.Repair(t.Context(), version(v).repaired(version(v-1), 8))
			}
			if err != nil {
				t.Errorf("version %d: %v", v, err)
				break
			}
			committed.Store(v)
			// Until some were answered from memory.
			for start := before; before < start+3 && !t.Failed(); {
				before = kept.hits(t)
			}
		}
		close(ended)
		readers.Wait()
	})
}

// TestAnswerCache_Apart: requests that differ in anything share no answer, and
// what guards requests guards kept answers.
func TestAnswerCache_Apart(t *testing.T) {
	db := filepath.Join(t.TempDir(), "final.db")
	finalDatabase(t, db)
	kept, plainly := remembering(t, db, "4")
	const two = `query A($n: Int = 1) { a: mints(block: 3, first: $n) { limit } } query B($n: Int = 2) { mints(block: 4, first: $n) { limit data { id } } }`
	query := "/graphql?query=" + url.QueryEscape(two)
	list := []asked{
		{method: "GET", path: "/v1/block/3/nft/mints"},
		{method: "GET", path: "/v1/block/3/nft/mints?limit=1"},
		{method: "GET", path: "/v1/block/0x3/nft/mints?limit=1"},
		{method: "GET", path: "/v1/block/3/nft/mints?limit=1&cursor="},
		{method: "GET", path: "/graphql?query=" + url.QueryEscape("{ mints(block: 3) { limit } }")},
	}
	for _, variables := range []string{"{}", `{"n": 1}`, `{"n": 2}`, `{"n": 5000}`, `{"n": "x"}`, `{"m": 1}`} {
		for _, name := range []string{"", "A", "B", "C"} {
			for _, extensions := range []string{"{}", `{"persistedQuery":{"version":1,"sha256Hash":"` + sha(two) + `"}}`, `{"persistedQuery":{"version":1,"sha256Hash":"` + sha("x") + `"}}`} {
				list = append(list,
					posted(fmt.Sprintf(`{"query":%q,"operationName":%q,"variables":%s,"extensions":%s}`, two, name, variables, extensions)),
					asked{method: "GET", path: query + "&" + url.Values{"operationName": {name}, "variables": {variables}, "extensions": {extensions}}.Encode()})
			}
		}
	}
	for range 2 {
		for _, a := range list {
			for _, accept := range []string{asJSON, asResponse, "text/html"} {
				if diff := cmp.Diff(*a.of(t, plainly, "Accept", accept), *a.of(t, kept, "Accept", accept), cmp.AllowUnexported(reply{})); diff != "" {
					t.Errorf("%v, %s (-computed +kept):\n%s", a, accept, diff)
				}
			}
			if a.method == "GET" {
				if got := a.of(t, kept, "Sec-Fetch-Site", "cross-site"); got.status != http.StatusForbidden {
					t.Errorf("%v from another page: status %d, want 403", a, got.status)
				}
			} else if got := a.of(t, kept, "Content-Type", "text/plain"); got.status != http.StatusUnsupportedMediaType {
				t.Errorf("%v as text: status %d, want 415", a, got.status)
			}
		}
	}
	if kept.hits(t) == 0 {
		t.Error("nothing was kept")
	}
}

// TestAnswerCache_OnlyFinal: what may change, what is refused, and batches are
// never kept.
func TestAnswerCache_OnlyFinal(t *testing.T) {
	db := filepath.Join(t.TempDir(), "final.db")
	finalDatabase(t, db)
	final := `{"query":"{ mints(block: 3) { totalItems } }"}`
	kept := start(t, "serve", "--db", db, "--answer-cache", "1")
	for _, body := range []string{
		`{"query":"{ mints(block: 16) { totalItems } }"}`,
		`{"query":"{ mints(fromBlock: 3, toBlock: 16) { totalItems } }"}`,
		`{"query":"{ mints(fromBlock: 3, toBlock: 1000) { totalItems } }"}`,
		`{"query":"{ mints { totalItems } }"}`,
		`{"query":"{ mints(block: 3) { data { metadata { name } } } }"}`,
		`{"query":"{ mints(block: 3) { totalItems } chain { lag } }"}`,
		`{"query":"{ chain { lag } }"}`,
		`{"query":"{ __typename }"}`,
		`{"query":"{ mints(block: 3) { totalItems } mint: mints(block: 99) { totalItems } }"}`,
		`{"query":"{ mints(block: 3, first: 5000) { totalItems } }"}`,
		`{"query":"{ mints(block: 3) { price } }"}`,
		`{"query":"{"}`, `{`, ``,
		"[" + final + "]", "[" + final + "," + final + "]",
	} {
		for range 3 {
			posted(body).of(t, kept)
		}
		if n := kept.hits(t); n != 0 {
			t.Fatalf("%s was answered from memory", body)
		}
	}
	for range 3 {
		posted(final).of(t, kept)
	}
	if n := kept.hits(t); n != 2 {
		t.Errorf("%d hits, want 2", n)
	}
	plainly := serve(t, db)
	posted(final).of(t, plainly)
	if posted(final).of(t, plainly); plainly.hits(t) != 0 {
		t.Error("a server without --answer-cache kept an answer")
	}
}

// TestAnswerCache_FinalBeforeIndexed: a chain may be final beyond what is
// indexed so far, and an answer for that range then grows.
func TestAnswerCache_FinalBeforeIndexed(t *testing.T) {
	db := filepath.Join(t.TempDir(), "final.db")
	s := finalDatabase(t, db)
	if err := s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: 1000}}); err != nil {
		t.Fatal(err)
	}
	kept, plainly := remembering(t, db, "1")
	a := asked{method: "GET", path: "/graphql?query=" + url.QueryEscape("{ mints(fromBlock: 3, toBlock: 100) { totalItems } }")}
	if got := a.of(t, plainly); got.header.Get("ETag") != "" {
		t.Errorf("an answer that will grow has the headers %v", got.header)
	}
	var bodies [2]string
	for i, blocks := range [][]nft.Block{nil, version(1).blocks(lastIndexed+1, 30)} {
		if _, err := s.Apply(t.Context(), blocks); err != nil {
			t.Fatal(err)
		}
		a.of(t, kept)
		if bodies[i] = a.of(t, kept).body; bodies[i] != a.of(t, plainly).body {
			t.Errorf("kept %s", bodies[i])
		}
	}
	if bodies[0] == bodies[1] {
		t.Errorf("the answer did not grow: %s", bodies[0])
	}
}

// TestAnswerCache_Bound: what was asked for longest ago makes room.
func TestAnswerCache_Bound(t *testing.T) {
	db := filepath.Join(t.TempDir(), "final.db")
	finalDatabase(t, db)
	kept := start(t, "serve", "--db", db, "--answer-cache", "1")
	// Each of about 60 kB.
	request := func(i int) asked {
		return posted(fmt.Sprintf(`{"query":"{ a%d: mints(fromBlock: 0, toBlock: 15, first: 300) { data { id blockHash transactionHash } } }"}`, i))
	}
	const many = 40
	size := 0
	for i := range many {
		size = len(request(i).of(t, kept).body)
	}
	n := 0
	for ; n < many; n++ {
		before := kept.hits(t)
		if request(many-1-n).of(t, kept); kept.hits(t) == before {
			break
		}
	}
	if most := 1 << 20; n*size > most || (n+2)*size < most {
		t.Errorf("%d answers of %d bytes were kept in %d", n, size, most)
	}
}

// TestAnswerCache_BadFlag refuses sizes that make no sense.
func TestAnswerCache_BadFlag(t *testing.T) {
	for _, size := range []string{"-1", "65537"} {
		_, stderr, code := run(t, nil, "serve", "--db", filepath.Join(t.TempDir(), "x.db"), "--answer-cache="+size)
		if want := "--answer-cache is " + size + ": want 0 to 65536"; code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, %q: want 2, %q", code, stderr, want)
		}
	}
}
