// Package foreign contains a schema for the tests of package fastql, with bindings that
// schema.graphqls uses too, and resolvers that fail in every way. It is for tests only.
//
// generated.go, models_gen.go and fast_gen.go are generated; all other files are
// handwritten.
package foreign

//go:generate go run ../plugin/gqlgen
