// Package chain is where blocks come from: recorded files of JSON-RPC answers.
//
// A [Recording] reads one or more files of NDJSON, plain or compressed, and
// gives one [Item] a line, in order. It guarantees that a block is given whole
// or not at all: every log belongs to the header beside it, and a line that can
// not be read is an error with file and line, never an empty block. It does not
// verify hashes, blooms or signatures, does not check that one block follows
// another, and does not decode events. Memory does not grow with the files,
// only with their longest line.
package chain
