// Package foreign has a schema that tests package fastql: the bindings that
// gqlgen knows, each at least once, and resolvers that fail in each way. It is
// for tests.
//
// generated.go, models_gen.go and fast_gen.go are generated; everything else is
// by hand.
package foreign

//go:generate go run ../plugin/gqlgen
