package chaintest

import (
	"bytes"
	"io"
	"net/http"

	"github.com/gorilla/websocket"
)

// Socket returns a handler that serves WebSocket connections: h answers each message as the
// body of a request, and what h writes is sent as one message. A status of 400 or more closes
// the connection.
func Socket(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			_, body, err := conn.ReadMessage()
			if err != nil {
				return
			}
			out, err := conn.NextWriter(websocket.TextMessage)
			if err != nil {
				return
			}
			answer := &socketAnswer{Writer: out, header: http.Header{}}
			request := r.Clone(r.Context())
			request.Method, request.Body = http.MethodPost, io.NopCloser(bytes.NewReader(body))
			h.ServeHTTP(answer, request)
			if answer.failed || out.Close() != nil {
				return
			}
		}
	})
}

// socketAnswer is a response that is sent as one message.
type socketAnswer struct {
	io.Writer
	header http.Header
	failed bool
}

// Header implements [http.ResponseWriter].
func (a *socketAnswer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *socketAnswer) WriteHeader(status int) { a.failed = status >= http.StatusBadRequest }
