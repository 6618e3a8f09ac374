// Package counter keeps trees of counters, so that the number of records in any
// range of blocks takes a few look-ups.
//
// Each filter that may select many records is a [Scope]: all records of a kind,
// those of a collection, an account, an account in a collection, a token. A
// scope of at most about [LeafSize] records has no tree: its records are
// counted. A larger one has a tree over the block numbers:
//
//   - level 0 is the root and holds all; a node of level l holds the blocks
//     whose number >> shift of l is its bucket; the last level is single blocks;
//   - a node of more than LeafSize records is split: the level below has a node
//     for each of its parts that holds any record.
//
// A range's total is the sum of the nodes inside it and, at each end, a count of
// at most LeafSize records in a node that is not split ([Total]). The ends of a
// range are block numbers, so a node of one block is never cut.
//
// A node has the sum of its records' amounts as well, and a leaf's records have theirs:
// the amount of a range is read as its total is. A sum has 320 bits ([Amount]), which no
// number of records overflows.
//
// Additions and removals commute: backfill, reorgs and repeated imports in any
// order leave the same totals and amounts. Which nodes are split depends on the order, the
// totals do not.
//
// The package knows no SQL. [Trees] and [Compare] work on [Rows], four methods
// that package store implements. It imports the values of packages evm and nft
// only. Open node.go first, then total.go for reading and trees.go for writing.
package counter
