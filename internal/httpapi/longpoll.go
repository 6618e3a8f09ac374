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
	"mintburn/internal/httpapi/routes"
)

// poll answers with a batch that has changes, or at the end of a wait with what it then reads. In
// between it has no slot, no snapshot and no memory of an answer.
func (e *endpoint) poll(w http.ResponseWriter, r *http.Request, one *execute.Request, wait time.Duration) {
	waiting, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(e.streams.Stopping, cancel)() //nolint:contextcheck // It ends with the server.
	answer := http.NewResponseController(w)
	if wait > 0 {
		observe.Of(r.Context()).Route = observe.Stream
		// The server's deadline is too early after a wait. Errors mean that it has none.
		_ = answer.SetWriteDeadline(time.Time{})
	}
	shared := e.chains.at(r.Context()).batches
	for mark := shared.Changes.Now(); ; {
		last := waiting.Err() != nil
		one.Size = e.Budget.AnswerSize(one.Client, e.Limits.Answer)
		var read fastql.Position
		found, failed := e.readChanges(fastql.WithPosition(r.Context(), &read), one, wait > 0)
		if failed == nil && !last && len(found.Changes) == 0 {
			one.Size.Release()
			one.Paid = read.Scanned == 0
			one.Variables["after"] = found.Cursor
			if !found.More {
				// The end of the wait is no error.
				_, failed = shared.Wait(waiting, socketSink(nil), &mark)
			}
			if failed == nil {
				continue
			}
		} else {
			defer one.Size.Release()
		}
		if wait > 0 {
			_ = answer.SetWriteDeadline(time.Now().Add(e.Limits.Write))
		}
		if failed != nil {
			e.sender.Fail(w, r, failed)
			return
		}
		b := e.Budget.Buffer(r)
		defer e.Budget.Drop(b)
		found.Write(&b.Buffer)
		e.sender.Send(w, r, negotiate.JSON, http.StatusOK, b, nil)
		return
	}
}

// readChanges reads a batch. The client is charged for the first one, and for those that were
// searched without success. waits reports that a change may have woken many clients, who then run like subscriptions.
func (e *endpoint) readChanges(ctx context.Context, one *execute.Request, waits bool) (*routes.Batch, *failure.Error) {
	if waits {
		shared := e.chains.at(ctx).batches
		if failed := shared.Enter(ctx); failed != nil {
			return nil, failed
		}
		defer shared.Leave()
	}
	ctx, cancel := context.WithTimeout(ctx, e.Limits.Timeout)
	defer cancel()
	done := e.executor.Answer(ctx, one)
	if done.Failed != nil {
		return nil, done.Failed
	}
	if len(done.Response.Errors) > 0 {
		return nil, &failure.Error{Errors: done.Response.Errors}
	}
	var found struct{ Answer *routes.Batch }
	if err := json.Unmarshal(done.Response.Data, &found); err != nil || found.Answer == nil {
		e.Log.ErrorContext(ctx, "reading an answer for a route", "error", errors.Join(errors.New("no batch of changes"), err))
		return nil, failure.New(apierror.Internal, "internal error")
	}
	return found.Answer, nil
}
