package node

import (
	"context"
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
	// highest is the highest block that the node has returned.
	highest atomic.Uint64
	// numbers is the [evm.Numbering] of the node's logs, nil until a block shows it.
	numbers atomic.Value
}

// SawHead records the number of a block that the node returned.
func (n *blockReader) SawHead(number uint64) {
	for last := n.highest.Load(); last < number && !n.highest.CompareAndSwap(last, number); last = n.highest.Load() {
	}
}

// numbering returns how the node numbers logs, unknown until a block shows it.
func (n *blockReader) numbering() evm.Numbering {
	shown, _ := n.numbers.Load().(evm.Numbering)
	return shown
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
	n.numbers.Store(shown)
	return nil
}

// numberLogs sets the indices of all logs of a block, given in chain order: the node's, if they
// increase through the block, else the places of the logs.
func (n *blockReader) numberLogs(ctx context.Context, at evm.BlockRef, logs []evm.Log) error {
	return n.noteNumbering(ctx, at, evm.NumberLogs(logs))
}
