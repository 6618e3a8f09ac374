package command_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Values of the recorded chain.
const (
	// collection has mints and burns in many blocks.
	collection = "0x663f3ad617193148711d28f5334ee4ed07016602"
	block3     = "0x13f4bfb5f6938e738521ca85ed9a2ac3ec55dcfb86aa434e595373ec3769e27d"
	noHash     = "0x1111111111111111111111111111111111111111111111111111111111111111"
)

// badInputs are values that a scalar refuses, as literals; those that JSON
// knows are sent as variables too.
var badInputs = map[string]struct {
	field  string // with %s for the value
	values []string
}{
	"Address": {`mints(address: %s)`, []string{`""`, `"0x12"`, `"663f3ad617193148711d28f5334ee4ed07016602"`,
		`"0x663f3ad617193148711d28f5334ee4ed0701660"`, `"0x663f3ad617193148711d28f5334ee4ed070166022"`,
		`"0x663f3ad617193148711d28f5334ee4ed0701660g"`, `5`, `true`, `1.5`, `99999999999999999999`, `[]`, `{}`, `"` + block3 + `"`}},
	"Bytes32": {`mints(transactionHash: %s)`, []string{`""`, `"0x12"`, `"` + block3 + `0"`, `"` + collection + `"`, `7`, `false`, `[[]]`}},
	"BigInt": {`mints(address: "` + collection + `", tokenId: %s)`, []string{`""`, `"-1"`, `-1`, `"1.5"`, `1.5`, `"0x"`, `"0xg"`, `"1e3"`, `" 1"`, `true`, `[]`,
		`"115792089237316195423570985008687907853269984665640564039457584007913129639936"`,
		`115792089237316195423570985008687907853269984665640564039457584007913129639936`,
		`"0x10000000000000000000000000000000000000000000000000000000000000000"`}},
	"Long": {`mints(fromBlock: %s)`, []string{`""`, `"x"`, `-1`, `"-1"`, `1.5`, `9007199254740992`, `"9007199254740992"`, `"0x20000000000000"`,
		`18446744073709551616`, `-18446744073709551616`, `true`, `{}`}},
	"BlockNumberOrHash": {`mints(block: %s)`, []string{`""`, `"latest"`, `-1`, `"-1"`, `1.5`, `9007199254740992`, `99999999999999999999`,
		`"0x"`, `"` + block3[:65] + `"`, `"` + block3 + `0"`, `"` + block3[:65] + `g"`, `true`, `{}`}},
	"Cursor": {`mints(after: %s)`, []string{`5`, `true`, `{}`, `[]`}},
	"Int":    {`mints(first: %s)`, []string{`2147483648`, `-2147483649`}},
}

func TestErrors_BadInput(t *testing.T) {
	s := serve(t, importChainA(t))
	for scalar, bad := range badInputs {
		name := regexp.MustCompile(`(\w+): %s`).FindStringSubmatch(bad.field)[1]
		for _, value := range bad.values {
			check := func(t *testing.T, query, variables string) {
				a := s.ask(t, query, variables)
				e := onlyError(t, a, "BAD_USER_INPUT")
				// A literal is an error of its field, a variable one of the request.
				want, path := name+": invalid "+scalar, []any{"mints"}
				if variables != "" {
					want, path = "$v: invalid "+scalar, nil
					if strings.Contains(a.text, `"data"`) {
						t.Errorf("%s has data", a.text)
					}
				}
				if !strings.HasPrefix(e.Message, want) || !strings.Contains(e.Message, ": want ") {
					t.Errorf("message %q, want %s…: want …", e.Message, want)
				}
				if diff := cmp.Diff(path, e.Path); diff != "" {
					t.Errorf("path (-want +got):\n%s", diff)
				}
				if len(e.Locations) != 1 {
					t.Errorf("locations %v, want one", e.Locations)
				}
			}
			t.Run(scalar+" literal "+value, func(t *testing.T) {
				check(t, "{ "+fmt.Sprintf(bad.field, value)+" { totalItems } }", "")
			})
			t.Run(scalar+" variable "+value, func(t *testing.T) {
				query := fmt.Sprintf("query($v: %s) { %s { totalItems } }", scalar, fmt.Sprintf(bad.field, "$v"))
				check(t, query, `{"v": `+value+`}`)
			})
			t.Run(scalar+" default "+value, func(t *testing.T) {
				query := fmt.Sprintf("query($v: %s = %s) { %s { totalItems } }", scalar, value, fmt.Sprintf(bad.field, "$v"))
				check(t, query, `{}`)
			})
		}
	}
}

