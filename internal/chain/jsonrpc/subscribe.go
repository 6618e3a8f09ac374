package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"

	"mintburn/internal/evm"
)

// NewHeads returns the new heads that an endpoint pushes. They are hints only: none
// is checked, some may be missing or repeated. The channel is closed when ctx or the
// connection ends. It fails with [ErrNoSubscription] when no endpoint is a
// WebSocket.
func (c *Client) NewHeads(ctx context.Context) (<-chan evm.Header, error) {
	failed := ErrNoSubscription
	for _, e := range c.endpoints {
		if !e.isWS {
			continue
		}
		heads, err := c.newHeads(ctx, e)
		if err == nil {
			return heads, nil
		}
		failed = err
	}
	return nil, fmt.Errorf("subscribing to new heads: %w", failed)
}

func (c *Client) newHeads(ctx context.Context, e *endpoint) (<-chan evm.Header, error) {
	if err := c.checkChain(ctx, e); err != nil {
		return nil, err
	}
	client, err := e.dialed(ctx)
	if err != nil {
		return nil, e.lost(nil, err)
	}
	raw := make(chan json.RawMessage, 16)
	subscription, err := client.EthSubscribe(ctx, raw, "newHeads")
	if err != nil {
		return nil, e.lost([]*call{{method: "eth_subscribe"}}, err)
	}
	heads, ended := make(chan evm.Header), subscription.Err()
	go func() {
		defer close(heads)
		defer subscription.Unsubscribe()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ended: //nolint:errcheck // the caller polls
				return
			case text := <-raw:
				header, err := parseHeader(text)
				if err != nil {
					return
				}
				e.sawHead(header.Number)
				select {
				case heads <- header.Header:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return heads, nil
}
