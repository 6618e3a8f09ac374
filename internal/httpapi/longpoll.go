package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/routes"
)

// serveChanges answers with a batch of changes, waits for one, or sends an event stream.
// docs/api.md#changes.
func (h rest) serveChanges(w http.ResponseWriter, r *http.Request, to *routes.Route, variables map[string]any) {
	events := r.Method == http.MethodGet && negotiate.ChooseStream(r.Header) == negotiate.EventStream
	wait, failed := to.ReadChanges(r, variables, h.Limits.PageSize, events)
	switch {
	case failed != nil:
		h.sender.Fail(w, r, failed)
	case events:
		h.serveEvents(w, r, to, variables)
	default:
		h.poll(w, r, &execute.Request{Document: to.Document, Request: parse.Request{Variables: variables}, Client: h.clients.Of(r)}, wait)
	}
}

// poll answers with a batch that has changes, or at the end of a wait with what it then reads. In
// between it has no slot, no snapshot and no memory of an answer.
func (h rest) poll(w http.ResponseWriter, r *http.Request, one *execute.Request, wait time.Duration) {
	waiting, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(h.streams.Stopping, cancel)() //nolint:contextcheck // It ends with the server.
	answer := http.NewResponseController(w)
	if wait > 0 {
		observe.Of(r.Context()).Route = observe.Stream
		// The server's deadline is too early after a wait. Errors mean that it has none.
		_ = answer.SetWriteDeadline(time.Time{})
	}
	for mark := h.batches.Changes.Now(); ; {
		last := waiting.Err() != nil
		one.Size = h.Budget.AnswerSize(one.Client, h.Limits.Answer)
		var read fastql.Position
		found, failed := h.readChanges(fastql.WithPosition(r.Context(), &read), one, wait > 0)
		if failed == nil && !last && len(found.Changes) == 0 {
			one.Size.Release()
			one.Paid = read.Scanned == 0
			one.Variables["after"] = found.Cursor
			if !found.More {
				// The end of the wait is no error.
				_, failed = h.batches.Wait(waiting, socketSink(nil), &mark)
			}
			if failed == nil {
				continue
			}
		} else {
			defer one.Size.Release()
		}
		if wait > 0 {
			_ = answer.SetWriteDeadline(time.Now().Add(h.Limits.Write))
		}
		if failed != nil {
			h.sender.Fail(w, r, failed)
			return
		}
		b := h.Budget.Buffer(r)
		defer h.Budget.Drop(b)
		found.Write(&b.Buffer)
		h.sender.Send(w, r, negotiate.JSON, http.StatusOK, b, nil)
		return
	}
}

// readChanges reads a batch. The client is charged for the first one, and for those that were
// searched without success. waits reports that a change may have woken many clients, who then run like subscriptions.
func (h rest) readChanges(ctx context.Context, one *execute.Request, waits bool) (*routes.Batch, *failure.Error) {
	if waits {
		if failed := h.batches.Enter(ctx); failed != nil {
			return nil, failed
		}
		defer h.batches.Leave()
	}
	ctx, cancel := context.WithTimeout(ctx, h.Limits.Timeout)
	defer cancel()
	done := h.executor.Answer(ctx, one)
	if done.Failed != nil {
		return nil, done.Failed
	}
	if len(done.Response.Errors) > 0 {
		return nil, &failure.Error{Errors: done.Response.Errors}
	}
	var found struct{ Answer *routes.Batch }
	if err := json.Unmarshal(done.Response.Data, &found); err != nil || found.Answer == nil {
		h.Log.ErrorContext(ctx, "reading an answer for a route", "error", errors.Join(errors.New("no batch of changes"), err))
		return nil, failure.New(apierror.Internal, "internal error")
	}
	return found.Answer, nil
}
