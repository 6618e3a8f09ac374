package command_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestMetadata_WhyThereIsNone asks for three tokens: one with a document, one
// whose every try failed, and one that was never tried.
func TestMetadata_WhyThereIsNone(t *testing.T) {
	db := filepath.Join(t.TempDir(), "states.db")
	s, err := store.Open(t.Context(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	contract := evm.Address{19: 1}
	block := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: 7, Hash: evm.Hash{1}}, Time: 1}}
	for id := range uint32(3) {
		block.Mints = append(block.Mints, nft.Record{Contract: contract, Type: nft.ERC721, TokenID: evm.NewUint256(uint64(id)), Amount: evm.NewUint256(1), To: contract, LogIndex: id})
	}
	if _, err := s.Apply(t.Context(), []nft.Block{block}); err != nil {
		t.Fatal(err)
	}
	q := s.Queue(store.QueueOptions{Now: func() time.Time { return time.Unix(100, 0) }})
	tasks, err := q.Claim(t.Context(), 2)
	if err != nil || len(tasks) != 2 {
		t.Fatalf("got %v and error %v", tasks, err)
	}
	name := "One"
	err = q.Finish(t.Context(), []nft.Resolution{
		{Task: tasks[0], At: 100, Problem: "the server answered 404", NextAt: 160},
		{Task: tasks[1], At: 100, URI: "ipfs://x", Document: &nft.TokenMetadata{Raw: `{"name":"One"}`, Metadata: nft.Metadata{Name: &name}}},
	})
	if err != nil {
		t.Fatal(err)
	}
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
