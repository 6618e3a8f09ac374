package httpapi

import (
	"errors"
	"net/http"

	"mintburn/internal/apierror"
)

// ready answers whether the server should get requests.
func (e *endpoint) ready(w http.ResponseWriter, r *http.Request) {
	err := e.Ready(r.Context())
	if err == nil {
		writeState(w, http.StatusOK, "ready")
		return
	}
	e.Log.WarnContext(r.Context(), "not ready", "error", err)
	reason := "see the log"
	if known := new(apierror.Error); errors.As(err, &known) {
		reason = known.Message
	}
	writeState(w, http.StatusServiceUnavailable, "not ready: "+reason)
}

func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// writeState reports as a line of text whether the server is ready for requests.
func writeState(w http.ResponseWriter, status int, state string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(state + "\n"))
}

// keyed serves next only to clients with a key, if keys are required.
func (e *endpoint) keyed(next http.Handler) http.Handler {
	if e.Callers == nil || !e.Callers.Required {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failed := e.Callers.Admit(r.Context()); failed != nil {
			e.sender.Fail(w, r, failed)
			return
		}
		next.ServeHTTP(w, r)
	})
}
