package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/jsonrpc/slot"
	"mintburn/internal/chain/jsonrpc/socket"
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
