package counter

import (
	"context"

	"mintburn/internal/evm"
)

// LeafSize is the number of records above which a node is split. It bounds what a
// total counts at each end of its range.
const LeafSize = 512

// shifts are the block number bits below each level.
var shifts = [...]uint{33, 24, 18, 12, 6, 0}

// Levels is the number of levels of a tree.
const Levels = len(shifts)

// LastBlock is the last block of a root, above any that can be stored.
const LastBlock = 1<<33 - 1

// Shift returns the block number bits below a level.
func Shift(level int) uint { return shifts[level] }

// Node is a node of a tree: the number of records in its blocks.
type Node struct {
	Level  int
	Bucket uint64
	N      int64
	// Split says that the level below has the node's parts.
	Split bool
}

// Span returns the blocks of a node.
func (n Node) Span() evm.Range {
	shift := shifts[n.Level]
	return evm.Range{From: n.Bucket << shift, To: (n.Bucket+1)<<shift - 1}
}

// overFull reports whether a node holds so much that it is split.
func (n Node) overFull() bool { return n.N > LeafSize && n.Level < Levels-1 }

// parts returns the buckets of the level below that a node has.
func (n Node) parts() evm.Range {
	span, shift := n.Span(), shifts[n.Level+1]
	return evm.Range{From: span.From >> shift, To: span.To >> shift}
}

// part returns the node of the level below in a bucket, empty if it is not stored.
func (n Node) part(bucket uint64) Node { return Node{Level: n.Level + 1, Bucket: bucket} }

// Change is a node that must be stored.
type Change struct {
	Scope Scope
	Node
}

// Count is the number of records in a bucket of blocks.
type Count struct {
	Bucket uint64
	N      int64
}

// Reader reads the nodes of trees, and counts the records that they sum up.
type Reader interface {
	// Nodes returns the stored nodes of a level in a range of buckets, in order.
	Nodes(ctx context.Context, s Scope, level int, buckets evm.Range) ([]Node, error)
	// Count counts the records of a scope in a range of blocks; if most is not 0,
	// it stops at that number.
	Count(ctx context.Context, s Scope, blocks evm.Range, most int64) (int64, error)
}

// Rows stores the nodes of trees as well.
type Rows interface {
	Reader
	// Save stores nodes, each of them once, and replaces those that are stored.
	Save(ctx context.Context, changes []Change) error
	// CountBuckets counts the first most records of a scope in a range of blocks by
	// bucket of 2^shift blocks, in order, without the buckets that have none.
	CountBuckets(ctx context.Context, s Scope, blocks evm.Range, shift uint, most int64) ([]Count, error)
}
