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
	// connections send bodies, in turn and until the time is over; once says
	// that each body is sent once instead.
	connections int
	once        bool
	bodies      func() []string
	// documents, in place of bodies, is for the database with long documents, of a
	// collection at this address.
	documents func(address string) []string
}

// abuses are the loads that docs/limits.md makes promises about.
var abuses = []abuse{
	{name: "nothing", bodies: func() []string { return nil }},
	{name: "answers of 14 MB, 40 connections", connections: 40, bodies: func() []string { return []string{quote(pages(34))} }},
	{name: "small answers, 40 connections", connections: 40, bodies: func() []string { return []string{quote(pages(1))} }},
	{name: "long alias", connections: 1, once: true, bodies: func() []string { return []string{quote(longAlias(20_000))} }},
	{name: "long alias, 1 MiB", connections: 1, once: true, bodies: func() []string { return []string{quote(longAlias(1<<20 - 3_000))} }},
	{name: "long alias, 40 connections", connections: 40, bodies: func() []string { return []string{quote(longAlias(20_000))} }},
	{name: "longest accepted, 40 connections", connections: 40, bodies: func() []string { return []string{quote(longestAccepted())} }},
	{name: "unset variable, 40 connections", connections: 40, bodies: func() []string { return []string{quote(byGqlgen(34))} }},
	{name: "20,000 bad ids", connections: 1, once: true, bodies: func() []string { return []string{badIDs()} }},
	{name: "batch of introspections", connections: 1, once: true, bodies: func() []string { return []string{introspections()} }},
	{name: "1,100 persisted queries", connections: 1, once: true, bodies: persisted},
	{name: "names beside documents", connections: 1, once: true, documents: func(a string) []string { return []string{quote(tokens(a, 1, "name"))} }},
	{name: "long images", connections: 1, once: true, documents: func(a string) []string { return []string{quote(tokens(a, 1, "image"))} }},
	{name: "long images, 3 aliases", connections: 1, once: true, documents: func(a string) []string { return []string{quote(tokens(a, 3, "image"))} }},
	{name: "long documents that fit", connections: 1, once: true, documents: func(a string) []string {
		return []string{quote(strings.Replace(tokens(a, 1, "raw"), "first: 100", "first: 3", 1))}
	}},
	{name: "one document by 5 fields", connections: 1, once: true, documents: func(a string) []string {
		return []string{quote(strings.Replace(tokens(a, 1, "a: image b: image c: image d: image e: image"), "first: 100", "first: 1", 1))}
	}},
	{name: "long documents of mints", connections: 1, once: true, documents: func(string) []string {
		return []string{quote("{ mints(first: 1000) { data { metadata { raw image attributes { value } } } } }")}
	}},
	{name: "batch of 50 documents", connections: 1, once: true, documents: func(a string) []string {
		one := quote(strings.Replace(tokens(a, 1, "image"), "first: 100", "first: 1", 1))
		return []string{"[" + strings.Repeat(one+",", 49) + one + "]"}
	}},
	{name: "long documents, 40 connections", connections: 40, documents: func(a string) []string {
		return []string{quote(strings.Replace(tokens(a, 1, "image"), "first: 100", "first: 3", 1))}
	}},
}

// tokens asks n times for the first 100 tokens of a collection.
func tokens(address string, n int, fields string) string {
	return aliased(n, fmt.Sprintf("tokenMetadata(address: %q, first: 100) { data { %s } }", address, fields))
}

// quote makes the body of a document.
func quote(document string) string {
	// A string can always be encoded.
	body, _ := json.Marshal(map[string]string{"query": document})
	return string(body)
}

const transferFields = "tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex from to amount operator timestamp blockTime"

// pages asks for n pages of 1,000 records.
func pages(n int) string { return aliased(n, "mints(first: 1000) { data { "+transferFields+" } }") }

// byGqlgen is pages, which a Boolean variable without a value leaves to gqlgen's
// own execution.
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

// longAlias spreads a fragment with an alias of n bytes in 50 pages of 1,000.
func longAlias(n int) string {
	return aliased(50, "mints(first: 1000) { ...F }") + " fragment F on MintConnection { data { " + strings.Repeat("a", n) + ": logIndex } }"
}

// longestAccepted has about as many bytes in its answer as the limits allow: its
// keys are as long as is free, and its aliases as many as are allowed.
func longestAccepted() string {
	var fields strings.Builder
	for i := range 14 {
		fmt.Fprintf(&fields, "%s%02d: transactionHash ", strings.Repeat("k", 29), i)
	}
	return aliased(13, "mints(first: 1000) { ...F }") + " fragment F on MintConnection { data { id " + transferFields + " " + fields.String() + "} }"
}

// badIDs asks 20 times for 1,000 nodes that do not exist.
func badIDs() string {
	document := "query($ids: [ID!]!) " + aliased(20, "nodes(ids: $ids) { id }")
	return strings.TrimSuffix(quote(document), "}") + `,"variables":{"ids":["x"` + strings.Repeat(`,"x"`, 999) + "]}}"
}

// introspections is a batch of 50 operations that list all types 10 times.
func introspections() string {
	one := quote(aliased(10, "__schema { types { name description fields { name description } } }"))
	return "[" + strings.Repeat(one+",", 49) + one + "]"
}

// persisted registers 1,100 documents.
func persisted() []string {
	list := make([]string, 1_100)
	for i := range list {
		list[i] = byHash(fmt.Sprintf("{ a%d: chain { lag } }", i), true)
	}
	return list
}

// byHash asks for a document by its hash, and brings it if told so.
func byHash(document string, bring bool) string {
	request := map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{
		"version": 1, "sha256Hash": fmt.Sprintf("%x", sha256.Sum256([]byte(document))),
	}}}
	if bring {
		request["query"] = document
	}
	// Strings and a number can always be encoded.
	body, _ := json.Marshal(request)
	return string(body)
}
