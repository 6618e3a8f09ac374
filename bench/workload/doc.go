// Package workload holds the requests of the benchmark: nine
// workloads, each a document and sets of variables that are picked from a
// database.
//
// What it guarantees: the same database gives the same sets. What it does not:
// that small databases have as many different ones.
package workload
