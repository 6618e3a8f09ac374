package httpapi

import (
	"net/http"
	"strconv"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
)

// statusOf returns the HTTP status of an operation's response. Specification: GraphQL over HTTP,
// "Response".
func statusOf(o execute.Outcome, m negotiate.MediaType) int {
	switch {
	case o.Failed == nil && o.Response.Data != nil:
		return http.StatusOK
	case o.Failed != nil && o.Failed.Status != 0:
		return o.Failed.Status
	case m == negotiate.JSON:
		return http.StatusOK
	default:
		return http.StatusBadRequest
	}
}

// write sends the response to one operation.
func (e *endpoint) write(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, done execute.Outcome) {
	if isLarge(done) {
		a := encoded{parts: [][]byte{[]byte(`{"data":`), done.Response.Data, []byte("}")}}
		if compressed, coding := e.compress(r, a.parts...); coding != "" {
			a = encoded{body: compressed, coding: coding}
		}
		e.deliver(w, r, m, http.StatusOK, a)
		return
	}
	b := e.Budget.Buffer(r)
	defer e.Budget.Drop(b)
	if done.Failed != nil {
		done.Failed.SetHeader(w.Header())
	}
	e.Observer.Failed(done.Errors())
	status := statusOf(done, m)
	if err := done.AppendTo(b); err != nil {
		e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
		status, done.Final = http.StatusInternalServerError, nil
		b.Reset()
		b.WriteString(execute.InternalError)
	}
	if done.Size != nil {
		// The answer has been copied to another buffer.
		done.Size.Free()
	}
	e.send(w, r, m, status, b, done.Final)
}

// isLarge reports whether an answer consists of data only, and is too long to copy.
func isLarge(o execute.Outcome) bool {
	return o.Failed == nil && o.Final == nil && len(o.Response.Data) > admit.PooledBuffer && len(o.Response.Errors) == 0 && len(o.Response.Extensions) == 0
}

// fail answers with the first error of a request.
func (e *endpoint) fail(w http.ResponseWriter, r *http.Request, failed *failure.Error) {
	failed.SetHeader(w.Header())
	e.Observer.Failed(failed.Errors[:1])
	b := e.Budget.Buffer(r)
	defer e.Budget.Drop(b)
	e.send(w, r, negotiate.JSON, e.routes.WriteError(b, failed), b, nil)
}

// send sends a body. f is nil unless the answer cannot change any more. A large body keeps its
// reserved memory until it is written to the client.
func (e *endpoint) send(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, status int, b *admit.Buffer, f *execute.Final) {
	if !e.Budget.Hold(b, b.Len()) {
		e.sendBusy(w, r, m, b)
		return
	}
	a := encoded{}
	if f != nil {
		a.tag, a.immutable = tagOf(b.Bytes()), f.Verified
	}
	if a.body, a.coding = e.compress(r, b.Bytes()); a.coding == "" {
		a.body = b.Bytes()
	}
	e.deliver(w, r, m, status, a)
}

// compress compresses the parts of a body. A large body needs a slot. Without a free slot, it
// stays uncompressed and coding is "".
func (e *endpoint) compress(r *http.Request, parts ...[]byte) (compressed []byte, coding string) {
	length := negotiate.LengthOf(parts)
	if length > admit.SmallBuffer && negotiate.ChooseCoding(r.Header, negotiate.Codings...) != "" {
		s, failed := e.Limiter.EnterFor(r.Context(), e.clients.Of(r), length/bytesPerCost)
		defer s.Leave()
		if failed != nil {
			return nil, ""
		}
	}
	return e.compressors.Compress(r.Header, parts...)
}

// sendBusy sends the error that no memory is left, encoded in b.
func (e *endpoint) sendBusy(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, b *admit.Buffer) {
	b.Reset()
	// JSON can encode every value of the error.
	_ = execute.Outcome{Failed: failure.Busy("too many large answers")}.AppendTo(b)
	w.Header().Set("Retry-After", "1")
	e.deliver(w, r, m, http.StatusServiceUnavailable, encoded{body: b.Bytes()})
}

// deliver writes an answer and its headers.
func (e *endpoint) deliver(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, status int, a encoded) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-store")
	if a.tag != "" {
		allowCaching(h, a, e.Callers == nil || !e.Callers.Required)
		if matches(r.Header.Values("If-None-Match"), a.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", string(m)+"; charset=utf-8")
	if a.coding != "" {
		h.Set("Content-Encoding", a.coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)+negotiate.LengthOf(a.parts)))
	w.WriteHeader(status)
	// An error means that the client is gone.
	_, _ = w.Write(a.body)
	for _, part := range a.parts {
		_, _ = w.Write(part)
	}
}
