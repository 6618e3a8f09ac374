package jsonrpc

import (
	"context"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// shows records the numbering of logs that a block shows. Once an endpoint has restarted
// indices in a transaction, its indices are not used again.
func (e *node) shows(ctx context.Context, h *blockHeader, shown evm.Numbering) error {
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
func (e *node) number(ctx context.Context, h *blockHeader, logs []evm.Log) error {
	return e.shows(ctx, h, evm.NumberLogs(logs))
}

// renumber sets the log indices of the blocks whose filtered logs do not suffice for
// that, see [wire.SelfNumbered]: it reads all logs of such a block and keeps the selected
// ones. Once a block has shown the endpoint's numbering, other blocks may not need it.
func (c *Client) renumber(ctx context.Context, e *node, span *Span) error {
	for i := range span.Blocks {
		b := &span.Blocks[i]
		if wire.SelfNumbered(b.Logs, get(e, &e.numbering)) {
			continue
		}
		h, err := e.headerAt(ctx, b.Header.Number)
		if err != nil {
			return err
		}
		if h.BlockRef != b.Header.BlockRef {
			return rpcerror.Branches("%s: logs name block %d %s, its header has the hash %s", e.Name, b.Header.Number, b.Header.Hash, h.Hash)
		}
		all, err := e.blockLogs(ctx, h)
		if err != nil {
			return err
		}
		some, want := b.Logs, c.filter.Pick(all)
		b.Header, b.Logs = h.Header, want
		if get(e, &e.numbering) != evm.NumberingBlock {
			some, want = wire.Unnumbered(some), wire.Unnumbered(want)
		}
		if err := e.compareLogs(span, h.Number, some, want); err != nil {
			return err
		}
	}
	return nil
}
