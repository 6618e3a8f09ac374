package queries_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"mintburn/graph"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/queries"
)

// TestQueryCache_KeepsRepeatedDocuments checks that documents with inlined values, each sent
// once, do not evict frequent ones.
func TestQueryCache_KeepsRepeatedDocuments(t *testing.T) {
	cache := queries.New(graph.NewSchema(1_000, time.Now).Schema(), nil, true, cost.Limits{Tokens: 100, Depth: 20, Aliases: 200, RootFields: 100})
	read := func(text string) {
		if _, failed := cache.Find(&parse.Request{Query: text}, netip.Addr{}, func(int) *failure.Error { return nil }); failed != nil {
			t.Fatalf("%s: %v", text, failed.Errors)
		}
	}
	for i := range 3_000 {
		read(fmt.Sprintf("{ mints(block: %d) { page } }", i))
	}
	if n := cache.Stats()["queries"].Entries; n > 0 {
		t.Errorf("%d documents that came once are cached", n)
	}
	for range 3 {
		read("{ burns { page } }")
	}
	if n := cache.Stats()["queries"].Entries; n != 1 {
		t.Errorf("%d documents are cached for one that came three times", n)
	}
}
