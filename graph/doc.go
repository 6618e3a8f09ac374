// Package graph is the GraphQL API: schema.graphqls bound to package store.
//
// Start with resolver.go: every root field calls its resolver there. A resolver checks
// its arguments and returns a connection over a page that is not read yet. The executor
// reads the pages once all root fields are resolved. types.go turns a page into both
// shapes of a connection.
//
// generated.go (gqlgen's executor), fast_gen.go (the executor that runs queries, see
// package fastql) and models_gen.go are generated from the schema and gqlgen.yml; all other
// files are handwritten. All fields of an operation read the same [store.Snapshot].
package graph
