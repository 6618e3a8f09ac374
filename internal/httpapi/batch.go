package httpapi

import (
	"context"
	"net/http"
	"net/netip"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/negotiate"
)

// batchWidth is how many operations of a batch run at once, which leaves slots for other
// requests.
const batchWidth = 4

// answerAll answers the operations of a batch in order. Each has its own errors, but none runs
// unless the sum of the costs is within the limit.
func (e *endpoint) answerAll(ctx context.Context, list []request) []outcome {
	done := make([]outcome, len(list))
	operations := make([]operation, len(list))
	total := 0
	for i := range list {
		done[i] = e.prepareInSlot(ctx, &list[i], &operations[i])
		total = cost.Plus(total, operations[i].cost)
	}
	rejected := e.checkCost(ctx, total)
	if rejected == nil && total > 0 && e.access != nil {
		rejected = e.access.Charge(ctx, total)
	}
	var running errgroup.Group
	running.SetLimit(batchWidth)
	for i := range operations {
		switch {
		case done[i].failed != nil:
		case rejected != nil:
			done[i].failed = rejected
		default:
			running.Go(func() error {
				done[i] = e.runInSlot(ctx, list[i].client, operations[i])
				return nil
			})
		}
	}
	// The functions never return an error.
	_ = running.Wait()
	return done
}

// prepareInSlot prepares an operation of a batch in its own slot.
func (e *endpoint) prepareInSlot(ctx context.Context, r *request, o *operation) (done outcome) {
	defer e.catch(ctx, &done)
	s, failed := e.limiter.Enter(ctx, r.client)
	defer s.Leave()
	if failed == nil {
		*o, failed = e.prepare(ctx, &s, r)
	}
	return outcome{failed: failed}
}

// runInSlot runs an operation of a batch in its own slot.
func (e *endpoint) runInSlot(ctx context.Context, client netip.Addr, o operation) (done outcome) {
	defer e.catch(ctx, &done)
	s, failed := e.limiter.EnterFor(ctx, client, o.cost)
	defer s.Leave()
	if failed != nil {
		return outcome{failed: failed}
	}
	return e.run(ctx, o)
}

// writeAll sends the responses to a batch. Each has its own errors: the status is 200, unless
// the batch exceeds the quota.
func (e *endpoint) writeAll(w http.ResponseWriter, r *http.Request, m negotiate.MediaType, list []outcome, size *admit.AnswerSize) {
	b := e.budget.Buffer(r)
	defer e.budget.Drop(b)
	length := 0
	for _, done := range list {
		if done.failed == nil {
			length += len(done.response.Data) + 64
		}
	}
	b.Grow(length)
	separator, status := byte('['), http.StatusOK
	for i, done := range list {
		if done.failed != nil && done.failed.Status == http.StatusTooManyRequests {
			status = done.failed.Status
			done.failed.SetHeader(w.Header())
		}
		b.WriteByte(separator)
		separator = ','
		before := b.Len()
		e.observer.Failed(done.errors())
		if err := done.appendTo(b); err != nil {
			e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
			b.Truncate(before)
			b.WriteString(internalError)
		}
		list[i] = outcome{}
	}
	b.WriteByte(']')
	size.Free()
	e.send(w, r, m, status, b, nil)
}
