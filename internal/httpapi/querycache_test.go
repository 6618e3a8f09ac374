package httpapi

import (
	"fmt"
	"net/netip"
	"testing"
)

// TestQueryCache_KeepsRepeatedDocuments checks that documents with inlined values, each sent
// once, do not evict frequent ones.
func TestQueryCache_KeepsRepeatedDocuments(t *testing.T) {
	cache := newReader()
	read := func(text string) {
		if _, failed := cache.read(text, netip.Addr{}, free); failed != nil {
			t.Fatalf("%s: %v", text, failed.Errors)
		}
	}
	for i := range 3_000 {
		read(fmt.Sprintf("{ mints(block: %d) { page } }", i))
	}
	if n := cache.cache.Stats().Entries; n > 0 {
		t.Errorf("%d documents that came once are cached", n)
	}
	for range 3 {
		read("{ burns { page } }")
	}
	if n := cache.cache.Stats().Entries; n != 1 {
		t.Errorf("%d documents are cached for one that came three times", n)
	}
}
