package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
)

// status returns the HTTP status of an operation's response. Specification: GraphQL over HTTP,
// "Response".
func (o outcome) status(m negotiate.MediaType) int {
	switch {
	case o.failed == nil && o.response.Data != nil:
		return http.StatusOK
	case o.failed != nil && o.failed.Status != 0:
		return o.failed.Status
	case m == negotiate.JSON:
		return http.StatusOK
	default:
		return http.StatusBadRequest
	}
}

// errors returns the errors in the answer.
func (o outcome) errors() gqlerror.List {
	if o.failed != nil {
		return o.failed.Errors
	}
	return o.response.Errors
}

// appendTo writes the response as JSON, without data if the operation did not run.
func (o outcome) appendTo(b *admit.Buffer) error {
	list := o.errors()
	var extensions map[string]any
	var data []byte
	if o.failed == nil {
		data, extensions = o.response.Data, o.response.Extensions
	}
	separator := "{"
	member := func(name string, value any) error {
		text, err := json.Marshal(value)
		b.WriteString(separator + `"` + name + `":`)
		b.Write(text)
		separator = ","
		return err
	}
	if len(list) > 0 {
		if err := member("errors", list); err != nil {
			return err
		}
	}
	if data != nil {
		b.Grow(len(data) + 64)
		b.WriteString(separator + `"data":`)
		b.Write(data)
		separator = ","
	}
	if len(extensions) > 0 {
		if err := member("extensions", extensions); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// internalError is the answer if a response cannot be encoded.
const internalError = `{"errors":[{"message":"internal error","extensions":{"code":"` + string(apierror.Internal) + `"}}]}`

// write sends the response to one operation.
func (e *endpoint) write(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, done outcome) {
	if done.large() {
		a := encoded{parts: [][]byte{[]byte(`{"data":`), done.response.Data, []byte("}")}}
		if compressed, coding := e.compress(r, a.parts...); coding != "" {
			a = encoded{body: compressed, coding: coding}
		}
		e.deliver(w, r, m, http.StatusOK, a)
		return
	}
	b := e.budget.Buffer(r)
	defer e.budget.Drop(b)
	if done.failed != nil {
		done.failed.SetHeader(w.Header())
	}
	e.observer.Failed(done.errors())
	status := done.status(m)
	if err := done.appendTo(b); err != nil {
		e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
		status, done.final = http.StatusInternalServerError, nil
		b.Reset()
		b.WriteString(internalError)
	}
	if done.size != nil {
		// The answer has been copied to another buffer.
		done.size.Free()
	}
	e.send(w, r, m, status, b, done.final)
}

// large reports whether an answer consists of data only, and is too long to copy.
func (o outcome) large() bool {
	return o.failed == nil && o.final == nil && len(o.response.Data) > admit.PooledBuffer && len(o.response.Errors) == 0 && len(o.response.Extensions) == 0
}

// fail answers with the first error of a request.
func (e *endpoint) fail(w http.ResponseWriter, r *http.Request, failed *failure.Error) {
	failed.SetHeader(w.Header())
	e.observer.Failed(failed.Errors[:1])
	b := e.budget.Buffer(r)
	defer e.budget.Drop(b)
	e.send(w, r, negotiate.JSON, e.routes.WriteError(b, failed), b, nil)
}

// send sends a body. f is nil unless the answer cannot change any more. A large body keeps its
// reserved memory until it is written to the client.
func (e *endpoint) send(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, status int, b *admit.Buffer, f *final) {
	if !e.budget.Hold(b, b.Len()) {
		e.sendBusy(w, r, m, b)
		return
	}
	a := encoded{}
	if f != nil {
		a.tag, a.immutable = tagOf(b.Bytes()), f.verified
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
		s, failed := e.limiter.EnterFor(r.Context(), e.clients.Of(r), length/bytesPerCost)
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
	_ = outcome{failed: failure.Busy("too many large answers")}.appendTo(b)
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
		allowCaching(h, a, e.access == nil || !e.access.Required)
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
