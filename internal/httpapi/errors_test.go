package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// Values of the recorded chain.
const (
	// collection has mints and burns in many blocks.
	collection = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
	block3     = "0xa2501ea41597a98aa7d8aa7fd5318d8493c2104e7a19d9e5bdb4cccc54b53604"
	noHash     = "0x1111111111111111111111111111111111111111111111111111111111111111"
)

// TestErrors_OneAlias checks that a failed field leaves the data of the others.
func TestErrors_OneAlias(t *testing.T) {
	s := serve(t)
	a := s.Ask(t, `{ good: mints(first: 1) { data { blockNumber } } bad: mints(block: 99999) { totalItems }
		worse: burns(first: -1) { page } none: node(id: "bad") { id } nodes(ids: []) { id } chain { head { number } } }`, "")
	const want = `"data":{"good":{"data":[{"blockNumber":2}]},"bad":null,"worse":null,"none":null,"nodes":[],"chain":{"head":{"number":824}}}`
	if !strings.Contains(a.Text, want) {
		t.Errorf("%s, want %s", a.Text, want)
	}
	codes := map[string]any{}
	for _, e := range a.Errors {
		codes[fmt.Sprint(e.Path...)] = e.Extensions["code"]
	}
	expect.Equal(t, "codes by path", map[string]any{"bad": "BLOCK_NOT_INDEXED", "worse": "BAD_USER_INPUT", "none": "BAD_USER_INPUT"}, codes)
}

