package jsonrpc

import (
	"sync"
	"time"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/pace"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/settings"
	"mintburn/internal/evm"
)

// node is what answers at an endpoint: one node, or several that answer as one.
type node struct {
	*endpoint.Endpoint
	o *settings.Options

	// mu guards everything below.
	mu      sync.Mutex
	checked bool // serves the right chain, see trust.go
	// addresses is the most addresses in a filter, 0 for any number.
	addresses int
	pace      pace.Pace
	// receiptsBatch is the number of blocks whose receipts one batch requests.
	receiptsBatch int
	// highest, leavesOut and firstBlock are those of [EndpointHealth].
	highest, firstBlock uint64
	leavesOut           bool
	// behind, wrongChain and contradicts are those of [EndpointHealth].
	behind, wrongChain, contradicts bool
	// fromLogs are the ranges read with eth_getLogs, in order.
	fromLogs []evm.Range
	// noFinalized and noBlockReceipts are true once the node has rejected the
	// finalized tag or eth_getBlockReceipts.
	noFinalized, noBlockReceipts bool
	// hasFinalized is true once the node has returned a finalized block.
	hasFinalized bool
	// firstUntil is the time until which firstBlock is used.
	firstUntil time.Time
	// filterKnown is true once the answer to a filter was compared, see
	// [Client.checkFilter].
	filterKnown bool
	// misses counts the blocks in a row whose eth_getBlockReceipts was refused.
	misses int
	// numbering is how the endpoint numbers logs, unknown until a block shows it.
	numbering evm.Numbering
	// finalized are the last blocks that the endpoint called final, in order.
	finalized []evm.BlockRef
	// retracted is a finalized block that the endpoint has replaced since, see
	// [Head], or zero.
	retracted   evm.BlockRef
	retractedTo uint64
	// newest is the endpoint's last head, with its object until [node.takeNewest], and
	// lastFinalized the finalized block of that head.
	newest        blockHeader
	lastFinalized evm.Header
}

// EndpointHealth is the state of one endpoint.
type EndpointHealth struct {
	// URL is the scheme and host; the rest is left out, because it may be a credential.
	URL string
	endpoint.Health
	// Head is the highest block that the endpoint has returned, 0 before the first.
	Head uint64
	// Behind is true while the endpoint's head is far below another's: it is called
	// only when no other endpoint answers.
	Behind bool
	// LeavesOut is true once the endpoint has left logs out of a range: its blocks
	// are read from receipts.
	LeavesOut bool
	// FirstBlock is the first block that the endpoint has, 0 while unknown or if it has all.
	FirstBlock uint64
	// WrongChain is true while the endpoint serves another chain, Contradicts while
	// its blocks differ from the stored final ones. No blocks are read from it then.
	WrongChain, Contradicts bool
}

// get returns a field guarded by e.mu.
func get[T any](e *node, field *T) T {
	e.mu.Lock()
	defer e.mu.Unlock()
	return *field
}

// set changes a field guarded by e.mu.
func set[T any](e *node, field *T, value T) { e.locked(func() { *field = value }) }

// locked calls f with e.mu held.
func (e *node) locked(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// sawHead records the number of a block that the endpoint returned.
func (e *node) sawHead(number uint64) {
	e.locked(func() { e.highest = max(e.highest, number) })
}

// failed makes the endpoint rest. When it recovers, another node may be behind the URL.
func (e *node) failed(err error) {
	e.Rest.Failed(err)
	if rpcerror.KindOf(err) != rpcerror.Rate {
		set(e, &e.checked, false)
	}
}
