package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/pgtest"
)

// route asks a REST route and returns the status and the answer.
func (s *server) route(t testing.TB, path string) (status int, answer map[string]any, text string) {
	t.Helper()
	got := s.send(t, http.MethodGet, path, "")
	if media := got.header.Get("Content-Type"); media != "application/json; charset=utf-8" {
		t.Errorf("%s: media type %q", path, media)
	}
	decode(t, []byte(got.body), &answer)
	return got.status, answer, got.body
}

// camelKeys gives an answer of a route the names of GraphQL.
func camelKeys(value any) any {
	switch v := value.(type) {
	case map[string]any:
		renamed := map[string]any{}
		for name, member := range v {
			renamed[camel(name)] = camelKeys(member)
		}
		return renamed
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = camelKeys(v[i])
		}
		return list
	default:
		return value
	}
}

// TestREST_Questions asks the recorded questions by route and by GraphQL, page
// by page: the answers are equal.
func TestREST_Questions(t *testing.T) {
	const fields = ` { cursor page limit totalItems data { tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex
		from to amount operator timestamp blockTime } } }`
	for name, db := range map[string]func(*testing.T) string{"sqlite": func(t *testing.T) string { return importChainA(t) }, "postgres": func(t *testing.T) string {
		dsn := pgtest.DSN(t)
		importInto(t, dsn, nil, chainA(t, "bundle.ndjson.gz"))
		return dsn
	}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, db(t))
			questions := lines(t, chainA(t, "queries.ndjson"))
			for i, line := range questions {
				if name == "postgres" && i%8 > 0 {
					continue
				}
				var q question
				decode(t, []byte(line), &q)
				arg := func(name string) string { return fmt.Sprint(q.Args[name]) }
				var path, field string
				switch q.Op {
				case "mintsByBlock":
					path, field = "/v1/block/"+arg("block_number_or_hash")+"/nft/mints?", fmt.Sprintf("mints(block: %q", arg("block_number_or_hash"))
				case "burnsByRange":
					path = "/v1/nft/" + arg("address") + "/burns?from_block=" + arg("from_block") + "&to_block=" + arg("to_block") + "&"
					field = fmt.Sprintf("burns(address: %q, fromBlock: %s, toBlock: %s", arg("address"), arg("from_block"), arg("to_block"))
				case "mintsByTx":
					path, field = "/v1/nft/"+arg("address")+"/mints/"+arg("transaction_hash")+"?", fmt.Sprintf("mints(address: %q, transactionHash: %q", arg("address"), arg("transaction_hash"))
				case "burnsByToken":
					path, field = "/v1/nft/"+arg("address")+"/"+arg("token_id")+"/burns?", fmt.Sprintf("burns(address: %q, tokenId: %q", arg("address"), arg("token_id"))
				}
				limit := []int{7, 20, 1000}[i%3]
				cursor := ""
				for {
					more := ""
					if cursor != "" {
						more = fmt.Sprintf(", after: %q", cursor)
					}
					want := s.get(t, fmt.Sprintf("{ page: %s, first: %d%s)%s", field, limit, more, fields), "")["page"]
					status, got, text := s.route(t, path+"limit="+fmt.Sprint(limit)+"&cursor="+url.QueryEscape(cursor))
					if cursor == "" {
						status, got, text = s.route(t, path+"limit="+fmt.Sprint(limit))
					}
					if diff := cmp.Diff(want, camelKeys(got)); diff != "" || status != http.StatusOK {
						t.Fatalf("%s: status %d (-GraphQL +REST):\n%s", path, status, diff)
					}
					if !strings.HasPrefix(text, `{"cursor":`) {
						t.Fatalf("%s: not in the documented order: %.100s", path, text)
					}
					next, _ := got["cursor"].(string)
					if cursor = next; cursor == "" {
						break
					}
				}
			}
		})
	}
}

