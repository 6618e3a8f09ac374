package httpapi

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mintburn/internal/httpapi/failure"
	"mintburn/internal/testing/apitest"
)

// hostile are small documents that are expensive to parse, validate or execute, with the codes
// of their errors. Those without a code run.
var hostile = map[string]struct{ query, code string }{
	"one field very often": {"{ " + strings.Repeat("chain{lag}", 2400) + "}", "QUERY_TOO_COSTLY"},
	"one leaf very often":  {"{ chain{" + strings.Repeat("lag ", 9900) + "}}", "QUERY_TOO_COSTLY"},
	"no field very often":  {"{" + strings.Repeat("x ", 9900) + "}", "QUERY_TOO_COSTLY"},
	"a page very often":    {"{" + strings.Repeat("mints(first:1){page}", 900) + "}", "QUERY_TOO_COSTLY"},
	"as often as allowed": {"{" + strings.Repeat("mints{"+apitest.Repeat(90, func(i int) string { return fmt.Sprintf("a%d:page ", i) })+"}", 2) +
		strings.Repeat("burns{data{id tokenId from to}edges{node{id tokenId from to}}}", 50) + "}", ""},
	"wide":                 {"{" + apitest.Repeat(1600, func(i int) string { return fmt.Sprintf("a%d:chain{lag}", i) }) + "}", "QUERY_TOO_COSTLY"},
	"deep":                 {"{node(id:1)" + strings.Repeat("{node", 900) + strings.Repeat("}", 901), "QUERY_TOO_COSTLY"},
	"very deep":            {strings.Repeat("{a", 4900), "GRAPHQL_PARSE_FAILED"},
	"deep inline":          {"{" + strings.Repeat("...{", 900) + "chain{lag}" + strings.Repeat("}", 900) + "}", ""},
	"a fragment on itself": {"{...F} fragment F on Query{chain{lag} ...F}", "GRAPHQL_VALIDATION_FAILED"},
	"a cycle of fragments": {"{...F0}" + apitest.Repeat(100, func(i int) string { return fmt.Sprintf("fragment F%d on Query{...F%d}", i, (i+1)%100) }), "GRAPHQL_VALIDATION_FAILED"},
	"cycles everywhere": {"{...F0}" + apitest.Repeat(60, func(i int) string {
		return fmt.Sprintf("fragment F%d on Query{%s}", i, apitest.Repeat(60, func(j int) string { return fmt.Sprintf("...F%d ", j) }))
	}), "QUERY_TOO_COSTLY"},
	"fragments that double": {"{...F0}" + apitest.Repeat(30, func(i int) string {
		return fmt.Sprintf("fragment F%d on Query{chain{lag}...F%d ...F%d}", i, i+1, i+1)
	}) + "fragment F30 on Query{chain{lag}}", "QUERY_TOO_COSTLY"},
	"fragments that double under aliases": {"{...F0}" + apitest.Repeat(18, func(i int) string {
		return fmt.Sprintf("fragment F%d on Query{a%d:chain{lag} b%d:chain{lag} ...F%d ...F%d}", i, i, i, i+1, i+1)
	}) + "fragment F18 on Query{chain{lag}}", "QUERY_TOO_COSTLY"},
	"a long chain of fragments": {"{...F0}" + apitest.Repeat(1200, func(i int) string { return fmt.Sprintf("fragment F%d on Query{...F%d}", i, i+1) }) +
		"fragment F1200 on Query{chain{lag}}", "QUERY_TOO_COSTLY"},
	"fragments with the same list": {"{...G0}" + apitest.Repeat(600, func(i int) string { return fmt.Sprintf("fragment G%d on Query{...F}", i) }) +
		"fragment F on Query{nodes(ids:[" + strings.Repeat("1 ", 4500) + "]){id}}", "QUERY_TOO_COSTLY"},
	"operations with the same fragment": {apitest.Repeat(900, func(i int) string { return fmt.Sprintf("query Q%d{...F}", i) }) +
		"fragment F on Query{nodes(ids:[" + strings.Repeat("1 ", 1900) + "]){id}}", "QUERY_TOO_COSTLY"},
	"an introspection bomb":  {"{__schema{types" + strings.Repeat("{fields{type", 9) + "{name}" + strings.Repeat("}}", 9) + "}}", "QUERY_TOO_COSTLY"},
	"a small one":            {"{__schema{types{fields{type{fields{type{fields{type{name}}}}}}}}}", "GRAPHQL_VALIDATION_FAILED"},
	"a huge integer":         {"{mints(first:" + strings.Repeat("9", 900_000) + "){page}}", "GRAPHQL_VALIDATION_FAILED"},
	"a huge float":           {"{mints(first:1e" + strings.Repeat("9", 900_000) + "){page}}", "GRAPHQL_VALIDATION_FAILED"},
	"a huge token id":        {"{mints(address:\"0x\",tokenId:" + strings.Repeat("9", 900_000) + "){page}}", ""},
	"a huge string":          {"{node(id:\"" + strings.Repeat("x", 1_000_000) + "\"){id}}", ""},
	"a huge block string":    {"{node(id:\"\"\"" + strings.Repeat("\n  x", 250_000) + "\"\"\"){id}}", ""},
	"a huge name":            {"{" + strings.Repeat("x", 900_000) + "}", "QUERY_TOO_COSTLY"},
	"huge names":             {"{mints{" + apitest.Repeat(900, func(i int) string { return strings.Repeat("t", 1000) + fmt.Sprint(i) + " " }) + "}}", "QUERY_TOO_COSTLY"},
	"a huge list":            {"{nodes(ids:[" + strings.Repeat("1 ", 9900) + "]){id}}", ""},
	"a huge list of filters": {"{mints(accounts:[" + strings.Repeat("1 ", 9900) + "]){page}}", ""},
	"lists of filters": {"{" + apitest.Repeat(50, func(i int) string {
		return fmt.Sprintf("a%d:mints(tokens:[", i) + strings.Repeat("{address:1 tokenId:2}", 9) + "]){page}"
	}) + "}", "QUERY_TOO_COSTLY"},
	"a deep list":            {"{nodes(ids:" + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "){id}}", "GRAPHQL_VALIDATION_FAILED"},
	"a very deep list":       {"{nodes(ids:" + strings.Repeat("[", 9000), "GRAPHQL_PARSE_FAILED"},
	"many suggestions":       {"{mints{" + apitest.Repeat(9800, func(i int) string { return fmt.Sprintf("toatlItem%d ", i) }) + "}}", "GRAPHQL_VALIDATION_FAILED"},
	"many unknown arguments": {"{mints(" + apitest.Repeat(3000, func(i int) string { return fmt.Sprintf("frist%d:1 ", i) }) + "){page}}", "GRAPHQL_VALIDATION_FAILED"},
	"an argument very often": {"{mints(" + strings.Repeat("first:1 ", 3000) + "){page}}", "GRAPHQL_VALIDATION_FAILED"},
	"a directive very often": {"{chain " + strings.Repeat("@skip(if:true)", 1400) + "{lag}}", "GRAPHQL_VALIDATION_FAILED"},
	"many variables":         {"query(" + apitest.Repeat(2400, func(i int) string { return fmt.Sprintf("$a%d:Int ", i) }) + "){chain{lag}}", "GRAPHQL_VALIDATION_FAILED"},
	"variables in many lists": {apitest.Repeat(30, func(i int) string {
		return fmt.Sprintf("query Q%d(", i) + apitest.Repeat(50, func(i int) string { return fmt.Sprintf("$a%d:ID! ", i) }) + "){...F}"
	}) + "fragment F on Query{nodes(ids:[" + apitest.Repeat(700, func(i int) string { return fmt.Sprintf("$a%d ", i%50) }) + "]){id}}", "QUERY_TOO_COSTLY"},
	"comments":    {"{chain{lag}}" + strings.Repeat("#\n", 500_000), "GRAPHQL_PARSE_FAILED"},
	"blanks":      {"{chain{lag}}" + strings.Repeat("\n,", 500_000), ""},
	"many tokens": {strings.Repeat("{", 1_000_000), "GRAPHQL_PARSE_FAILED"},
	"NUL bytes":   {"{chain{lag}}" + strings.Repeat("\x00", 100_000), "GRAPHQL_PARSE_FAILED"},
}

// TestHostileDocuments bounds the memory that reading each document allocates, which is
// proportional to its run time. Without the bounds, documents take gigabytes and ten seconds.
func TestHostileDocuments(t *testing.T) {
	const most = 48 << 20 // bytes, for documents of at most 1 MiB
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			if len(test.query) > DefaultLimits.Body {
				t.Fatalf("%d bytes are more than a body holds", len(test.query))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			_, failed := costOf(test.query, nil)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes: %s, %d kB allocated", len(test.query), took.Round(time.Microsecond), allocated/1000)
			code := ""
			if failed != nil {
				code = failure.CodeOf(failed.Errors[0])
			}
			if code != test.code {
				t.Errorf("code %s, want %s: %v", code, test.code, failed)
			}
			if allocated > most {
				t.Errorf("%d bytes allocated", allocated)
			}
		})
	}
}
