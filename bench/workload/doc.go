// Package workload holds the workloads of the benchmark, each a document and
// sets of variables picked from a database.
//
// The same database always yields the same sets. Sets of a small database may repeat.
// Start with workload.go.
package workload
