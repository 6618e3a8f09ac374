package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/routes"
	"mintburn/internal/nft"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
)

// TestREST_Metadata compares the documented record of each recorded token with GraphQL's.
func TestREST_Metadata(t *testing.T) {
	s := serve(t)
	collections := map[any]bool{}
	for _, m := range apitest.At(s.Get(t, "{ mints(first: 1000) { data { tokenAddress } } }", ""), "mints", "data").([]any) {
		collections[apitest.At(m, "tokenAddress")] = true
	}
	records := 0
	for address := range collections {
		query := fmt.Sprintf("{ tokenMetadata(address: %q, first: 1000) { data { %s { %s } } } }", address, apitest.Fields("TokenMetadata"), apitest.Fields("Attribute"))
		list := apitest.At(s.Get(t, query, ""), "tokenMetadata", "data").([]any)
		path := fmt.Sprintf("/v1/nft/%s/metadata", address)
		status, first, _ := ofRoute(t, s, path)
		if len(list) == 0 {
			if status != http.StatusNotFound || first["code"] != "NOT_FOUND" {
				t.Errorf("%s: status %d, %v", address, status, first)
			}
			continue
		}
		if diff := cmp.Diff(list[0], apitest.CamelKeys(first)); diff != "" {
			t.Errorf("%s (-GraphQL +REST):\n%s", address, diff)
		}
		for _, want := range list {
			records++
			_, got, _ := ofRoute(t, s, fmt.Sprint(path, "?token_id=", apitest.At(want, "tokenId")))
			if diff := cmp.Diff(want, apitest.CamelKeys(got)); diff != "" {
				t.Errorf("%s (-GraphQL +REST):\n%s", address, diff)
			}
		}
	}
	if records < 100 {
		t.Errorf("%d records", records)
	}
}

// TestREST_Objects compares the token and collection routes with GraphQL.
func TestREST_Objects(t *testing.T) {
	s := serve(t)
	const transfer, indexed = "{ %[1]s }", "indexed { fromBlock toBlock }"
	of := func(text string) string { return fmt.Sprintf(text, apitest.Fields("Transfer")) }
	for _, at := range []string{"", "200"} {
		arguments, query := "", ""
		if at != "" {
			arguments, query = "(atBlock: "+at+")", "at_block="+at
		}
		amounts := func(names string) (list string) {
			for name := range strings.FieldsSeq(names) {
				list += name + arguments + " "
			}
			return list
		}
		token := of("address tokenId contractType state " + amounts("minted burned supply") + "firstMint " + transfer + " lastMint " + transfer + " lastBurn " + transfer + indexed)
		collection := of("address contractType name symbol " + amounts("mintedItems burnedItems supply") + "firstMint " + transfer + " lastMint " + transfer + "documents { resolved pending failed untried } " + indexed)
		list := apitest.At(s.Get(t, fmt.Sprintf("{ collections { data { %s tokens { data { %s } } } } }", collection, token), ""), "collections", "data").([]any)
		if len(list) < 3 {
			t.Fatalf("%d collections", len(list))
		}
		for _, c := range list {
			c := c.(map[string]any)
			tokens := apitest.At(c, "tokens", "data").([]any)
			delete(c, "tokens")
			path := "/v1/nft/" + c["address"].(string)
			_, got, _ := ofRoute(t, s, path+"?"+query)
			if diff := cmp.Diff(any(c), apitest.CamelKeys(got)); diff != "" {
				t.Errorf("%s (-GraphQL +REST):\n%s", path, diff)
			}
			var keys string
			for _, token := range tokens {
				id := apitest.At(token, "tokenId").(string)
				keys += "&keys=" + c["address"].(string) + ":" + id
				_, got, _ := ofRoute(t, s, path+"/"+id+"?"+query)
				if diff := cmp.Diff(token, apitest.CamelKeys(got)); diff != "" {
					t.Errorf("%s/%s (-GraphQL +REST):\n%s", path, id, diff)
				}
			}
			_, got, _ = ofRoute(t, s, "/v1/tokens?"+query+keys)
			if diff := cmp.Diff(any(map[string]any{"data": tokens}), apitest.CamelKeys(got)); diff != "" {
				t.Errorf("tokens of %s (-GraphQL +REST):\n%s", path, diff)
			}
		}
		var walked []any
		for cursor := ""; cursor != "<nil>"; {
			_, page, _ := ofRoute(t, s, "/v1/collections?limit=2&"+query+"&cursor="+cursor)
			walked = append(walked, apitest.At(apitest.CamelKeys(page), "data").([]any)...)
			cursor = fmt.Sprint(page["cursor"])
		}
		if diff := cmp.Diff(list, walked); diff != "" {
			t.Errorf("collections (-GraphQL +REST):\n%s", diff)
		}
	}
}

