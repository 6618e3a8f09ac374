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
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString(internalError)
	}
	if done.final && status == http.StatusOK {
		keep(w.Header(), b)
	}
	e.send(w, r, m, status, b)
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
	e.send(w, r, m, http.StatusOK, b)
}

// send sends a body. Large ones need room until a slow client has taken them.
func (e *endpoint) send(w http.ResponseWriter, r *http.Request, m mediaType, status int, b *buffer) {
	if more := b.Len() - smallBuffer; more > 0 && !e.room.take(b, more) {
		status = http.StatusServiceUnavailable
		b.Reset()
		// A refusal has no value that JSON can not hold.
		_ = outcome{refused: busy("too many large answers")}.appendTo(b)
		w.Header().Set("Retry-After", "1")
	}
	h := w.Header()
	h.Set("Content-Type", m.name()+"; charset=utf-8")
	if h.Get("ETag") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	h.Add("Vary", "Accept-Encoding")
	if tag := h.Get("ETag"); tag != "" && matches(r.Header.Values("If-None-Match"), tag) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, encoded := e.packer.pack(r.Header, b.Bytes())
	if encoded != "" {
		h.Set("Content-Encoding", encoded)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that went away has no use for the error.
	_, _ = w.Write(body)
}
