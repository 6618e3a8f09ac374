package httpapi_test

import (
	"context"
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
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/storetest"
)

const wholePage = "data { blockHash blockTime tokenId transactionHash to } totalItems"

// finalRequests are requests with final answers. Both servers do not know the documents of
// requests by hash at first.
func finalRequests() map[string]asked {
	const document = "query A($b: BlockNumberOrHash!) { mints(block: $b) { " + wholePage + " } }"
	hashed := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, sha(document))
	values := func(more url.Values) string {
		more.Set("variables", `{"b":3}`)
		return "/graphql?" + more.Encode()
	}
	return map[string]asked{
		"a POST":                              posted(`{"query":"{ mints(block: 3) { ` + wholePage + ` } }"}`),
		"a POST with variables":               posted(fmt.Sprintf(`{"query":%q,"variables":{"b":3}}`, document)),
		"a POST with a document and its hash": posted(fmt.Sprintf(`{"query":%q,"variables":{"b":3},"extensions":%s}`, document, hashed)),
		"a POST with a hash":                  posted(fmt.Sprintf(`{"variables":{"b":3},"extensions":%s}`, hashed)),
		"a GET":                               gotten("/graphql?query=" + url.QueryEscape("{ mints(fromBlock: 1, toBlock: 15) { "+wholePage+" } }")),
		"a GET with variables":                gotten(values(url.Values{"query": {document}})),
		"a GET with a hash":                   gotten(values(url.Values{"extensions": {hashed}})),
		"REST":                                gotten("/v1/block/3/nft/mints"),
		"REST with a limit":                   gotten("/v1/block/3/nft/mints?limit=2"),
		"REST by HEAD":                        {method: http.MethodHead, path: "/v1/block/4/nft/mints"},
		"an empty answer":                     posted(`{"query":"{ burns(block: 3) { data { id } } }"}`),
	}
}

// TestResponseCache_AsComputed checks that status, headers and bytes equal those of a server
// without a cache, for cached answers.
func TestResponseCache_AsComputed(t *testing.T) {
	db := finalDB(t)
	cached, computed := withCache(t, db, 1, origins("https://example.org"))
	requests := finalRequests()
	for _, s := range []*apitest.Client{cached, computed} {
		requests["a POST with a document and its hash"].of(t, s, "Accept-Encoding", "br")
	}
	for name, a := range requests {
		for _, accept := range []string{asJSON, asResponse} {
			for _, coding := range []string{"identity", "gzip", "zstd", "gzip, zstd;q=0.5"} {
				for _, origin := range []string{"https://example.org", "https://example.com"} {
					headers := []string{"Accept", accept, "Accept-Encoding", coding, "Origin", origin}
					want := a.of(t, computed, headers...)
					if want.Status != http.StatusOK {
						t.Fatalf("%s: status %d: %s", name, want.Status, want.Body)
					}
					a.of(t, cached, headers...)
					a.of(t, cached, headers...)
					before := hitsOf(t, cached)
					if diff := cmp.Diff(*want, *a.of(t, cached, headers...)); diff != "" {
						t.Errorf("%s, %v (-computed +cached):\n%s", name, headers, diff)
					}
					if got := hitsOf(t, cached) - before; got != 1 {
						t.Errorf("%s, %v: %d hits, want 1", name, headers, got)
					}
					tag := want.Header.Get("ETag")
					if tag == "" {
						continue
					}
					headers = append(headers, "If-None-Match", tag)
					got := a.of(t, cached, headers...)
					if diff := cmp.Diff(*a.of(t, computed, headers...), *got); diff != "" || got.Status != http.StatusNotModified {
						t.Errorf("%s, %v: status %d (-computed +cached):\n%s", name, headers, got.Status, diff)
					}
					if got := hitsOf(t, cached) - before; got != 2 {
						t.Errorf("%s, %v: %d hits, want 2", name, headers, got)
					}
				}
			}
		}
	}
}

// TestResponseCache_Once checks that only a POST that comes again finds out whether its answer is
// final, once, and a POST with a tag never.
func TestResponseCache_Once(t *testing.T) {
	found := 0
	s, _ := withCache(t, finalDB(t), 1, func(c *httpapi.Config) {
		final := c.Final
		c.Final = func(ctx context.Context, o *ast.OperationDefinition, variables map[string]any, growing bool) (string, bool, bool, error) {
			generation, verified, advances, err := final(ctx, o, variables, growing)
			if generation != "" {
				found++
			}
			return generation, verified, advances, err
		}
	})
	for block, want := range map[string]int{"3": 1, `\"latest\"`: 0} {
		found = 0
		for i := range 4 {
			got := posted(`{"query":"{ mints(block: `+block+`) { totalItems } }"}`).of(t, s)
			if want := min(i, want); found != want || got.Status != http.StatusOK {
				t.Errorf("block %s: %d answers were found final after %d requests, want %d; status %d", block, found, i+1, want, got.Status)
			}
		}
	}
}

