// Package counter maintains trees of counters, which count the records in any range of
// blocks with a few look-ups.
//
// Each filter that may select many records is a [Scope]: all records of a kind, or those
// of a collection, an account, an account in a collection, or a token. A scope of at most
// about [LeafSize] records has no tree; its records are counted one by one. A larger scope
// has a tree over the block numbers:
//
//   - Level 0 is the root and covers all blocks. A node of level l covers the blocks whose
//     number >> [Shift](l) is its bucket. Nodes of the last level are single blocks.
//   - A node of more than LeafSize records is split: the level below has a node for each
//     of its parts that contains a record.
//
// The total of a range is the sum of the nodes inside it plus, at each end, a count of
// at most LeafSize records in a node that is not split ([Total]). The ends of a range are
// block numbers, so a node of one block is never cut.
//
// A node also has the sum of its records' amounts, so the amount of a range is read in the
// same way. A sum has 320 bits ([Amount]), which no number of records overflows.
//
// Additions and removals commute: backfill, reorgs and repeated imports leave the same
// totals and amounts in any order. The order determines only which nodes are split.
//
// The package knows no SQL. [Trees] works on [Rows], which package write implements, and
// [Compare] on [Reader], which package total implements; package check calls it, and repairs
// a tree with [Trees.Repair]. It imports the values of packages evm and nft only. Open
// node.go first, then total.go for reading and trees.go for writing.
package counter