// TestREST_NoMetadata checks that the error contains the document counts of the collection.
func TestREST_NoMetadata(t *testing.T) {
	blocks := generated(30, 10)
	s := serveStore(t, storeOf(t, blocks))
	address := apitest.At(s.Get(t, "{ mints(first: 1) { data { tokenAddress } } }", ""), "mints", "data", 0, "tokenAddress").(string)
	total := apitest.At(s.Get(t, fmt.Sprintf("{ collection(address: %q) { tokens { totalItems } documents { resolved pending failed untried } } }", address), ""), "collection")
	status, got, _ := ofRoute(t, s, "/v1/nft/"+address+"/metadata")
	if status != http.StatusNotFound || got["code"] != "NOT_FOUND" {
		t.Errorf("status %d, %v", status, got)
	}
	if diff := cmp.Diff(apitest.At(total, "documents"), apitest.At(got, "details", "documents")); diff != "" {
		t.Errorf("details (-GraphQL +REST):\n%s", diff)
	}
	if diff := cmp.Diff(apitest.At(total, "tokens", "totalItems"), apitest.At(got, "details", "documents", "untried")); diff != "" {
		t.Errorf("never tried (-tokens +got):\n%s", diff)
	}
	// A token without a document exists, and one without a record may be in block 0, which is not indexed.
	id := apitest.At(s.Get(t, fmt.Sprintf("{ mints(address: %q, first: 1) { data { tokenId } } }", address), ""), "mints", "data", 0, "tokenId")
	for _, id := range []any{id, "777777"} {
		if _, got, text := ofRoute(t, s, fmt.Sprintf("/v1/nft/%s/metadata?token_id=%s", address, id)); got["code"] != "NOT_FOUND" || !strings.Contains(text, "there is no metadata yet") {
			t.Errorf("token %s: %s", id, text)
		}
	}
	holes := serveStore(t, storeOf(t, blocks[4:10], blocks[19:25]))
	if status, got, _ := ofRoute(t, holes, "/v1/nft/0x"+strings.Repeat("ab", 20)+"/metadata"); status != http.StatusNotFound || got["code"] != "NOT_FOUND" {
		t.Errorf("with a hole: status %d, %v", status, got)
	}
}