func TestErrors_Codes(t *testing.T) {
	s := serve(t)
	cursorOf := func(arguments string) any {
		return apitest.At(s.Get(t, fmt.Sprintf("{ mints(%s first: 1) { cursor } }", arguments), ""), "mints", "cursor")
	}
	address := `address: "` + collection + `" `
	cursor, filtered := cursorOf(""), cursorOf(address)
	ids := strings.Repeat(`"x" `, 1001)
	for name, test := range map[string]struct{ query, variables, code, message string }{
		"first negative":           {"{ mints(first: -1) { totalItems } }", "", "BAD_USER_INPUT", "first: got -1, want 0 to 1000"},
		"last negative":            {"{ burns(last: -1) { totalItems } }", "", "BAD_USER_INPUT", "last: got -1, want 0 to 1000"},
		"first too large":          {"{ mints(first: 1001) { totalItems } }", "", "BAD_USER_INPUT", "first: got 1001, want 0 to 1000"},
		"last too large, variable": {"query($n: Int) { mints(last: $n) { totalItems } }", `{"n": 1001}`, "BAD_USER_INPUT", "last: got 1001"},
		"tokens, first too large":  {`{ tokenMetadata(` + address + `first: 1001) { totalItems } }`, "", "BAD_USER_INPUT", "first: got 1001"},
		"first and last":           {"{ mints(first: 1, last: 1) { totalItems } }", "", "BAD_USER_INPUT", "first and last"},
		"first 0 and last 0":       {"{ mints(first: 0, last: 0) { totalItems } }", "", "BAD_USER_INPUT", "first and last"},
		"after and before":         {fmt.Sprintf("{ mints(after: %q, before: %q) { totalItems } }", cursor, cursor), "", "BAD_USER_INPUT", "after and before"},
		"fromBlock above toBlock":  {"{ mints(fromBlock: 5, toBlock: 4) { totalItems } }", "", "BAD_USER_INPUT", "fromBlock: got 5, want at most toBlock, which is 4"},

		"block and tokenId":                    {`{ mints(block: 3, tokenId: 1) { totalItems } }`, "", "BAD_USER_INPUT", "block and tokenId need address"},
		"block and fromBlock":                  {`{ mints(block: 3, fromBlock: 1) { totalItems } }`, "", "BAD_USER_INPUT", "block can't be combined with fromBlock: want one or the other"},
		"block and toBlock":                    {`{ burns(block: 3, toBlock: 9) { totalItems } }`, "", "BAD_USER_INPUT", "block can't be combined with toBlock: want one or the other"},
		"block, address and toBlock":           {`{ burns(block: 3, toBlock: 9, ` + address + `) { totalItems } }`, "", "BAD_USER_INPUT", "block and address can't be combined with toBlock: want one or the other"},
		"block and transactionHash":            {`{ mints(block: 3, transactionHash: "` + noHash + `") { totalItems } }`, "", "BAD_USER_INPUT", "block and transactionHash can't be combined: want block, or transactionHash"},
		"tokenId alone":                        {`{ burns(tokenId: 1) { totalItems } }`, "", "BAD_USER_INPUT", "tokenId needs address"},
		"tokenId and account":                  {`{ burns(` + address + `tokenId: 1, account: "` + collection + `") { totalItems } }`, "", "BAD_USER_INPUT", "address and tokenId and account can't be combined: want address and tokenId, or address and account"},
		"tokenId and transactionHash":          {`{ burns(tokenId: 1, transactionHash: "` + noHash + `") { totalItems } }`, "", "BAD_USER_INPUT", "tokenId and transactionHash need address"},
		"account and transactionHash":          {`{ mints(account: "` + collection + `", transactionHash: "` + noHash + `") { totalItems } }`, "", "BAD_USER_INPUT", "transactionHash and account can't be combined: want transactionHash, or account"},
		"two lists":                            {`{ mints(addresses: [], accounts: []) { totalItems } }`, "", "BAD_USER_INPUT", "addresses and accounts can't be combined: want addresses, or accounts"},
		"a list and its single form":           {`{ mints(` + address + `addresses: "` + collection + `") { totalItems } }`, "", "BAD_USER_INPUT", "address and addresses can't be combined: want address, or addresses"},
		"tokens and tokenId":                   {`{ mints(tokens: [], tokenId: 1) { totalItems } }`, "", "BAD_USER_INPUT", "tokenId and tokens can't be combined: want tokens"},
		"a null in a list":                     {`{ mints(addresses: [null]) { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "null"},
		"a null in a variable's list":          {`query($a: [Address!]) { mints(addresses: $a) { totalItems } }`, `{"a": ["` + collection + `", null]}`, "BAD_USER_INPUT", "$a[1]"},
		"a bad value in a list":                {`{ mints(addresses: ["` + collection + `", "0x12"]) { totalItems } }`, "", "BAD_USER_INPUT", "want"},
		"a bad value in a variable's list":     {`query($a: [Bytes32!]) { mints(transactionHashes: $a) { totalItems } }`, `{"a": ["` + noHash + `", "x"]}`, "BAD_USER_INPUT", "$a[1]"},
		"a token without an id":                {`{ mints(tokens: [{address: "` + collection + `"}]) { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "tokenId"},
		"a token with a bad id":                {`{ mints(tokens: [{address: "` + collection + `", tokenId: -1}]) { totalItems } }`, "", "BAD_USER_INPUT", "want"},
		"101 values":                           {`query($a: [Address!]) { mints(addresses: $a) { totalItems } }`, `{"a": [` + strings.Repeat(`"`+collection+`", `, 100) + `"` + collection + `"]}`, "BAD_USER_INPUT", "addresses: got 101 values, want at most 100"},
		"a list of 51 values twice":            {`query($a: [Address!]) { a: mints(addresses: $a) { totalItems } b: burns(addresses: $a) { totalItems } }`, `{"a": [` + strings.Repeat(`"`+collection+`", `, 50) + `"` + collection + `"]}`, "QUERY_TOO_COSTLY", "more than 100 values"},
		"a rejected combination with a cursor": {fmt.Sprintf(`{ mints(tokenId: 1, after: %q) { totalItems } }`, cursor), "", "BAD_USER_INPUT", "tokenId needs address"},

		"cursor, not one":             {`{ mints(after: "x") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"cursor, empty":               {`{ mints(after: " ") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"cursor, long":                {`{ mints(after: "` + strings.Repeat("A", 9999) + `") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"before, not one":             {`{ mints(before: "AAAA") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"cursor of another filter":    {fmt.Sprintf(`{ mints(%s after: %q) { totalItems } }`, address, cursor), "", "INVALID_CURSOR", "another filter"},
		"cursor of a narrower filter": {fmt.Sprintf(`{ mints(after: %q) { totalItems } }`, filtered), "", "INVALID_CURSOR", "another filter"},
		"cursor of another range":     {fmt.Sprintf(`{ mints(%s fromBlock: 1, after: %q) { totalItems } }`, address, filtered), "", "INVALID_CURSOR", "another filter"},
		"cursor of another order":     {fmt.Sprintf(`{ mints(order: DESC, after: %q) { totalItems } }`, cursor), "", "INVALID_CURSOR", "another filter"},
		"cursor of the other kind":    {fmt.Sprintf(`{ burns(after: %q) { totalItems } }`, cursor), "", "INVALID_CURSOR", "another filter"},
		"cursor of mints for tokens":  {fmt.Sprintf(`{ tokenMetadata(%s after: %q) { totalItems } }`, address, filtered), "", "INVALID_CURSOR", "another filter"},

		"unknown block hash":            {`{ mints(block: "` + noHash + `") { totalItems } }`, "", "BLOCK_NOT_FOUND", "no indexed block has the hash " + noHash},
		"number above the head":         {`{ mints(block: 825) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "block 825 is not indexed: indexed are 0 to 824"},
		"number far above the head":     {`{ burns(block: 9007199254740991) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "indexed are 0 to 824"},
		"range above the head":          {`{ mints(fromBlock: 825, toBlock: 900) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "indexed are 0 to 824"},
		"fromBlock above the head":      {`{ mints(fromBlock: 825) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "indexed are 0 to 824"},
		"one block by range, not there": {`{ mints(fromBlock: 825, toBlock: 825) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "block 825"},

		"enum, wrong":           {`{ mints(order: UP) { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "UP"},
		"enum as a string":      {`{ mints(order: "ASC") { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "ASC"},
		"enum, wrong variable":  {`query($o: Order) { mints(order: $o) { totalItems } }`, `{"o": "UP"}`, "BAD_USER_INPUT", `$o: got "UP", want ASC or DESC`},
		"enum, other case":      {`query($o: Order) { mints(order: $o) { totalItems } }`, `{"o": "asc"}`, "BAD_USER_INPUT", "got"},
		"Int as text":           {`query($n: Int) { mints(first: $n) { totalItems } }`, `{"n": "5"}`, "BAD_USER_INPUT", "got"},
		"Int with a fraction":   {`query($n: Int) { mints(first: $n) { totalItems } }`, `{"n": 1.5}`, "BAD_USER_INPUT", "$n: got 1.5"},
		"Float out of range":    {`{ mints(fromBlock: 1e999) { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "1e999 is out of range"},
		"large integers nested": {`{ mints(address: [99999999999999999999]) { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "99999999999999999999 is out of range"},

		"unknown field":                 {"{ mints { price } }", "", "GRAPHQL_VALIDATION_FAILED", "price"},
		"unknown argument":              {"{ mints(limit: 5) { totalItems } }", "", "GRAPHQL_VALIDATION_FAILED", "limit"},
		"no selection":                  {"{ mints }", "", "GRAPHQL_VALIDATION_FAILED", "mints"},
		"required argument missing":     {"{ tokenMetadata { totalItems } }", "", "GRAPHQL_VALIDATION_FAILED", "address"},
		"required argument null":        {"{ tokenMetadata(address: null) { totalItems } }", "", "GRAPHQL_VALIDATION_FAILED", "null"},
		"required variable missing":     {"query($a: Address!) { tokenMetadata(address: $a) { totalItems } }", `{}`, "BAD_USER_INPUT", ""},
		"required variable null":        {"query($a: Address!) { tokenMetadata(address: $a) { totalItems } }", `{"a": null}`, "BAD_USER_INPUT", ""},
		"variable of another type":      {"query($a: BigInt) { mints(address: $a) { totalItems } }", `{"a": null}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"fragment on another type":      {"{ mints { ...F } } fragment F on BurnConnection { page }", "", "GRAPHQL_VALIDATION_FAILED", ""},
		"a mutation":                    {"mutation { mints { page } }", "", "GRAPHQL_VALIDATION_FAILED", "mutation"},
		"two operations and no name":    {"query A { chain { lag } } query B { chain { lag } }", "", "GRAPHQL_VALIDATION_FAILED", ""},
		"syntax, unclosed":              {"{ mints {", "", "GRAPHQL_PARSE_FAILED", ""},
		"syntax, a number with a tail":  {"{ mints(first: 5x) { page } }", "", "GRAPHQL_PARSE_FAILED", ""},
		"syntax, an unterminated value": {`{ mints(block: "3) { page } }`, "", "GRAPHQL_PARSE_FAILED", ""},
		"too many tokens":               {"{" + strings.Repeat(" chain { lag }", 5000) + "}", "", "GRAPHQL_PARSE_FAILED", "token"},

		"id, not one":      {`{ node(id: "x") { id } }`, "", "BAD_USER_INPUT", "invalid id"},
		"id, empty":        {`{ node(id: "") { id } }`, "", "BAD_USER_INPUT", "invalid id"},
		"id, long":         {`{ node(id: "` + strings.Repeat("A", 9999) + `") { id } }`, "", "BAD_USER_INPUT", "invalid id"},
		"id, a cursor":     {fmt.Sprintf(`{ node(id: %q) { id } }`, cursor), "", "BAD_USER_INPUT", "invalid id"},
		"id, a number":     {`{ node(id: 5) { id } }`, "", "BAD_USER_INPUT", "invalid id"},
		"id, an object":    {`query($i: ID!) { node(id: $i) { id } }`, `{"i": {"a": 1}}`, "BAD_USER_INPUT", ""},
		"too many ids":     {`{ nodes(ids: [` + ids + `]) { id } }`, "", "BAD_USER_INPUT", "ids: got 1001, want at most 1000"},
		"ids with a null":  {`{ nodes(ids: [null]) { id } }`, "", "GRAPHQL_VALIDATION_FAILED", "null"},
		"ids with an enum": {`{ nodes(ids: [A]) { id } }`, "", "GRAPHQL_VALIDATION_FAILED", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.Ask(t, test.query, test.variables)
			if test.code == "GRAPHQL_VALIDATION_FAILED" && len(a.Errors) > 1 {
				// One mistake may break several rules.
				a.Errors = a.Errors[:1]
			}
			if e := a.OnlyError(t, test.code); !strings.Contains(e.Message, test.message) {
				t.Errorf("message %q, want %q in it", e.Message, test.message)
			}
		})
	}
}

// TestLists_OverHTTP checks that an empty list selects nothing, values are compared without
// case, and null counts as no list.
func TestLists_OverHTTP(t *testing.T) {
	s := serve(t)
	total := func(arguments string) string {
		return fmt.Sprint(apitest.At(s.Get(t, "{ mints("+arguments+" first: 0) { totalItems } }", ""), "mints", "totalItems"))
	}
	one := total(`address: "` + collection + `"`)
	expect.Equal(t, "a collection in two cases", one, total(`addresses: ["`+collection+`", "0x`+strings.ToUpper(collection[2:])+`"]`))
	expect.Equal(t, "a value for a list", one, total(`addresses: "`+collection+`"`))
	expect.Equal(t, "an empty list", "0", total(`addresses: []`))
	expect.Equal(t, "null", total(""), total(`addresses: null`))
	for path, want := range map[string]string{
		"?addresses=" + collection + "&addresses=" + collection: one, "?addresses=": "0", "": total(""), "?address=" + collection + "&order=DESC": one,
		"?tokens=" + collection + ":1&tokens=" + collection + ":2": total(`tokens: [{address: "` + collection + `", tokenId: 1}, {address: "` + collection + `", tokenId: 2}]`),
	} {
		status, page, text := ofRoute(t, s, "/v1/mints"+path)
		if got := fmt.Sprint(page["total_items"]); status != 200 || got != want {
			t.Errorf("%s: status %d, total_items %s, want %s: %.300s", path, status, got, want, text)
		}
	}
	for path, message := range map[string]string{
		"?tokens=" + collection: "tokens: got", "?tokens=" + collection + ":x": "tokens", "?addresses=x": "addresses", "?address=&address=": "given twice",
		"?transaction_hashes=&token_id=1": "transaction_hashes", "?" + strings.Repeat("accounts="+collection+"&", 101): "accounts: got 101 values, want at most 100",
	} {
		status, body, text := ofRoute(t, s, "/v1/burns"+path)
		if got := fmt.Sprint(body["message"]); status != 400 || !strings.Contains(got, message) {
			t.Errorf("%s: status %d, message %q, want %q in it: %.300s", path, status, got, message, text)
		}
	}
}

func TestErrors_AlteredCursor(t *testing.T) {
	s := serve(t)
	cursor := apitest.At(s.Get(t, "{ mints(first: 1) { cursor } }", ""), "mints", "cursor").(string)
	altered := []string{cursor + "A", cursor + "=", cursor[1:], cursor[:len(cursor)-1], " " + cursor, cursor + "\n"}
	bytes, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatalf("the cursor %q is not URL-safe: %v", cursor, err)
	}
	for i := range bytes {
		bytes[i] ^= 1
		altered = append(altered, base64.RawURLEncoding.EncodeToString(bytes))
		bytes[i] ^= 1
	}
	for _, text := range altered {
		a := s.Ask(t, "query($c: Cursor) { mints(after: $c) { totalItems } }", fmt.Sprintf(`{"c": %q}`, text))
		a.OnlyError(t, "INVALID_CURSOR")
	}
}

func TestErrors_BlockNotIndexed_ListsRanges(t *testing.T) {
	// Two ranges with a hole between them.
	all := recordedBlocks(t)
	s := serveStore(t, storeOf(t, all[:11], all[20:31]))
	for _, query := range []string{
		"{ mints(block: 15) { totalItems } }",
		"{ mints(fromBlock: 5, toBlock: 25) { totalItems } }",
		"{ mints(fromBlock: 5) { totalItems } }",
		"{ mints(toBlock: 25) { totalItems } }",
	} {
		e := s.Ask(t, query, "").OnlyError(t, "BLOCK_NOT_INDEXED")
		want := []any{
			map[string]any{"fromBlock": json.Number("0"), "toBlock": json.Number("10")},
			map[string]any{"fromBlock": json.Number("20"), "toBlock": json.Number("30")},
		}
		if diff := cmp.Diff(want, e.Extensions["indexedRanges"]); diff != "" {
			t.Errorf("%s: indexedRanges (-want +got):\n%s", query, diff)
		}
	}
	for _, query := range []string{"{ mints(block: 10) { totalItems } }", "{ mints(fromBlock: 20) { totalItems } }", "{ mints(fromBlock: 20, toBlock: 9000) { totalItems } }"} {
		s.Get(t, query, "")
	}
}

func TestErrors_NothingIndexed(t *testing.T) {
	s := serveStore(t, emptyStore(t))
	for _, query := range []string{"{ mints { totalItems } }", "{ mints(block: 0) { page } }", "{ burns(fromBlock: 0) { page } }", `{ mints(address: "` + collection + `") { page } }`} {
		s.Ask(t, query, "").OnlyError(t, "BLOCK_NOT_INDEXED")
	}
	got := s.Get(t, "{ chain { head { number } indexedRanges { toBlock } lag } }", "")
	want := map[string]any{"chain": map[string]any{"head": nil, "indexedRanges": []any{}, "lag": nil}}
	expect.Equal(t, "chain", want, got)
}
