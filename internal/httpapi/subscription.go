package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/httpapi/watch"
)

const (
	// retryTime is the pause of a subscription after an error that may pass.
	retryTime = time.Second
	// cachedBatches and cachedBatchBytes bound the batches that are shared.
	cachedBatches, cachedBatchBytes = 1_000, 16 << 20
)

// batches runs the executions of subscriptions, each once for all subscriptions that read the
// same.
type batches struct {
	flights singleflight.Group
	cache   *admit.Cache[*execute.Batch]
	// running bounds the executions. They wait here, because a change wakes more subscriptions
	// than the limiter lets wait.
	running *semaphore.Weighted
}

func newBatches(slots int) *batches {
	return &batches{cache: admit.NewCache[*execute.Batch](cachedBatches, cachedBatchBytes), running: semaphore.NewWeighted(int64(max(1, slots/2)))}
}

// sink receives the batches of a subscription. An error means that the client is gone.
type sink interface {
	Next(text []byte) error
	Beat() error
}

// subscribe sends the batches of a subscription until ctx ends, the client is gone, or an error
// ends it. After the first batch, it waits until an error that may pass is gone.
func (e *endpoint) subscribe(ctx context.Context, s *execute.Subscription, to sink) *failure.Error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.streams.Stopping, cancel)() //nolint:contextcheck // Two contexts end it.
	mark := e.changes.Now()
	for first, paid := true, false; ctx.Err() == nil; {
		b := &execute.Batch{Failed: e.pay(ctx, s.Cost, paid)}
		if b.Failed == nil {
			// A batch that is not delivered is not charged, unless it was searched for.
			paid = true
			b = e.nextBatch(ctx, s, mark)
		}
		switch {
		case b == nil:
			return nil
		case b.Failed != nil && (first || !b.Failed.Passes()):
			return b.Failed
		case b.Failed != nil:
			select {
			case <-time.After(retryTime):
			case <-ctx.Done():
			}
			if to.Beat() != nil {
				return nil
			}
			continue
		}
		s.After = b.Next
		if first || b.Count > 0 {
			if to.Next(b.Text) != nil {
				return nil
			}
			first, paid = false, false
		} else if b.Scanned > 0 {
			paid = false
		}
		if b.More {
			continue
		}
		if ok, failed := e.wait(ctx, to, &mark); !ok {
			return failed
		}
	}
	return nil
}

// pay charges for a batch, unless it is paid, if the client's key is still valid.
func (e *endpoint) pay(ctx context.Context, cost int, paid bool) *failure.Error {
	if e.Callers == nil {
		return nil
	}
	// The client's quota may have changed too.
	ctx, failed := e.Callers.Renew(ctx)
	if failed != nil || paid {
		return failed
	}
	return e.Callers.Charge(ctx, cost)
}

// wait waits until the mark changes. ok is false once ctx has ended or the client is gone, and an
// error is that of a key that is no longer valid.
func (e *endpoint) wait(ctx context.Context, to sink, mark *watch.Mark) (ok bool, failed *failure.Error) {
	for beat := time.Now().Add(e.Limits.Beat); ; {
		pause := time.Until(beat)
		if e.Callers != nil {
			pause = min(pause, e.Limits.Key)
		}
		bounded, cancel := context.WithTimeout(ctx, pause)
		now, err := e.changes.Wait(bounded, *mark)
		cancel()
		*mark = now
		switch failed = e.pay(ctx, 0, true); {
		case failed != nil, err == nil:
			return failed == nil, failed
		case ctx.Err() != nil:
			return false, nil
		case time.Now().Before(beat):
			continue
		case to.Beat() != nil:
			return false, nil
		}
		beat = time.Now().Add(e.Limits.Beat)
	}
}

// nextBatch returns the next batch of a subscription, which read the log of changes up to mark or
// further, or nil once ctx has ended.
func (e *endpoint) nextBatch(ctx context.Context, s *execute.Subscription, mark watch.Mark) *execute.Batch {
	b := e.sharedBatch(ctx, s, mark)
	if b == nil || b.Failed == nil || b.Failed.Status != http.StatusServiceUnavailable || failure.CodeOf(b.Failed.Errors[0]) != string(apierror.RateLimited) {
		return b
	}
	// The share of what is shared is used up, but that of the client may not be.
	defer e.streams.Begin()()
	bounded, cancel := context.WithTimeout(ctx, e.Limits.Timeout)
	defer cancel()
	if b = e.readBatch(bounded, s, s.Client); ctx.Err() != nil {
		return nil
	}
	return b
}

