package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
)

// abuse is a load that one client puts on a server.
type abuse struct {
	name string
	// connections is the number of connections that send the bodies in turn, until the
	// time is over. A single connection sends each body once.
	connections int
	// documents selects the database with long documents.
	documents bool
	bodies    []string
	// header, if set, is sent once on each connection, before a body that does not end.
	header string
}

// abuses returns the loads that docs/limits.md bounds. Those for the database with long
// documents query the collection at this address.
func abuses(address string) []abuse {
	// of returns a body that selects fields of the collection's first tokens.
	of := func(first, aliases int, fields string) string {
		return quote(aliased(aliases, fmt.Sprintf("tokenMetadata(address: %q, first: %d) { data { %s } }", address, first, fields)))
	}
	return []abuse{
		{name: "nothing"},
		{name: "answers of 14 MB, 40 connections", connections: 40, bodies: []string{quote(pages(34))}},
		{name: "open requests, trailers of 53 kB, 2,000 connections", connections: 2_000, header: "Trailer: " + numbered(11_000, "%x", ",")},
		{name: "open requests, 9,000 header fields, 500 connections", connections: 500, header: numbered(9_000, "%x:", "\r\n")},
		{name: "open requests, headers of 60 kB, 2,000 connections", connections: 2_000, header: "X: " + strings.Repeat("x", 60_000)},
		{name: "small answers, 40 connections", connections: 40, bodies: []string{quote(pages(1))}},
		{name: "long alias", connections: 1, bodies: []string{quote(longAlias(20_000))}},
		{name: "long alias, 1 MiB", connections: 1, bodies: []string{quote(longAlias(1<<20 - 3_000))}},
		{name: "long alias, 40 connections", connections: 40, bodies: []string{quote(longAlias(20_000))}},
		{name: "longest accepted, 40 connections", connections: 40, bodies: []string{quote(longestAccepted())}},
		{name: "unset variable, 40 connections", connections: 40, bodies: []string{quote(byGqlgen(34))}},
		{name: "20,000 bad ids", connections: 1, bodies: []string{badIDs()}},
		{name: "batch of introspections", connections: 1, bodies: []string{batch(quote(aliased(10, "__schema { types { name description fields { name description } } }")))}},
		{name: "1,100 persisted queries", connections: 1, bodies: persisted()},
		{name: "names beside documents", connections: 1, documents: true, bodies: []string{of(100, 1, "name")}},
		{name: "long images", connections: 1, documents: true, bodies: []string{of(100, 1, "image")}},
		{name: "long images, 3 aliases", connections: 1, documents: true, bodies: []string{of(100, 3, "image")}},
		{name: "long documents that fit", connections: 1, documents: true, bodies: []string{of(3, 1, "raw")}},
		{name: "one document by 5 fields", connections: 1, documents: true, bodies: []string{of(1, 1, "a: image b: image c: image d: image e: image")}},
		{name: "long documents of mints", connections: 1, documents: true, bodies: []string{quote("{ mints(first: 1000) { data { metadata { raw image attributes { value } } } } }")}},
		{name: "batch of 50 documents", connections: 1, documents: true, bodies: []string{batch(of(1, 1, "image"))}},
		{name: "long documents, 40 connections", connections: 40, documents: true, bodies: []string{of(3, 1, "image")}},
	}
}

// numbered returns n different names or fields.
func numbered(n int, format, separator string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, separator)
}

// quote returns the request body of a document.
func quote(document string) string {
	// A string can always be encoded.
	body, _ := json.Marshal(map[string]string{"query": document})
	return string(body)
}

const transferFields = "tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex from to amount operator timestamp blockTime"

// pages returns a query for n pages of 1,000 records.
func pages(n int) string { return aliased(n, "mints(first: 1000) { data { "+transferFields+" } }") }

// byGqlgen is pages with a Boolean variable without a value, which leaves the query to
// gqlgen's own execution.
func byGqlgen(n int) string {
	return "query($unset: Boolean) " + strings.Replace(pages(n), "{", `{ __type(name: "Mint") { fields(includeDeprecated: $unset) { name } }`, 1)
}

// aliased repeats a field.
func aliased(n int, field string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	b.WriteString(" }")
	return b.String()
}

// longAlias returns a query for 50 pages of 1,000, with a field alias of n bytes in a
// fragment.
func longAlias(n int) string {
	return aliased(50, "mints(first: 1000) { ...F }") + " fragment F on MintConnection { data { " + strings.Repeat("a", n) + ": logIndex } }"
}

// longestAccepted returns a query with about the longest answer that the limits allow:
// its keys have the greatest length that costs nothing, and it has the most aliases
// allowed.
func longestAccepted() string {
	var fields strings.Builder
	for i := range 14 {
		fmt.Fprintf(&fields, "%s%02d: transactionHash ", strings.Repeat("k", 29), i)
	}
	return aliased(13, "mints(first: 1000) { ...F }") + " fragment F on MintConnection { data { id " + transferFields + " " + fields.String() + "} }"
}

// badIDs returns a request that selects 1,000 missing nodes 20 times.
func badIDs() string {
	document := "query($ids: [ID!]!) " + aliased(20, "nodes(ids: $ids) { id }")
	return strings.TrimSuffix(quote(document), "}") + `,"variables":{"ids":["x"` + strings.Repeat(`,"x"`, 999) + "]}}"
}

// batch returns a batch of 50 equal requests.
func batch(one string) string { return "[" + strings.Repeat(one+",", 49) + one + "]" }

// persisted returns requests that register 1,100 documents.
func persisted() []string {
	list := make([]string, 1_100)
	for i := range list {
		document := fmt.Sprintf("{ a%d: chain { lag } }", i)
		// Strings and a number can always be encoded.
		body, _ := json.Marshal(map[string]any{"query": document, "extensions": map[string]any{"persistedQuery": map[string]any{
			"version": 1, "sha256Hash": fmt.Sprintf("%x", sha256.Sum256([]byte(document))),
		}}})
		list[i] = string(body)
	}
	return list
}
