package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// NewHeads calls each for every new head that an endpoint pushes. When the connection
// ends, it tries the next endpoint; it returns when ctx ends or after the last
// endpoint. The heads are only hints: they are not checked, and some may be missing
// or repeated. It fails with [rpcerror.ErrNoSubscription] if no endpoint is a WebSocket.
func (c *Client) NewHeads(ctx context.Context, each func(evm.Header)) error {
	failed := rpcerror.ErrNoSubscription
	for _, e := range c.nodes {
		if e.Pushes() && ctx.Err() == nil {
			failed = c.newHeads(ctx, e, each)
		}
	}
	return fmt.Errorf("subscribing to new heads: %w", failed)
}

func (c *Client) newHeads(ctx context.Context, e *node, each func(evm.Header)) error {
	if err := c.checkChain(ctx, e); err != nil {
		return err
	}
	return e.NewHeads(ctx, maxHead, func(head json.RawMessage) error {
		header, err := parseHeader(head)
		if err != nil {
			return e.Secrets.Hidden(rpcerror.Inconsistent("%s: new head: %v", e.Name, err))
		}
		e.sawHead(header.Number)
		each(header.Header)
		return nil
	})
}
