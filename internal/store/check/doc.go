// Package check compares the database with itself, and repairs what follows from the
// stored blocks: counter trees, counted columns, coverage, the queue, rows without a
// contract. What only a node can decide is reported and left to verify --repair.
//
// [Run] compares everything, [Counters] the counter trees step by step beside a running
// server. Each pass reads pages of a table in snapshots and repairs in short transactions,
// each of which checks again that the row is wrong.
//
// Open run.go first, then checker.go, which has the shape of a pass.
package check
