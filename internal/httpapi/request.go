package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"os"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/respond"
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

// read parses the requests in a body. A large body occupies a slot meanwhile.
func (e *endpoint) read(ctx context.Context, client netip.Addr, body *bytes.Buffer) (list []execute.Request, batch bool, failed *failure.Error) {
	if body.Len() > admit.SmallBuffer {
		s, failed := e.Limiter.EnterFor(ctx, client, body.Len()/respond.BytesPerCost)
		defer s.Leave()
		if failed != nil {
			return nil, false, failed
		}
	}
	sent, batch, failed := parse.JSON(body, e.Limits.Batch)
	list = make([]execute.Request, len(sent))
	for i := range sent {
		list[i].Request = sent[i]
		e.chains.assign(ctx, &list[i])
	}
	return list, batch, failed
}

// serveGet runs the operation that read returns for a GET or HEAD. It passes the outcome to write.
func (e *endpoint) serveGet(r *http.Request, read func() (execute.Request, *failure.Error), write func(execute.Outcome)) {
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.Timeout)
	defer cancel()
	one, failed := read()
	if failed != nil {
		write(execute.Outcome{Failed: failed})
		return
	}
	e.chains.assign(ctx, &one)
	one.Client = e.clients.Of(r)
	one.Size = e.Budget.AnswerSize(one.Client, e.Limits.Answer)
	defer one.Size.Release()
	write(e.executor.Answer(ctx, &one))
}
