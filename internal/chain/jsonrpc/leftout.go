package jsonrpc

import (
	"context"
	"errors"
	"slices"

	"mintburn/internal/evm"
)

// fullSpan is how many blocks of a range are read from their receipts at a time.
const fullSpan = 128

// spanOrFull reads a range from one endpoint by eth_getLogs, or from receipts where
// that left logs out: another attempt by eth_getLogs would draw other samples, and
// sooner or later none of a block that lacks logs.
func (c *Client) spanOrFull(ctx context.Context, e *endpoint, from, to uint64) (Span, error) {
	full, to := c.needsFull(e, from, to)
	if !full {
		span, err := c.spanOf(ctx, e, from, to)
		if err == nil {
			e.locked(func() { e.fromLogs = evm.Range{From: span.From, To: span.To}.Join(e.fromLogs) })
		}
		if caught, err := c.catch(ctx, e, err); !caught {
			return span, err
		}
		_, to = c.needsFull(e, from, to)
	}
	span, err := c.fullFrom(ctx, e, from, min(to, from+fullSpan-1))
	span.Blocks = slices.DeleteFunc(span.Blocks, func(b evm.Block) bool { return len(b.Logs) == 0 })
	return span, err
}

// needsFull reports whether block from must be read from its receipts, and up to
// which block that holds.
func (c *Client) needsFull(e *endpoint, from, to uint64) (full bool, until uint64) {
	if get(e, &e.health.LeavesOut) {
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

// catch notes that an endpoint left logs out of a range where an error says that, and
// returns any other error.
func (c *Client) catch(ctx context.Context, e *endpoint, failed error) (caught bool, err error) {
	evidence, caught := errors.AsType[*leftOutError](failed)
	if !caught {
		return false, failed
	}
	c.mu.Lock()
	c.caught = evidence.asked.Join(c.caught)
	c.mu.Unlock()
	if c.o.Caught != nil {
		if err := c.o.Caught(ctx, e.name, evidence); err != nil {
			return false, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.health.LeavesOut = true
	e.health.Errors++
	e.health.failed(evidence)
	return true, nil
}

// Doubtful returns the ranges that were read by eth_getLogs from an endpoint that
// was caught leaving logs out later, in order.
func (c *Client) Doubtful() (ranges []evm.Range) {
	for _, e := range c.endpoints {
		e.mu.Lock()
		if e.health.LeavesOut {
			for _, r := range e.fromLogs {
				ranges = r.Join(ranges)
			}
		}
		e.mu.Unlock()
	}
	return ranges
}
