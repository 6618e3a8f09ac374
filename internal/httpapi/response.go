package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
)

// status returns the status of an operation's response. Specification: GraphQL
// over HTTP, "Response".
func (o outcome) status(m mediaType) int {
	switch {
	case o.refused == nil && o.response.Data != nil:
		return http.StatusOK
	case o.refused != nil && o.refused.status != 0:
		return o.refused.status
	case m == legacyJSON:
		return http.StatusOK
	default:
		return http.StatusBadRequest
	}
}

// errors returns what callers are shown.
func (o outcome) errors() gqlerror.List {
	if o.refused != nil {
		return o.refused.errors
	}
	return o.response.Errors
}

// codeOf returns the code of an error.
func codeOf(e *gqlerror.Error) string {
	if code, ok := e.Extensions["code"]; ok {
		return fmt.Sprint(code)
	}
	return string(nft.Internal)
}

// appendTo writes the response as JSON. What did not run has no data.
func (o outcome) appendTo(b *buffer) error {
	list := o.errors()
	var extensions map[string]any
	var data []byte
	if o.refused == nil {
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

// write sends the response to one operation.
func (e *endpoint) write(w http.ResponseWriter, r *http.Request, m mediaType, done outcome) {
	b := e.room.buffer()
	defer e.room.drop(b)
	if done.refused != nil {
		for name, value := range done.refused.header {
			w.Header().Set(name, value)
		}
	}
	e.metrics.failed(done.errors())
	status := done.status(m)
	if err := done.appendTo(b); err != nil {
		e.log.ErrorContext(r.Context(), "writing a response", "error", err)
		status, done.final = http.StatusInternalServerError, nil
		b.Reset()
		b.WriteString(internalError)
	}
	e.send(w, r, m, status, b, done.final)
}

// internalError is what is sent where nothing else can be.
const internalError = `{"errors":[{"message":"internal error","extensions":{"code":"` + string(nft.Internal) + `"}}]}`

// writeAll sends the responses to a batch. Each has its own errors, so that
// the status of all is 200.
func (e *endpoint) writeAll(w http.ResponseWriter, r *http.Request, m mediaType, list []outcome) {
	b := e.room.buffer()
	defer e.room.drop(b)
	separator := byte('[')
	for _, done := range list {
		b.WriteByte(separator)
		separator = ','
		before := b.Len()
		e.metrics.failed(done.errors())
		if err := done.appendTo(b); err != nil {
			e.log.ErrorContext(r.Context(), "writing a response", "error", err)
			b.Truncate(before)
			b.WriteString(internalError)
		}
	}
	b.WriteByte(']')
	e.send(w, r, m, http.StatusOK, b, nil)
}

// send sends a body; f is nil unless it can not change any more. Large ones need
// room until a slow client has taken them.
func (e *endpoint) send(w http.ResponseWriter, r *http.Request, m mediaType, status int, b *buffer, f *final) {
	if !e.room.hold(b, b.Len()) {
		e.sendBusy(w, r, m, b)
		return
	}
	var a encoded
	if f != nil && f.public {
		a.tag = tagOf(b.Bytes())
	}
	a.body, a.coding = e.packer.pack(r.Header, b.Bytes())
	if f != nil && f.key != "" {
		e.answers.put(f, a)
	}
	e.deliver(w, r, m, status, a)
}

// sendBusy says that there is no room, in b.
func (e *endpoint) sendBusy(w http.ResponseWriter, r *http.Request, m mediaType, b *buffer) {
	b.Reset()
	// A refusal has no value that JSON can not hold.
	_ = outcome{refused: busy("too many large answers")}.appendTo(b)
	w.Header().Set("Retry-After", "1")
	e.deliver(w, r, m, http.StatusServiceUnavailable, encoded{body: b.Bytes()})
}

// deliver writes an answer and its headers.
func (e *endpoint) deliver(w http.ResponseWriter, r *http.Request, m mediaType, status int, a encoded) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-store")
	if a.tag != "" {
		keep(h, a.tag)
		if matches(r.Header.Values("If-None-Match"), a.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", m.name()+"; charset=utf-8")
	if a.coding != "" {
		h.Set("Content-Encoding", a.coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(status)
	// A client that went away has no use for the error.
	_, _ = w.Write(a.body)
}
