package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
)

const (
	// heartbeat is the maximum time between two writes to an event stream. Proxies close
	// connections that are idle for longer.
	heartbeat = 15 * time.Second
	// retryTime is the pause of an event stream after an error that passes.
	retryTime = time.Second
)

// eventStream sends changes as server-sent events. HTML standard, "Server-sent events".
type eventStream struct {
	*changeReader
	w http.ResponseWriter
	// wrote is the time of the last write. It is zero before the first one.
	wrote time.Time
}

// sendEvents sends the changes that c reads until ctx ends, the client is gone, or an error does
// not pass. Until the first write, an error is that of the route.
func sendEvents(ctx context.Context, w http.ResponseWriter, c *changeReader) {
	s := &eventStream{changeReader: c, w: w}
	for open := true; open && ctx.Err() == nil; {
		batch, failed := s.next(ctx)
		switch {
		case failed == nil:
			open = s.deliver(ctx, batch)
		case s.wrote.IsZero():
			writeUntil(w, time.Now().Add(writeTime))
			s.fail(w, s.Request, failed)
			return
		case passes(failed):
			select {
			case <-time.After(retryTime):
			case <-ctx.Done():
			}
		default:
			s.metrics.failed(failed.Errors[:1])
			s.send(func(b *admit.Buffer) {
				b.WriteString("event: error\ndata: ")
				writeREST(b, failed)
				b.WriteString("\n")
			})
			return
		}
	}
}

// passes reports whether an error may be gone when the same is tried again.
func passes(failed *failure.Error) bool {
	switch apierror.Code(failure.CodeOf(failed.Errors[0])) {
	case apierror.Unavailable, apierror.Timeout, apierror.RateLimited:
		return true
	default:
		return false
	}
}

// deliver sends a batch, and waits for changes after it. It returns false once the client is
// gone.
func (s *eventStream) deliver(ctx context.Context, batch *changeBatch) bool {
	if s.wrote.IsZero() {
		h := s.w.Header()
		h.Set("Content-Type", string(negotiate.EventStream))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Add("Vary", "Accept")
		// nginx would keep events back until its buffer is full.
		h.Set("X-Accel-Buffering", "no")
	}
	// The first batch has the cursor of now. Later, batches without changes are many if the
	// filter selects few records.
	if len(batch.Changes) > 0 || time.Since(s.wrote) >= heartbeat {
		if !s.send(func(b *admit.Buffer) { batch.writeEvents(&b.Buffer) }) {
			return false
		}
	}
	idle := &changeBatch{Cursor: batch.Cursor}
	for waits := !batch.More; waits; {
		beating, cancel := context.WithDeadline(ctx, s.wrote.Add(heartbeat))
		waits = s.sleep(beating) != nil
		cancel()
		if waits && (ctx.Err() != nil || !s.send(func(b *admit.Buffer) { idle.writeEvents(&b.Buffer) })) {
			return false
		}
	}
	return true
}

// send sends what write writes at once. It returns false if the client is gone, or does not read.
func (s *eventStream) send(write func(*admit.Buffer)) bool {
	b := s.budget.Buffer(s.Request)
	defer s.budget.Drop(b)
	write(b)
	writeUntil(s.w, time.Now().Add(writeTime))
	_, err := s.w.Write(b.Bytes())
	err = errors.Join(err, http.NewResponseController(s.w).Flush())
	writeUntil(s.w, time.Time{})
	s.wrote = time.Now()
	return err == nil
}
