package command_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// question is a line of queries.ndjson.
type question struct {
	Op         string
	Args       map[string]any
	TotalItems int `json:"total_items"`
	// Keys are block:log:sub index in order; of more than 400 records, those
	// of the first and last 20.
	Keys []string
}

// TestQuestions asks the recorded questions in the form that a client would
// use: one document for each operation, and variables.
func TestQuestions(t *testing.T) {
	const page = `{ cursor page totalItems data { blockNumber logIndex subIndex } }`
	queries := map[string]struct{ field, query string }{
		"mintsByBlock": {"mints", `query($block_number_or_hash: BlockNumberOrHash!, $limit: Int, $cursor: Cursor) {
			mints(block: $block_number_or_hash, first: $limit, after: $cursor) ` + page + `}`},
		"burnsByRange": {"burns", `query($address: Address!, $from_block: Long!, $to_block: Long!, $limit: Int, $cursor: Cursor) {
			burns(address: $address, fromBlock: $from_block, toBlock: $to_block, first: $limit, after: $cursor) ` + page + `}`},
		"mintsByTx": {"mints", `query($address: Address!, $transaction_hash: Bytes32!, $limit: Int, $cursor: Cursor) {
			mints(address: $address, transactionHash: $transaction_hash, first: $limit, after: $cursor) ` + page + `}`},
		"burnsByToken": {"burns", `query($address: Address!, $token_id: BigInt!, $limit: Int, $cursor: Cursor) {
			burns(address: $address, tokenId: $token_id, first: $limit, after: $cursor) ` + page + `}`},
	}
	s := serve(t, importChainA(t))
	asked := map[string]int{}
	for i, line := range lines(t, chainA(t, "queries.ndjson")) {
		var q question
		decode(t, []byte(line), &q)
		asked[q.Op]++
		t.Run(fmt.Sprintf("%03d %s", i, q.Op), func(t *testing.T) {
			// Sizes that leave a rest, and that end exactly with the page.
			keys, total := s.keys(t, queries[q.Op].field, queries[q.Op].query, q.Args, []int{7, max(1, q.TotalItems), 20}[i%3])
			if total != q.TotalItems {
				t.Errorf("totalItems is %d, want %d", total, q.TotalItems)
			}
			if len(keys) != q.TotalItems {
				t.Errorf("%d items, want %d", len(keys), q.TotalItems)
			}
			if len(keys) > 400 {
				keys = append(keys[:20:20], keys[len(keys)-20:]...)
			}
			if diff := cmp.Diff(q.Keys, append([]string{}, keys...)); diff != "" {
				t.Errorf("%s %v (-want +got):\n%s", q.Op, q.Args, diff)
			}
		})
	}
	want := map[string]int{"mintsByBlock": 78, "burnsByRange": 40, "mintsByTx": 91, "burnsByToken": 35}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("questions asked (-want +got):\n%s", diff)
	}
}

// keys walks the pages of a question, of at most 1,000 items each.
func (s *server) keys(t *testing.T, field, query string, arguments map[string]any, limit int) (keys []string, total int) {
	variables := map[string]any{"limit": min(limit, 1000), "cursor": nil}
	for name, value := range arguments {
		variables[name] = value
	}
	for number := 1; ; number++ {
		text, err := json.Marshal(variables)
		if err != nil {
			t.Fatal(err)
		}
		got := s.get(t, query, string(text))[field].(map[string]any)
		for _, item := range got["data"].([]any) {
			r := item.(map[string]any)
			keys = append(keys, fmt.Sprintf("%v:%v:%v", r["blockNumber"], r["logIndex"], r["subIndex"]))
		}
		if fmt.Sprint(got["page"]) != fmt.Sprint(number) {
			t.Errorf("page is %v, want %d", got["page"], number)
		}
		n, err := got["totalItems"].(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		if total = int(n); got["cursor"] == nil {
			return keys, total
		}
		variables["cursor"] = got["cursor"]
	}
}
