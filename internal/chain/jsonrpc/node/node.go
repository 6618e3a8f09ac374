package node

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/pace"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Node reads the blocks of one endpoint: of one node, or of several that answer as one.
type Node struct {
	headReader
	chain *Chain
	pace  *pace.Pace
	// receiptsBatch is the number of blocks whose receipts one batch requests.
	receiptsBatch atomic.Int64
	// filterChecked is true once the answer to a filter was compared, see [Node.checkFilter].
	filterChecked atomic.Bool

	// mu guards everything below.
	mu sync.Mutex
	// fromLogs are the ranges read with eth_getLogs, in order.
	fromLogs []evm.Range
	// firstBlock is the first block that the node has, 0 while unknown or if it has all. It is
	// used until firstUntil.
	firstBlock uint64
	firstUntil time.Time
}

// firstReceiptsBatch is the number of blocks in the first batch of receipts.
const firstReceiptsBatch = 8

// New returns the node at an endpoint. leavesOut means that it is known to leave logs out.
func New(e *endpoint.Endpoint, c *Chain, leavesOut bool) *Node {
	n := &Node{headReader: headReader{blockReader: blockReader{Endpoint: e, o: c.o}}, chain: c, pace: pace.New(c.o.Step, c.o.MaxStep, c.o.TargetLogs)}
	n.receiptsBatch.Store(firstReceiptsBatch)
	n.leavesOut.Store(leavesOut)
	return n
}

// State returns the highest block that the node has returned, 0 before the first; the first
// block that it has, 0 while unknown or if it has all; and whether it has left logs out of a
// range.
func (n *Node) State() (highest, first uint64, leavesOut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.highest.Load(), n.firstBlock, n.leavesOut.Load()
}

// Chain is what the nodes of a client have in common: what is read, and what the answers of
// all showed.
type Chain struct {
	o      *settings.Options
	filter logFilter
	// others returns the nodes besides one that answer for the right chain.
	others func(ctx context.Context, n *Node) iter.Seq[*Node]
	// proved is true once a header of the chain was provable.
	proved atomic.Bool

	// mu guards everything below.
	mu sync.Mutex
	// wrongLogs are the ranges that a node returned wrong logs for, in order. They are read from
	// receipts, whichever node is called.
	wrongLogs []evm.Range
	// notProvable are the ranges accepted without a proof, in order.
	notProvable []evm.Range
	// zeroBloom is true once [settings.Options.OnZeroBloom] was called.
	zeroBloom bool
}

// NewChain returns the chain of nodes with the same options. others returns the nodes besides
// one that answer for the right chain.
func NewChain(o *settings.Options, others func(ctx context.Context, n *Node) iter.Seq[*Node]) *Chain {
	c := &Chain{o: o, filter: logFilter{wire.NewLogFilter(o.Contracts, o.Unindexed)}, others: others}
	c.proved.Store(o.Proved)
	return c
}

// needsFull reports whether block from must be read from its receipts, and the last
// block for which the answer is the same.
func (n *Node) needsFull(from, to uint64) (full bool, until uint64) {
	if n.leavesOut.Load() {
		return true, to
	}
	c := n.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.wrongLogs {
		switch {
		case r.To < from:
		case r.From <= from:
			return true, min(to, r.To)
		case r.From <= to:
			return false, r.From - 1
		}
	}
	return false, to
}

// distrust records that the node returned wrong logs for the range of a [rpcerror.LogsError]: the
// range and all others of the node are read in full from then on.
func (n *Node) distrust(ctx context.Context, evidence error) error {
	if wrong, ok := errors.AsType[*rpcerror.LogsError](evidence); ok {
		n.chain.mu.Lock()
		n.chain.wrongLogs = wrong.Range.Join(n.chain.wrongLogs)
		n.chain.mu.Unlock()
	}
	if n.o.OnLeftOut != nil {
		if err := n.o.OnLeftOut(ctx, n.Name, evidence); err != nil {
			return err
		}
	}
	n.leavesOut.Store(true)
	n.Rest.NoteError(evidence)
	return nil
}

// Doubtful returns, in order, the ranges that were read with eth_getLogs before the node was
// caught leaving logs out.
func (n *Node) Doubtful() []evm.Range {
	if !n.leavesOut.Load() {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.fromLogs)
}
