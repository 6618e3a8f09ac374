package respond

import (
	"log/slog"
	"net/http"
	"strconv"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/routes"
)

// Sender sends answers.
type Sender struct {
	execute.Parts
	clients     *admit.Clients
	routes      *routes.Routes
	log         *slog.Logger
	compressors *negotiate.Compressors
}

// New returns a sender.
func New(p execute.Parts, known *admit.Clients, routes *routes.Routes, log *slog.Logger) *Sender {
	return &Sender{p, known, routes, log, negotiate.NewCompressors()}
}

// BytesPerCost is roughly how many bytes of a body or an answer can be read or compressed for
// one unit of cost.
const BytesPerCost = 100

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

// Write sends the response to one operation.
func (e *Sender) Write(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, done execute.Outcome) {
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
		e.log.ErrorContext(r.Context(), "writing a response", "error", err)
		status, done.Final = http.StatusInternalServerError, nil
		b.Reset()
		b.WriteString(execute.InternalError)
	}
	if done.Size != nil {
		// The answer has been copied to another buffer.
		done.Size.Free()
	}
	e.Send(w, r, m, status, b, done.Final)
}

// isLarge reports whether an answer consists of data only, and is too long to copy.
func isLarge(o execute.Outcome) bool {
	return o.Failed == nil && o.Final == nil && len(o.Response.Data) > admit.PooledBuffer && len(o.Response.Errors) == 0 && len(o.Response.Extensions) == 0
}

// FailGraphQL answers with the errors of a request, as JSON if the client accepts no supported media
// type.
func (e *Sender) FailGraphQL(w http.ResponseWriter, r *http.Request, failed *failure.Error) {
	m, _ := negotiate.ChooseMediaType(r.Header)
	e.Write(w, r, m, execute.Outcome{Failed: failed})
}

// Fail answers with the first error of a request, as REST.
func (e *Sender) Fail(w http.ResponseWriter, r *http.Request, failed *failure.Error) {
	failed.SetHeader(w.Header())
	e.Observer.Failed(failed.Errors[:1])
	b := e.Budget.Buffer(r)
	defer e.Budget.Drop(b)
	e.Send(w, r, negotiate.JSON, e.routes.WriteError(b, failed), b, nil)
}

// Send sends a body. f is nil unless the answer cannot change any more. A large body keeps its
// reserved memory until it is written to the client.
func (e *Sender) Send(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, status int, b *admit.Buffer, f *execute.Final) {
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
func (e *Sender) compress(r *http.Request, parts ...[]byte) (compressed []byte, coding string) {
	length := negotiate.LengthOf(parts)
	if length > admit.SmallBuffer && negotiate.ChooseCoding(r.Header, negotiate.Codings...) != "" {
		s, failed := e.Limiter.EnterFor(r.Context(), e.clients.Of(r), length/BytesPerCost)
		defer s.Leave()
		if failed != nil {
			return nil, ""
		}
	}
	return e.compressors.Compress(r.Header, parts...)
}

// sendBusy sends the error that no memory is left, encoded in b.
func (e *Sender) sendBusy(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, b *admit.Buffer) {
	b.Reset()
	// JSON can encode every value of the error.
	_ = execute.Outcome{Failed: failure.Busy("too many large answers")}.AppendTo(b)
	w.Header().Set("Retry-After", "1")
	e.deliver(w, r, m, http.StatusServiceUnavailable, encoded{body: b.Bytes()})
}

// deliver writes an answer and its headers.
func (e *Sender) deliver(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, status int, a encoded) {
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

// WriteAll sends the responses to a batch. Each has its own errors: the status is 200, unless
// the batch exceeds the quota.
func (e *Sender) WriteAll(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, list []execute.Outcome, size *admit.AnswerSize) {
	b := e.Budget.Buffer(r)
	defer e.Budget.Drop(b)
	length := 0
	for _, done := range list {
		if done.Failed == nil {
			length += len(done.Response.Data) + 64
		}
	}
	b.Grow(length)
	separator, status := byte('['), http.StatusOK
	for i, done := range list {
		if done.Failed != nil && done.Failed.Status == http.StatusTooManyRequests {
			status = done.Failed.Status
			done.Failed.SetHeader(w.Header())
		}
		b.WriteByte(separator)
		separator = ','
		before := b.Len()
		e.Observer.Failed(done.Errors())
		if err := done.AppendTo(b); err != nil {
			e.log.ErrorContext(r.Context(), "writing a response", "error", err)
			b.Truncate(before)
			b.WriteString(execute.InternalError)
		}
		list[i] = execute.Outcome{}
	}
	b.WriteByte(']')
	size.Free()
	e.Send(w, r, m, status, b, nil)
}
