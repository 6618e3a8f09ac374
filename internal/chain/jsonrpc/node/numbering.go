package node

import (
	"context"

	"mintburn/internal/evm"
)

// shows records the numbering of logs that a block shows. Once an endpoint has restarted
// indices in a transaction, its indices are not used again.
func (e *blockReader) shows(ctx context.Context, h *Header, shown evm.Numbering) error {
	if now := e.numbering(); shown == evm.NumberingUnknown || now == shown || now == evm.NumberingTransaction {
		return nil
	}
	if e.o.OnNumbering != nil {
		if err := e.o.OnNumbering(ctx, shown, h.BlockRef); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.numbers = shown
	return nil
}

// number sets the indices of all logs of a block, given in chain order: the node's, if they
// increase through the block, else the places of the logs.
func (e *blockReader) number(ctx context.Context, h *Header, logs []evm.Log) error {
	return e.shows(ctx, h, evm.NumberLogs(logs))
}
