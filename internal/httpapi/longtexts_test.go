package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// heavyTokens is the number of tokens in a database with long documents, heavyText the length
// of each long text in bytes.
const heavyTokens, heavyText = 24, 4 << 20

// heavyStore returns a store of tokens with long documents, the collection and the metadata
// ids.
func heavyStore(t *testing.T) (s *write.DB, collection evm.Address, ids []string) {
	t.Helper()
	s, collection = emptyStore(t), evm.Address{19: 7}
	block := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: 5, Hash: evm.Hash{1}}, Time: 1_600_000_000}}
	text := strings.Repeat("0123456789abcdef", heavyText/16)
	for i := range uint64(heavyTokens) {
		key := nft.TokenKey{Contract: collection, TokenID: evm.NewUint256(i)}
		ids = append(ids, store.MetadataNodeID(key))
		block.Mints = append(block.Mints, nft.Record{Contract: collection, Type: nft.ERC721, TokenID: key.TokenID, Amount: evm.NewUint256(1), To: evm.Address{1}, LogIndex: uint32(i)})
		name := fmt.Sprint("Token ", i)
		m := nft.TokenMetadata{TokenKey: key, FetchedAt: 1_700_000_000, URI: "ipfs://x", Raw: text, Metadata: nft.Metadata{
			Name: &name, Image: &text, ImageData: &text, Attributes: []nft.Attribute{{TraitType: "long", Value: text, Order: 1}},
		}}
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
	}
	if _, err := s.Apply(t.Context(), []nft.Block{block}); err != nil {
		t.Fatal(err)
	}
	return s, collection, ids
}

// mostAllocated is the maximum that any single request may allocate, in bytes.
const mostAllocated = 96 << 20

// TestLongTexts_Memory checks that a request for long texts allocates little, and is answered
// if its texts use at most half of --max-answer.
func TestLongTexts_Memory(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads gigabytes")
	}
	data, collection, ids := heavyStore(t)
	s := serveStore(t, data)
	page := func(arguments, fields string) string {
		return fmt.Sprintf(`tokenMetadata(address: %q, %s) { data { %s } }`, collection, arguments, fields)
	}
	inBatch := func(n int, query string) string { return apitest.BatchOf(slices.Repeat([]string{inJSON(query)}, n)...) }
	list := `ids: ["` + strings.Join(ids, `", "`) + `"`
	few := `ids: ["` + strings.Join(ids[:3], `", "`) + `"`
	for _, test := range []struct {
		name, path, body string
		want             string
	}{
		{"image", "", inJSON("{ " + page("first: 100", "image") + " }"), "the first 4 fit; ask for first: 4"},
		{"imageData", "", inJSON("{ " + page("last: 100", "imageData") + " }"), "the last 4 fit; ask for last: 4"},
		{"raw", "", inJSON("{ " + page("first: 100", "raw") + " }"), "the first 4 fit"},
		{"attributes", "", inJSON("{ " + page("first: 100", "attributes { value }") + " }"), "the first 3 fit"},
		{"all of one", "", inJSON("{ " + page("first: 1", "name image imageData raw attributes { value traitCount }") + " }"), "not one fits"},
		{"what fits", "", inJSON("{ " + page("first: 4", "image") + " }"), `{"data":{"tokenMetadata":`},
		{"three of one", "", inJSON("{ " + page("first: 1", "image imageData raw") + " }"), `{"data":{"tokenMetadata":`},
		{"aliases of a field", "", inJSON("{ " + page("first: 2", "a: image b: image c: image") + " }"), `{"data":{"tokenMetadata":`},
		{"too many aliases of a field", "", inJSON("{ " + page("first: 4", "a: image b: image c: image") + " }"), "the answer is too long"},
		{"aliases of a page", "", inJSON("{ a: " + page("first: 2", "image") + " b: " + page("first: 2", "image") + " c: " + page("first: 2", "image") + " }"), "not one fits"},
		{"batch of too many", "", inBatch(5, "{ "+page("first: 5", "image")+" }"), "the first 4 fit"},
		{"batch", "", inBatch(4, "{ "+page("first: 1", "image")+" }"), `[{"data":`},
		{"node", "", inJSON(`{ node(id: "` + ids[0] + `") { ... on TokenMetadata { image raw } } }`), `{"data":{"node":`},
		{"nodes", "", inJSON(`{ nodes(` + list + `]) { ... on TokenMetadata { image } } }`), "not one fits"},
		{"few nodes", "", inJSON(`{ nodes(` + few + `]) { ... on TokenMetadata { image } } }`), `{"data":{"nodes":`},
		{"of mints", "", inJSON("{ mints(first: 100) { data { metadata { image } } } }"), "the first 4 fit"},
		{"of edges of mints", "", inJSON("{ mints(first: 4) { edges { node { metadata { image } } } } }"), `{"data":{"mints":`},
		{"REST", "/v1/nft/" + collection.String() + "/metadata", "", `{"collection_address":`},
	} {
		t.Run(test.name, func(t *testing.T) {
			method, path := http.MethodGet, test.path
			if test.body != "" {
				method, path = http.MethodPost, "/graphql"
			}
			for _, coding := range []string{"identity", "gzip", "zstd"} {
				var got string
				n := allocated(func() { got = beginningOf(t, s, method, path, test.body, coding) })
				t.Logf("%s: %d MiB", coding, n>>20)
				most := uint64(mostAllocated)
				if strings.Contains(test.want, "ask for") {
					// It is rejected before any text is read.
					most = 1 << 20
				}
				if n > most {
					t.Errorf("%s: %d bytes are allocated, want at most %d", coding, n, most)
				}
				if coding == "identity" && !strings.Contains(got, test.want) {
					t.Errorf("got %.500s, want %s", got, test.want)
				}
			}
		})
	}
	names := inJSON("{ " + page("first: 100", "name") + " }")
	beginningOf(t, s, http.MethodPost, "/graphql", names, "identity")
	if n := allocated(func() { beginningOf(t, s, http.MethodPost, "/graphql", names, "identity") }); n > 1<<20 {
		t.Errorf("names next to long documents: %d bytes are allocated", n)
	}
}

// beginning records the first bytes of an answer.
type beginning struct {
	header http.Header
	text   []byte
}

func (b *beginning) Header() http.Header { return b.header }
func (b *beginning) WriteHeader(int)     {}
func (b *beginning) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), 2_000-len(b.text))]...)
	return len(p), nil
}

// beginningOf sends a request and returns the beginning of the answer.
func beginningOf(t *testing.T, s *apitest.Client, method, path, body, coding string) string {
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", asJSON)
	r.Header.Set("Accept-Encoding", coding)
	w := &beginning{header: http.Header{}}
	s.Handler.ServeHTTP(w, r)
	return string(w.text)
}

// allocated returns how many bytes the process allocates while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
