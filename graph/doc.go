// Package graph answers GraphQL: schema.graphqls bound to package store.
//
// generated.go and models_gen.go are generated; everything else is by hand.
// One operation reads one [store.Snapshot], whatever fields it has. Operations
// on pages are answered by the page writer, see writer.go, all others by the
// generated code.
package graph
