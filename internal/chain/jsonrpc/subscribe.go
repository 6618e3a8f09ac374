package jsonrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// maxHead is the most bytes of a message with a new head.
const maxHead = 1 << 20

// NewHeads calls each for every new head that an endpoint pushes. When the connection
// ends, it tries the next endpoint; it returns when ctx ends or after the last
// endpoint. The heads are only hints: they are not checked, and some may be missing
// or repeated. It fails with [rpcerror.ErrNoSubscription] if no endpoint is a WebSocket.
func (c *Client) NewHeads(ctx context.Context, each func(evm.Header)) error {
	failed := rpcerror.ErrNoSubscription
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
	client, err := rpc.DialOptions(ctx, e.url, rpc.WithWebsocketMessageSizeLimit(maxHead))
	if err != nil {
		return e.transportError(nil, err)
	}
	defer client.Close()
	heads, subscribe := make(chan json.RawMessage, 16), []*call{{method: "eth_subscribe"}}
	subscription, err := client.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		return e.transportError(subscribe, err)
	}
	defer subscription.Unsubscribe()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-subscription.Err():
			return e.transportError(subscribe, cmp.Or(err, io.EOF))
		case text := <-heads:
			header, err := parseHeader(text)
			if err != nil {
				return e.secrets.Hidden(rpcerror.Inconsistent("%s: new head: %v", e.name, err))
			}
			e.sawHead(header.Number)
			each(header.Header)
		}
	}
}
