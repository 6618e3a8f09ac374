package jsonrpc

import (
	"context"
	"fmt"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Range returns the blocks with selected logs from from to to, both included. It calls
// [Client.Span] until the end of the range.
func (c *Client) Range(ctx context.Context, from, to uint64) ([]evm.Block, error) {
	blocks := []evm.Block{}
	_, err := c.spans(ctx, from, to, func(span *Span) error {
		blocks = append(blocks, span.Blocks...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return blocks, nil
}

// Block returns one block with its selected logs. It fails with [rpcerror.ErrLagging] if no
// endpoint has it yet.
func (c *Client) Block(ctx context.Context, number uint64) (block evm.Block, err error) {
	filter := wire.NewLogFilter(c.o.Contracts, c.o.Unindexed)
	err = c.try(ctx, fmt.Sprintf("reading block %d", number), func(e *member) error {
		h, err := e.HeaderAt(ctx, number)
		if err != nil {
			return err
		}
		e.SawHead(h.Number)
		logs, err := e.BlockLogs(ctx, h)
		block = evm.Block{Header: h.Header, Logs: filter.Pick(logs)}
		return err
	})
	return block, err
}