// TestResponseCache_LongBody checks that answers to bodies longer than a URL may be are not
// cached.
func TestResponseCache_LongBody(t *testing.T) {
	cached, _ := withCache(t, finalDB(t), 1)
	body := `{"query":"{ mints(block: 3) { ` + wholePage + ` } }"}`
	for length, want := range map[int]int{64 << 10: 1, 64<<10 + 1: 0} {
		a := posted(body + strings.Repeat(" ", length-len(body)))
		before := hitsOf(t, cached)
		for range 3 {
			a.of(t, cached)
		}
		if got := hitsOf(t, cached) - before; got != want {
			t.Errorf("%d bytes: %d hits, want %d", length, got, want)
		}
	}
}

// TestResponseCache_NoStaleAnswer changes final blocks in every possible way, from outside the
// server, and repeats the requests.
func TestResponseCache_NoStaleAnswer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, dsn string) {
		s := finalStore(t, dsn)
		cached, computed := withCache(t, dsn, 1)
		requests := finalRequests()
		same := func(after string) {
			t.Helper()
			for name, a := range requests {
				// The first two answers may be computed, the third is cached.
				for range 3 {
					if diff := cmp.Diff(*a.of(t, computed), *a.of(t, cached)); diff != "" {
						t.Errorf("%s, %s (-computed +cached):\n%s", after, name, diff)
					}
				}
			}
		}
		same("at first")
		for _, change := range []struct {
			name string
			do   func() error
		}{
			{"a reorg", func() error {
				return replaceFinal(t, s, 2, version(2).blocks(3, lastIndexed))
			}},
			{"a repair", func() error { return proof.Of(s).Repair(t.Context(), version(3).repaired(version(2), 3)) }},
			{"a reorg without new blocks", func() error { return replaceFinal(t, s, 2, nil) }},
			{"a range without records", func() error {
				return s.Extend(t.Context(), nil, evm.Range{From: 3, To: lastIndexed}, false)
			}},
			{"logs that a node had left out", func() error {
				return s.Extend(t.Context(), version(4).blocks(3, 5), evm.Range{From: 3, To: 5}, false)
			}},
		} {
			before := requests["a POST"].of(t, computed).Body
			if err := change.do(); err != nil {
				t.Fatalf("%s: %v", change.name, err)
			}
			if requests["a POST"].of(t, computed).Body == before {
				t.Fatalf("%s changed nothing", change.name)
			}
			same(change.name)
		}
		// Appending blocks invalidates no cached answer.
		requests["a POST"].of(t, cached)
		if _, err := s.Apply(t.Context(), version(4).blocks(lastIndexed+1, lastIndexed+9)); err != nil {
			t.Fatal(err)
		}
		finalizedAt(t, s, lastIndexed)
		before := hitsOf(t, cached)
		if requests["a POST"].of(t, cached); hitsOf(t, cached) != before+1 {
			t.Error("new blocks invalidated a cached answer")
		}
	})
}

// TestResponseCache_DuringReorgs sends requests while final blocks change. Each answer is at
// least as new as the last commit before its request.
func TestResponseCache_DuringReorgs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, dsn string) {
		s := finalStore(t, dsn)
		cached, _ := withCache(t, dsn, 1)
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
					got := posted(`{"query":"{ mints(block: 8, first: 1) { data { blockTime } } }"}`).of(t, cached)
					newest := begun.Load()
					var answer struct {
						Data struct {
							Mints struct{ Data []struct{ BlockTime uint64 } }
						}
					}
					if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || len(answer.Data.Mints.Data) != 1 {
						t.Errorf("status %d: %s", got.Status, got.Body)
						return
					}
					if v := answer.Data.Mints.Data[0].BlockTime; v < oldest || v > newest {
						t.Errorf("got version %d, want %d to %d", v, oldest, newest)
					}
				}
			})
		}
		versions, before := uint64(100), 0
		if testing.Short() {
			versions = 10
		}
		for v := uint64(2); v < versions; v++ {
			begun.Store(v)
			var err error
			if v%2 == 0 {
				err = replaceFinal(t, s, 7, version(v).blocks(8, 10))
			} else {
				err = proof.Of(s).Repair(t.Context(), version(v).repaired(version(v-1), 8))
			}
			if err != nil {
				t.Errorf("version %d: %v", v, err)
				break
			}
			committed.Store(v)
			// Wait until some requests were answered from the cache.
			for start := before; before < start+3 && !t.Failed(); {
				before = hitsOf(t, cached)
			}
		}
		close(ended)
		readers.Wait()
	})
}

