// Package check compares the database with itself, and repairs the data that it can compute
// from the stored blocks: counter trees, counted columns, coverage, the queue, rows without a
// contract. Other damage is reported and left to verify --repair, which asks a node.
//
// [Run] compares everything, [Counters] the counter trees step by step beside a running
// server. Each pass reads pages of a table in snapshots and repairs in short transactions,
// each of which checks again that the row is wrong.
//
// Open run.go first, then checker.go, which has the shape of a pass.
package check
