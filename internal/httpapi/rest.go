package httpapi

import (
	"encoding/json"
	"net/http"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/routes"
)

// rest serves the routes, at all paths below /v1/.
type rest struct{ *endpoint }

// ServeHTTP answers GET and HEAD.
func (h rest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, variables, instead := h.routes.Find(r.URL.EscapedPath())
	if to == nil {
		h.sender.Fail(w, r, failure.WithStatus(http.StatusNotFound, apierror.NotFound, "no such route: %s", instead))
		return
	}
	h.serve(w, r, to, variables)
}

// serve answers a route; variables has the parameters of the path.
func (h rest) serve(w http.ResponseWriter, r *http.Request, to *routes.Route, variables map[string]any) {
	failed := h.origins.check(r)
	switch {
	case r.Method == http.MethodOptions:
		// A browser sends this preflight before a request with an API key.
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		failed = failure.WithStatus(http.StatusMethodNotAllowed, apierror.BadUserInput, "the method is not supported: want GET or HEAD").With("Allow", "GET, HEAD, OPTIONS")
	case failed == nil && h.Callers != nil:
		failed = h.Callers.Admit(r.Context())
	}
	if failed != nil {
		h.sender.Fail(w, r, failed)
		return
	}
	if to.Events != nil {
		h.serveChanges(w, r, to, variables)
		return
	}
	h.serveGet(r, func() (execute.Request, *failure.Error) {
		return execute.Request{Document: to.Document, Request: parse.Request{Variables: variables}, Public: true}, to.Read(r.URL.RawQuery, variables, h.Limits.PageSize)
	}, func(done execute.Outcome) { h.respond(w, r, to, variables, done) })
}

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
		one := &execute.Request{Document: to.Document, Request: parse.Request{Variables: variables}, Client: h.clients.Of(r)}
		h.chains.assign(r.Context(), one)
		h.poll(w, r, one, wait)
	}
}

// respond writes the outcome of a route's operation with variables.
func (h rest) respond(w http.ResponseWriter, r *http.Request, to *routes.Route, variables map[string]any, done execute.Outcome) {
	var answer json.RawMessage
	if done.Failed == nil {
		var err error
		if answer, done.Failed, err = to.Answer(variables, done.Response.Data, done.Response.Errors); err != nil {
			h.Log.ErrorContext(r.Context(), "reading an answer for a route", "error", err)
			done.Failed = failure.New(apierror.Internal, "internal error")
		}
	}
	if done.Failed != nil {
		h.sender.Fail(w, r, done.Failed)
		return
	}
	b := h.Budget.Buffer(r)
	defer h.Budget.Drop(b)
	b.Write(answer)
	h.sender.Send(w, r, negotiate.JSON, http.StatusOK, b, done.Final)
}
