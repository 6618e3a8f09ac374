package httpapi

import (
	"encoding/json"
	"net/http"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/routes"
)

// rest serves the routes, at all paths below /v1/.
type rest struct{ *endpoint }

// ServeHTTP answers GET and HEAD.
func (h rest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, variables := h.routes.Find(r.URL.EscapedPath())
	if to == nil {
		h.fail(w, r, failure.WithStatus(http.StatusNotFound, apierror.NotFound, "no such route: see /openapi.json"))
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
	case failed == nil && h.access != nil:
		failed = h.access.Admit(r.Context())
	}
	if failed != nil {
		h.fail(w, r, failed)
		return
	}
	if to.Events != nil {
		h.serveChanges(w, r, to, variables)
		return
	}
	h.serveGet(r, func() (request, *failure.Error) {
		return request{document: to.Document, Request: parse.Request{Variables: variables}, public: true}, to.Read(r.URL.RawQuery, variables, h.Limits.PageSize)
	}, func(done outcome) { h.respond(w, r, to, done) })
}

// respond writes the outcome of a route's operation.
func (h rest) respond(w http.ResponseWriter, r *http.Request, to *routes.Route, done outcome) {
	var answer json.RawMessage
	if done.failed == nil {
		var err error
		if answer, done.failed, err = to.Answer(done.response.Data, done.response.Errors); err != nil {
			h.Log.ErrorContext(r.Context(), "reading an answer for a route", "error", err)
			done.failed = failure.New(apierror.Internal, "internal error")
		}
	}
	if done.failed != nil {
		h.fail(w, r, done.failed)
		return
	}
	b := h.budget.Buffer(r)
	defer h.budget.Drop(b)
	b.Write(answer)
	h.send(w, r, negotiate.JSON, http.StatusOK, b, done.final)
}