// TestErrors_OneAlias: a field that fails leaves the others' data.
func TestErrors_OneAlias(t *testing.T) {
	s := serve(t, importChainA(t))
	a := s.ask(t, `{ good: mints(first: 1) { data { blockNumber } } bad: mints(block: 99999) { totalItems }
		worse: burns(first: -1) { page } nodes(ids: []) { id } chain { head { number } } }`, "")
	const want = `"data":{"good":{"data":[{"blockNumber":3}]},"bad":null,"worse":null,"nodes":[],"chain":{"head":{"number":360}}}`
	if !strings.Contains(a.text, want) {
		t.Errorf("%s, want %s", a.text, want)
	}
	codes := map[string]any{}
	for _, e := range a.Errors {
		codes[fmt.Sprint(e.Path...)] = e.Extensions["code"]
	}
	if diff := cmp.Diff(map[string]any{"bad": "BLOCK_NOT_INDEXED", "worse": "BAD_USER_INPUT"}, codes); diff != "" {
		t.Errorf("codes by path (-want +got):\n%s", diff)
	}
}

// TestInput_Forms asks for the same thing in every form that a scalar reads.
func TestInput_Forms(t *testing.T) {
	s := serve(t, importChainA(t))
	const big = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	for name, forms := range map[string]struct {
		scalar, field string
		values        []string
		want          string
	}{
		"Address": {"Address", `mints(address: %s)`, []string{`"` + collection + `"`, `"0x` + strings.ToUpper(collection[2:]) + `"`}, "0x663f3ad617193148711d28f5334ee4ed07016602"},
		"BigInt, small": {"BigInt", `mints(address: "` + collection + `", tokenId: %s)`,
			[]string{`1`, `"1"`, `"0x1"`, `"0x01"`, `"001"`}, `"tokenId":"1"`},
		"BigInt, the largest": {"BigInt", `mints(address: "` + bigCollection(t) + `", tokenId: %s)`,
			[]string{big, `"` + big + `"`, `"0x` + strings.Repeat("f", 64) + `"`}, `"tokenId":"` + big + `"`},
		"block":   {"BlockNumberOrHash", `mints(block: %s)`, []string{`3`, `"3"`, `"0x3"`, `"` + block3 + `"`, `"0x` + strings.ToUpper(block3[2:]) + `"`}, `"blockNumber":3`},
		"Long":    {"Long", `mints(toBlock: %s)`, []string{`3`, `"3"`, `"0x3"`}, `"blockNumber":3`},
		"toBlock": {"Long", `mints(fromBlock: 3, toBlock: %s)`, []string{`9007199254740991`, `"9007199254740991"`, `1000`}, `"blockNumber":3`},
		"Order":   {"Order", `mints(order: %s)`, []string{`ASC`, `null`}, `"blockNumber":3`},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string][]string{}
			ask := func(query, variables, as string) {
				a := s.ask(t, query, variables)
				if len(a.Errors) > 0 || !strings.Contains(a.text, forms.want) {
					t.Errorf("%s %s: want %s in %s", query, variables, forms.want, a.text)
				}
				seen[a.text] = append(seen[a.text], as)
			}
			const selection = `{ totalItems data { tokenAddress tokenId blockNumber logIndex } edges { cursor } }`
			for _, value := range forms.values {
				ask("{ "+fmt.Sprintf(forms.field, value)+selection+" }", "", "literal "+value)
				query := fmt.Sprintf("query($v: %s) { %s %s }", forms.scalar, fmt.Sprintf(forms.field, "$v"), selection)
				ask(query, `{"v": `+strings.ReplaceAll(value, "ASC", `"ASC"`)+`}`, "variable "+value)
			}
			if len(seen) != 1 && name != "toBlock" {
				t.Errorf("different answers: %v", seen)
			}
		})
	}
}

