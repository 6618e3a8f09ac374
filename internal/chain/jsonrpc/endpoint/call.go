package endpoint

import (
	"cmp"
	"encoding/json"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// Call is one JSON-RPC call and its answer.
type Call struct {
	// Method and Args are the method and its parameters.
	Method string
	Args   []any
	// id is 0 over HTTP, where the ids of a request begin with 1. Over WebSockets no two calls
	// to an endpoint have the same id.
	id int64
	// Result is the answer, nil without one. Err is a [*rpcerror.Error], or nil.
	Result json.RawMessage
	Err    error
}

// Null reports whether the result is null or missing.
func (c *Call) Null() bool { return wire.IsNull(c.Result) }

// ByHash reports whether the call names a block by its hash.
func (c *Call) ByHash() bool {
	if len(c.Args) == 0 {
		return false
	}
	switch block := c.Args[0].(type) {
	case evm.Hash:
		return true
	case interface{ ByHash() bool }:
		return block.ByHash()
	default:
		return false
	}
}

// FirstTransient returns the first error of a call that the node did not answer, or nil.
func FirstTransient(calls []*Call) error {
	for _, c := range calls {
		if c.Err != nil && !rpcerror.IsNoData(c.Err) {
			return c.Err
		}
	}
	return nil
}

// FirstError returns the first error that is not about a lost answer, else the first, or nil.
func FirstError(calls []*Call) error {
	var found error
	for _, c := range calls {
		if c.Err != nil && (found == nil || rpcerror.KindOf(found) == rpcerror.Slow) {
			found = c.Err
		}
	}
	return found
}

// batchError returns the error of a call that is about its whole batch, or nil. If a
// batch is too large, geth answers only its first call. Reverts are skipped, because
// their text is the contract's.
func batchError(calls []*Call) error {
	for _, c := range calls {
		if rpcerror.KindOf(c.Err) == rpcerror.Batch && !rpcerror.IsRevert(c.Err) {
			return c.Err
		}
	}
	return nil
}

// encode returns the request body: an object for one call, an array for several.
func encode(calls []*Call) []byte {
	type message struct {
		Version string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  []any  `json:"params"`
	}
	messages := make([]message, len(calls))
	for i, c := range calls {
		messages[i] = message{"2.0", cmp.Or(c.id, int64(i+1)), c.Method, append([]any{}, c.Args...)}
	}
	body := any(messages)
	if len(calls) == 1 {
		body = messages[0]
	}
	// Strings, hashes and filters always encode.
	text, _ := json.Marshal(body)
	return text
}