// TestREST_Metadata asks for the documented record of each token of the demo.
func TestREST_Metadata(t *testing.T) {
	s := serve(t, importDemo(t))
	collections := map[string]bool{}
	for _, m := range s.walk(t, "mints", "", 1000) {
		collections[m["tokenAddress"].(string)] = true
	}
	records := 0
	for address := range collections {
		got := s.get(t, fmt.Sprintf(`{ tokenMetadata(address: %q, first: 1000) { data { collectionAddress collectionType tokenId externalUrl imageData
			backgroundColor youtubeUrl updatedAt name description image animationUrl attributes { traitType value maxValue traitCount order } } } }`, address), "")
		list := got["tokenMetadata"].(map[string]any)["data"].([]any)
		status, first, _ := s.route(t, "/v1/nft/"+address+"/metadata")
		if len(list) == 0 {
			if status != http.StatusNotFound || first["code"] != "NOT_FOUND" {
				t.Errorf("%s: status %d, %v", address, status, first)
			}
			continue
		}
		if diff := cmp.Diff(list[0], camelKeys(first)); diff != "" {
			t.Errorf("%s (-GraphQL +REST):\n%s", address, diff)
		}
		for _, want := range list {
			records++
			id := want.(map[string]any)["tokenId"].(string)
			if _, got, _ := s.route(t, "/v1/nft/"+address+"/metadata?token_id="+id); !cmp.Equal(want, camelKeys(got)) {
				t.Errorf("%s %s (-GraphQL +REST):\n%s", address, id, cmp.Diff(want, camelKeys(got)))
			}
		}
	}
	if records < 100 {
		t.Errorf("%d records", records)
	}
}

func TestREST_Errors(t *testing.T) {
	s := start(t, "demo", "--max-aliases", "1")
	const collection = "/v1/nft/0x5fbdb2315678afecb367f032d93f642f64180aa3"
	for path, want := range map[string]struct {
		status  int
		code    string
		message string
	}{
		"/v1/block/99999/nft/mints":                              {404, "BLOCK_NOT_INDEXED", "block 99999 is not indexed"},
		"/v1/block/0x" + strings.Repeat("ab", 32) + "/nft/mints": {404, "BLOCK_NOT_FOUND", "no indexed block has the hash"},
		"/v1/block/x/nft/mints":                                  {400, "BAD_USER_INPUT", "block_number_or_hash: invalid"},
		"/v1/block/36/nft/mints?limit=1001":                      {400, "BAD_USER_INPUT", "limit is 1001: want 0 to 1000"},
		"/v1/block/36/nft/mints?limit=-1":                        {400, "BAD_USER_INPUT", "limit is -1"},
		"/v1/block/36/nft/mints?limit=x":                         {400, "BAD_USER_INPUT", `limit: got "x", want a whole number from 0 to 1000`},
		"/v1/block/36/nft/mints?limit=1&limit=2":                 {400, "BAD_USER_INPUT", "the parameter limit is given twice"},
		"/v1/block/36/nft/mints?cursor=x":                        {400, "INVALID_CURSOR", "invalid cursor"},
		"/v1/block/36/nft/mints?page=2":                          {400, "BAD_USER_INPUT", "unknown parameter page: want cursor, limit"},
		"/v1/block/36/nft/mints?limit=%zz":                       {400, "BAD_USER_INPUT", "the address has parameters"},
		collection + "/burns":                                    {400, "BAD_USER_INPUT", "missing parameter from_block: want from_block and to_block"},
		collection + "/burns?from_block=9&to_block=3":            {400, "BAD_USER_INPUT", "from_block 9 is above to_block 3"},
		collection + "/mints/0x12":                               {400, "BAD_USER_INPUT", "transaction_hash: invalid"},
		collection + "/-1/burns":                                 {400, "BAD_USER_INPUT", "token_id: invalid"},
		collection + "/metadata?token_id=777777":                 {404, "NOT_FOUND", "there is no metadata yet"},
		"/v1/nft/0x12/metadata":                                  {400, "BAD_USER_INPUT", "address: invalid"},
		collection + "/sold/today":                               {404, "NOT_FOUND", "no such route"},
		"/v1/prices":                                             {404, "NOT_FOUND", "no such route"},
	} {
		status, got, _ := s.route(t, path)
		message, _ := got["message"].(string)
		if _, ok := got["details"].(map[string]any); !ok || status != want.status || got["code"] != want.code || !strings.HasPrefix(message, want.message) ||
			want.code == "BAD_USER_INPUT" && !accepted.MatchString(message) {
			t.Errorf("%s: status %d, %v: want %v", path, status, got, want)
		}
	}
	response, err := http.Post(s.base+"/v1/block/36/nft/mints", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: status %d, allowed %q", response.StatusCode, response.Header.Get("Allow"))
	}
}

