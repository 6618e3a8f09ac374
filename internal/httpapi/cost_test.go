package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintburn/graph"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/queries"
	"mintburn/internal/testing/expect"
)

// costOf returns the cost of a document's operation, or why it is rejected.
func costOf(text string, variables map[string]any) (total int, failed *failure.Error) {
	schema := graph.NewSchema(1_000, time.Now).Schema()
	d := queries.New(schema, nil, true, DefaultLimits.Limits)
	read, failed := d.Find(&parse.Request{Query: text}, netip.Addr{}, func(int) *failure.Error { return nil })
	if failed != nil {
		return 0, failed
	}
	operation, failed := read.Operation("")
	if failed != nil {
		return 0, failed
	}
	values, failed := d.Coerce(context.Background(), operation, variables)
	total, _, tooMany := cost.NewPrices(schema).Cost(operation, values, DefaultLimits.PageSize)
	return total, cmp.Or(failed, tooMany)
}

// TestCost_OfTheDocumentedExamples checks the last table of docs/limits.md.
func TestCost_OfTheDocumentedExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/limits.md")
	expect.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "| operation | cost |")
	rows := regexp.MustCompile(`(?m)^\| (.+) \| (\d+) \|$`).FindAllStringSubmatch(table, -1)
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	tab := regexp.MustCompile("^the tab `(\\w+)` .*?(\\d+) items")
	for _, row := range rows {
		query, variables := strings.Trim(row[1], "`"), map[string]any(nil)
		if found := tab.FindStringSubmatch(row[1]); found != nil {
			query, variables = tabQuery(t, found[1]), map[string]any{}
			for name := range strings.FieldsSeq("block address fromBlock toBlock transactionHash tokenId burnAddress mintAddress tokenAddress metadataAddress") {
				variables[name] = "0"
			}
			variables["first"], _ = strconv.ParseInt(found[2], 10, 64)
		}
		cost, failed := costOf(query, variables)
		if want := row[2]; strconv.Itoa(cost) != want {
			t.Errorf("%s: cost %d, want %s %v", row[1], cost, want, failed)
		}
	}
}

func tabQuery(t *testing.T, title string) string {
	t.Helper()
	for _, tab := range page.Tabs(page.Examples{}) {
		if tab.Title == title {
			return tab.Query
		}
	}
	t.Fatalf("no tab %s", title)
	return ""
}

