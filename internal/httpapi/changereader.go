package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/watch"
)

const (
	// defaultBatch is the number of changes of a batch by default, and the maximum of one in an
	// event stream. streamBytes is the maximum size of the latter, if it has several changes.
	defaultBatch, streamBytes = 100, 64 << 10
	// longestWait is the maximum duration of a long poll.
	longestWait = time.Minute
	// writeTime is the time that a client may take to read a batch for which it has waited.
	writeTime = 30 * time.Second
)

// changeReader reads the batches of a request for changes. The client waits in between, without
// a slot, a snapshot or memory of an answer.
type changeReader struct {
	*rest
	*http.Request
	to        *route
	variables map[string]any
	// limit is the maximum number of changes in a batch.
	limit int64
	// wait is the maximum duration of a long poll, and stream is true for an event stream.
	wait   time.Duration
	stream bool
	// mark is the state of the log from before the last batch was read.
	mark watch.Mark
	// size bounds the last batch, or is nil.
	size *admit.AnswerSize
	// paid is true if the client was charged for a batch and has received none since.
	paid bool
}

// serveChanges answers with a batch of changes, waits for one, or sends an event stream.
// docs/api.md#changes.
func (h *rest) serveChanges(w http.ResponseWriter, r *http.Request, to *route) {
	c := &changeReader{rest: h, Request: r, to: to, variables: map[string]any{}, limit: defaultBatch, mark: h.changes.Now()}
	defer c.free()
	c.stream = r.Method == http.MethodGet && negotiate.WantsEvents(r.Header)
	if failed := c.readParameters(); failed != nil {
		h.fail(w, r, failed)
		return
	}
	if c.stream || c.wait > 0 {
		exchangeOf(r.Context()).route = routeStream
		writeUntil(w, time.Time{})
	}
	if c.stream {
		sendEvents(r.Context(), w, c)
		return
	}
	waiting, cancel := context.WithTimeout(r.Context(), c.wait)
	defer cancel()
	for {
		last := waiting.Err() != nil
		batch, failed := c.next(r.Context())
		if failed == nil && len(batch.Changes) == 0 && !last {
			if !batch.More {
				// The end of the wait is no error.
				_ = c.sleep(waiting)
			}
			continue
		}
		if c.wait > 0 {
			writeUntil(w, time.Now().Add(writeTime))
		}
		if failed != nil {
			h.fail(w, r, failed)
			return
		}
		b := h.budget.Buffer(r)
		defer h.budget.Drop(b)
		batch.write(&b.Buffer)
		h.send(w, r, negotiate.JSON, http.StatusOK, b, nil)
		return
	}
}

// writeUntil replaces the server's write deadline, which is too early for an answer after a
// wait. The zero time is no deadline.
func writeUntil(w http.ResponseWriter, deadline time.Time) {
	// An error means that there are no deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(deadline)
}

// readParameters reads the parameters of a request.
func (c *changeReader) readParameters() *failure.Error {
	if failed := c.to.readQuery(c.URL.RawQuery, c.variables, c.Limits.PageSize); failed != nil {
		return failed
	}
	if limit, given := c.variables["limit"].(int64); given {
		c.limit = limit
	}
	if text, given := c.variables["wait"].(string); given {
		var err error
		if c.wait, err = time.ParseDuration(text); err != nil || c.wait < 0 || c.wait > longestWait {
			return failure.BadRequest("wait: got %s, want a duration from 0s to %s, such as 30s", evm.Describe(text), longestWait)
		}
	}
	kinds, _ := c.variables["kind"].([]any)
	for i, kind := range kinds {
		text, _ := kind.(string)
		if !slices.Contains(changeKinds, text) {
			return failure.BadRequest("kind: got %s, want %s", evm.Describe(text), strings.Join(changeKinds, ", "))
		}
		kinds[i] = strings.ToUpper(text)
	}
	if c.variables["account"] != nil && slices.Contains(kinds, any("METADATA")) {
		return failure.BadRequest("kind: got metadata, which has no account, want no account with it")
	}
	for _, name := range c.to.lists {
		if list, _ := c.variables[name].([]any); len(list) > apierror.MaxValues {
			return failure.BadRequest("%s: got %d values, want at most %d", name, len(list), apierror.MaxValues)
		}
	}
	if !c.stream {
		return nil
	}
	for _, name := range []string{"limit", "wait"} {
		if c.variables[name] != nil {
			return failure.BadRequest("%s: an event stream has none, want Accept: application/json with it", name)
		}
	}
	if id := c.Header.Get("Last-Event-ID"); id != "" {
		c.variables["after"] = id
	}
	return nil
}

// free frees the memory of the last batch.
func (c *changeReader) free() {
	if c.size != nil {
		c.size.Release()
		c.size = nil
	}
}

// sleep waits until the log has changed since the last batch, or returns ctx's error.
func (c *changeReader) sleep(ctx context.Context) (err error) {
	c.free()
	c.mark, err = c.changes.Wait(ctx, c.mark)
	return err
}

// next reads the next batch, which may be empty. One of an event stream has fewer changes if
// they are large.
func (c *changeReader) next(ctx context.Context) (*changeBatch, *failure.Error) {
	for limit := c.limit; ; limit /= 2 {
		most := c.Limits.Answer
		if c.stream && limit > 1 {
			most = min(most, streamBytes)
		}
		batch, failed := c.read(ctx, limit, most)
		if failed == nil || !c.stream || limit == 1 || failure.CodeOf(failed.Errors[0]) != string(apierror.QueryTooCostly) {
			return batch, failed
		}
	}
}

// read reads a batch with at most so many changes and bytes.
func (c *changeReader) read(ctx context.Context, limit int64, most int) (*changeBatch, *failure.Error) {
	ctx, cancel := context.WithTimeout(ctx, c.Limits.Timeout)
	defer cancel()
	c.free()
	c.size = c.budget.AnswerSize(c.Request, most)
	c.variables["limit"] = limit
	one := request{document: c.to.document, variables: c.variables, client: c.clients.Of(c.Request), size: c.size, paid: c.paid}
	done := c.answer(ctx, &one)
	c.paid = one.paid
	if done.failed != nil {
		return nil, done.failed
	}
	if len(done.response.Errors) > 0 {
		return nil, &failure.Error{Errors: done.response.Errors}
	}
	var found struct{ Answer *changeBatch }
	if err := json.Unmarshal(done.response.Data, &found); err != nil || found.Answer == nil {
		c.Log.ErrorContext(ctx, "reading an answer for a route", "error", errors.Join(errors.New("no batch of changes"), err))
		return nil, failure.New(apierror.Internal, "internal error")
	}
	c.variables["after"] = found.Answer.Cursor
	c.paid = c.paid && len(found.Answer.Changes) == 0
	return found.Answer, nil
}
