// Package indexer follows a chain: it fetches blocks from a [Source], decodes them
// with package nft, and writes the records to a [Store]. Open follower.go first:
// [Follower.Step] decides what comes next.
//
// What it promises:
//
//   - Blocks are stored in order, without gaps other than those of [Gaps], each
//     linked to the block below by its parent hash as far as headers are fetched
//     (see [Follower.HeaderDepth]).
//
//   - After a reorg of any depth the store holds what it would hold had it only
//     seen the canonical chain. Replacement blocks are fetched and checked first,
//     then swapped in one transaction.
//
//   - A repair links to the stored blocks below and above it, and replaces other
//     hashes only where the blocks are final.
//
//   - Blocks near the head (see [Follower.ReceiptsDepth]) are read from their
//     receipts, and proved complete where the chain's headers allow it.
//
//   - A failed step is retried until it succeeds or the caller's context ends. A
//     panic is an error, too.
//
// What it never does: take an error for an empty range, mix two branches, or store
// blocks that another decoder's options rule. It can't know whether the logs of
// older blocks are complete: only a proof against the chain shows that. [Verifier]
// and [Auditor] prove and repair ranges, [SpotAuditor] single blocks. [Redecoder]
// fetches stored blocks again for a decoder with other options.
package indexer
