package chain

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"mintburn/internal/evm"
)

// maxCallData is the most bytes that one contract call may return: more than
// any token URI that is read.
const maxCallData = 16 << 20

// Call calls contracts at the latest block and returns a result for each call,
// in order; they need not all be of the same block. A call that reverts, fails
// in the EVM, or is too much for an endpoint that answers other questions has
// a result with a problem. An error means that nothing is known about any.
func (c *Client) Call(ctx context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	results := make([]evm.CallResult, len(calls))
	if len(calls) == 0 {
		return results, nil
	}
	err := c.try(ctx, func(ctx context.Context, e *endpoint) error {
		return e.callContracts(ctx, calls, results)
	})
	if err != nil {
		return nil, fmt.Errorf("calling %d contracts: %w", len(calls), err)
	}
	return results, nil
}

// callContracts fills results, in batches as large as the endpoint takes.
func (e *endpoint) callContracts(ctx context.Context, calls []evm.Call, results []evm.CallResult) error {
	for len(calls) > 0 {
		e.mu.Lock()
		n := min(e.batch, len(calls))
		e.mu.Unlock()
		if err := e.callBatch(ctx, calls[:n], results[:n]); err != nil {
			return err
		}
		calls, results = calls[n:], results[n:]
	}
	return nil
}

// callBatch fills results by one request, or by two halves where that is too
// much. A call that fails among others is asked again alone: only then is it
// known to be at fault.
func (e *endpoint) callBatch(ctx context.Context, calls []evm.Call, results []evm.CallResult) error {
	asked := make([]*call, len(calls))
	for i, c := range calls {
		asked[i] = &call{method: "eth_call", args: []any{callArgs{c.To, "0x" + hex.EncodeToString(c.Data)}, "latest"}}
	}
	err := e.send(ctx, asked)
	if len(asked) == 1 {
		results[0], err = e.callResult(ctx, asked[0], err)
		return err
	}
	if err == nil {
		err = refusedCalls(asked)
	}
	if err != nil {
		half := len(calls) / 2
		switch refusalOf(err).kind {
		case kindBatch:
			e.mu.Lock()
			e.batch = max(1, min(e.batch, half))
			e.mu.Unlock()
		case kindSize, kindSlow:
		default:
			return err
		}
		if err := e.callBatch(ctx, calls[:half], results[:half]); err != nil {
			return err
		}
		return e.callBatch(ctx, calls[half:], results[half:])
	}
	for i, c := range asked {
		if c.err != nil && !isRevert(c.err) {
			if err := e.callBatch(ctx, calls[i:i+1], results[i:i+1]); err != nil {
				return err
			}
			continue
		}
		if results[i], err = e.callResult(ctx, c, nil); err != nil {
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

// refusedCalls is refusedBatch, which would also believe what a contract says
// about batches when it reverts.
func refusedCalls(asked []*call) error {
	for _, c := range asked {
		if refusalOf(c.err).kind == kindBatch && !isRevert(c.err) {
			return c.err
		}
	}
	return nil
}

// callResult makes a result of a call that was asked alone, or that succeeded
// or reverted among others. failed is why the request failed, or nil.
func (e *endpoint) callResult(ctx context.Context, asked *call, failed error) (evm.CallResult, error) {
	failed = cmp.Or(failed, asked.err)
	switch {
	case failed == nil && asked.null():
		return evm.CallResult{Problem: "the node answered null"}, nil
	case failed == nil && len(asked.result) > 2*maxCallData+4:
		return evm.CallResult{Problem: fmt.Sprintf("the contract returned more than %d bytes", maxCallData)}, nil
	case failed == nil:
		data, err := appendData(nil, asked.result)
		if err != nil {
			return evm.CallResult{Problem: "the node answered " + err.Error()}, nil
		}
		return evm.CallResult{Data: data}, nil
	case isRevert(failed):
		return evm.CallResult{Problem: problem(failed), Reverted: true}, nil
	case ctx.Err() != nil:
		return evm.CallResult{}, ctx.Err()
	}
	switch refusalOf(failed).kind {
	case kindRate, kindUnsupported, kindBeyondHead, kindUnknownBlock, kindPruned:
		return evm.CallResult{}, failed
	}
	// It is the call's fault if the endpoint answers another question.
	if err := e.ask(ctx, &call{method: "eth_blockNumber"}); err != nil {
		return evm.CallResult{}, failed
	}
	return evm.CallResult{Problem: problem(failed)}, nil
}

// codeReverted is geth's code for a revert with data.
const codeReverted = 3

// revertTexts is how nodes say that the EVM ended a call, whatever follows:
// that is the contract's own text.
var revertTexts = regexp.MustCompile(`(?i)^(error: )?(execution reverted|reverted|revert\b|vm exception|vm execution error|transaction (execution )?reverted|evm error|(execution error: )?(out of gas|invalid (opcode|jump|instruction)|bad (instruction|jump)|stack (under|over)flow|stack limit|write protection|return data out of bounds|gas uint64 overflow|opcode .{1,20} not defined))`)

// isRevert reports whether err is the EVM's end of a call.
func isRevert(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == codeReverted || revertTexts.MatchString(e.Message))
}

// problem returns what an endpoint said as one line that can be stored.
func problem(err error) string {
	text := err.Error()
	var e *Error
	if errors.As(err, &e) {
		text = e.Message
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}
