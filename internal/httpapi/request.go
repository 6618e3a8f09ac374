package httpapi

import (
	"errors"
	"net/http"
	"os"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
)

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
	full, err := e.Budget.Fill(b, body)
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
