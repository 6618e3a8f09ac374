// Package indexer follows a chain: it asks a [Source] for blocks, turns them
// into records with package nft, and hands them to a [Store].
//
// What it guarantees:
//
//   - Blocks are stored in order, without gaps, each linked to the one before
//     by its parent hash, as far as headers are fetched (see
//     [Follower.HeaderDepth]).
//
//   - After a reorganisation of any depth the store holds what it would hold
//     had it only ever seen the canonical chain. Replacement blocks are fetched
//     and checked first, then swapped in one transaction.
//
//   - Nothing mixes two branches: a repair links to the stored blocks below and
//     above it, and replaces other hashes only where the blocks are final.
//
//   - An error is never taken for an empty range. The same step is tried again
//     until it succeeds or the caller's context ends. A panic is an error, too.
//
//   - Blocks near the head (see [Follower.ReceiptsDepth]) are read from their
//     receipts, and proved complete where the chain's headers allow it.
//
// What it does not: it trusts what the source returns for older blocks to be
// complete, which only a proof against the chain can show. [Verifier] and
// [Auditor] give it, and repair what differs; [SpotAuditor] does so for single
// blocks. [Redecoder] fetches stored blocks again for a decoder with other options.
package indexer
