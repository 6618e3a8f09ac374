// Package data generates what the benchmark serves: an import file of a chain
// whose records are spread as those of real chains are, and token documents.
//
// What it guarantees: the same number of records gives the same bytes, and
// memory does not grow with the records but for their blocks' sizes. What it
// does not: the values mean nothing.
package data
