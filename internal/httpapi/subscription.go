package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/httpapi/watch"
)

const (
	// batchBytes is the maximum size of the answer to a batch with several changes.
	batchBytes = 64 << 10
	// retryTime is the pause of a subscription after an error that may pass.
	retryTime = time.Second
	// cachedBatches and cachedBatchBytes bound the batches that are shared.
	cachedBatches, cachedBatchBytes = 1_000, 16 << 20
)

// subscription is a subscription that runs. It holds no slot and no snapshot between batches.
type subscription struct {
	operation
	client netip.Addr
	// stream is the form in which the client accepts the batches.
	stream negotiate.MediaType
	// first identifies the document and all variables, rest those without that of after, which
	// only the first batch uses.
	first, rest [sha256.Size]byte
	// after is the cursor to continue after, or "" for the first batch.
	after string
	// memory is what the subscription holds, in bytes.
	memory int
}

// newSubscription returns a subscription from its request. It fails unless the subscription has
// one root field. Specification: GraphQL, section 5.2.3.1, where gqlparser lets aliases pass.
func (e *endpoint) newSubscription(o operation, r *request) outcome {
	// Variables take about twice as much memory as they have bytes.
	s := &subscription{operation: o, client: r.client, stream: r.stream, memory: 2*r.bytes + e.queries.Memory(o.document)}
	s.size = nil
	s.first = keyOf(o, "")
	s.rest = s.first
	roots := map[string]bool{}
	fastql.EachField(o.definition.SelectionSet, o.variables, func(f *ast.Field) {
		roots[f.Alias] = true
		// A variable that occurs elsewhere too stays in the key.
		if a := f.Arguments.ForName("after"); a != nil && a.Value.Kind == ast.Variable && strings.Count(o.document.Text, "$"+a.Value.Raw) == 2 {
			s.rest = keyOf(o, a.Value.Raw)
		}
	})
	if len(roots) != 1 {
		return outcome{failed: failure.New(failure.ValidationFailed, "the subscription has %d root fields: want one", len(roots)).At(o.definition.Position)}
	}
	return outcome{subscribed: s}
}

// keyOf identifies an operation and its variables without one.
func keyOf(o operation, without string) [sha256.Size]byte {
	variables := map[string]any{}
	for name, value := range o.variables {
		if name != without {
			variables[name] = value
		}
	}
	// Coerced variables can be encoded, in one way.
	text, _ := json.Marshal([]any{o.document.Text, o.definition.Name, variables})
	return sha256.Sum256(text)
}

// batch is the answer of one execution of a subscription. It never changes.
type batch struct {
	text []byte
	fastql.Position
	// failed is the error that ends the subscription.
	failed *failure.Error
}

// batches runs the executions of subscriptions, each once for all subscriptions that read the
// same.
type batches struct {
	flights singleflight.Group
	cache   *admit.Cache[*batch]
	// running bounds the executions. They wait here, because a change wakes more subscriptions
	// than the limiter lets wait.
	running *semaphore.Weighted
}

func newBatches(slots int) *batches {
	return &batches{cache: admit.NewCache[*batch](cachedBatches, cachedBatchBytes), running: semaphore.NewWeighted(int64(max(1, slots/2)))}
}

// sink receives the batches of a subscription. An error means that the client is gone.
type sink interface {
	Next(text []byte) error
	Beat() error
}

