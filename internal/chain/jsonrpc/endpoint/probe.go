package endpoint

import (
	"context"
	"errors"
	"fmt"

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
