// Package workload holds the nine workloads of the benchmark, each a document and
// sets of variables picked from a database.
//
// It promises the same sets for the same database, but not that those of a small one
// are all different. Start with workload.go.
package workload
