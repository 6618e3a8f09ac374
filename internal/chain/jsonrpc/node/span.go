package node

import (
	"slices"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Span is the result for a range of blocks, from one node at one time.
type Span struct {
	// From and To are the first and the last block, both included.
	From, To uint64
	// First and Last are the headers of the first and the last block in the range. If none of
	// its first heights has a block, First is zero; if none at all, Last is the block before.
	First, Last evm.Header
	// Blocks are the blocks with selected logs, in order. ParentHash is zero if the
	// header was not requested, because the node returns the time with each log.
	Blocks []evm.Block
	// Proven is true if every block is proven, as by [Node.Full].
	Proven bool

	// node is the node that returned the span.
	node *Node
	// receipts are those of the blocks that were read from receipts and have wanted
	// transactions, see [settings.Options.Transactions].
	receipts map[evm.Hash][]wire.Receipt
}

// At returns the header and logs of a block of the span, or zero values if it has no
// selected logs.
func (s *Span) At(number uint64) (evm.Header, []evm.Log) {
	i, ok := slices.BinarySearchFunc(s.Blocks, number, func(b evm.Block, n uint64) int {
		return int(int64(b.Header.Number) - int64(n))
	})
	if !ok {
		return evm.Header{}, nil
	}
	return s.Blocks[i].Header, s.Blocks[i].Logs
}
