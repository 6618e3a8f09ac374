// Package graph is the GraphQL API: schema.graphqls bound to package store.
//
// Start with resolver.go: every root field of every query calls its
// resolver there. A resolver checks its arguments and returns a connection over
// a page that is not read yet; the executor reads it when all root fields have
// been called. types.go turns a page into both shapes of a connection.
//
// generated.go (gqlgen's execution), fast_gen.go (the executor that runs
// queries, see package fastql) and models_gen.go are generated from the schema
// and gqlgen.yml; everything else is by hand. One operation reads one
// [store.Snapshot], whatever fields it has.
package graph
