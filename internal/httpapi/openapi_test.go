package httpapi_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// openAPIRequest is a request to a route that must get a status. Header is optional.
type openAPIRequest struct {
	Route, Path string
	Status      int
	Header      map[string]string
}

// checkOpenAPI validates the OpenAPI document, and validates answers against it. all reports
// that the requests cover all routes.
func checkOpenAPI(t *testing.T, s *apitest.Client, all bool, requests ...openAPIRequest) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts Node.js")
	}
	const web = "../../web"
	if _, err := os.Stat(filepath.Join(web, "node_modules", "@seriousme")); err != nil {
		chaintest.Absent(t, fmt.Sprintf("npm packages are not installed: make assets: %v", err))
	}
	text, err := json.Marshal(map[string]any{"all": all, "requests": requests})
	expect.NoError(t, err)
	check := exec.CommandContext(t.Context(), "node", "test/openapi.mjs")
	check.Dir, check.Stdin = web, bytes.NewReader(text)
	check.Env = append(os.Environ(), "MINTBURN_URL="+online(t, s).Base+"/")
	if output, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestOpenAPI requests every kind of answer and error from each route.
func TestOpenAPI(t *testing.T) {
	const schema = "/schema.graphql"
	const contract = "/v1/nft/0x5fbdb2315678afecb367f032d93f642f64180aa3"
	const block, burns, token, metadata = "/v1/block/{block_number_or_hash}/nft/mints", "/v1/nft/{address}/burns", "/v1/nft/{address}/{token_id}/burns", "/v1/nft/{address}/metadata"
	const one = "/v1/nft/{address}/{token_id}"
	paths := map[string]string{
		block: "/v1/block/82/nft/mints?limit=2", burns: contract + "/burns?from_block=1&to_block=300",
		"/v1/nft/{address}/mints/{transaction_hash}": contract + "/mints/0x3d54252e2bfff6dc0cf76fe017f9d478e1943fa6c92acdb67b209aa7ac0624d9?limit=5",
		token: contract + "/124/burns?limit=5", metadata: contract + "/metadata?token_id=",
		"/v1/mints": "/v1/mints?accounts=" + collection + "&accounts=" + collection + "&from_block=0", "/v1/burns": "/v1/burns?tokens=" + contract[len("/v1/nft/"):] + ":124",
		"/v1/nft/{address}": contract + "?at_block=300", one: contract + "/124?at_block=", "/v1/tokens": "/v1/tokens?keys=" + contract[len("/v1/nft/"):] + ":124&keys=" + contract[len("/v1/nft/"):] + ":777777",
		"/v1/block/{block_number_or_hash}/proof": "/v1/block/82/proof?",
		"/v1/changes":                            "/v1/changes?kind=added&kind=finalized", "/v1/collections": "/v1/collections?limit=2&search=&at_block=300",
	}
	requests := []openAPIRequest{
		{Route: block, Path: paths[block], Status: 304, Header: map[string]string{"If-None-Match": "*"}},
		{Route: block, Path: "/v1/block/99999/nft/mints", Status: 404},
		{Route: block, Path: "/v1/block/" + noHash + "/nft/mints", Status: 404},
		{Route: block, Path: paths[block] + "&cursor=x", Status: 400},
		{Route: burns, Path: contract + "/burns", Status: 400},
		{Route: token, Path: contract + "/-1/burns", Status: 400},
		{Route: metadata, Path: contract + "/metadata?token_id=777777", Status: 404},
		{Route: "/v1/mints", Path: "/v1/mints?block=82&accounts=" + collection, Status: 400},
		{Route: "/v1/mints", Path: "/v1/mints?block=99999", Status: 404},
		{Route: "/v1/collections", Path: "/v1/collections?cursor=x", Status: 400},
		{Route: "/v1/collections", Path: "/v1/collections?at_block=99999", Status: 404},
		{Route: schema, Path: schema, Status: 200},
		{Route: "/chains", Path: "/chains", Status: map[bool]int{true: 404, false: 200}[wayOf(t) == "alone"]},
		{Route: schema, Path: schema, Status: 304, Header: map[string]string{"If-None-Match": "*"}},
		{Route: one, Path: contract + "/777777", Status: 404},
		{Route: one, Path: contract + "/124?at_block=99999", Status: 404},
		{Route: "/v1/tokens", Path: "/v1/tokens", Status: 400},
		{Route: "/v1/changes", Path: "/v1/changes?after=x", Status: 400},
		{Route: "/v1/nft/{address}", Path: "/v1/nft/0x" + strings.Repeat("ab", 20), Status: 404},
	}
	for route, path := range paths {
		requests = append(requests, openAPIRequest{Route: route, Path: path, Status: 200},
			openAPIRequest{Route: route, Path: path + "&page=2", Status: 400},
			openAPIRequest{Route: route, Path: path, Status: 403, Header: map[string]string{"Sec-Fetch-Site": "cross-site"}})
	}
	checkOpenAPI(t, serve(t, proving(t, recordedNode(t))), true, requests...)
	checkOpenAPI(t, serve(t), false, openAPIRequest{Route: "/v1/block/{block_number_or_hash}/proof", Path: "/v1/block/82/proof", Status: 503})

	hidden := serve(t, func(c *httpapi.Config) { c.Introspection = false })
	checkOpenAPI(t, hidden, false, openAPIRequest{Route: schema, Path: schema, Status: 404})
	var costly []openAPIRequest
	for route, path := range paths {
		costly = append(costly, openAPIRequest{Route: route, Path: path, Status: 400})
	}
	checkOpenAPI(t, serve(t, func(c *httpapi.Config) { c.Limits.Cost = 1 }), false, costly...)
	var denied, spent []openAPIRequest
	for route, path := range paths {
		denied = append(denied, openAPIRequest{Route: route, Path: path, Status: 401})
		spent = append(spent, openAPIRequest{Route: route, Path: path, Status: 429, Header: map[string]string{"X-API-Key": "secret-poor"}})
	}
	poor := serve(t, withKeys(keyFile{"poor quota=1"}.parse(t), admit.Access{Required: true}))
	poor.Send(t, "GET", mintsPath, "", "X-API-Key", "secret-poor")
	checkOpenAPI(t, poor, false, slices.Concat(denied, spent)...)
	all := generated(40, 400)
	holes := serveStore(t, storeOf(t, all[4:10], all[19:25]))
	checkOpenAPI(t, serveStore(t, storeOf(t, overflowing())), false, openAPIRequest{Route: one, Path: "/v1/nft/" + collection + "/1", Status: 422})
	checkOpenAPI(t, holes, false, openAPIRequest{Route: block, Path: "/v1/block/15/nft/mints?", Status: 404},
		openAPIRequest{Route: token, Path: contract + "/1/burns?partial=true", Status: 200})
	path := filepath.Join(t.TempDir(), "empty.db")
	empty := serveStore(t, openStore(t, path))
	checkOpenAPI(t, empty, false, openAPIRequest{Route: block, Path: paths[block], Status: 404}, openAPIRequest{Route: token, Path: paths[token], Status: 404})
	db, err := sql.Open("sqlite3", path)
	expect.NoError(t, err)
	defer db.Close()
	if _, err := db.Exec("ALTER TABLE coverage RENAME TO elsewhere"); err != nil {
		t.Fatal(err)
	}
	checkOpenAPI(t, empty, false, openAPIRequest{Route: block, Path: paths[block], Status: 500})
}