// TestResponseCache_Apart checks that different requests share no answer, and that cached
// answers pass the same request checks.
func TestResponseCache_Apart(t *testing.T) {
	cached, computed := withCache(t, finalDB(t), 4)
	const two = `query A($n: Int = 1) { a: mints(block: 3, first: $n) { limit } } query B($n: Int = 2) { mints(block: 4, first: $n) { limit data { id } } }`
	query := "/graphql?query=" + url.QueryEscape(two)
	list := []asked{
		gotten("/v1/block/3/nft/mints"),
		gotten("/v1/block/3/nft/mints?limit=1"),
		gotten("/v1/block/0x3/nft/mints?limit=1"),
		gotten("/v1/block/3/nft/mints?limit=1&cursor="),
		gotten("/graphql?query=" + url.QueryEscape("{ mints(block: 3) { limit } }")),
	}
	for _, variables := range []string{"{}", `{"n": 1}`, `{"n": 2}`, `{"n": 5000}`, `{"n": "x"}`, `{"m": 1}`} {
		for _, name := range []string{"", "A", "B", "C"} {
			for _, extensions := range []string{"{}", `{"persistedQuery":{"version":1,"sha256Hash":"` + sha(two) + `"}}`, `{"persistedQuery":{"version":1,"sha256Hash":"` + sha("x") + `"}}`} {
				list = append(list,
					posted(fmt.Sprintf(`{"query":%q,"operationName":%q,"variables":%s,"extensions":%s}`, two, name, variables, extensions)),
					gotten(query+"&"+url.Values{"operationName": {name}, "variables": {variables}, "extensions": {extensions}}.Encode()))
			}
		}
	}
	for range 3 {
		for _, a := range list {
			for _, accept := range []string{asJSON, asResponse, "text/html"} {
				if diff := cmp.Diff(*a.of(t, computed, "Accept", accept), *a.of(t, cached, "Accept", accept)); diff != "" {
					t.Errorf("%v, %s (-computed +cached):\n%s", a, accept, diff)
				}
			}
			if a.method == "GET" {
				if got := a.of(t, cached, "Sec-Fetch-Site", "cross-site"); got.Status != http.StatusForbidden {
					t.Errorf("%v from another page: status %d, want 403", a, got.Status)
				}
			} else if got := a.of(t, cached, "Content-Type", "text/plain"); got.Status != http.StatusUnsupportedMediaType {
				t.Errorf("%v as text: status %d, want 415", a, got.Status)
			}
		}
	}
	if hitsOf(t, cached) == 0 {
		t.Error("nothing was cached")
	}
}

// TestResponseCache_OnlyFinal checks that answers that may change, errors and batches are
// never cached.
func TestResponseCache_OnlyFinal(t *testing.T) {
	final := `{"query":"{ mints(block: 3) { totalItems } }"}`
	cached, computed := withCache(t, finalDB(t), 1)
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
			posted(body).of(t, cached)
		}
		if n := hitsOf(t, cached); n != 0 {
			t.Fatalf("%s was answered from the cache", body)
		}
	}
	for range 3 {
		posted(final).of(t, cached)
	}
	if n := hitsOf(t, cached); n != 1 {
		t.Errorf("%d hits, want 1", n)
	}
	posted(final).of(t, computed)
	posted(final).of(t, computed)
	if posted(final).of(t, computed); hitsOf(t, computed) != 0 {
		t.Error("a server without --answer-cache cached an answer")
	}
}

// TestResponseCache_FinalBeforeIndexed checks that the answer for a range is not cached while
// the range still grows, even if the last final block is above the last indexed one.
func TestResponseCache_FinalBeforeIndexed(t *testing.T) {
	db := filepath.Join(t.TempDir(), "final.db")
	s := finalStore(t, db)
	finalizedAt(t, s, 1000)
	cached, computed := withCache(t, db, 1)
	a := gotten("/graphql?query=" + url.QueryEscape("{ mints(fromBlock: 3, toBlock: 100) { totalItems } }"))
	if got := a.of(t, computed); got.Header.Get("ETag") != "" {
		t.Errorf("an answer that will grow has the headers %v", got.Header)
	}
	var bodies [2]string
	for i, blocks := range [][]nft.Block{nil, version(1).blocks(lastIndexed+1, 30)} {
		if _, err := s.Apply(t.Context(), blocks); err != nil {
			t.Fatal(err)
		}
		a.of(t, cached)
		a.of(t, cached)
		if bodies[i] = a.of(t, cached).Body; bodies[i] != a.of(t, computed).Body {
			t.Errorf("cached %s", bodies[i])
		}
	}
	if bodies[0] == bodies[1] {
		t.Errorf("the answer did not grow: %s", bodies[0])
	}
}

// TestResponseCache_Bound checks that the least recently used answers are evicted.
func TestResponseCache_Bound(t *testing.T) {
	cached, _ := withCache(t, finalDB(t), 1)
	// Each answer has about 60 kB.
	request := func(i int) asked {
		return posted(fmt.Sprintf(`{"query":"{ a%d: mints(fromBlock: 0, toBlock: 15, first: 300) { data { id blockHash transactionHash } } }"}`, i))
	}
	const many = 40
	size := 0
	for i := range many {
		request(i).of(t, cached)
		size = len(request(i).of(t, cached).Body)
	}
	n := 0
	for ; n < many; n++ {
		before := hitsOf(t, cached)
		if request(many-1-n).of(t, cached); hitsOf(t, cached) == before {
			break
		}
	}
	if most := 1 << 20; n*size > most || (n+2)*size < most {
		t.Errorf("%d answers of %d bytes were cached in %d", n, size, most)
	}
}