func TestCost(t *testing.T) {
	const page = 20 + 2 // the look-up and 20 items
	for name, test := range map[string]struct {
		query     string
		variables map[string]any
		want      int
	}{
		"the default page":              {"{ mints { data { id } } }", nil, page + 20*2},
		"by variable":                   {"query($n: Int) { mints(first: $n) { data { id } } }", map[string]any{"n": int64(30)}, 20 + 3 + 30*2},
		"by a variable's default":       {"query($n: Int = 30) { mints(first: $n) { data { id } } }", nil, 20 + 3 + 30*2},
		"a proof":                       {"{ block(block: 1) { proof { header } } }", nil, 20 + 5000 + 1},
		"the same block ten times":      {"{ chain { " + strings.Repeat("head { proof { header } } ", 10) + "} }", nil, 20 + 10*(1+5000+1)},
		"proofs of a page":              {"{ mints(first: 3) { data { transaction { block { proof { header } } } } } }", nil, 20 + 3*(1+1+1+5000+1)},
		"at most 20 proofs":             {"{ mints(first: 100) { data { transaction { block { proof { header } } } } } block(block: 1) { proof { header } } }", nil, 20 + 10 + 100*4 + 20 + 1 + 20*5000},
		"at most 4 of a batch":          {"subscription { changes { changes { ... on RecordAdded { transfer { transaction { block { proof { header } } } } } } } }", nil, 20 + 10 + 100*(1+4) + 4*5000},
		"changes":                       {"{ changes { cursor } }", nil, 20 + 10 + 1},
		"of collections":                {`{ changes(addresses: ["0x01", "0x02"]) { cursor } }`, nil, 20 + 10 + 1 + 2*10 + 409},
		"of collections and accounts":   {`{ changes(addresses: ["0x01"], accounts: "0x02", kinds: ADDED) { cursor } }`, nil, 20 + 10 + 1 + 3*10 + 409},
		"documents of collections":      {`subscription { changes(addresses: ["0x01"], kinds: [FINALIZED, METADATA]) { cursor } }`, nil, 20 + 10 + 1 + 3*10 + 409},
		"only documents":                {`subscription { changes(addresses: ["0x01"], kinds: METADATA) { cursor } }`, nil, 20 + 10 + 1 + 2*10 + 409},
		"records of collections":        {`subscription { changes(addresses: ["0x01"], kinds: ADDED) { cursor } }`, nil, 20 + 10 + 1 + 2*10},
		"records by variable":           {`query($k: [ChangeKind!]) { changes(addresses: ["0x01"], kinds: $k) { cursor } }`, map[string]any{"k": []any{"ADDED", "VOIDED"}}, 20 + 10 + 1 + 3*10},
		"records of accounts":           {`{ changes(accounts: ["0x01"]) { cursor } }`, nil, 20 + 10 + 1 + 10},
		"all documents":                 {`{ changes(addresses: null, kinds: METADATA) { cursor } }`, nil, 20 + 10 + 1 + 10},
		"the total of a search":         {`{ collections(search: "a", first: 0) { totalItems } }`, nil, 20 + 20 + 1000},
		"that of all collections":       {`{ collections(search: "", first: 0) { totalItems } }`, nil, 20 + 20},
		"a page of a search":            {`{ collections(search: "a", first: 0) { page } }`, nil, 20 + 1},
		"a null variable":               {"query($n: Int) { mints(first: $n) { data { id } } }", map[string]any{"n": nil}, page + 20*2},
		"last":                          {"{ mints(last: 30) { data { id } } }", nil, 20 + 3 + 30*2},
		"last where first is null":      {"{ mints(first: null, last: 30) { data { id } } }", nil, 20 + 3 + 30*2},
		"a negative page":               {"{ mints(first: -1) { data { id } } }", nil, 20},
		"a huge page is cut":            {"{ mints(first: 2147483647) { data { id } } }", nil, 20 + 100 + 1000*2},
		"larger than 64 bits":           {"query($n: Int) { mints(first: $n) { data { id } } }", map[string]any{"n": int64(1) << 62}, 20 + 100 + 1000*2},
		"by fragment":                   {"{ mints { ...F } } fragment F on MintConnection { data { id } }", nil, page + 20*2},
		"by inline fragment":            {"{ mints { ... { data { ... on Mint { id } } } } }", nil, page + 20*2},
		"a fragment twice":              {"{ mints { ...F ...F } } fragment F on MintConnection { data { id } }", nil, page + 2*20*2},
		"two sizes of one fragment":     {"{ a: mints(first: 10) { ...F } b: mints(first: 30) { ...F } } fragment F on MintConnection { data { id } }", nil, 20 + 1 + 10*2 + 20 + 3 + 30*2},
		"skipped":                       {"query($s: Boolean!) { mints { page data @skip(if: $s) { id } } }", map[string]any{"s": true}, page + 1},
		"not skipped":                   {"query($s: Boolean!) { mints { page data @skip(if: $s) { id } } }", map[string]any{"s": false}, page + 1 + 20*2},
		"not included":                  {"{ mints { page ... @include(if: false) { data { id } } } }", nil, page + 1},
		"a fragment that is left out":   {"{ mints { page ...F @include(if: false) } } fragment F on MintConnection { data { id } }", nil, page + 1},
		"nested metadata":               {"{ mints { data { metadata { name } } } }", nil, page + 20*3},
		"a list within a page's item":   {"{ mints { data { metadata { attributes { value } } } } }", nil, page + 20*(1+1+10*2)},
		"ids":                           {`{ nodes(ids: ["a", "b", "c"]) { id } }`, nil, 3 * 21},
		"one id for a list":             {`{ nodes(ids: "a") { id } }`, nil, 21},
		"ids by variable":               {"query($i: [ID!]!) { nodes(ids: $i) { id } }", map[string]any{"i": []any{"a", "b"}}, 2 * 21},
		"one id for a list by variable": {"query($i: [ID!]!) { nodes(ids: $i) { id } }", map[string]any{"i": "a"}, 21},
		"a list of filters":             {`{ mints(addresses: ["a", "b", "b"]) { page } }`, nil, page + 30 + 1},
		"a list of one value":           {`{ mints(addresses: "a") { page } }`, nil, page + 10 + 1},
		"an empty list":                 {`{ mints(addresses: []) { page } }`, nil, page + 1},
		"buckets":                       {"{ mints(fromTime: 0, toTime: 86399) { buckets(interval: HOUR) { totalItems } } }", nil, page + 25*(5+1)},
		"buckets by variables":          {"query($t: Long, $i: Interval!) { mints(fromTime: $t, toTime: 86400) { a: buckets(interval: $i) { toTime } } }", map[string]any{"t": int64(0), "i": "DAY"}, page + 3*(5+1)},
		"buckets by week and month":     {"{ burns(fromTime: 0, toTime: 2419200) { a: buckets(interval: WEEK) { toTime } b: buckets(interval: MONTH) { toTime } } }", nil, page + 6*(5+1) + 3*(5+1)},
		"buckets without an end":        {"{ mints(fromTime: 0) { buckets(interval: DAY) { totalItems } } }", nil, page + 1000*(5+1)},
		"too many buckets":              {"{ mints(fromTime: 0, toTime: 9007199254740991) { buckets(interval: DAY) { totalItems } } }", nil, page + 10_000*(5+1)},
		"many buckets":                  {"query($t: Long, $u: Long) { mints(fromTime: $t, toTime: $u) { buckets(interval: HOUR) { totalItems } } }", map[string]any{"t": "0x0", "u": json.Number("17999999")}, page + 5001*(5+1)},
		"many of a list":                {`{ mints(addresses: ["a", "b"], fromTime: "0", toTime: 9000000) { buckets(interval: HOUR) { totalItems } } }`, nil, page + 20 + 2502*(2*5+1)},
		"too many of a list":            {`{ mints(addresses: ["a", "b", "c"], fromTime: 0, toTime: 90000000) { buckets(interval: HOUR) { totalItems } } }`, nil, page + 30 + 3333*(3*5+1)},
		"a list that is too long":       {"{ mints(addresses: [" + strings.Repeat(`"a",`, 1000) + "]) { page } }", nil, page + 1000 + 1},
		"buckets of a list":             {`{ mints(addresses: ["a", "b", "b"]) { buckets(interval: DAY) { totalItems } } }`, nil, page + 30 + 333*(3*5+1)},
		"no list":                       {`{ mints(addresses: null) { page } }`, nil, page + 1},
		"tokens":                        {`{ mints(tokens: [{address: "a", tokenId: 1}, {address: "a", tokenId: 2}]) { page } }`, nil, page + 20 + 1},
		"a list by variable":            {"query($a: [Address!]) { mints(addresses: $a) { page } burns(accounts: $a) { page } }", map[string]any{"a": []any{"a", "b"}}, 2 * (page + 20 + 1)},
		"keys":                          {`{ tokens(keys: [{address: "a", tokenId: 1}, {address: "a", tokenId: 1}]) { id } }`, nil, 2 * 21},
		"keys by variable":              {"query($k: [TokenKey!]!) { tokens(keys: $k) { id } }", map[string]any{"k": slices.Repeat([]any{map[string]any{"address": "0x5fbdb2315678afecb367f032d93f642f64180aa3", "tokenId": "1"}}, 1001)}, 1001 * 21},
		"a sum":                         {`{ token(address: "a", tokenId: 1) { minted(atBlock: 3) burned } }`, nil, 20 + 20 + 20},
		"a supply":                      {`{ collection(address: "a") { supply mintedItems } }`, nil, 20 + 40 + 20},
		"a state":                       {`{ token(address: "a", tokenId: 1) { state metadata { state } } }`, nil, 20 + 20 + 1 + 1},
		"objects of a page":             {"{ mints { data { token { contractType firstMint { id } } } } }", nil, page + 20*(1+10+1+10+1)},
		"objects of a collection":       {`{ collection(address: "a") { contractType lastMint { id } documents { failed } } }`, nil, 20 + 10 + 11 + 11},
		"a page below":                  {`{ collection(address: "a") { mints(first: 30) { data { id } } } }`, nil, 20 + 20 + 3 + 30*2},
		"pages below a page":            {`{ collections(first: 5) { data { tokens(first: 10) { totalItems data { id } } } } }`, nil, 20 + 5*(1+20+1+20+10*2)},
		"a list of filters below":       {`{ collection(address: "a") { burns(accounts: ["a", "b"], first: 0) { page } } }`, nil, 20 + 20 + 20 + 1},
		"__typename":                    {"{ __typename }", nil, 1},
		"a type":                        {`{ __type(name: "Mint") { name } }`, nil, 10},
		"a key of 31 bytes":             {"{ " + strings.Repeat("k", 31) + ": __typename }", nil, 1},
		"a key of 128 bytes":            {"{ " + strings.Repeat("k", 128) + ": __typename }", nil, 5},
	} {
		t.Run(name, func(t *testing.T) {
			if got, failed := costOf(test.query, test.variables); got != test.want {
				t.Errorf("cost %d, want %d %v", got, test.want, failed)
			}
		})
	}
}

// TestCost_Introspection has lists nested as deeply as introspection allows.
func TestCost_Introspection(t *testing.T) {
	query := "{ __schema { types { fields { args { type { possibleTypes { name } } } } } } }"
	if cost, failed := costOf(query, nil); failed != nil || cost < 5_000 {
		t.Errorf("cost %d %v", cost, failed)
	}
}
