package httpapi

import (
	"context"
	"net/http"

	"github.com/gorilla/websocket"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/subscribe"
)

const allowedMethods = "GET, HEAD, POST, OPTIONS"

// ServeHTTP answers requests, and opens WebSockets. A stream is answered here, with few functions
// on the stack and without the buffers of the request, because it may be open for long.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		e.socket(w, r)
	} else if s := e.serve(w, r); s != nil {
		e.stream(w, r, s)
	}
}

// serve answers POST, GET and HEAD, and redirects a browser that sends no parameters to the page.
// It returns a subscription without answering it. Specification: GraphQL over HTTP, "Request".
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) (subscribed *execute.Subscription) {
	m, failed := negotiate.ChooseMediaType(r.Header)
	stream := negotiate.ChooseStream(r.Header)
	only := failed != nil && stream == negotiate.EventStream
	if failed == nil || stream != "" {
		failed = e.origins.check(r)
	}
	if failed == nil && e.Callers != nil && r.Method != http.MethodOptions {
		// Browsers send OPTIONS without credentials.
		failed = e.Callers.Admit(r.Context())
	}
	write := func(done execute.Outcome) {
		switch {
		case done.Subscribed != nil:
			subscribed = done.Subscribed
		case only:
			e.finish(w, r, subscribe.NewStream(e.streams.Stopping, w, stream, e.Limits.Write), &done)
		default:
			e.sender.Write(w, r, m, done)
		}
	}
	switch {
	case negotiate.WantsPage(r):
		w.Header().Add("Vary", "Accept")
		// Relative, which http.Redirect is not: a proxy may serve this below a path.
		w.Header().Set("Location", "./")
		w.WriteHeader(http.StatusSeeOther)
	case failed != nil:
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
	case r.Method == http.MethodPost:
		e.post(w, r, m, stream, write)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		e.serveGet(r, func() (one execute.Request, failed *failure.Error) {
			one.Public = true
			if one.Request, failed = parse.URL(r.URL.RawQuery); r.Method == http.MethodGet {
				one.Stream, one.Bytes = stream, len(r.URL.RawQuery)
			}
			return one, failed
		}, write)
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
		w.WriteHeader(http.StatusNoContent)
	default:
		failed := failure.WithStatus(http.StatusMethodNotAllowed, apierror.BadUserInput, "the method is not supported: want GET, HEAD or POST")
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed.With("Allow", allowedMethods)})
	}
	return subscribed
}

// misdirected answers at a path to which clients send operations by mistake. allow are the methods
// of the path, or "".
func (e *endpoint) misdirected(status int, code apierror.Code, message, allow string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failed := failure.WithStatus(status, code, "%s", message)
		if allow != "" {
			failed = failed.With("Allow", allow)
		}
		e.sender.FailGraphQL(w, r, failed)
	})
}

// post answers a POST with one operation or a batch. It passes the outcome of one operation to
// write, and stream is the form in which the client accepts several.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request, m, stream negotiate.MediaType, write func(execute.Outcome)) {
	body := e.Budget.Buffer(r)
	defer e.Budget.Drop(body)
	failed := negotiate.CheckContent(r.Header)
	if failed == nil {
		failed = e.readBody(w, r, body)
	}
	if failed != nil {
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.Timeout)
	defer cancel()
	client, length := e.clients.Of(r), body.Len()
	list, batch, failed := e.read(ctx, client, &body.Buffer)
	size := e.Budget.AnswerSize(client, e.Limits.Answer)
	defer size.Release()
	for i := range list {
		list[i].Client, list[i].Size = client, size
	}
	switch {
	case failed != nil:
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
	case batch:
		e.sender.WriteAll(w, r, m, e.executor.AnswerAll(ctx, list), size)
	default:
		list[0].Stream, list[0].Bytes = stream, length
		write(e.executor.Answer(ctx, &list[0]))
	}
}