// bigCollection returns a collection whose token 2^256-1 was minted.
func bigCollection(t *testing.T) string {
	for _, r := range expected(t, chainA(t, "all-mints.ndjson.gz")) {
		if strings.HasSuffix(r["tokenId"].(string), "129639935") {
			return r["tokenAddress"].(string)
		}
	}
	t.Fatal("no mint of token 2^256-1")
	return ""
}

// onlyError returns the one error of an answer, which must have a code and
// tell nothing of the inside.
func onlyError(t *testing.T, a *answer, code string) answerError {
	t.Helper()
	if len(a.Errors) != 1 {
		t.Fatalf("%d errors, want one: %s", len(a.Errors), a.text)
	}
	e := a.Errors[0]
	if e.Extensions["code"] != code {
		t.Errorf("code %v, want %s: %s", e.Extensions["code"], code, a.text)
	}
	checkNoLeak(t, a)
	if code == "BAD_USER_INPUT" && !accepted.MatchString(e.Message) {
		t.Errorf("the message does not say what is accepted: %q", e.Message)
	}
	return e
}

// accepted is in each message about bad input, behind what was wrong.
var accepted = regexp.MustCompile(`.[:,] (want|accepted are:) `)

var inside = regexp.MustCompile(`(?i)\.go\b|goroutine|panic|strconv|runtime|interface *\{|map\[|sql|no such|database|0x[0-9a-f]{1,12}\)|/home|/root|/tmp|mintburn/|gqlgen|internal error:`)

func checkNoLeak(t *testing.T, a *answer) {
	t.Helper()
	for _, e := range a.Errors {
		if found := inside.FindString(e.Message); found != "" {
			t.Errorf("the message tells of the inside (%q): %s", found, e.Message)
		}
		if strings.ContainsAny(e.Message, "\n\r") || len(e.Message) > 400 || e.Message == "" {
			t.Errorf("the message is not one short line: %q", e.Message)
		}
	}
}

