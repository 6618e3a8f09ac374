package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
	"os"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/queries"
)

// request is a request for one operation, not checked yet.
type request struct {
	parse.Request
	// document is set if the server provides it, as for the REST routes.
	document *queries.Document
	// public is true for a GET, whose answer every cache may store.
	public bool
	// stream is the form in which the client accepts several answers, or "".
	stream negotiate.MediaType
	// bytes is the length of the request, set if it has a stream.
	bytes int
	// client is the client that sent the request.
	client netip.Addr
	// size bounds the answer, together with the others of a batch.
	size *admit.AnswerSize
	// paid is true if the client was charged for the operation, or must not be.
	paid bool
}

// readBody reads a request's body into b. It reserves memory for the received bytes, not for
// the announced length.
func (e *endpoint) readBody(w http.ResponseWriter, r *http.Request, b *admit.Buffer) *failure.Error {
	if r.ContentLength > int64(e.Limits.Body) {
		// The connection could be reused only after reading the whole body.
		w.Header().Set("Connection", "close")
		return e.tooLarge()
	}
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, admit.SmallBuffer)))
	}
	body := http.MaxBytesReader(w, r.Body, int64(e.Limits.Body))
	full, err := e.budget.Fill(b, body)
	switch large := new(*http.MaxBytesError); {
	case full:
		return failure.Busy("too many large bodies")
	case err == nil:
		return nil
	case errors.As(err, large):
		return e.tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure.WithStatus(http.StatusRequestTimeout, apierror.Timeout, "the body took too long to arrive")
	default:
		return failure.WithStatus(http.StatusBadRequest, apierror.BadUserInput, "the body is incomplete: want as many bytes as announced")
	}
}

func (e *endpoint) tooLarge() *failure.Error {
	return failure.WithStatus(http.StatusRequestEntityTooLarge, apierror.BadUserInput, "the body is too large: want at most %d bytes", e.Limits.Body)
}
