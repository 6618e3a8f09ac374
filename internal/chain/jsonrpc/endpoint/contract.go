package endpoint

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// maxCallData is the most bytes that one contract call may return, more than the
// longest token URI that the indexer accepts.
const maxCallData = 16 << 20

// CallContracts calls contracts at the latest block and returns one result per call, in
// order. It fails if the endpoint fails: a call that fails while the endpoint answers others
// has a result with a Problem.
func (e *Endpoint) CallContracts(ctx context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	results := make([]evm.CallResult, len(calls))
	for first := 0; first < len(calls); {
		end := min(first+e.MaxBatch(), len(calls))
		if err := e.callBatch(ctx, calls[first:end], results[first:end]); err != nil {
			return nil, err
		}
		first = end
	}
	return results, nil
}

// callBatch sets results with one request, or splits the calls in two if that is too
// large. A call that fails in a batch is repeated alone, because the batch may have
// been the cause.
func (e *Endpoint) callBatch(ctx context.Context, calls []evm.Call, results []evm.CallResult) error {
	sent := make([]*Call, len(calls))
	for i, c := range calls {
		sent[i] = &Call{Method: "eth_call", Args: []any{callArgs{c.To, "0x" + hex.EncodeToString(c.Data)}, "latest"}}
	}
	err := e.Send(ctx, sent)
	if len(sent) == 1 {
		results[0], err = e.callResult(ctx, sent[0], calls[0].Limit, err)
		return err
	}
	if err == nil {
		err = batchError(sent)
	}
	if err != nil {
		half := len(calls) / 2
		switch info := rpcerror.InfoOf(err); {
		case info.Kind == rpcerror.Batch:
			e.limits.allow(half)
		case info.Whole:
			if err := e.answersAlone(ctx, sent); err != nil {
				return err
			}
		case info.Kind == rpcerror.Size, info.Kind == rpcerror.Slow:
		default:
			return err
		}
		if err := e.callBatch(ctx, calls[:half], results[:half]); err != nil {
			return err
		}
		return e.callBatch(ctx, calls[half:], results[half:])
	}
	for i, c := range sent {
		if c.Err != nil && !rpcerror.IsRevert(c.Err) {
			err = e.callBatch(ctx, calls[i:i+1], results[i:i+1])
		} else {
			results[i], err = e.callResult(ctx, c, calls[i].Limit, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// callArgs is the first parameter of eth_call.
type callArgs struct {
	To   evm.Address `json:"to"`
	Data string      `json:"data"`
}

// callResult returns the result of a call that was sent alone, or that succeeded
// or reverted in a batch. limit is [evm.Call.Limit], failed the error of the request, or nil.
func (e *Endpoint) callResult(ctx context.Context, sent *Call, limit int, failed error) (evm.CallResult, error) {
	failed = cmp.Or(failed, sent.Err)
	if digits := len(`"0x`) + 2*limit; limit > 0 && len(sent.Result) > digits+1 {
		sent.Result = append(sent.Result[:digits:digits], '"')
	}
	switch {
	case failed == nil && sent.Null():
		return evm.CallResult{Problem: "the node answered null"}, nil
	case failed == nil && len(sent.Result) > 2*maxCallData+4:
		return evm.CallResult{Problem: fmt.Sprintf("the contract returned more than %d bytes", maxCallData)}, nil
	case failed == nil:
		data, err := wire.AppendData(nil, sent.Result)
		if err != nil {
			return evm.CallResult{Problem: "the node answered " + err.Error()}, nil
		}
		return evm.CallResult{Data: data}, nil
	case rpcerror.IsRevert(failed):
		return evm.CallResult{Problem: problem(failed), Reverted: true}, nil
	case ctx.Err() != nil:
		return evm.CallResult{}, ctx.Err()
	}
	switch rpcerror.KindOf(failed) {
	case rpcerror.Rate, rpcerror.Unsupported, rpcerror.BeyondHead, rpcerror.UnknownBlock, rpcerror.Pruned:
		return evm.CallResult{}, failed
	}
	// If the endpoint answers another call, this call is at fault.
	if err := e.Ask(ctx, &Call{Method: "eth_blockNumber"}); err != nil {
		return evm.CallResult{}, failed
	}
	return evm.CallResult{Problem: problem(failed)}, nil
}

// problem returns an endpoint's message as a printable line, fit to be stored.
func problem(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*rpcerror.Error](err); ok {
		text = e.Message
	}
	return evm.Printable(text)
}