// openAPIRequest asks a route for an answer of a status; Header is optional.
type openAPIRequest struct {
	Route, Path string
	Status      int
	Header      map[string]string
}

// checkOpenAPI validates the document, and answers of a server against it; all says
// that the answers are of all routes.
func checkOpenAPI(t *testing.T, s *server, all bool, requests ...openAPIRequest) {
	t.Helper()
	web := filepath.Join(root, "web")
	neededFile(t, "npm packages are not installed: make assets", filepath.Join(web, "node_modules", "@seriousme"))
	text, err := json.Marshal(map[string]any{"all": all, "requests": requests})
	if err != nil {
		t.Fatal(err)
	}
	check := exec.CommandContext(t.Context(), "node", "test/openapi.mjs")
	check.Dir, check.Stdin = web, bytes.NewReader(text)
	check.Env = append(os.Environ(), "MINTBURN_URL="+s.base+"/")
	if output, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestOpenAPI asks each route for answers and errors of each kind.
func TestOpenAPI(t *testing.T) {
	const contract = "/v1/nft/0x5fbdb2315678afecb367f032d93f642f64180aa3"
	const block, burns, token, metadata = "/v1/block/{block_number_or_hash}/nft/mints", "/v1/nft/{address}/burns", "/v1/nft/{address}/{token_id}/burns", "/v1/nft/{address}/metadata"
	paths := map[string]string{
		block: "/v1/block/36/nft/mints?limit=2", burns: contract + "/burns?from_block=1&to_block=300",
		"/v1/nft/{address}/mints/{transaction_hash}": contract + "/mints/0x814370982694dffd6799cb0d049c58a521bac912f7d9bbc4f52af400909c1177?limit=5",
		token: contract + "/10/burns?limit=5", metadata: contract + "/metadata?token_id=",
	}
	requests := []openAPIRequest{
		{Route: block, Path: paths[block], Status: 304, Header: map[string]string{"If-None-Match": "*"}},
		{Route: block, Path: "/v1/block/99999/nft/mints", Status: 404},
		{Route: block, Path: "/v1/block/" + noHash + "/nft/mints", Status: 404},
		{Route: block, Path: paths[block] + "&cursor=x", Status: 400},
		{Route: burns, Path: contract + "/burns", Status: 400},
		{Route: token, Path: contract + "/-1/burns", Status: 400},
		{Route: metadata, Path: contract + "/metadata?token_id=777777", Status: 404},
	}
	for route, path := range paths {
		requests = append(requests, openAPIRequest{Route: route, Path: path, Status: 200},
			openAPIRequest{Route: route, Path: path + "&page=2", Status: 400},
			openAPIRequest{Route: route, Path: path, Status: 403, Header: map[string]string{"Sec-Fetch-Site": "cross-site"}})
	}
	checkOpenAPI(t, start(t, "demo"), true, requests...)

	var costly []openAPIRequest
	for route, path := range paths {
		costly = append(costly, openAPIRequest{Route: route, Path: path, Status: 400})
	}
	checkOpenAPI(t, start(t, "demo", "--max-cost", "1"), true, costly...)
	empty := emptyDB(t)
	checkOpenAPI(t, serve(t, empty), false, openAPIRequest{Route: block, Path: paths[block], Status: 404}, openAPIRequest{Route: token, Path: paths[token], Status: 404})
	broken := serve(t, empty)
	if _, err := openDB(t, empty).Exec("ALTER TABLE coverage RENAME TO elsewhere"); err != nil {
		t.Fatal(err)
	}
	checkOpenAPI(t, broken, false, openAPIRequest{Route: block, Path: paths[block], Status: 500})
}

// TestOpenAPI_Reorged asks for what a reorg orphaned.
func TestOpenAPI_Reorged(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 30, 10
	node.Generate(contents)
	db := filepath.Join(t.TempDir(), "reorged.db")
	synced := func() {
		t.Helper()
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	}
	synced()
	s := serve(t, db)
	got := s.get(t, "{ mints(order: DESC, first: 1) { data { blockHash blockNumber } } }", "")
	last := got["mints"].(map[string]any)["data"].([]any)[0].(map[string]any)
	const route = "/v1/block/{block_number_or_hash}/nft/mints"
	byHash, byNumber := fmt.Sprintf("/v1/block/%s/nft/mints", last["blockHash"]), fmt.Sprintf("/v1/block/%s/nft/mints?limit=1", last["blockNumber"])
	_, page, text := s.route(t, byNumber)
	cursor, ok := page["cursor"].(string)
	if !ok {
		t.Fatalf("no cursor: %s", text)
	}
	node.Reorg(25, make([][][]evm.Log, 26)...)
	synced()
	checkOpenAPI(t, s, false, openAPIRequest{Route: route, Path: byHash, Status: 410}, openAPIRequest{Route: route, Path: byNumber + "&cursor=" + cursor, Status: 410})
	_, gone, text := s.route(t, byNumber+"&cursor="+cursor)
	details, _ := gone["details"].(map[string]any)
	if details["rewind_cursor"] == nil || details["retracted_from_block"] != number("6") || len(details) != 2 {
		t.Errorf("details in snake_case: %s", text)
	}
}

// TestREST_Holes asks for what may lie in blocks that are not indexed.
func TestREST_Holes(t *testing.T) {
	s := serve(t, withHole(t))
	const block, burns = "/v1/block/{block_number_or_hash}/nft/mints", "/v1/nft/{address}/{token_id}/burns"
	const ofBlock, ofToken = "/v1/block/15/nft/mints?", "/v1/nft/0x5fbdb2315678afecb367f032d93f642f64180aa3/1/burns?"
	ranges := []any{map[string]any{"from_block": number("5"), "to_block": number("10")}, map[string]any{"from_block": number("20"), "to_block": number("25")}}
	missing := map[string]string{ofBlock: `{"from_block":15,"to_block":15}`, ofToken: `{"from_block":11,"to_block":19}`}
	for path, indexed := range map[string][]any{ofBlock: {}, ofToken: ranges} {
		for _, partial := range []string{"", "partial=false"} {
			status, got, text := s.route(t, path+partial)
			if status != http.StatusNotFound || got["code"] != "BLOCK_NOT_INDEXED" || !strings.Contains(text, `"missing_ranges":[`+missing[path]+`]`) {
				t.Errorf("%s%s: status %d, %s", path, partial, status, text)
			}
		}
		status, got, text := s.route(t, path+"partial=true")
		if diff := cmp.Diff(indexed, got["indexed"]); status != http.StatusOK || diff != "" {
			t.Errorf("%s: status %d, %s (-want +got):\n%s", path, status, text, diff)
		}
	}
	status, got, _ := s.route(t, ofBlock+"partial=yes")
	if status != http.StatusBadRequest || got["message"] != `partial: got "yes", want true or false` {
		t.Errorf("status %d, %v", status, got)
	}
	checkOpenAPI(t, s, false, openAPIRequest{Route: block, Path: ofBlock, Status: 404}, openAPIRequest{Route: burns, Path: ofToken + "partial=true", Status: 200})
}
