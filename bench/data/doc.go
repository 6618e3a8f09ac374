// Package data generates the data of the benchmark: an import file of a chain whose
// records are distributed as on real chains, with token documents.
//
// It promises the same bytes for the same number of records, and memory that grows
// only with the sizes of the blocks. The values mean nothing. Start with data.go.
package data