// subscribe sends the batches of a subscription until ctx ends, the client is gone, or an error
// ends it. After the first batch, it waits until an error that may pass is gone.
func (e *endpoint) subscribe(ctx context.Context, s *subscription, to sink) *failure.Error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.streams.Stopping, cancel)() //nolint:contextcheck // Two contexts end it.
	mark := e.changes.Now()
	for first, paid := true, false; ctx.Err() == nil; {
		b := &batch{failed: e.pay(ctx, s.cost, paid)}
		if b.failed == nil {
			// A batch that is not delivered is not charged, unless it was searched for.
			paid = true
			b = e.nextBatch(ctx, s, mark)
		}
		switch {
		case b == nil:
			return nil
		case b.failed != nil && (first || !b.failed.Passes()):
			return b.failed
		case b.failed != nil:
			select {
			case <-time.After(retryTime):
			case <-ctx.Done():
			}
			if to.Beat() != nil {
				return nil
			}
			continue
		}
		s.after = b.Next
		if first || b.Count > 0 {
			if to.Next(b.text) != nil {
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
	if e.access == nil {
		return nil
	}
	// The client's quota may have changed too.
	ctx, failed := e.access.Renew(ctx)
	if failed != nil || paid {
		return failed
	}
	return e.access.Charge(ctx, cost)
}

// wait waits until the mark changes. ok is false once ctx has ended or the client is gone, and an
// error is that of a key that is no longer valid.
func (e *endpoint) wait(ctx context.Context, to sink, mark *watch.Mark) (ok bool, failed *failure.Error) {
	for beat := time.Now().Add(e.Limits.Beat); ; {
		pause := time.Until(beat)
		if e.access != nil {
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
func (e *endpoint) nextBatch(ctx context.Context, s *subscription, mark watch.Mark) *batch {
	b := e.sharedBatch(ctx, s, mark)
	if b == nil || b.failed == nil || b.failed.Status != http.StatusServiceUnavailable || failure.CodeOf(b.failed.Errors[0]) != string(apierror.RateLimited) {
		return b
	}
	// The share of what is shared is used up, but that of the client may not be.
	defer e.streams.Begin()()
	bounded, cancel := context.WithTimeout(ctx, e.Limits.Timeout)
	defer cancel()
	if b = e.readBatch(bounded, s, s.client); ctx.Err() != nil {
		return nil
	}
	return b
}

// sharedBatch is [endpoint.nextBatch], which subscriptions that read the same share. It runs for a
// client of its own, so that none of theirs delays it for all.
func (e *endpoint) sharedBatch(ctx context.Context, s *subscription, mark watch.Mark) *batch {
	id, first := s.rest, s.after == ""
	if first {
		id = s.first
	}
	key := fmt.Sprintf("%s%d %d %s", id, mark.Number, mark.Nonce, s.after)
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
		if b.failed == nil && !first {
			e.batches.cache.Put(key, b, len(b.text)+len(key), s.client)
		}
		return b, nil
	})
	select {
	case done := <-shared:
		return done.Val.(*batch)
	case <-ctx.Done():
		return nil
	}
}

// readBatch runs a subscription in a slot of a client.
func (e *endpoint) readBatch(ctx context.Context, s *subscription, client netip.Addr) *batch {
	if e.batches.running.Acquire(ctx, 1) != nil {
		return &batch{failed: failure.Busy("too many operations run")}
	}
	defer e.batches.running.Release(1)
	b := &batch{Position: fastql.Position{After: s.after, Limit: apierror.DefaultChanges}}
	o := s.operation
	o.position, o.client = &b.Position, client
	done := e.runInSlot(ctx, client, o)
	e.observer.Failed(done.errors())
	text := &admit.Buffer{}
	switch err := done.appendTo(text); {
	case err != nil:
		e.Log.ErrorContext(ctx, "writing a response", "error", err)
		b.failed = failure.WithStatus(http.StatusInternalServerError, apierror.Internal, "internal error")
	case done.failed != nil:
		b.failed = done.failed
	case b.Next == "":
		b.failed = &failure.Error{Errors: done.response.Errors}
	default:
		b.text = text.Bytes()
	}
	return b
}

// runBatch runs a subscription for one batch. If the answer is too long, it runs again with fewer
// changes.
func (e *endpoint) runBatch(ctx context.Context, o operation) outcome {
	tooLong := func(e *gqlerror.Error) bool { return failure.CodeOf(e) == string(apierror.QueryTooCostly) }
	for p := o.position; ; {
		most := e.Limits.Answer
		if p.Limit > 1 {
			most = min(most, batchBytes)
		}
		o.size = e.budget.AnswerSize(o.client, most)
		p.Count = 0
		done := e.runWithRetries(fastql.WithPosition(ctx, p), o)
		o.size.Release()
		done.size = nil
		if p.Limit == 1 || !slices.ContainsFunc(done.errors(), tooLong) {
			return done
		}
		if p.Count > 0 {
			p.Limit = min(p.Limit, p.Count)
		}
		p.Limit = max(1, p.Limit/2)
	}
}

// open opens a stream of a client. held are the memory reservations of the open request, whose
// place the subscription's own takes: streams are bounded by their number.
func (e *endpoint) open(held *admit.Buffer, client netip.Addr, memory int) (leave func(), failed *failure.Error) {
	if leave, failed = e.streams.Open(client); failed != nil {
		return nil, failed
	}
	e.budget.Release(held)
	if !e.budget.Take(held, memory) {
		leave()
		return nil, failure.Busy("too many large subscriptions")
	}
	return leave, nil
}

// stream answers a subscription over HTTP.
func (e *endpoint) stream(w http.ResponseWriter, r *http.Request, s *subscription) {
	to, leave, failed := e.openStream(w, r, s)
	defer leave()
	if failed == nil {
		failed = e.subscribe(r.Context(), s, to)
	}
	if failed == nil && e.streams.Stopping.Err() != nil {
		failed = failure.Unavailable()
		if to.Opened() {
			e.observer.Failed(failed.Errors)
			// JSON can encode every value of an error.
			errors, _ := json.Marshal(failed.Errors)
			to.Stop(errors)
			return
		}
	}
	e.finish(w, r, to, &outcome{failed: failed})
}

// openStream opens the stream of a subscription.
func (e *endpoint) openStream(w http.ResponseWriter, r *http.Request, s *subscription) (to *subscribe.Stream, leave func(), failed *failure.Error) {
	x := observe.Of(r.Context())
	x.Route = observe.Stream
	_, header := memoryOf(r)
	if leave, failed = e.open(x.Held, s.client, header-requestBytes+s.memory); failed != nil {
		leave = func() {}
	}
	return subscribe.NewStream(e.streams.Stopping, w, s.stream, e.Limits.Write), leave, failed //nolint:contextcheck // It ends with the server, not the request.
}

// finish ends a stream, with the outcome of an operation unless all was sent. An error with a
// status is no stream if nothing was sent.
func (e *endpoint) finish(w http.ResponseWriter, r *http.Request, to *subscribe.Stream, done *outcome) {
	if done.failed != nil && done.failed.Status != 0 && !to.Opened() {
		to.Leave()
		// If the client accepts streams only, the error is sent as JSON.
		m, _ := negotiate.ChooseMediaType(r.Header)
		e.write(w, r, m, *done)
		return
	}
	defer to.End()
	if done.failed != nil || done.response != nil {
		text := &admit.Buffer{}
		if err := done.appendTo(text); err != nil {
			e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
			text.Reset()
			text.WriteString(internalError)
		}
		// An error means that the client is gone.
		_ = to.Next(text.Bytes())
	}
}
