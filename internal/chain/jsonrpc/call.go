package jsonrpc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/jsonrpc/socket"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// call is one JSON-RPC call and its answer.
type call struct {
	method string
	args   []any
	// id is 0 over HTTP, where the ids of a request begin with 1. Over WebSockets no two calls
	// to an endpoint have the same id.
	id     int64
	result json.RawMessage
	err    error // an *Error, or nil
}

// null reports whether the result is null or missing.
func (c *call) null() bool { return wire.IsNull(c.result) }

// byHash reports whether the call names a block by its hash.
func (c *call) byHash() bool {
	if len(c.args) == 0 {
		return false
	}
	switch block := c.args[0].(type) {
	case evm.Hash:
		return true
	case filterArgs:
		return block.BlockHash != nil
	default:
		return false
	}
}

// send sends calls as one request. It fails if the request as a whole fails; errors
// of single calls are in call.err.
func (e *endpoint) send(ctx context.Context, calls []*call) error {
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	for _, c := range calls {
		c.result, c.err = nil, nil
	}
	start := e.o.Now()
	err := e.post(ctx, calls)
	e.note(calls, err, e.o.Now().Sub(start))
	e.noteBatch(len(calls), err)
	return err
}

// Probe sends one request with a call of the method for each list of arguments to the first
// endpoint, without failover and checks, and returns the results.
func (c *Client) Probe(ctx context.Context, method string, args ...[]any) (results []json.RawMessage, err error) {
	e, calls := c.endpoints[0], make([]*call, len(args))
	for i := range args {
		calls[i] = &call{method: method, args: args[i]}
	}
	err = e.secrets.Hidden(cmp.Or(e.send(ctx, calls), firstError(calls)))
	for _, c := range calls {
		results = append(results, c.result)
	}
	return results, err
}

// maxErrorBody is the most bytes read from the body of an HTTP error.
const maxErrorBody = 64 << 10