// sharedBatch is [endpoint.nextBatch], which subscriptions that read the same share. It runs for a
// client of its own, so that none of theirs delays it for all.
func (e *endpoint) sharedBatch(ctx context.Context, s *execute.Subscription, mark watch.Mark) *execute.Batch {
	id, first := s.Rest, s.After == ""
	if first {
		id = s.First
	}
	key := fmt.Sprintf("%s%d %d %s", id, mark.Number, mark.Nonce, s.After)
	// In a goroutine of its own, a batch does not make the stack of the waiting one grow. The
	// function returns no error, and does not panic.
	shared := e.batches.flights.DoChan(key, func() (any, error) {
		if known, ok := e.batches.cache.Get(key); ok {
			return known, nil
		}
		// The database must not be closed meanwhile.
		defer e.streams.Begin()()
		// Others may wait for the batch when this client is gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.Limits.Timeout)
		defer cancel()
		b := e.readBatch(ctx, s, admit.Shared())
		// A first batch has the cursor of now, and the mark may be out of date.
		if b.Failed == nil && !first {
			e.batches.cache.Put(key, b, len(b.Text)+len(key), s.Client)
		}
		return b, nil
	})
	select {
	case done := <-shared:
		return done.Val.(*execute.Batch)
	case <-ctx.Done():
		return nil
	}
}

// readBatch runs a subscription in a slot of a client.
func (e *endpoint) readBatch(ctx context.Context, s *execute.Subscription, client netip.Addr) *execute.Batch {
	if e.batches.running.Acquire(ctx, 1) != nil {
		return &execute.Batch{Failed: failure.Busy("too many operations run")}
	}
	defer e.batches.running.Release(1)
	return e.executor.Batch(ctx, s, client)
}

// open opens a stream of a client. held are the memory reservations of the open request, whose
// place the subscription's own takes: streams are bounded by their number.
func (e *endpoint) open(held *admit.Buffer, client netip.Addr, memory int) (leave func(), failed *failure.Error) {
	if leave, failed = e.streams.Open(client); failed != nil {
		return nil, failed
	}
	e.Budget.Release(held)
	if !e.Budget.Take(held, memory) {
		leave()
		return nil, failure.Busy("too many large subscriptions")
	}
	return leave, nil
}

// stream answers a subscription over HTTP.
func (e *endpoint) stream(w http.ResponseWriter, r *http.Request, s *execute.Subscription) {
	to, leave, failed := e.openStream(w, r, s)
	defer leave()
	if failed == nil {
		failed = e.subscribe(r.Context(), s, to)
	}
	if failed == nil && e.streams.Stopping.Err() != nil {
		failed = failure.Unavailable()
		if to.Opened() {
			e.Observer.Failed(failed.Errors)
			// JSON can encode every value of an error.
			errors, _ := json.Marshal(failed.Errors)
			to.Stop(errors)
			return
		}
	}
	e.finish(w, r, to, &execute.Outcome{Failed: failed})
}

// openStream opens the stream of a subscription.
func (e *endpoint) openStream(w http.ResponseWriter, r *http.Request, s *execute.Subscription) (to *subscribe.Stream, leave func(), failed *failure.Error) {
	x := observe.Of(r.Context())
	x.Route = observe.Stream
	_, header := memoryOf(r)
	if leave, failed = e.open(x.Held, s.Client, header-requestBytes+s.Memory); failed != nil {
		leave = func() {}
	}
	return subscribe.NewStream(e.streams.Stopping, w, s.Stream, e.Limits.Write), leave, failed //nolint:contextcheck // It ends with the server, not the request.
}

// finish ends a stream, with the outcome of an operation unless all was sent. An error with a
// status is no stream if nothing was sent.
func (e *endpoint) finish(w http.ResponseWriter, r *http.Request, to *subscribe.Stream, done *execute.Outcome) {
	if done.Failed != nil && done.Failed.Status != 0 && !to.Opened() {
		to.Leave()
		// If the client accepts streams only, the error is sent as JSON.
		m, _ := negotiate.ChooseMediaType(r.Header)
		e.write(w, r, m, *done)
		return
	}
	defer to.End()
	if done.Failed != nil || done.Response != nil {
		text := &admit.Buffer{}
		if err := done.AppendTo(text); err != nil {
			e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
			text.Reset()
			text.WriteString(execute.InternalError)
		}
		// An error means that the client is gone.
		_ = to.Next(text.Bytes())
	}
}
