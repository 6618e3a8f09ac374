// Package proof stores what only a node can decide: which blocks are proved complete
// ([Proofs]), how a stored block differs from a proved one, and its repair.
//
// A repair never changes the stored branch, and a proof counts only while the stored block
// is the proved one: both are checked in the writing transaction. The package sends no
// request; package indexer passes it what a node answered. Open proofs.go first.
package proof