// post sends calls over HTTP or a WebSocket. Results bypass go-ethereum's client, which parses an
// answer four times with the standard library's decoder: nearly half of the time of
// a backfill.
func (e *endpoint) post(ctx context.Context, calls []*call) error {
	if e.isWS {
		for i, last := len(calls)-1, e.ids.Add(int64(len(calls))); i >= 0; i, last = i-1, last-1 {
			calls[i].id = last
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(encode(calls)))
	if err != nil {
		return e.transportError(calls, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := e.http.Do(request)
	if err != nil {
		return e.transportError(calls, err)
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		// A partial body is good enough for an error.
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return e.badStatus(calls, response, body)
	}
	h := slot.Of(ctx)
	if h == nil {
		h = e.c.slots.Hold()
		defer h.Release()
	}
	messages, _ := response.Body.(*socket.Messages)
	stray := ""
	for {
		answer, err := h.Read(ctx, response.Body, response.ContentLength, e.o.MaxBody)
		switch {
		case errors.Is(err, slot.ErrTooLarge):
			return e.newError(calls, &rpcerror.Error{Message: fmt.Sprintf("the answer is larger than %d bytes", e.o.MaxBody), Info: rpcerror.Info{Kind: rpcerror.Size}})
		case err != nil:
			failed, _ := errors.AsType[*rpcerror.Error](e.transportError(calls, err))
			failed.Message += stray
			return failed
		}
		answer = bytes.TrimPrefix(answer, byteOrderMark)
		err = e.readAnswers(answer, calls)
		failed, known := errors.AsType[*rpcerror.Error](err)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errStray):
			messages.Skip()
			stray = ", but " + e.secrets.Excerpt(answer)
		case errors.Is(err, errUnnamed):
			messages.Skip()
			return nil
		case known:
			messages.Skip()
			return failed
		default:
			return e.newError(calls, &rpcerror.Error{Message: fmt.Sprintf("%v: got status %d, %s", err, response.StatusCode, e.described(response, answer)), Info: rpcerror.Info{Kind: rpcerror.Slow, Whole: len(calls) > 1}})
		}
	}
}

// byteOrderMark begins the answers of some servers, against RFC 8259, section 8.1.
var byteOrderMark = []byte("\uFEFF")

// described describes a response whose body is no JSON-RPC answer.
func (e *endpoint) described(response *http.Response, body []byte) (text string) {
	for _, header := range []string{"Content-Type", "Content-Encoding"} {
		if value := response.Header.Get(header); value != "" {
			text += fmt.Sprintf("%s %s, ", strings.ToLower(header), e.secrets.Excerpt([]byte(value)))
		}
	}
	return text + "body " + e.secrets.Excerpt(body)
}

// encode returns the request body: an object for one call, an array for several.
func encode(calls []*call) []byte {
	type message struct {
		Version string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  []any  `json:"params"`
	}
	messages := make([]message, len(calls))
	for i, c := range calls {
		messages[i] = message{"2.0", cmp.Or(c.id, int64(i+1)), c.method, append([]any{}, c.args...)}
	}
	body := any(messages)
	if len(calls) == 1 {
		body = messages[0]
	}
	// Strings, hashes and filters always encode.
	text, _ := json.Marshal(body)
	return text
}

var (
	// errNoResult is an answer with neither a result nor an error.
	errNoResult = errors.New("the answer has no result")
	// errStray is a message over a WebSocket that answers none of the calls.
	errStray = errors.New("no answer to these calls")
	// errUnnamed is an error over a WebSocket with the id null, for a single call.
	errUnnamed = errors.New("an error without an id")
)

// readAnswers sets the result or err of each call. It fails if the answer cannot be
// parsed, is a single error for the whole batch, or answers none of its calls.
func (e *endpoint) readAnswers(text []byte, calls []*call) error {
	r := wire.NewReader()
	r.AllowInvalidUTF8 = true
	r.Reset(text)
	var err error
	named := false
	read := func(int) error {
		found, err := e.readAnswer(r, calls)
		named = named || found
		return err
	}
	batch, overSocket := len(calls) > 1, calls[0].id > 0
	object := bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{"))
	switch {
	case object && overSocket, !batch && !overSocket:
		err = read(0)
	case !object:
		err = r.Array("answer", read)
	}
	answered := func(c *call) bool { return c.result != nil || c.err != nil }
	switch {
	case err != nil:
		return err
	case overSocket && !named:
		return errStray
	case batch && object:
		said := rpcerror.Read(text, e.secrets.Excerpt)
		if said == nil {
			said = &rpcerror.Object{Message: "got one object for a batch: " + e.secrets.Excerpt(text)}
		}
		failed := e.answerError(calls, said, true)
		failed.Info.Whole = failed.Info.Kind == rpcerror.Temporary
		return failed
	case batch && !slices.ContainsFunc(calls, answered):
		return errors.New("the answer has none of the batch's results")
	}
	for _, c := range calls {
		if !answered(c) {
			c.err = e.transportError([]*call{c}, errNoResult)
		}
	}
	return nil
}

// readAnswer reads one answer into the call with its id, and reports whether there is one.
func (e *endpoint) readAnswer(r *wire.Reader, calls []*call) (found bool, err error) {
	var id, result, failed, method []byte
	err = r.Object(wire.Fields{Optional: []string{"id", "result", "error", "method"}}, func(name string) error {
		raw, err := r.Value()
		switch name {
		case "id":
			id = raw
		case "result":
			result = raw
		case "error":
			failed = raw
		default:
			method = raw
		}
		return err
	})
	if err != nil {
		return false, err
	}
	overSocket := calls[0].id > 0
	unnamed := overSocket && method == nil && string(id) == "null" && !wire.IsNull(failed)
	i := readID(id) - max(calls[0].id, 1)
	switch {
	case unnamed && len(calls) > 1:
		return false, e.answerError(calls, rpcerror.Decode(failed, e.secrets.Excerpt), true)
	case unnamed, len(calls) == 1 && !overSocket:
		// Over HTTP the id is ignored, because some servers return a different one.
		i = 0
	case overSocket && method != nil, i < 0, i >= int64(len(calls)):
		return false, nil
	}
	c := calls[i]
	c.result = result
	if !wire.IsNull(failed) {
		c.err = e.answerError([]*call{c}, rpcerror.Decode(failed, e.secrets.Excerpt), false)
	}
	if unnamed {
		return true, errUnnamed
	}
	return true, nil
}

// readID returns the number in the id of an answer, or 0. Some servers return it as a
// string, in hexadecimal or with a fraction of zero.
func readID(raw []byte) int64 {
	text := strings.Trim(string(raw), `"`)
	if id, err := strconv.ParseInt(text, 0, 64); err == nil {
		return id
	}
	if id, err := strconv.ParseFloat(text, 64); err == nil && id == math.Trunc(id) {
		return int64(id)
	}
	return 0
}
