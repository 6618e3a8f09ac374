package jsonrpc

import (
	"context"
	"fmt"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
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

// Block returns one block with its selected logs, by number or by hash. It fails with
// [rpcerror.ErrLagging] if no endpoint has the number yet, and with [rpcerror.ErrGone] if none has the hash.
func (c *Client) Block(ctx context.Context, at evm.BlockNumberOrHash) (block evm.Block, err error) {
	err = c.try(ctx, fmt.Sprintf("reading block %s", at), func(e *node) error {
		asked := blockByNumber(uint64(at.Number))
		if at.Hash != nil {
			asked = &endpoint.Call{Method: "eth_getBlockByHash", Args: []any{*at.Hash, false}}
		}
		if err := e.Ask(ctx, asked); err != nil {
			return err
		}
		h, err := e.header(asked)
		if err != nil {
			return err
		}
		if (at.Hash != nil && h.Hash != *at.Hash) || (at.Hash == nil && h.Number != uint64(at.Number)) {
			return rpcerror.Inconsistent("%s: got block %d %s, want block %s", e.Name, h.Number, h.Hash, at)
		}
		e.sawHead(h.Number)
		logs, err := e.blockLogs(ctx, h)
		if err == nil {
			block = evm.Block{Header: h.Header, Logs: c.filter.Pick(logs)}
		}
		return err
	})
	return block, err
}

// SkipFirstChecks leaves out what is checked before the first range of an endpoint.
func (c *Client) SkipFirstChecks() {
	for _, e := range c.nodes {
		set(e, &e.filterKnown, true)
	}
}