func TestREST_Errors(t *testing.T) {
	// The alias limit applies only to clients, although the routes use aliases.
	s := serve(t, func(c *httpapi.Config) { c.Limits.Aliases = 1 })
	const collection = "/v1/nft/0x5fbdb2315678afecb367f032d93f642f64180aa3"
	for path, want := range map[string]struct {
		status  int
		code    string
		message string
	}{
		"/v1/block/99999/nft/mints":                              {404, "BLOCK_NOT_INDEXED", "block 99999 is not indexed"},
		"/v1/block/0x" + strings.Repeat("ab", 32) + "/nft/mints": {404, "BLOCK_NOT_FOUND", "no indexed block has the hash"},
		"/v1/block/x/nft/mints":                                  {400, "BAD_USER_INPUT", "block_number_or_hash: got"},
		"/v1/block/36/nft/mints?limit=1001":                      {400, "BAD_USER_INPUT", "limit: got 1001, want 0 to 1000"},
		"/v1/block/36/nft/mints?limit=-1":                        {400, "BAD_USER_INPUT", "limit: got -1"},
		"/v1/block/36/nft/mints?limit=x":                         {400, "BAD_USER_INPUT", `limit: got "x", want a whole number from 0 to 1000`},
		"/v1/block/36/nft/mints?limit=1&limit=2":                 {400, "BAD_USER_INPUT", "the parameter limit is given twice"},
		"/v1/block/36/nft/mints?cursor=x":                        {400, "INVALID_CURSOR", "invalid cursor"},
		"/v1/block/36/nft/mints?page=2":                          {400, "BAD_USER_INPUT", `unknown parameter "page": want cursor, limit`},
		"/v1/mints?fromTime=1":                                   {400, "BAD_USER_INPUT", `unknown parameter "fromTime": want block`},
		"/v1/mints?from_time=fromTime":                           {400, "BAD_USER_INPUT", `from_time: got "fromTime", want`},
		"/v1/mints?token_id=tokenId%22tokenId":                   {400, "BAD_USER_INPUT", `token_id: got "tokenId\"tokenId", want`},
		"/v1/block/36/nft/mints?limit=%zz":                       {400, "BAD_USER_INPUT", "the URL has invalid parameters"},
		collection + "/burns":                                    {400, "BAD_USER_INPUT", "missing parameter from_block: want from_block and to_block"},
		collection + "/burns?from_block=9&to_block=3":            {400, "BAD_USER_INPUT", "from_block: got 9, want at most to_block, which is 3"},
		collection + "/mints/0x12":                               {400, "BAD_USER_INPUT", "transaction_hash: got"},
		collection + "/-1/burns":                                 {400, "BAD_USER_INPUT", "token_id: got"},
		collection + "/metadata?token_id=777777":                 {404, "NOT_FOUND", "there is no token 777777: no mint or burn names it"},
		"/v1/nft/0x12/metadata":                                  {400, "BAD_USER_INPUT", "address: got"},
		collection + "/777777":                                   {404, "NOT_FOUND", "there is no token 777777: no mint or burn names it"},
		collection + "/10?at_block=825":                          {404, "BLOCK_NOT_INDEXED", "block 825 is not indexed"},
		collection + "/10?at_block=-1":                           {400, "BAD_USER_INPUT", "at_block: got"},
		collection + "?at_block=1&at_block=2":                    {400, "BAD_USER_INPUT", "the parameter at_block is given twice"},
		"/v1/nft/0x" + strings.Repeat("ab", 20):                  {404, "NOT_FOUND", "there is no collection 0xabab"},
		"/v1/tokens":                                             {400, "BAD_USER_INPUT", "missing parameter keys: want keys"},
		"/v1/tokens?keys=10":                                     {400, "BAD_USER_INPUT", `keys: got "10", want ADDRESS:TOKEN_ID`},
		"/v1/tokens?keys=x:10":                                   {400, "BAD_USER_INPUT", "keys"},
		collection + "/sold/today":                               {404, "NOT_FOUND", "no such route"},
		"/v1/prices":                                             {404, "NOT_FOUND", "no such route: see /openapi.json"},
		collection + "/mints":                                    {404, "NOT_FOUND", "no such route: want /v1/mints?address=0x5fbdb2315678afecb367f032d93f642f64180aa3"},
		collection + "/124/mints":                                {404, "NOT_FOUND", "no such route: want /v1/mints?address=0x5fbdb2315678afecb367f032d93f642f64180aa3&token_id=124"},
		collection + "/124/metadata":                             {404, "NOT_FOUND", "no such route: want " + collection + "/metadata?token_id=124"},
		"/v1/nft/%22%0a%26/mints":                                {404, "NOT_FOUND", "no such route: want /v1/mints?address=%22%0A%26"},
	} {
		status, got, _ := ofRoute(t, s, path)
		message, _ := got["message"].(string)
		if _, ok := got["details"].(map[string]any); !ok || status != want.status || got["code"] != want.code || !strings.HasPrefix(message, want.message) ||
			want.code == "BAD_USER_INPUT" && !apitest.Accepted.MatchString(message) {
			t.Errorf("%s: status %d, %v: want %v", path, status, got, want)
		}
	}
	if got := s.Send(t, http.MethodPost, "/v1/block/36/nft/mints", ""); got.Status != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: status %d, allowed %q", got.Status, got.Header.Get("Allow"))
	}
}

// generated returns blocks of a generated chain, from block 1 by default.
func generated(blocks, records int, change ...func(*chaintest.Options)) (list []nft.Block) {
	o := chaintest.Default()
	o.Blocks, o.Records = blocks, records
	for _, f := range change {
		f(&o)
	}
	for b := range chaintest.Blocks(o) {
		b.Mints, b.Burns = slices.Clone(b.Mints), slices.Clone(b.Burns)
		list = append(list, b.Block)
	}
	return list
}

