package endpoint

import (
	"bytes"
	"context"
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
)

// Send sends calls as one request. It fails if the request as a whole fails; errors
// of single calls are in call.Err.
func (e *Endpoint) Send(ctx context.Context, calls []*Call) error {
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	for _, c := range calls {
		c.Result, c.Err = nil, nil
	}
	start := e.o.Now()
	err := e.post(ctx, calls)
	e.Rest.note(calls, err, e.o.Now().Sub(start))
	e.limits.answeredBatch(len(calls), err)
	return err
}

// maxErrorBody is the most bytes read from the body of an HTTP error.
const maxErrorBody = 64 << 10

// post sends calls over HTTP or a WebSocket. Results bypass go-ethereum's client, which parses an
// answer four times with the standard library's decoder: nearly half of the time of
// a backfill.
func (e *Endpoint) post(ctx context.Context, calls []*Call) error {
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
		h = e.slots.Hold()
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
			stray = ", but " + e.Secrets.Excerpt(answer)
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
func (e *Endpoint) readAnswers(text []byte, calls []*Call) error {
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
	answered := func(c *Call) bool { return c.Result != nil || c.Err != nil }
	switch {
	case err != nil:
		return err
	case overSocket && !named:
		return errStray
	case batch && object:
		said := rpcerror.Read(text, e.Secrets.Excerpt)
		if said == nil {
			said = &rpcerror.Object{Message: "got one object for a batch: " + e.Secrets.Excerpt(text)}
		}
		failed := e.answerError(calls, said, true)
		failed.Info.Whole = failed.Info.Kind == rpcerror.Temporary
		return failed
	case batch && !slices.ContainsFunc(calls, answered):
		return errors.New("the answer has none of the batch's results")
	}
	for _, c := range calls {
		if !answered(c) {
			c.Err = e.transportError([]*Call{c}, errNoResult)
		}
	}
	return nil
}

// readAnswer reads one answer into the call with its id, and reports whether there is one.
func (e *Endpoint) readAnswer(r *wire.Reader, calls []*Call) (found bool, err error) {
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
		return false, e.answerError(calls, rpcerror.Decode(failed, e.Secrets.Excerpt), true)
	case unnamed, len(calls) == 1 && !overSocket:
		// Over HTTP the id is ignored, because some servers return a different one.
		i = 0
	case overSocket && method != nil, i < 0, i >= int64(len(calls)):
		return false, nil
	}
	c := calls[i]
	c.Result = result
	if !wire.IsNull(failed) {
		c.Err = e.answerError([]*Call{c}, rpcerror.Decode(failed, e.Secrets.Excerpt), false)
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
