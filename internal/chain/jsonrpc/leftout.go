package jsonrpc

import (
	"context"
	"errors"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// fullSpan is the most blocks in a span that is read from receipts.
const fullSpan = 128

// spanOrFull reads a range from one endpoint with eth_getLogs, or from receipts if an answer
// for it was wrong: another attempt with eth_getLogs would choose other samples, and sooner
// or later miss what is wrong.
func (c *Client) spanOrFull(ctx context.Context, e *node, from, to uint64) (Span, error) {
	full, to := c.needsFull(e, from, to)
	if !full {
		var span Span
		err := c.checkFilter(ctx, e, evm.Range{From: from, To: to})
		if err == nil {
			span, err = c.spanOf(ctx, e, from, to)
		}
		if err == nil {
			span.endpoint = e
			e.locked(func() { e.fromLogs = evm.Range{From: span.From, To: span.To}.Join(e.fromLogs) })
		}
		if !rpcerror.IsWrongLogs(err) {
			return span, err
		}
		if err := c.catch(ctx, e, err); err != nil {
			return Span{}, err
		}
		_, to = c.needsFull(e, from, to)
	}
	to = min(to, from+fullSpan-1)
	span, err := c.fullFrom(ctx, e, from, to)
	if errors.Is(err, rpcerror.ErrNoBlock) {
		last, err := e.lastAt(ctx, to)
		if err != nil {
			return Span{}, err
		}
		return Span{From: from, To: to, Last: last.Header, endpoint: e}, nil
	}
	span.endpoint = e
	span.Blocks = slices.DeleteFunc(span.Blocks, func(b evm.Block) bool { return len(b.Logs) == 0 })
	return span, err
}

// needsFull reports whether block from must be read from its receipts, and the last
// block for which the answer is the same.
func (c *Client) needsFull(e *node, from, to uint64) (full bool, until uint64) {
	if get(e, &e.leavesOut) {
		return true, to
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.caught {
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

// catch records that an endpoint returned wrong logs for the range of a [rpcerror.LogsError]: the
// range and all others of the endpoint are read in full from then on.
func (c *Client) catch(ctx context.Context, e *node, evidence error) error {
	if caught, ok := errors.AsType[*rpcerror.LogsError](evidence); ok {
		c.mu.Lock()
		c.caught = caught.Range.Join(c.caught)
		c.mu.Unlock()
	}
	if c.o.OnLeftOut != nil {
		if err := c.o.OnLeftOut(ctx, e.Name, evidence); err != nil {
			return err
		}
	}
	set(e, &e.leavesOut, true)
	e.Rest.Show(evidence)
	return nil
}

// Doubtful returns, in order, the ranges that were read with eth_getLogs from endpoints
// that were later caught leaving logs out.
func (c *Client) Doubtful() (ranges []evm.Range) {
	for _, e := range c.nodes {
		e.mu.Lock()
		if e.leavesOut {
			for _, r := range e.fromLogs {
				ranges = r.Join(ranges)
			}
		}
		e.mu.Unlock()
	}
	return ranges
}
