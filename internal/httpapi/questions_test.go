package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// question is a line of queries.ndjson.
type question struct {
	Op         string
	Args       map[string]any
	TotalItems int `json:"total_items"`
	// Keys are block:log:sub index in order. If there are more than 400, only the first and
	// last 20 are listed.
	Keys []string
}

// operations are the recorded kinds of questions: a field of Query with its arguments, and a
// REST route.
var operations = map[string]struct{ field, definitions, arguments, route string }{
	"mintsByBlock": {"mints", "$block_number_or_hash: BlockNumberOrHash!", "block: $block_number_or_hash",
		"/v1/block/{block_number_or_hash}/nft/mints?"},
	"burnsByRange": {"burns", "$address: Address!, $from_block: Long!, $to_block: Long!", "address: $address, fromBlock: $from_block, toBlock: $to_block",
		"/v1/nft/{address}/burns?from_block={from_block}&to_block={to_block}&"},
	"mintsByTx": {"mints", "$address: Address!, $transaction_hash: Bytes32!", "address: $address, transactionHash: $transaction_hash",
		"/v1/nft/{address}/mints/{transaction_hash}?"},
	"burnsByToken": {"burns", "$address: Address!, $token_id: BigInt!", "address: $address, tokenId: $token_id",
		"/v1/nft/{address}/{token_id}/burns?"},
}

// TestQuestions sends the recorded questions over GraphQL, with a document for each operation,
// and over REST. Both must return the recorded answers.
func TestQuestions(t *testing.T) {
	text, err := os.ReadFile(chaintest.Data(t, "chain-a/queries.ndjson"))
	expect.NoError(t, err)
	storetest.Each(t, func(t *testing.T, dsn string) {
		chain, err := os.Open(chaintest.Data(t, "chain-a/bundle.ndjson.gz"))
		expect.NoError(t, err)
		defer chain.Close()
		expect.NoError(t, load(t.Context(), dsn, chain))
		s := serveStore(t, openStore(t, dsn))
		asked := map[string]int{}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			var q question
			apitest.Decode(t, line, &q)
			asked[q.Op]++
			if strings.HasPrefix(dsn, "postgres") && i%8 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%03d %s", i, q.Op), func(t *testing.T) {
				// Some page sizes leave a partial last page, and some end exactly with a page.
				keys := pagesOf(t, s, q, min(1000, []int{7, max(1, q.TotalItems), 20}[i%3]))
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
		expect.Equal(t, "questions asked", want, asked)
	})
}

// pagesOf walks the pages of a question over GraphQL and REST, and returns the keys of their
// items.
func pagesOf(t *testing.T, s *apitest.Client, q question, limit int) (keys []string) {
	t.Helper()
	o := operations[q.Op]
	query := fmt.Sprintf("query(%s, $limit: Int, $cursor: Cursor) { %s(%s, first: $limit, after: $cursor) { cursor page limit totalItems data { %s subIndex } } }",
		o.definitions, o.field, o.arguments, apitest.Fields("Transfer"))
	route := o.route
	for name, value := range q.Args {
		route = strings.ReplaceAll(route, "{"+name+"}", fmt.Sprint(value))
	}
	variables := maps.Clone(q.Args)
	variables["limit"], variables["cursor"] = limit, nil
	for number := 1; ; number++ {
		text, err := json.Marshal(variables)
		expect.NoError(t, err)
		page := s.Get(t, query, string(text))[o.field].(map[string]any)
		for _, item := range page["data"].([]any) {
			r := item.(map[string]any)
			keys = append(keys, fmt.Sprintf("%v:%v:%v", r["blockNumber"], r["logIndex"], r["subIndex"]))
			delete(r, "subIndex")
		}
		if fmt.Sprint(page["page"]) != fmt.Sprint(number) || fmt.Sprint(page["totalItems"]) != fmt.Sprint(q.TotalItems) {
			t.Errorf("page %v, totalItems %v: want %d, %d", page["page"], page["totalItems"], number, q.TotalItems)
		}
		// An empty cursor counts as absent.
		cursor, _ := variables["cursor"].(string)
		path := fmt.Sprintf("%slimit=%d&cursor=%s", route, limit, url.QueryEscape(cursor))
		status, got, body := ofRoute(t, s, path)
		if diff := cmp.Diff(any(page), apitest.CamelKeys(got)); diff != "" || status != http.StatusOK {
			t.Fatalf("%s: status %d (-GraphQL +REST):\n%s", path, status, diff)
		}
		if !strings.HasPrefix(body, `{"cursor":`) {
			t.Fatalf("%s: not in the documented order: %.100s", path, body)
		}
		if variables["cursor"] = page["cursor"]; page["cursor"] == nil {
			return keys
		}
	}
}

// ofRoute sends a GET to a REST route and returns the status and the answer.
func ofRoute(t testing.TB, s *apitest.Client, path string) (status int, answer map[string]any, body string) {
	t.Helper()
	got := s.Send(t, http.MethodGet, path, "")
	if media := got.Header.Get("Content-Type"); media != "application/json; charset=utf-8" {
		t.Errorf("%s: media type %q", path, media)
	}
	apitest.Decode(t, got.Body, &answer)
	return got.Status, answer, got.Body
}
