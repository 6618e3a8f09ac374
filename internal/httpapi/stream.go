package httpapi

import (
	"encoding/json"
	"net/http"
	"net/netip"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/subscribe"
)

// open opens a stream of a client. held are the memory reservations of the open request, whose
// place the subscription's own takes: streams are bounded by their number.
func (e *endpoint) open(held *admit.Buffer, client netip.Addr, memory int) (leave func(), failed *failure.Error) {
	if leave, failed = e.streams.Open(client); failed != nil {
		return nil, failed
	}
	e.Budget.Release(held)
	if !e.Budget.Take(held, memory) {
		leave()
		return nil, failure.Busy("too many large subscriptions")
	}
	return leave, nil
}

// stream answers a subscription over HTTP.
func (e *endpoint) stream(w http.ResponseWriter, r *http.Request, s *execute.Subscription) {
	to, leave, failed := e.openStream(w, r, s)
	defer leave()
	if failed == nil {
		failed = e.chains.named[s.Chain.Name].batches.Subscribe(r.Context(), s, to)
	}
	if failed == nil && e.streams.Stopping.Err() != nil {
		failed = failure.Unavailable()
		if to.Opened() {
			e.Observer.Failed(failed.Errors)
			// JSON can encode every value of an error.
			errors, _ := json.Marshal(failed.Errors)
			to.Stop(errors)
			return
		}
	}
	e.finish(w, r, to, &execute.Outcome{Failed: failed})
}

// openStream opens the stream of a subscription.
func (e *endpoint) openStream(w http.ResponseWriter, r *http.Request, s *execute.Subscription) (to *subscribe.Stream, leave func(), failed *failure.Error) {
	x := observe.Of(r.Context())
	x.Route = observe.Stream
	_, header := memoryOf(r)
	if leave, failed = e.open(x.Held, s.Client, header-requestBytes+s.Memory); failed != nil {
		leave = func() {}
	}
	return subscribe.NewStream(e.streams.Stopping, w, s.Stream, e.Limits.Write), leave, failed //nolint:contextcheck // It ends with the server, not the request.
}

// finish ends a stream, with the outcome of an operation unless all was sent. An error with a
// status is no stream if nothing was sent.
func (e *endpoint) finish(w http.ResponseWriter, r *http.Request, to *subscribe.Stream, done *execute.Outcome) {
	if done.Failed != nil && done.Failed.Status != 0 && !to.Opened() {
		to.Leave()
		e.sender.FailGraphQL(w, r, done.Failed)
		return
	}
	defer to.End()
	if done.Failed != nil || done.Response != nil {
		text := &admit.Buffer{}
		if err := done.AppendTo(text); err != nil {
			e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
			text.Reset()
			text.WriteString(execute.InternalError)
		}
		// An error means that the client is gone.
		_ = to.Next(text.Bytes())
	}
}
