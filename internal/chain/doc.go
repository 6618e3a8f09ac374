// Package chain is where blocks come from: the JSON-RPC endpoints of a chain,
// and recorded files of JSON-RPC answers.
//
// A [Client] asks endpoints, with failover. It guarantees that an answer is of
// one endpoint, agrees with itself and with the question, and is an error
// otherwise, never an empty list: logs lie in their range, name the block that
// the header beside them names, have no duplicates, and are neither removed nor
// pending. [Client.Whole] also holds blocks against their receipts roots, as
// [Client.Proven] does, which alone shows that no log is missing; [Client.Span]
// looks at samples, and stops asking an endpoint for logs once a sample lacks one.
//
// A [Recording] reads one or more files of NDJSON, plain or compressed, and
// gives one [Item] a line, in order. It guarantees that a block is given whole
// or not at all: every log belongs to the header beside it, and a line that can
// not be read is an error with file and line, never an empty block. It does not
// verify hashes, blooms or signatures, does not check that one block follows
// another. Memory does not grow with the files, only with their longest line.
//
// Neither decodes events.
package chain
