package node

import (
	"context"
	"errors"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// needsFull reports whether block from must be read from its receipts, and the last
// block for which the answer is the same.
func (e *Node) needsFull(from, to uint64) (full bool, until uint64) {
	if e.leavesOut.Load() {
		return true, to
	}
	c := e.chain
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.wrong {
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
func (e *Node) distrust(ctx context.Context, evidence error) error {
	if wrong, ok := errors.AsType[*rpcerror.LogsError](evidence); ok {
		e.chain.mu.Lock()
		e.chain.wrong = wrong.Range.Join(e.chain.wrong)
		e.chain.mu.Unlock()
	}
	if e.o.OnLeftOut != nil {
		if err := e.o.OnLeftOut(ctx, e.Name, evidence); err != nil {
			return err
		}
	}
	e.leavesOut.Store(true)
	e.Rest.Show(evidence)
	return nil
}

// Doubtful returns, in order, the ranges that were read with eth_getLogs before the node was
// caught leaving logs out.
func (e *Node) Doubtful() []evm.Range {
	if !e.leavesOut.Load() {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.fromLogs)
}
