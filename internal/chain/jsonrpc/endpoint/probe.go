package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/chain/jsonrpc/rpcerror"
)

// Probe makes the cheapest call to an endpoint that is down, because one that hangs would
// delay the next call, and thus the next endpoint, by the time for a whole request. It
// fails if the endpoint does not answer.
func (e *Endpoint) Probe(ctx context.Context) error {
	health := e.Rest.Health()
	if !health.Down {
		return nil
	}
	limit := max(probeTimeout, 2*health.Latency)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := e.Ask(ctx, &Call{Method: "eth_blockNumber"})
	if rpcerror.IsNoData(err) {
		return nil
	}
	if failed, ok := errors.AsType[*rpcerror.Error](err); ok && failed.TimedOut && limit < e.o.Timeout {
		failed.Message = fmt.Sprintf("no answer within %s", limit)
	}
	return err
}

// maxHead is the most bytes of a message with a new head.
const maxHead = 1 << 20

// Pushes reports whether the endpoint can push new heads.
func (e *Endpoint) Pushes() bool { return e.isWS }

// NewHeads calls each for every head that the node pushes, until each fails, the connection
// ends, or ctx ends.
func (e *Endpoint) NewHeads(ctx context.Context, each func(head json.RawMessage) error) error {
	client, err := rpc.DialOptions(ctx, e.url, rpc.WithWebsocketMessageSizeLimit(maxHead))
	if err != nil {
		return e.transportError(nil, err)
	}
	defer client.Close()
	heads, subscribe := make(chan json.RawMessage, 16), []*Call{{Method: "eth_subscribe"}}
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
		case head := <-heads:
			if err := each(head); err != nil {
				return err
			}
		}
	}
}
