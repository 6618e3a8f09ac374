package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/demo"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestRoundTrips counts the round trips to PostgreSQL per operation, including those that
// begin and end its snapshot.
func TestRoundTrips(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	// The proxy leads directly to PostgreSQL, because over a pooler each snapshot needs a
	// transaction that sets the parameters of the connection.
	proxy := pgtest.NewProxies(t, pgtest.Direct(t))[0]
	expect.NoError(t, load(t.Context(), proxy.DSN, demo.Open()))
	s, err := write.Open(t.Context(), proxy.DSN, write.Options{Options: database.Options{Readers: 1}})
	expect.NoError(t, err)
	defer func() { expect.NoError(t, s.Close()) }()
	c := serveStore(t, s)

	snapshot := store.NewSnapshot(s.Snapshot())
	examples, err := snapshot.Examples(t.Context())
	expect.NoError(t, err)
	expect.NoError(t, snapshot.Close())
	address := fmt.Sprintf("address: %q", examples.Burn.Contract)
	within := fmt.Sprintf("%s, fromBlock: 1, toBlock: %d", address, examples.Burn.Block.Number)
	const whole = `{ totalItems cursor page limit pageInfo { hasNextPage hasPreviousPage startCursor endCursor } indexed { fromBlock toBlock } data { id tokenId } }`
	after := c.Get(t, `{ burns(first: 1) { cursor } }`, "")["burns"].(map[string]any)["cursor"]
	byBlock := fmt.Sprintf("mints(block: %d) %s", examples.Mint.Block.Number, whole)
	byTransaction := fmt.Sprintf("mints(%s, transactionHash: %q) %s", address, examples.Burn.TxHash, whole)
	byToken := fmt.Sprintf("burns(%s, tokenId: %q) %s", address, examples.Burn.TokenID, whole)
	tokens := fmt.Sprintf("tokenMetadata(address: %q, first: 2) { totalItems cursor pageInfo { hasNextPage } data { name attributes { traitType traitCount } } }", examples.Collection)
	id := c.Get(t, `{ burns(first: 1) { data { id } } }`, "")["burns"].(map[string]any)["data"].([]any)[0].(map[string]any)["id"]

	for _, test := range []struct {
		name, text string
		want       int
	}{
		{"a page", `{ burns { cursor pageInfo { hasPreviousPage } data { id } } }`, 1},
		{"an empty page", fmt.Sprintf(`{ burns(%s, tokenId: "123456789") { data { id } } }`, address), 4},
		{"a page with its total", `{ burns { totalItems data { id } } }`, 2},
		{"a page of a range with its total", fmt.Sprintf(`{ burns(%s, first: 2) %s }`, within, whole), 2},
		{"a page of a range of times", fmt.Sprintf(`{ burns(%s, fromTime: %d, toTime: %d, finality: LATEST, first: 2) %s }`, address, examples.Burn.Time-100, examples.Burn.Time, whole), 3},
		{"a page of a block by its hash", fmt.Sprintf(`{ burns(block: "%s", first: 2) %s }`, examples.Burn.Block.Hash, whole), 3},
		{"a page of a list with its total", fmt.Sprintf(`{ burns(addresses: [%q, %q], first: 2) %s }`, examples.Burn.Contract, examples.Collection, whole), 2},
		{"a page after a cursor", fmt.Sprintf(`{ burns(first: 1, after: %q) %s }`, after, whole), 2},
		{"records with their metadata", `{ mints(first: 20) { totalItems data { tokenId metadata { name attributes { traitType value traitCount } } } } }`, 3},
		{"a page of metadata", "{ " + tokens + " }", 2},
		{"a page of metadata alone", "{ " + strings.Replace(tokens, "totalItems ", "", 1) + " }", 1},
		{"a record by its id", fmt.Sprintf(`{ node(id: %q) { id } nodes(ids: [%q, %[1]q]) { id } }`, id, id), 2},
		{"records by their ids, with metadata", fmt.Sprintf(`{ node(id: %q) { ... on Burn { metadata { name } } } nodes(ids: [%[1]q]) { ... on Burn { metadata { name } } } burns(%s, first: 2) { totalItems } }`, id, within), 3},
		{"a page of collections with their counts", `{ collections { data { address mintedItems burnedItems } } }`, 2},
		{"a collection with its counts", fmt.Sprintf(`{ collection(%s) { mintedItems burnedItems supply } }`, address), 2},
		{"a token with its amounts", fmt.Sprintf(`{ token(address: %q, tokenId: %q) { state minted burned supply } }`, examples.Mint.Contract, examples.Mint.TokenID), 2},
		{"collections with mints and their totals", `{ collections { data { mints(first: 3) { totalItems data { id } } } } }`, 4},
		{"tokens with their amounts", fmt.Sprintf(`{ collection(%s) { tokens { data { state minted burned supply } } } }`, address), 5},
		{"records with their transactions", `{ burns(first: 20) { data { transaction { details { fee } mints { data { id } } } } } }`, 3},
		{"a transaction", fmt.Sprintf(`{ transaction(hash: %q) { mints { data { id } } burns { data { id } } } }`, examples.Burn.TxHash), 3},
		{"the chain", `{ chain { head { number } finalized { number } verifiedRanges { fromBlock toBlock } } }`, 3},
		{"five operations", fmt.Sprintf("{ a: %s b: burns(%s, first: 2) %s c: %s d: %s e: %s }", byBlock, within, whole, byTransaction, byToken, tokens), 2},
		{"everything", fmt.Sprintf("{ a: %s b: burns(%s, first: 2) %s c: %s d: %s e: %s chain { chainId } node(id: %q) { id } }", byBlock, within, whole, byTransaction, byToken, tokens, id), 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, method := range []string{http.MethodPost, http.MethodGet} {
				var n int
				// The first runs also prepare statements and read the numbers of collections.
				for range 3 {
					// This takes one. It waits for the only connection, until the last snapshot has ended.
					expect.NoError(t, s.Database.Query(t.Context(), "SELECT 1", nil, func(*database.Row) error { return nil }))
					before := proxy.RoundTrips()
					if method == http.MethodPost {
						c.Get(t, test.text, "")
					} else {
						r := c.Send(t, method, "/graphql?query="+url.QueryEscape(test.text), "")
						expect.Equal(t, "status", http.StatusOK, r.Status)
					}
					expect.NoError(t, s.Database.Query(t.Context(), "SELECT 1", nil, func(*database.Row) error { return nil }))
					n = proxy.RoundTrips() - before - 1
				}
				expect.Equal(t, method+": round trips", test.want, n)
			}
		})
	}
}
