// Package fasttest compares the answers of a [fastql.Schema] with those of
// gqlgen's execution, on random operations for any schema. It is for tests.
// Open compare.go first.
package fasttest