// TestREST_Holes queries records that may be in blocks that are not indexed.
func TestREST_Holes(t *testing.T) {
	all := generated(40, 400)
	s := serveStore(t, storeOf(t, all[4:10], all[19:25]))
	const ofBlock, ofToken = "/v1/block/15/nft/mints?", "/v1/nft/0x5fbdb2315678afecb367f032d93f642f64180aa3/1/burns?"
	ranges := []any{map[string]any{"from_block": json.Number("5"), "to_block": json.Number("10")}, map[string]any{"from_block": json.Number("20"), "to_block": json.Number("25")}}
	missing := map[string]string{ofBlock: `{"from_block":15,"to_block":15}`, ofToken: `{"from_block":11,"to_block":19}`}
	for path, indexed := range map[string][]any{ofBlock: {}, ofToken: ranges} {
		for _, partial := range []string{"", "partial=false"} {
			status, got, text := ofRoute(t, s, path+partial)
			if status != http.StatusNotFound || got["code"] != "BLOCK_NOT_INDEXED" || !strings.Contains(text, `"missing_ranges":[`+missing[path]+`]`) {
				t.Errorf("%s%s: status %d, %s", path, partial, status, text)
			}
		}
		status, got, text := ofRoute(t, s, path+"partial=true")
		if diff := cmp.Diff(indexed, got["indexed"]); status != http.StatusOK || diff != "" {
			t.Errorf("%s: status %d, %s (-want +got):\n%s", path, status, text, diff)
		}
	}
	status, got, _ := ofRoute(t, s, ofBlock+"partial=yes")
	if status != http.StatusBadRequest || got["message"] != `partial: got "yes", want true or false` {
		t.Errorf("status %d, %v", status, got)
	}
}

// TestREST_Statuses checks the status of each code. docs/api.md#errors.
func TestREST_Statuses(t *testing.T) {
	for code, want := range map[apierror.Code]int{
		apierror.BadUserInput: 400, apierror.InvalidCursor: 400, apierror.QueryTooCostly: 400, apierror.NotFound: 404, apierror.BlockNotFound: 404, apierror.BlockNotIndexed: 404,
		apierror.CursorReorged: 410, apierror.BlockNotCanonical: 410, apierror.ChangesExpired: 410, apierror.Internal: 500, apierror.Unavailable: 503, apierror.ReplicaBehind: 503, apierror.Timeout: 504,
	} {
		if got := new(routes.Routes).WriteError(io.Discard, failure.New(code, "")); got != want {
			t.Errorf("%s: status %d, want %d", code, got, want)
		}
	}
}

// overflowing returns a block with two mints, each of 2^256-1, of token 1 of [collection].
func overflowing() []nft.Block {
	b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Hash: evm.Hash{1}}, Time: 1}}
	most, _ := evm.ParseUint256("0x" + strings.Repeat("f", 64))
	address, _ := evm.ParseAddress(collection)
	for i := range uint32(2) {
		b.Mints = append(b.Mints, nft.Record{Contract: address, Type: nft.ERC1155, TokenID: evm.NewUint256(1), Amount: most, To: evm.Address{1}, LogIndex: i})
	}
	return []nft.Block{b}
}

// TestToken_Overflow checks that a sum beyond BigInt is an error of its field only.
func TestToken_Overflow(t *testing.T) {
	s := serveStore(t, storeOf(t, overflowing()))
	a := s.Ask(t, fmt.Sprintf(`{ a: token(address: %[1]q, tokenId: 1) { state minted burned supply } tokens(keys: [{address: %[1]q, tokenId: 1}, {address: %[1]q, tokenId: 2}]) { minted state } }`, collection), "")
	want := map[string]any{
		"a":      map[string]any{"state": "EXISTS", "minted": nil, "burned": "0", "supply": nil},
		"tokens": []any{map[string]any{"minted": nil, "state": "EXISTS"}, nil},
	}
	if diff := cmp.Diff(any(want), any(a.Data)); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	for _, e := range a.Errors {
		if e.Extensions["code"] != "OUT_OF_RANGE" {
			t.Errorf("got %v", e)
		}
	}
	if len(a.Errors) != 3 {
		t.Errorf("%d errors, want 3: %v", len(a.Errors), a.Errors)
	}
}
