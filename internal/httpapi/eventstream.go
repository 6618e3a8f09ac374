package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/routes"
	"mintburn/internal/httpapi/subscribe"
)

// serveEvents sends changes as server-sent events. It runs a subscription, whose batches it
// shares with others. HTML standard, "Server-sent events".
func (e *endpoint) serveEvents(w http.ResponseWriter, r *http.Request, to *routes.Route, variables map[string]any) {
	var s *execute.Subscription
	e.serveGet(r, func() (execute.Request, *failure.Error) {
		return execute.Request{Document: to.Events, Request: parse.Request{Variables: variables}, Stream: negotiate.EventStream, Bytes: len(r.URL.RawQuery)}, nil
	}, func(done execute.Outcome) {
		if s = done.Subscribed; s == nil {
			e.sender.Fail(w, r, done.Failed)
		}
	})
	if s == nil {
		return
	}
	x := observe.Of(r.Context())
	x.Route = observe.Stream
	_, header := memoryOf(r)
	leave, failed := e.open(x.Held, s.Client, header-requestBytes+s.Memory)
	if failed != nil {
		e.sender.Fail(w, r, failed)
		return
	}
	defer leave()
	events := &eventSink{Stream: subscribe.NewStream(e.streams.Stopping, w, negotiate.EventStream, e.Limits.Write), s: s} //nolint:contextcheck // It ends with the server.
	defer events.Leave()
	failed = cmp.Or(e.chains.named[s.Chain.Name].batches.Subscribe(r.Context(), s, events), events.failed)
	if failed == nil && !events.Opened() && e.streams.Stopping.Err() != nil {
		failed = failure.Unavailable()
	}
	switch {
	case failed == nil:
	case !events.Opened():
		e.sender.Fail(w, r, failed)
	default:
		b := e.Budget.Buffer(r)
		defer e.Budget.Drop(b)
		e.routes.WriteError(b, failed)
		// An error means that the client is gone.
		_ = events.Send([]byte("event: error\ndata: "), b.Bytes(), []byte("\n"))
	}
}

// eventSink sends the batches of a subscription as events. The first one is an event of a type of
// its own with the cursor, for clients that take ids from events with data only. Whatever follows
// ends with the id from which a client continues, without data: such an event only sets the id.
type eventSink struct {
	*subscribe.Stream
	s *execute.Subscription
	// failed is the error of the last batch.
	failed *failure.Error
}

// Next sends a response.
func (e *eventSink) Next(response []byte) error {
	var found struct {
		Data   struct{ Answer *routes.Batch }
		Errors gqlerror.List
	}
	err := json.Unmarshal(response, &found)
	if e.failed = nil; len(found.Errors) > 0 {
		e.failed = &failure.Error{Errors: found.Errors}
		return e.failed.Errors
	}
	if err != nil || found.Data.Answer == nil {
		e.failed = failure.New(apierror.Internal, "internal error")
		return errors.Join(e.failed.Errors, err)
	}
	var b bytes.Buffer
	if !e.Opened() {
		cursor, _ := e.s.Variables["after"].(string)
		cursor = cmp.Or(cursor, e.s.After)
		fmt.Fprintf(&b, "id: %s\nevent: cursor\ndata: {\"cursor\":%q}\n\n", cursor, cursor)
	}
	found.Data.Answer.WriteEvents(&b)
	return e.Send(b.Bytes(), e.id())
}

// Beat sends a sign of life.
func (e *eventSink) Beat() error { return e.Send(e.id()) }

func (e *eventSink) id() []byte { return fmt.Appendf(nil, ":\nid: %s\n\n", e.s.After) }
