package command_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestOperation_OneState queries data that must be consistent, while blocks are stored.
// Each response must show one state, and no response an older state than the last.
func TestOperation_OneState(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	db := filepath.Join(t.TempDir(), "growing.db")
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
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

	const query = `{
		before: chain { head { number } indexedRanges { toBlock } }
		all: mints { totalItems } newest: mints(order: DESC, first: 1) { data { blockNumber } }
		burns { totalItems } low: burns(toBlock: 60, first: 0) { totalItems } again: mints(last: 1) { totalItems data { blockNumber } }
		after: chain { head { number } } }`
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
			expect.NoError(t, err)
			done = true
		default:
		}
		a := server.Get(t, query, "")
		head := integer(t, a, "before", "head", "number")
		// Each block of the chain contains 20 records.
		want := 20 * head
		all, burns := integer(t, a, "all", "totalItems"), integer(t, a, "burns", "totalItems")
		if all+burns != want || integer(t, a, "again", "totalItems") != all ||
			integer(t, a, "after", "head", "number") != head ||
			integer(t, a, "newest", "data", 0, "blockNumber") != head || integer(t, a, "again", "data", 0, "blockNumber") != head ||
			integer(t, a, "before", "indexedRanges", 0, "toBlock") != head ||
			integer(t, a, "low", "totalItems") > burns || head <= 60 && integer(t, a, "low", "totalItems") != burns {
			t.Fatalf("the answer mixes states (%d records in %d blocks): %v", all+burns, head, a)
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

// integer returns the integer at a path of names and indices in a response.
func integer(t *testing.T, value any, path ...any) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(fmt.Sprint(apitest.At(value, path...)), &n); err != nil {
		t.Fatalf("%v of %v is not an integer", path, value)
	}
	return n
}

// TestMetadata_WhyThereIsNone queries three tokens: one with a document, one whose
// fetches all failed, and one that was never fetched.
func TestMetadata_WhyThereIsNone(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "states.db")
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	contract := evm.Address{19: 1}
	block := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: 7, Hash: evm.Hash{1}}, Time: 1}}
	for id := range uint32(3) {
		block.Mints = append(block.Mints, nft.Record{Contract: contract, Type: nft.ERC721, TokenID: evm.NewUint256(uint64(id)), Amount: evm.NewUint256(1), To: contract, LogIndex: id})
	}
	if _, err := s.Apply(t.Context(), []nft.Block{block}); err != nil {
		t.Fatal(err)
	}
	q := write.NewQueue(s, write.QueueOptions{Now: func() time.Time { return time.Unix(100, 0) }})
	tasks, err := q.Claim(t.Context(), 2)
	if err != nil || len(tasks) != 2 {
		t.Fatalf("got %v and error %v", tasks, err)
	}
	name := "One"
	err = q.Finish(t.Context(), []nft.Resolution{
		{Task: tasks[0], At: 100, Problem: "the server answered 404", NextAt: 160},
		{Task: tasks[1], At: 100, URI: "ipfs://x", Document: &nft.TokenMetadata{Raw: `{"name":"One"}`, Metadata: nft.Metadata{Name: &name}}},
	})
	expect.NoError(t, err)
	failed := map[string]any{
		"tokenId": "2", "collectionType": "ERC721", "state": "FAILED", "error": "the server answered 404", "attempts": number("1"), "nextTry": number("160"),
		"raw": nil, "uri": nil, "name": nil, "image": nil, "attributes": []any{}, "updatedAt": number("0"), "fetchedAt": number("100"),
	}
	found := map[string]any{
		"tokenId": "1", "collectionType": "ERC721", "state": "RESOLVED", "error": nil, "attempts": number("0"), "nextTry": nil,
		"raw": `{"name":"One"}`, "uri": "ipfs://x", "name": "One", "image": nil, "attributes": []any{}, "updatedAt": number("100"), "fetchedAt": number("100"),
	}
	list := func(items ...any) map[string]any {
		return map[string]any{"totalItems": number(fmt.Sprint(len(items))), "data": append([]any{}, items...)}
	}
	const fields = `{ tokenId collectionType state error attempts nextTry raw uri name image attributes { value } updatedAt fetchedAt }`
	address := contract.String()
	got := serve(t, db).Get(t, `{
		all: tokenMetadata(address: "`+address+`") { totalItems data `+fields+` }
		zero: tokenMetadata(address: "`+address+`", tokenId: 0) { totalItems data `+fields+` }
		one: tokenMetadata(address: "`+address+`", tokenId: 1) { totalItems data `+fields+` }
		two: tokenMetadata(address: "`+address+`", tokenId: 2) { totalItems data `+fields+` }
		mints(block: 7) { data { metadata `+fields+` } }
	}`, "")
	want := map[string]any{
		"all": list(found), "zero": list(), "one": list(found), "two": list(failed),
		"mints": map[string]any{"data": []any{map[string]any{"metadata": nil}, map[string]any{"metadata": found}, map[string]any{"metadata": failed}}},
	}
	expect.Equal(t, "got", want, got)
}
