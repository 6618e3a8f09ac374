package jsonrpc

import (
	"context"
	"slices"

	"mintburn/internal/evm"
)

// shows records the numbering of logs that a block shows. Once an endpoint has restarted
// indices in a transaction, its indices are not used again.
func (e *endpoint) shows(ctx context.Context, h *blockHeader, shown evm.Numbering) error {
	e.mu.Lock()
	known := shown == evm.NumberingUnknown || e.numbering == shown || e.numbering == evm.NumberingTransaction
	e.mu.Unlock()
	if known {
		return nil
	}
	if e.o.OnNumbering != nil {
		if err := e.o.OnNumbering(ctx, shown, h.BlockRef); err != nil {
			return err
		}
	}
	set(e, &e.numbering, shown)
	return nil
}

// number sets the indices of all logs of a block, given in chain order: the node's, if they
// increase through the block, else the places of the logs.
func (e *endpoint) number(ctx context.Context, h *blockHeader, logs []evm.Log) error {
	return e.shows(ctx, h, evm.NumberLogs(logs))
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
// ones. Once a block has shown the endpoint's numbering, other blocks may not need it.
func (c *Client) renumber(ctx context.Context, e *endpoint, span *Span) error {
	for i := range span.Blocks {
		b := &span.Blocks[i]
		if selfNumbered(b.Logs, get(e, &e.numbering)) {
			continue
		}
		h, err := e.headerAt(ctx, b.Header.Number)
		if err != nil {
			return err
		}
		if h.BlockRef != b.Header.BlockRef {
			return branches("%s: logs name block %d %s, its header has the hash %s", e.name, b.Header.Number, b.Header.Hash, h.Hash)
		}
		all, err := e.blockLogs(ctx, h)
		if err != nil {
			return err
		}
		some, want := b.Logs, c.filter.pick(all)
		b.Header, b.Logs = h.Header, want
		if get(e, &e.numbering) != evm.NumberingBlock {
			some, want = unnumbered(some), unnumbered(want)
		}
		if err := e.compareLogs(span, h.Number, some, want); err != nil {
			return err
		}
	}
	return nil
}
