package apitest

import (
	"fmt"
	"strings"
)

// AtLimit holds, for the first column of each row in docs/limits.md, a function that
// returns a request with exactly n of the things that the row limits.
var AtLimit = map[string]func(n int) string{
	"`--max-body`": func(n int) string {
		body := document("{ chain { lag } }")
		return body + strings.Repeat(" ", n-len(body))
	},
	"`--max-batch`": func(n int) string { return BatchOf(strings.Fields(strings.Repeat(`{"query":"{chain{lag}}"} `, n))...) },
	"`--max-tokens`": func(n int) string {
		// 6 tokens, plus one for each comment.
		return document("{chain{lag}}" + strings.Repeat("#\n", n-6))
	},
	"`--max-depth`": func(n int) string {
		// Only introspection can be nested this deeply.
		return document(`{ __type(name: "Mint") ` + strings.Repeat("{ ofType ", n-2) + "{ name }" + strings.Repeat("}", n-2) + "}")
	},
	"`--max-aliases`": func(n int) string {
		return document("{ chain { " + Repeat(n, func(i int) string { return fmt.Sprintf("a%d: lag ", i) }) + "} }")
	},
	"`--max-root-fields`": func(n int) string {
		return document("{ " + Repeat(n, func(i int) string { return fmt.Sprintf("a%d: chain { lag } ", i) }) + "}")
	},
	"`--max-cost`": func(n int) string {
		// 10 pages with a cost of 49120, one of 8120, 32 look-ups of 21, and the rest in fields
		// of 1.
		page := func(name string, i, fields int) string {
			return fmt.Sprintf("%s%d: mints(first: 1000) { data { %s} } ", name, i, strings.Repeat("id ", fields))
		}
		return document("{ " + Repeat(10, func(i int) string { return page("p", i, 48) }) + page("q", 0, 7) +
			Repeat(32, func(i int) string { return fmt.Sprintf("r%d: mints(first: 0) { page } ", i) }) +
			Repeat(n-10*49120-8120-32*21, func(i int) string { return fmt.Sprintf("s%d: __typename ", i) }) + "}")
	},
	"`--max-page-size`": func(n int) string { return document(fmt.Sprintf("{ mints(first: %d) { page } }", n)) },
	"fields, fragments and values of a document, each fragment counted where it is used": func(n int) string {
		// A fragment of 282 fields, counted once by itself and 69 times with two more fields.
		block := "{ " + strings.Repeat("number ", 40) + strings.Repeat("hash ", 40) + strings.Repeat("timestamp ", 40) + "} "
		fragment := "fragment F on Chain { " + strings.Repeat("lag ", 40) + "head " + block + "finalized " + block + "}"
		rest := n - 282 - 69*284
		return document("{ " + Repeat(69, func(i int) string { return fmt.Sprintf("a%d: chain { ...F } ", i) }) +
			Repeat(rest/50, func(i int) string { return fmt.Sprintf("b%d: chain { %s} ", i, strings.Repeat("lag ", 49)) }) +
			Repeat(rest%50, func(int) string { return "__typename " }) + "} " + fragment)
	},
	"the same field selected at the same place of a document": func(n int) string {
		return document("{ chain { " + strings.Repeat("lag ", n) + "} }")
	},
	"bytes of a response key, a field's name or alias": func(n int) string {
		return document("{ chain { " + strings.Repeat("k", n) + ": lag } }")
	},
	"intervals of `buckets` otherwise, times the values of a list": func(n int) string {
		// Up to the hour of the last recorded mint.
		const last = 1_795_384_800
		return document(fmt.Sprintf("{ mints(partial: true, fromTime: %d) { buckets(interval: HOUR) { totalItems } } }", last-(n-1)*3600))
	},
	"intervals of `buckets` with `fromTime` and `toTime`, times the values of a list": func(n int) string {
		// Hourly buckets, starting near the recorded blocks.
		const from = 1_792_368_000
		return document(fmt.Sprintf("{ mints(partial: true, fromTime: %d, toTime: %d) { buckets(interval: HOUR) { totalItems } } }", from, from+n*3600-1))
	},
	"keys of `tokens`, repeated ones included": func(n int) string {
		return document("{ tokens(keys: [" + strings.Repeat(`{address: `+strings.TrimRight(account, " ,")+`, tokenId: 1} `, n) + "]) { id } }")
	},
	"values of a list of filters, repeated ones included": func(n int) string {
		return document("{ mints(accounts: [" + strings.Repeat(account, n) + "]) { page } }")
	},
	"values of all filter lists of an operation; a list in a fragment or variable counts each time it is used": func(n int) string {
		return document("{ a: mints(accounts: [" + strings.Repeat(account, n/2) + "]) { page } b: burns(accounts: [" + strings.Repeat(account, n-n/2) + "]) { page } }")
	},
	"values in the variables of a request": func(n int) string {
		return `{"query": "{ chain { lag } }", "variables": {"a": [` + strings.Repeat("1,", n-3) + "1]}}"
	},
	"levels of lists and objects in variables": func(n int) string {
		return `{"query": "{ chain { lag } }", "variables": {"a": ` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}}"
	},
}

// account is an address, followed by a space to separate it in a list.
const account = `"0x1111111111111111111111111111111111111111" `

func document(query string) string { return Request(query, "") }

// Repeat concatenates the results of f for 0 to n-1.
func Repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}
