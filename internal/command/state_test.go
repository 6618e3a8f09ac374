package command_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestOperation_OneState asks for things that must agree with each other while
// blocks are stored: each answer shows one state, and they never go back.
func TestOperation_OneState(t *testing.T) {
	db := filepath.Join(t.TempDir(), "growing.db")
	s, err := store.Open(t.Context(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	options := chaintest.Default()
	options.Records, options.Blocks, options.Collections = 20, 151, 2
	var blocks []nft.Block
	for b := range chaintest.Blocks(options) {
		// The generator reuses the memory of a block's logs, not its records.
		blocks = append(blocks, nft.Block{Header: b.Header, Mints: append([]nft.Record{}, b.Mints...), Burns: append([]nft.Record{}, b.Burns...)})
	}
	if _, err := s.Apply(t.Context(), blocks[:1]); err != nil {
		t.Fatal(err)
	}
	server := serve(t, db)

	collections := map[string]bool{}
	for _, b := range blocks {
		for _, r := range append(b.Mints[:len(b.Mints):len(b.Mints)], b.Burns...) {
			collections[r.Contract.String()] = true
		}
	}
	var query strings.Builder
	query.WriteString("{ before: chain { head { number } indexedRanges { toBlock } } all: mints { totalItems } newest: mints(order: DESC, first: 1) { data { blockNumber } } ")
	parts := 0
	for address := range collections {
		fmt.Fprintf(&query, "part%d: mints(address: %q, first: 0) { totalItems } ", parts, address)
		parts++
	}
	query.WriteString("burns { totalItems } low: burns(toBlock: 60, first: 0) { totalItems } again: mints(last: 1) { totalItems data { blockNumber } } after: chain { head { number } } }")

	stored := make(chan error, 1)
	go func() {
		defer close(stored)
		for _, b := range blocks[1:] {
			if _, err := s.Apply(t.Context(), []nft.Block{b}); err != nil {
				stored <- err
				return
			}
		}
	}()
	states, last := map[int]bool{}, 0
	for done := false; !done; {
		select {
		case err := <-stored:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		a := server.Get(t, query.String(), "")
		head := integer(t, a, "before", "head", "number")
		sum := 0
		for i := range parts {
			sum += integer(t, a, fmt.Sprintf("part%d", i), "totalItems")
		}
		// Each block of the chain holds 20 records.
		want := 20 * head
		all, burns := integer(t, a, "all", "totalItems"), integer(t, a, "burns", "totalItems")
		if all != sum || all+burns != want || integer(t, a, "again", "totalItems") != all ||
			integer(t, a, "after", "head", "number") != head ||
			integer(t, a, "newest", "data", 0, "blockNumber") != head || integer(t, a, "again", "data", 0, "blockNumber") != head ||
			integer(t, a, "before", "indexedRanges", 0, "toBlock") != head ||
			integer(t, a, "low", "totalItems") > burns || head <= 60 && integer(t, a, "low", "totalItems") != burns {
			t.Fatalf("the answer mixes states (%d mints of %d collections make %d; %d records in %d blocks): %v", all, parts, sum, all+burns, head, a)
		}
		if head < last {
			t.Fatalf("head went from %d back to %d", last, head)
		}
		states[head], last = true, head
	}
	if last != len(blocks) || len(states) < 3 {
		t.Errorf("saw %d states up to block %d, want several up to %d", len(states), last, len(blocks))
	}
}

// integer follows a path of names and places through an answer.
func integer(t *testing.T, value any, path ...any) int {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	var n int
	if _, err := fmt.Sscan(fmt.Sprint(value), &n); err != nil {
		t.Fatalf("%v: %v is no integer", path, value)
	}
	return n
}
