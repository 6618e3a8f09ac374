package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

const transactionFields = `{ hash index block { number hash timestamp } mints(first: 1000) { totalItems data { id } } burns(first: 1000) { totalItems data { id } } }`

// TestTransaction compares the transaction of each recorded mint and burn with the record, with
// the lists by transaction hash, and with transaction(hash).
func TestTransaction(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Limits.Cost = 1 << 30 })
	seen, both := map[any]bool{}, 0
	for _, field := range []string{"mints", "burns"} {
		for _, record := range apitest.At(s.Get(t, fmt.Sprintf("{ %s(first: 1000) { data { blockNumber blockHash timestamp transactionHash transactionIndex transaction %s } } }", field, transactionFields), ""), field, "data").([]any) {
			r := record.(map[string]any)
			hash := r["transactionHash"]
			found := r["transaction"].(map[string]any)
			want := map[string]any{"hash": hash, "index": r["transactionIndex"], "block": map[string]any{"number": r["blockNumber"], "hash": r["blockHash"], "timestamp": r["timestamp"]}}
			for name, value := range want {
				if diff := cmp.Diff(value, found[name]); diff != "" {
					t.Errorf("%s of %s (-want +got):\n%s", name, hash, diff)
				}
			}
			if seen[hash] {
				continue
			}
			seen[hash] = true
			got := s.Get(t, fmt.Sprintf(`{ transaction(hash: %q) %s mints(transactionHash: %[1]q, first: 1000) { totalItems data { id } } burns(transactionHash: %[1]q, first: 1000) { totalItems data { id } } }`, hash, transactionFields), "")
			for _, diff := range []string{cmp.Diff(got["transaction"], r["transaction"]), cmp.Diff(got["mints"], found["mints"]), cmp.Diff(got["burns"], found["burns"])} {
				if diff != "" {
					t.Errorf("transaction %s (-want +got):\n%s", hash, diff)
				}
			}
			if len(apitest.At(found, "mints", "data").([]any)) > 0 && len(apitest.At(found, "burns", "data").([]any)) > 0 {
				both++
			}
		}
	}
	if len(seen) < 100 || both == 0 {
		t.Errorf("%d transactions, %d with mints and burns; want more", len(seen), both)
	}
}

// TestTransaction_Cursor continues a list of a transaction with the list by its hash.
func TestTransaction_Cursor(t *testing.T) {
	s := serve(t)
	const page = `{ cursor data { id transactionHash } }`
	got := s.Get(t, `{ mints(first: 500) { data { transaction { hash mints(first: 1) `+page+` } } } }`, "")
	var first map[string]any
	for i := 0; first == nil || apitest.At(first, "mints", "cursor") == nil; i++ {
		first = apitest.At(got, "mints", "data", i, "transaction").(map[string]any)
	}
	next := s.Get(t, fmt.Sprintf(`{ mints(transactionHash: %q, first: 1, after: %q) %s }`, first["hash"], apitest.At(first, "mints", "cursor"), page), "")
	if apitest.At(next, "mints", "data", 0, "id") == apitest.At(first, "mints", "data", 0, "id") {
		t.Error("the next page is the first one")
	}
	expect.Equal(t, "the next page's transaction", first["hash"], apitest.At(next, "mints", "data", 0, "transactionHash"))
}

// TestTransaction_Unknown checks that a transaction without records is null only if no block is
// missing, while those found have all their records.
func TestTransaction_Unknown(t *testing.T) {
	const none = `{ transaction(hash: "0x00000000000000000000000000000000000000000000000000000000000000aa") { hash } }`
	expect.Equal(t, "a transaction without records", nil, serve(t).Get(t, none, "")["transaction"])
	all := recordedBlocks(t)
	var hole []nft.Block
	for _, b := range all {
		if b.Header.Number < 100 || b.Header.Number > 110 {
			hole = append(hole, b)
		}
	}
	s := serveStore(t, storeOf(t, hole))
	s.Ask(t, none, "").OnlyError(t, "BLOCK_NOT_INDEXED")
	for _, b := range hole {
		for _, r := range b.Mints {
			got := s.Get(t, fmt.Sprintf(`{ transaction(hash: %q) { hash burns { totalItems } } }`, r.TxHash), "")
			expect.Equal(t, "hash", any(r.TxHash.String()), apitest.At(got, "transaction", "hash"))
			return
		}
	}
}
