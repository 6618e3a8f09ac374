package httpapi

import (
	"io"
	"net/http"
	"time"
)

// Bounds on what is read of a request after its answer.
const (
	drainBytes = 16 << 20
	drainTime  = 5 * time.Second
)

// drained sends an answer, which may be an error, before it reads the rest of the body. If a
// connection with unread bytes is closed, the system resets it, and the client may lose the
// answer. net/http reads 256 KiB at most, before it sends the answer. HTTP/2 ends single streams
// instead.
func drained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A client that waits for "100 Continue" sends no body after a final answer.
		if r.ProtoMajor > 1 || r.Body == http.NoBody || r.Header.Get("Expect") != "" {
			next.ServeHTTP(w, r)
			return
		}
		body := &endingBody{ReadCloser: r.Body}
		r.Body = body
		next.ServeHTTP(w, r)
		if body.ended {
			return
		}
		// Errors mean that the client is gone.
		answer := http.NewResponseController(w)
		if answer.EnableFullDuplex() == nil && answer.Flush() == nil && answer.SetReadDeadline(time.Now().Add(drainTime)) == nil {
			_, _ = io.CopyN(io.Discard, body, drainBytes)
		}
	})
}

// endingBody is a body that records its end.
type endingBody struct {
	io.ReadCloser
	ended bool
}

func (b *endingBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}
