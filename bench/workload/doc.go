// Package workload holds what the contestants of the benchmark are asked: nine
// workloads, each a document and sets of variables that are picked from a
// database.
//
// What it guarantees: the same database gives the same sets. What it does not:
// that small databases have as many different ones.
package workload
