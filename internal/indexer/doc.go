// Package indexer follows a chain: it gets blocks from a [Source], turns them
// into records with package nft, and stores them in a [Store]. Open follower.go
// first.
//
// It guarantees:
//
//   - Blocks are stored in order, without gaps, each linked to the one before
//     by its parent hash, as far as headers are fetched (see
//     [Follower.HeaderDepth]).
//
//   - After a reorg of any depth the store holds what it would hold had it only
//     ever seen the canonical chain. Replacement blocks are fetched and checked
//     first, then swapped in one transaction.
//
//   - Branches do not mix: a repair links to the stored blocks below and above
//     it, and replaces other hashes only where the blocks are final.
//
//   - An error never counts as an empty range. The same step is tried again
//     until it succeeds or the caller's context ends. A panic is an error, too.
//
//   - Blocks near the head (see [Follower.ReceiptsDepth]) are read from their
//     receipts, and proved complete where the chain's headers allow it.
//
// It does not guarantee that older blocks are complete: it trusts the source's
// logs. Only a proof against the chain shows it. [Verifier] and [Auditor] prove
// blocks and repair the differences; [SpotAuditor] does so for single blocks.
// [Redecoder] fetches stored blocks again for a decoder with other options.
package indexer