// TestOpenAPI_Reorged requests orphaned blocks.
func TestOpenAPI_Reorged(t *testing.T) {
	blocks := generated(30, 10)
	store := storeOf(t, blocks)
	s := serveStore(t, store)
	last := apitest.At(s.Get(t, "{ mints(order: DESC, first: 1) { data { blockHash blockNumber } } }", ""), "mints", "data", 0)
	const route = "/v1/block/{block_number_or_hash}/nft/mints"
	byHash := fmt.Sprintf("/v1/block/%s/nft/mints", apitest.At(last, "blockHash"))
	byNumber := fmt.Sprintf("/v1/block/%s/nft/mints?limit=1", apitest.At(last, "blockNumber"))
	_, page, text := ofRoute(t, s, byNumber)
	cursor, ok := page["cursor"].(string)
	if !ok {
		t.Fatalf("no cursor: %s", text)
	}
	fork := generated(26, 0, func(o *chaintest.Options) { o.Seed, o.FirstBlock = 2, 6 })
	fork[0].Header.ParentHash = blocks[4].Header.Hash
	expect.NoError(t, store.ReplaceAbove(t.Context(), 5, fork, false))
	checkOpenAPI(t, s, false, openAPIRequest{Route: route, Path: byHash, Status: 410}, openAPIRequest{Route: route, Path: byNumber + "&cursor=" + cursor, Status: 410})
	_, gone, text := ofRoute(t, s, byNumber+"&cursor="+cursor)
	details, _ := gone["details"].(map[string]any)
	if details["rewind_cursor"] == nil || details["retracted_from_block"] != json.Number("6") || len(details) != 2 {
		t.Errorf("details in snake_case: %s", text)
	}
}
