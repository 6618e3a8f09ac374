package httpapi

import (
	"io"
	"net/http"
	"slices"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
)

// Bounds on an open request: one whose body has not ended, or whose answer is not sent.
const (
	// maxHeaderFields is the maximum number of header fields and of names in Trailer.
	maxHeaderFields = 200
	// requestBytes is the memory of a request without its header: goroutine, buffers and the
	// first bytes of a body. nameBytes is that of a header field or trailer, besides its texts.
	requestBytes, nameBytes = 32 << 10, 128
	// http2Streams is the maximum number of streams of a connection, the least that RFC 9113
	// recommends (section 6.5.2). http2Frame bounds a frame, for which net/http reserves
	// memory before it arrives, and http2Window the bytes of bodies that a connection may send
	// before they are read.
	http2Streams, http2Frame, http2Window = 100, 16 << 10, 256 << 10
)

// probes are answered for any host: they reveal nothing, and probing systems may know only the
// server's address.
var probes = []string{"/healthz", "/readyz"}

// held counts the memory of open requests in the budget, and refuses requests that exceed it
// or have too many header fields.
func (e *endpoint) held(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		admit.HeaderRead(r)
		names, size := memoryOf(r)
		b := e.Budget.Buffer(r)
		defer e.Budget.Drop(b)
		observe.Of(r.Context()).Held = b
		// Probes without a body end at once, and must be answered when no memory is left.
		probe := r.Body == http.NoBody && (r.URL.Path == "/metrics" || slices.Contains(probes, r.URL.Path))
		switch {
		case names > maxHeaderFields:
			e.refuse(w, r, failure.WithStatus(http.StatusRequestHeaderFieldsTooLarge, apierror.BadUserInput, "the request has %d header fields and trailers: want at most %d", names, maxHeaderFields))
		case !probe && !e.Budget.Take(b, size):
			e.refuse(w, r, failure.Busy("too many open requests"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// memoryOf returns the number of header fields and trailers of a request, and roughly the
// memory that it holds while it is open, in bytes.
func memoryOf(r *http.Request) (names, size int) {
	size = requestBytes + len(r.RequestURI)
	for _, header := range []http.Header{r.Header, r.Trailer} {
		for name, values := range header {
			names += max(1, len(values))
			size += len(name)
			for _, value := range values {
				size += len(value)
			}
		}
	}
	return names, size + names*nameBytes
}

// refuse sends an error and ends the request without waiting for its body, so that its memory
// is free at once.
func (e *endpoint) refuse(w http.ResponseWriter, r *http.Request, failed *failure.Error) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if r.URL.Path == "/graphql" {
		e.sender.FailGraphQL(w, r, failed)
	} else {
		e.sender.Fail(w, r, failed)
	}
	answer := http.NewResponseController(w)
	// Errors mean that the client is gone.
	if answer.EnableFullDuplex() == nil && answer.Flush() == nil {
		_ = answer.SetReadDeadline(time.Unix(1, 0))
	}
}

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
