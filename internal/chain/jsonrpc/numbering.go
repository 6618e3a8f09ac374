package jsonrpc

import (
	"context"
	"slices"
	"sync"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// numbering is the chain's log numbering, shared by all endpoints of a client.
type numbering struct {
	store func(context.Context, evm.Numbering, evm.BlockRef) (evm.Numbering, error)
	// mu guards decided.
	mu      sync.Mutex
	decided evm.Numbering
}

func (n *numbering) get() evm.Numbering {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.decided
}

// show records the numbering that a block shows, and returns the chain's. The first
// known numbering decides.
func (n *numbering) show(ctx context.Context, shown evm.Numbering, block evm.BlockRef) (evm.Numbering, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.decided != evm.NumberingUnknown || shown == evm.NumberingUnknown {
		return n.decided, nil
	}
	if n.store != nil {
		var err error
		if shown, err = n.store(ctx, shown, block); err != nil {
			return n.decided, err
		}
	}
	n.decided = shown
	return shown, nil
}

// number sets the indices of all logs of a block, given in chain order. It fails if
// the node's indices contradict the chain's numbering, or if they have gaps and the
// header is provable.
func (e *endpoint) number(ctx context.Context, h *blockHeader, logs []evm.Log) error {
	if inBlock, inTx := wire.InOrder(logs); !inBlock && !inTx {
		provable, err := e.provable(ctx, h)
		if err != nil {
			return err
		}
		if provable {
			return inconsistent("%s: the log indices of block %d are neither 0, 1, … through the block nor in each transaction", e.name, h.Number)
		}
	}
	shown := evm.NumberLogs(logs)
	decided, err := e.c.numbering.show(ctx, shown, h.BlockRef)
	if err != nil {
		return err
	}
	if shown == evm.NumberingTransaction && decided == evm.NumberingBlock {
		return inconsistent("%s: the log indices of block %d do not grow through the block, which they do on this chain", e.name, h.Number)
	}
	return nil
}

// selfNumbered reports whether the indices of some logs of a block, given in chain
// order, are right without the other logs of the block. Those of the first transaction
// are, in either numbering.
func selfNumbered(logs []evm.Log, by evm.Numbering) bool {
	for i := range logs {
		first := logs[i].TxIndex == evm.TxIndex{Known: true}
		if by == evm.NumberingTransaction || by == evm.NumberingUnknown && !first || i > 0 && logs[i].Index <= logs[i-1].Index {
			return false
		}
	}
	return true
}

// unnumbered returns copies of logs without their indices.
func unnumbered(logs []evm.Log) []evm.Log {
	logs = slices.Clone(logs)
	for i := range logs {
		logs[i].Index = 0
	}
	return logs
}

// renumber sets the log indices of the blocks whose filtered logs do not suffice for
// that, see [selfNumbered]: it reads all logs of such a block and keeps the selected
// ones. Once a block has shown the chain's numbering, other blocks may not need it.
func (c *Client) renumber(ctx context.Context, e *endpoint, span *Span) error {
	for i := range span.Blocks {
		b := &span.Blocks[i]
		if selfNumbered(b.Logs, c.numbering.get()) {
			continue
		}
		h, err := e.headerAt(ctx, b.Header.Number)
		if err != nil {
			return err
		}
		if h.BlockRef != b.Header.BlockRef {
			return inconsistent("%s: logs name block %d %s, its header has the hash %s", e.name, b.Header.Number, b.Header.Hash, h.Hash)
		}
		all, err := e.blockLogs(ctx, h)
		if err != nil {
			return err
		}
		some, want := b.Logs, c.filter.pick(all)
		b.Header, b.Logs = h.Header, want
		if c.numbering.get() != evm.NumberingBlock {
			some, want = unnumbered(some), unnumbered(want)
		}
		if err := e.compareLogs(span, h.Number, some, want); err != nil {
			return err
		}
	}
	return nil
}
