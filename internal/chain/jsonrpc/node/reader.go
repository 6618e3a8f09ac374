package node

import (
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
	// misses counts the blocks in a row whose eth_getBlockReceipts was refused.
	misses atomic.Int64

	// mu guards everything below.
	mu sync.Mutex
	// highest is the highest block that the node has returned.
	highest uint64
	// numbers is how the node numbers logs, unknown until a block shows it.
	numbers evm.Numbering
}

// SawHead records the number of a block that the node returned.
func (e *blockReader) SawHead(number uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.highest = max(e.highest, number)
}

// highestBlock returns the highest block that the node has returned.
func (e *blockReader) highestBlock() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.highest
}

// numbering returns how the node numbers logs.
func (e *blockReader) numbering() evm.Numbering {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.numbers
}
