package httpapi

import (
	"errors"
	"io"
	"net/http"
	"os"

	"mintburn/internal/nft"
)

// readBody reads a request's body into b. Memory is taken for what has
// arrived, whatever length was announced.
func (e *endpoint) readBody(w http.ResponseWriter, r *http.Request, b *buffer) *refusal {
	if r.ContentLength > int64(e.limits.Body) {
		// What follows would have to be read to use the connection again.
		w.Header().Set("Connection", "close")
		return e.tooLarge()
	}
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, smallBuffer)))
	}
	body := http.MaxBytesReader(w, r.Body, int64(e.limits.Body))
	for {
		_, err := io.CopyN(&b.Buffer, body, smallBuffer)
		var large *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &large):
			return e.tooLarge()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return refuseWith(http.StatusRequestTimeout, nft.Timeout, "the body took too long to arrive")
		case err != nil:
			return refuseWith(http.StatusBadRequest, nft.BadUserInput, "the body did not arrive whole")
		case !e.room.take(b, smallBuffer):
			return busy("too many large bodies")
		}
	}
}

func (e *endpoint) tooLarge() *refusal {
	return refuseWith(http.StatusRequestEntityTooLarge, nft.BadUserInput, "the body is too large: want at most %d bytes", e.limits.Body)
}