func TestErrors_Codes(t *testing.T) {
	s := serve(t, importChainA(t))
	cursorOf := func(arguments string) string {
		got := s.get(t, fmt.Sprintf("{ mints(%s first: 1) { cursor } }", arguments), "")
		return got["mints"].(map[string]any)["cursor"].(string)
	}
	address := `address: "` + collection + `" `
	cursor, filtered := cursorOf(""), cursorOf(address)
	ids := strings.Repeat(`"x" `, 1001)
	for name, test := range map[string]struct{ query, variables, code, message string }{
		"first negative":           {"{ mints(first: -1) { totalItems } }", "", "BAD_USER_INPUT", "first is -1: want 0 to 1000"},
		"last negative":            {"{ burns(last: -1) { totalItems } }", "", "BAD_USER_INPUT", "last is -1: want 0 to 1000"},
		"first too large":          {"{ mints(first: 1001) { totalItems } }", "", "BAD_USER_INPUT", "first is 1001: want 0 to 1000"},
		"last too large, variable": {"query($n: Int) { mints(last: $n) { totalItems } }", `{"n": 1001}`, "BAD_USER_INPUT", "last is 1001"},
		"tokens, first too large":  {`{ tokenMetadata(` + address + `first: 1001) { totalItems } }`, "", "BAD_USER_INPUT", "first is 1001"},
		"first and last":           {"{ mints(first: 1, last: 1) { totalItems } }", "", "BAD_USER_INPUT", "first and last"},
		"first 0 and last 0":       {"{ mints(first: 0, last: 0) { totalItems } }", "", "BAD_USER_INPUT", "first and last"},
		"after and before":         {fmt.Sprintf("{ mints(after: %q, before: %q) { totalItems } }", cursor, cursor), "", "BAD_USER_INPUT", "after and before"},
		"fromBlock above toBlock":  {"{ mints(fromBlock: 5, toBlock: 4) { totalItems } }", "", "BAD_USER_INPUT", "fromBlock 5 is above toBlock 4"},

		"block and address":                     {`{ mints(block: 3, ` + address + `) { totalItems } }`, "", "BAD_USER_INPUT", "accepted are: no filter; block; address;"},
		"block and fromBlock":                   {`{ mints(block: 3, fromBlock: 1) { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"block and toBlock":                     {`{ burns(block: 3, toBlock: 9) { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"block and account":                     {`{ mints(block: 3, account: "` + collection + `") { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"block and transactionHash":             {`{ mints(block: 3, transactionHash: "` + noHash + `") { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"tokenId alone":                         {`{ burns(tokenId: 1) { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"tokenId and account":                   {`{ burns(` + address + `tokenId: 1, account: "` + collection + `") { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"tokenId and transactionHash":           {`{ burns(` + address + `tokenId: 1, transactionHash: "` + noHash + `") { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"account and transactionHash":           {`{ mints(account: "` + collection + `", transactionHash: "` + noHash + `") { totalItems } }`, "", "BAD_USER_INPUT", "accepted are"},
		"a refused combination beside a cursor": {fmt.Sprintf(`{ mints(tokenId: 1, after: %q) { totalItems } }`, cursor), "", "BAD_USER_INPUT", "accepted are"},

		"cursor, not one":             {`{ mints(after: "x") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"cursor, empty":               {`{ mints(after: "") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"cursor, long":                {`{ mints(after: "` + strings.Repeat("A", 9999) + `") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"before, not one":             {`{ mints(before: "AAAA") { totalItems } }`, "", "INVALID_CURSOR", "invalid cursor"},
		"cursor of another filter":    {fmt.Sprintf(`{ mints(%s after: %q) { totalItems } }`, address, cursor), "", "INVALID_CURSOR", "another filter"},
		"cursor of a narrower filter": {fmt.Sprintf(`{ mints(after: %q) { totalItems } }`, filtered), "", "INVALID_CURSOR", "another filter"},
		"cursor of another range":     {fmt.Sprintf(`{ mints(%s fromBlock: 1, after: %q) { totalItems } }`, address, filtered), "", "INVALID_CURSOR", "another filter"},
		"cursor of another order":     {fmt.Sprintf(`{ mints(order: DESC, after: %q) { totalItems } }`, cursor), "", "INVALID_CURSOR", "another filter"},
		"cursor of the other kind":    {fmt.Sprintf(`{ burns(after: %q) { totalItems } }`, cursor), "", "INVALID_CURSOR", "another filter"},
		"cursor of mints for tokens":  {fmt.Sprintf(`{ tokenMetadata(%s after: %q) { totalItems } }`, address, filtered), "", "INVALID_CURSOR", "another filter"},

		"unknown block hash":            {`{ mints(block: "` + noHash + `") { totalItems } }`, "", "BLOCK_NOT_FOUND", "no indexed block has the hash " + noHash},
		"number above the head":         {`{ mints(block: 361) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "block 361 is not indexed: indexed are 0 to 360"},
		"number far above the head":     {`{ burns(block: 9007199254740991) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "indexed are 0 to 360"},
		"range above the head":          {`{ mints(fromBlock: 361, toBlock: 400) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "indexed are 0 to 360"},
		"fromBlock above the head":      {`{ mints(fromBlock: 361) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "indexed are 0 to 360"},
		"one block by range, not there": {`{ mints(fromBlock: 361, toBlock: 361) { totalItems } }`, "", "BLOCK_NOT_INDEXED", "block 361"},

		"enum, wrong":           {`{ mints(order: UP) { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "UP"},
		"enum as a string":      {`{ mints(order: "ASC") { totalItems } }`, "", "GRAPHQL_VALIDATION_FAILED", "ASC"},
		"enum, wrong variable":  {`query($o: Order) { mints(order: $o) { totalItems } }`, `{"o": "UP"}`, "BAD_USER_INPUT", `$o: invalid Order "UP": want ASC or DESC`},
		"enum, other case":      {`query($o: Order) { mints(order: $o) { totalItems } }`, `{"o": "asc"}`, "BAD_USER_INPUT", "invalid Order"},
		"Int as text":           {`query($n: Int) { mints(first: $n) { totalItems } }`, `{"n": "5"}`, "BAD_USER_INPUT", "invalid Int"},
		"Int with a fraction":   {`query($n: Int) { mints(first: $n) { totalItems } }`, `{"n": 1.5}`, "BAD_USER_INPUT", "Int"},
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
		"too many ids":     {`{ nodes(ids: [` + ids + `]) { id } }`, "", "BAD_USER_INPUT", "1001 ids: want at most 1000"},
		"ids with a null":  {`{ nodes(ids: [null]) { id } }`, "", "GRAPHQL_VALIDATION_FAILED", "null"},
		"ids with an enum": {`{ nodes(ids: [A]) { id } }`, "", "GRAPHQL_VALIDATION_FAILED", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.ask(t, test.query, test.variables)
			if test.code == "GRAPHQL_VALIDATION_FAILED" && len(a.Errors) > 1 {
				// One mistake may break several rules.
				a.Errors = a.Errors[:1]
			}
			if e := onlyError(t, a, test.code); !strings.Contains(e.Message, test.message) {
				t.Errorf("message %q, want %q in it", e.Message, test.message)
			}
		})
	}
}

func TestErrors_AlteredCursor(t *testing.T) {
	s := serve(t, importChainA(t))
	got := s.get(t, "{ mints(first: 1) { cursor } }", "")
	cursor := got["mints"].(map[string]any)["cursor"].(string)
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
		a := s.ask(t, "query($c: Cursor) { mints(after: $c) { totalItems } }", fmt.Sprintf(`{"c": %q}`, text))
		onlyError(t, a, "INVALID_CURSOR")
	}
}

func TestErrors_BlockNotIndexed_TellsRanges(t *testing.T) {
	// Two ranges with a hole between them.
	all := lines(t, chainA(t, "bundle.ndjson.gz"))
	db := filepath.Join(t.TempDir(), "hole.db")
	importInto(t, db, strings.NewReader(strings.Join(append(all[:11:11], all[20:31]...), "\n")), "-")
	s := serve(t, db)
	for _, query := range []string{
		"{ mints(block: 15) { totalItems } }",
		"{ mints(fromBlock: 5, toBlock: 25) { totalItems } }",
		"{ mints(fromBlock: 5) { totalItems } }",
		"{ mints(toBlock: 25) { totalItems } }",
	} {
		e := onlyError(t, s.ask(t, query, ""), "BLOCK_NOT_INDEXED")
		want := []any{
			map[string]any{"fromBlock": number("0"), "toBlock": number("10")},
			map[string]any{"fromBlock": number("20"), "toBlock": number("30")},
		}
		if diff := cmp.Diff(want, e.Extensions["indexedRanges"]); diff != "" {
			t.Errorf("%s: indexedRanges (-want +got):\n%s", query, diff)
		}
	}
	for _, query := range []string{"{ mints(block: 10) { totalItems } }", "{ mints(fromBlock: 20) { totalItems } }", "{ mints(fromBlock: 20, toBlock: 9000) { totalItems } }"} {
		s.get(t, query, "")
	}
}

func TestErrors_NothingIndexed(t *testing.T) {
	s := serve(t, emptyDB(t))
	for _, query := range []string{"{ mints { totalItems } }", "{ mints(block: 0) { page } }", "{ burns(fromBlock: 0) { page } }", `{ mints(address: "` + collection + `") { page } }`} {
		onlyError(t, s.ask(t, query, ""), "BLOCK_NOT_INDEXED")
	}
	got := s.get(t, "{ chain { head { number } indexedRanges { toBlock } lag } }", "")
	want := map[string]any{"chain": map[string]any{"head": nil, "indexedRanges": []any{}, "lag": nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
}

// TestInput_NullIsNotGiven compares explicit nulls with arguments left out.
func TestInput_NullIsNotGiven(t *testing.T) {
	s := serve(t, importChainA(t))
	const selection = `{ cursor page limit totalItems data { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
	arguments := "block address transactionHash tokenId account fromBlock toBlock order first after last before"
	scalars := map[string]string{"block": "BlockNumberOrHash", "address": "Address", "transactionHash": "Bytes32", "tokenId": "BigInt",
		"account": "Address", "fromBlock": "Long", "toBlock": "Long", "order": "Order", "first": "Int", "after": "Cursor", "last": "Int", "before": "Cursor"}
	var literals, defined, used, variables []string
	for _, name := range strings.Fields(arguments) {
		literals = append(literals, name+": null")
		defined = append(defined, "$"+name+": "+scalars[name])
		used = append(used, name+": $"+name)
		variables = append(variables, `"`+name+`": null`)
	}
	for _, field := range []string{"mints", "burns"} {
		want := s.get(t, "{ "+field+selection+" }", "")
		query := fmt.Sprintf("query(%s) { %s(%s) %s }", strings.Join(defined, " "), field, strings.Join(used, " "), selection)
		for name, got := range map[string]map[string]any{
			"literals":         s.get(t, fmt.Sprintf("{ %s(%s) %s }", field, strings.Join(literals, " "), selection), ""),
			"variables":        s.get(t, query, "{"+strings.Join(variables, ", ")+"}"),
			"no variables":     s.get(t, query, "{}"),
			"variables absent": s.get(t, query, ""),
		} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-not given +null):\n%s", field, name, diff)
			}
		}
	}
}

// TestErrors_Malformed sends what is no GraphQL request at all.
func TestErrors_Malformed(t *testing.T) {
	s := serve(t, importChainA(t))
	for name, body := range map[string][]byte{
		"empty": {}, "not JSON": []byte("{"), "a string": []byte(`"x"`), "a number": []byte("1"),
		"query of another type": []byte(`{"query": 5}`), "variables of another type": []byte(`{"query": "{ chain { lag } }", "variables": 5}`),
		"binary": bytes.Repeat([]byte{0, 0xff}, 100),
	} {
		t.Run(name, func(t *testing.T) {
			e := onlyError(t, s.send(t, http.MethodPost, "/graphql", string(body)).answer(t), "BAD_USER_INPUT")
			if len(body) > 1 && strings.Contains(e.Message, string(body)) {
				t.Errorf("the message repeats the body: %s", e.Message)
			}
		})
	}
}

// TestErrors_NullVariable: a default lets a variable that may be null stand where
// null is not accepted; an explicit null is then an error of the request.
func TestErrors_NullVariable(t *testing.T) {
	s := serve(t, importChainA(t))
	for name, c := range map[string]struct{ query, want string }{
		"@include":          {`query($u: Boolean = true) { mints(first: 1) { totalItems @include(if: $u) } }`, "Boolean!"},
		"@skip":             {`query($u: Boolean = true) { mints(first: 1) { totalItems @skip(if: $u) page } }`, "Boolean!"},
		"a root field":      {`query($u: Boolean = true) { mints(first: 1) @include(if: $u) { page } chain { lag } }`, "Boolean!"},
		"an inline one":     {`query($u: Boolean = true) { mints(first: 1) { ... @include(if: $u) { page } } }`, "Boolean!"},
		"a spread":          {`query($u: Boolean = true) { mints(first: 1) { ...F @skip(if: $u) page } } fragment F on MintConnection { page }`, "Boolean!"},
		"in a fragment":     {`query($u: Boolean = true) { mints(first: 1) { ...F } } fragment F on MintConnection { page @skip(if: $u) limit }`, "Boolean!"},
		"for gqlgen":        {`query($u: Boolean = true) { __schema { queryType { name @include(if: $u) } } }`, "Boolean!"},
		"an argument":       {`query($u: ID = "x") { node(id: $u) { id } }`, "ID!"},
		"an address":        {`query($u: Address = "` + collection + `") { tokenMetadata(address: $u) { page } }`, "Address!"},
		"a list":            {`query($u: [ID!] = []) { nodes(ids: $u) { id } }`, "[ID!]!"},
		"in a list":         {`query($u: ID = "x") { nodes(ids: [$u]) { id } }`, "ID!"},
		"an argument's own": {`query($u: String = "Mint") { __type(name: $u) { name } }`, "String!"},
	} {
		a := s.ask(t, c.query, `{"u": null}`)
		if e := onlyError(t, a, "BAD_USER_INPUT"); e.Message != "$u: got null, want "+c.want+" where it is used" || len(e.Path) > 0 || strings.Contains(a.text, `"data"`) || len(e.Locations) != 1 {
			t.Errorf("%s: %s", name, a.text)
		}
		body := fmt.Sprintf(`{"query": %q, "variables": {"u": null}}`, c.query)
		if got := s.send(t, http.MethodPost, "/graphql", body, "Accept", asResponse); got.status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", name, got.status)
		}
	}
	for name, query := range map[string]string{
		"not used there":    `query($u: Boolean = true) { mints(first: 1) { page } ...F } fragment F on Query { chain { lag } } `,
		"where it may be":   `query($u: Order = DESC, $n: Int = 5) { mints(first: 1, last: $n, order: $u) { page } }`,
		"includeDeprecated": `query($u: Boolean = true) { __schema { types { fields(includeDeprecated: $u) { name } } } }`,
	} {
		if name == "not used there" {
			query = strings.Replace(query, "($u: Boolean = true)", "", 1)
		}
		if a := s.ask(t, query, `{"u": null, "n": null}`); len(a.Errors) > 0 {
			t.Errorf("%s: %s", name, a.text)
		}
	}
}

// TestErrors_Messages: what was wrong and what is accepted, in the words of the
// schema.
func TestErrors_Messages(t *testing.T) {
	s := serve(t, importChainA(t))
	for _, c := range []struct{ query, variables, message string }{
		{"query($v: Int) { mints(first: $v) { page } }", `"x"`, `$v: invalid Int "x": want an integer from -2^31 to 2^31-1`},
		{"query($v: Int) { mints(first: $v) { page } }", `1.5`, `$v: invalid Int 1.5: want an integer from -2^31 to 2^31-1`},
		{"query($v: Long) { mints(fromBlock: $v) { page } }", `-1`, `$v: invalid Long "-1": want an integer from 0 to 2^53-1, decimal or 0x-hex`},
		{"query($v: Cursor) { mints(after: $v) { page } }", `5`, `$v: invalid Cursor 5: want a string that this API returned`},
		{"query($v: Address) { mints(address: $v) { page } }", `"0x12"`, `$v: invalid Address "0x12": want 0x and 40 hex digits`},
		{"query($v: Order) { mints(order: $v) { page } }", `"up"`, `$v: invalid Order "up": want ASC or DESC`},
		{"query($v: Boolean!) { mints { page @skip(if: $v) } }", `"yes"`, `$v: got "yes", want Boolean!`},
		{"query($v: Boolean!) { mints { page @skip(if: $v) } }", `1`, `$v: got 1, want Boolean!`},
		{"query($v: String!) { __type(name: $v) { name } }", `{"a": 1}`, `$v: got object, want String!`},
		{"query($v: ID!) { node(id: $v) { id } }", `null`, `$v: got null, want ID!`},
		{"query($v: [ID!]!) { nodes(ids: $v) { id } }", `["x", null]`, `$v[1]: got null, want ID!`},
		{"query($v: [ID!]!) { nodes(ids: $v) { id } }", `["x", true]`, `$v[1]: got a value of another type, want ID!`},
	} {
		if e := onlyError(t, s.ask(t, c.query, `{"v": `+c.variables+`}`), "BAD_USER_INPUT"); e.Message != c.message {
			t.Errorf("%s, %s: %q, want %q", c.query, c.variables, e.Message, c.message)
		}
	}
	if e := onlyError(t, s.ask(t, "query($v: ID!) { node(id: $v) { id } }", "{}"), "BAD_USER_INPUT"); e.Message != "$v: got no value, want ID!" {
		t.Errorf("%q", e.Message)
	}
}
