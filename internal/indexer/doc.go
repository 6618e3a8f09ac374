// Package indexer follows a chain: it fetches blocks from a [Source], decodes them
// with package nft, and writes the records to a [Store]. Start with follower.go:
// [Follower.Step] chooses the next action.
//
// It promises:
//
//   - Blocks are stored in order, without gaps other than those in [Gaps]. Each block
//     whose header is fetched is linked to the block below it by its parent hash (see
//     [Follower.HeaderDepth]).
//
//   - After a reorg of any depth, the store contains only data of the canonical chain.
//     Replacement blocks are fetched and checked first, then swapped in one
//     transaction.
//
//   - A repair links to the stored blocks below and above it, and replaces blocks that
//     have another hash only if they are final.
//
//   - Blocks near the head (see [Follower.ReceiptsDepth]) are read from their
//     receipts, and proved complete if the chain's headers allow it.
//
//   - A failed step is retried until it succeeds or the caller's context ends. A
//     panic counts as an error.
//
// It never treats an error as an empty range, mixes two branches, or stores blocks
// decoded with options other than the store's. It cannot know whether the logs of older
// blocks are complete: only a proof against the chain shows that. [Verifier] and
// [Auditor] prove and repair ranges, [SpotAuditor] proves and repairs single blocks.
package indexer
