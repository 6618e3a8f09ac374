package jsonrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"mintburn/internal/evm"
)

// NewHeads calls each with the new heads that an endpoint pushes, until ctx or the
// connection ends; then it tries the next endpoint. The heads are hints only: none
// is checked, some may be missing or repeated. It fails with [ErrNoSubscription]
// when no endpoint is a WebSocket.
func (c *Client) NewHeads(ctx context.Context, each func(evm.Header)) error {
	failed := ErrNoSubscription
	for _, e := range c.endpoints {
		if e.isWS && ctx.Err() == nil {
			failed = c.newHeads(ctx, e, each)
		}
	}
	return fmt.Errorf("subscribing to new heads: %w", failed)
}

func (c *Client) newHeads(ctx context.Context, e *endpoint, each func(evm.Header)) error {
	if err := c.checkChain(ctx, e); err != nil {
		return err
	}
	client, err := e.dialed(ctx)
	if err != nil {
		return e.lost(nil, err)
	}
	heads, subscribe := make(chan json.RawMessage, 16), []*call{{method: "eth_subscribe"}}
	subscription, err := client.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		return e.lost(subscribe, err)
	}
	defer subscription.Unsubscribe()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-subscription.Err():
			return e.lost(subscribe, cmp.Or(err, io.EOF))
		case text := <-heads:
			header, err := parseHeader(text)
			if err != nil {
				return inconsistent("%s: a new head: %v", e.name, err)
			}
			e.sawHead(header.Number)
			each(header.Header)
		}
	}
}
