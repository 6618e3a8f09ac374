// Package data generates the data of the benchmark: an import file of a chain whose
// records are distributed as on real chains, with token documents.
//
// The same number of records always yields the same bytes, and memory grows only with
// the sizes of the blocks. The values have no meaning. Start with data.go.
package data
