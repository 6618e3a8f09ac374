package node

import (
	"context"
	"sync"
	"sync/atomic"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/evm"
)

// blockReader reads headers, receipts and logs of single blocks.
type blockReader struct {
	*endpoint.Endpoint
	o *settings.Options
	// leavesOut is true once the node has left logs out: its blocks are read from receipts.
	leavesOut atomic.Bool
	// noBlockReceipts is true once the node has rejected eth_getBlockReceipts.
	noBlockReceipts atomic.Bool
	// refusals counts the blocks in a row whose eth_getBlockReceipts was refused.
	refusals atomic.Int64

	// mu guards everything below.
	mu sync.Mutex
	// highest is the highest block that the node has returned.
	highest uint64
	// numbers is how the node numbers logs, unknown until a block shows it.
	numbers evm.Numbering
}

// SawHead records the number of a block that the node returned.
func (n *blockReader) SawHead(number uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.highest = max(n.highest, number)
}

// highestBlock returns the highest block that the node has returned.
func (n *blockReader) highestBlock() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.highest
}

// numbering returns how the node numbers logs.
func (n *blockReader) numbering() evm.Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.numbers
}

// noteNumbering records the numbering of logs that a block shows. Once an endpoint has restarted
// indices in a transaction, its indices are not used again.
func (n *blockReader) noteNumbering(ctx context.Context, at evm.BlockRef, shown evm.Numbering) error {
	if now := n.numbering(); shown == evm.NumberingUnknown || now == shown || now == evm.NumberingTransaction {
		return nil
	}
	if n.o.OnNumbering != nil {
		if err := n.o.OnNumbering(ctx, shown, at); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.numbers = shown
	return nil
}

// numberLogs sets the indices of all logs of a block, given in chain order: the node's, if they
// increase through the block, else the places of the logs.
func (n *blockReader) numberLogs(ctx context.Context, at evm.BlockRef, logs []evm.Log) error {
	return n.noteNumbering(ctx, at, evm.NumberLogs(logs))
}
