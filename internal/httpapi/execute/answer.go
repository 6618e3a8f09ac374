package execute

import (
	"context"
	"net/http"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"golang.org/x/sync/errgroup"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
)

// prepare returns the operation of a request. The caller must hold the slot s.
func (e *Executor) prepare(ctx context.Context, s *admit.Slot, r *Request) (o operation, failed *failure.Error) {
	if r.Failed != nil {
		return o, r.Failed
	}
	if o.document = r.Document; o.document == nil {
		raise := func(cost int) *failure.Error { return s.Raise(ctx, cost) }
		if o.document, failed = e.Queries.Find(&r.Request, r.Client, raise); failed != nil {
			return o, failed
		}
	}
	if o.definition, failed = o.document.Operation(r.OperationName); failed != nil {
		return o, failed
	}
	if o.definition.Operation == ast.Subscription && r.Stream == "" {
		return o, failure.WithStatus(http.StatusNotAcceptable, apierror.BadUserInput, "a subscription has many answers: want Accept: %s or %s;subscriptionSpec=1.0 and no batch, or a WebSocket with the subprotocol %s",
			negotiate.EventStream, negotiate.Multipart, negotiate.WebSocket)
	}
	if o.Variables, failed = e.Queries.Coerce(ctx, o.definition, r.Variables); failed != nil {
		return o, failed
	}
	o.Chain, o.name, o.size = r.Chain, r.OperationName, r.Size
	o.Cost, o.Proofs, failed = e.prices.Cost(o.definition, o.Variables, e.limits.PageSize)
	observe.Of(ctx).Note(o.Chain.Name, o.label(), o.document.Text, o.Cost, o.document.Route == "")
	return o, failed
}

// checkCost returns an error if the operations of a request cost more than one request may.
func (e *Executor) checkCost(ctx context.Context, cost int) *failure.Error {
	most := e.limits.Cost
	if e.Callers != nil {
		most = e.Callers.MostCost(ctx, most)
	}
	if cost <= most {
		return nil
	}
	failed := failure.New(apierror.QueryTooCostly, "the request costs %d: want at most %d; ask for smaller pages or fewer fields", cost, most)
	failed.Errors[0].Extensions["cost"], failed.Errors[0].Extensions["maxCost"] = cost, most
	return failed
}

// Answer prepares and runs one operation. A panic is logged and becomes an internal error.
func (e *Executor) Answer(ctx context.Context, r *Request) (done Outcome) {
	defer e.Catch(ctx, &done)
	s, failed := e.Limiter.Enter(ctx, r.Client)
	defer s.Leave()
	var o operation
	if failed == nil {
		o, failed = e.prepare(ctx, &s, r)
	}
	if failed == nil {
		failed = e.checkCost(ctx, o.Cost)
	}
	if failed == nil && o.definition.Operation == ast.Subscription {
		return e.newSubscription(o, r)
	}
	if failed == nil && e.Callers != nil && !r.Paid {
		failed = e.Callers.Charge(ctx, o.Cost)
		r.Paid = failed == nil
	}
	if failed == nil {
		failed = o.enter(ctx, &s, e.Limiter, r.Client)
	}
	if failed != nil {
		return Outcome{Failed: failed}
	}
	if !r.Public {
		return e.run(ctx, o)
	}
	found := &Final{}
	done = e.run(context.WithValue(ctx, finalKey{}, found), o)
	if found.Is && done.Response != nil && len(done.Response.Errors) == 0 {
		done.Final = found
	}
	return done
}

// BatchWidth is how many operations of a batch run at once on a chain, which leaves slots for other
// requests.
const BatchWidth = 4

// AnswerAll answers the operations of a batch in order. Each has its own errors, but none runs
// unless the sum of the costs is within the limit.
func (e *Executor) AnswerAll(ctx context.Context, list []Request) []Outcome {
	done := make([]Outcome, len(list))
	operations := make([]operation, len(list))
	total := 0
	for i := range list {
		done[i] = e.prepareInSlot(ctx, &list[i], &operations[i])
		total = cost.Plus(total, operations[i].Cost)
	}
	rejected := e.checkCost(ctx, total)
	if rejected == nil && total > 0 && e.Callers != nil {
		rejected = e.Callers.Charge(ctx, total)
	}
	onChain := map[*Chain][]int{}
	for i, o := range operations {
		switch {
		case done[i].Failed != nil:
		case rejected != nil:
			done[i].Failed = rejected
		default:
			onChain[o.Chain] = append(onChain[o.Chain], i)
		}
	}
	var all sync.WaitGroup
	for _, indices := range onChain {
		all.Go(func() {
			var running errgroup.Group
			running.SetLimit(BatchWidth)
			for _, i := range indices {
				running.Go(func() error {
					done[i] = e.runInSlot(ctx, list[i].Client, operations[i])
					return nil
				})
			}
			// The functions never return an error.
			_ = running.Wait()
		})
	}
	all.Wait()
	return done
}

// prepareInSlot prepares an operation of a batch in its own slot.
func (e *Executor) prepareInSlot(ctx context.Context, r *Request, o *operation) (done Outcome) {
	defer e.Catch(ctx, &done)
	s, failed := e.Limiter.Enter(ctx, r.Client)
	defer s.Leave()
	if failed == nil {
		*o, failed = e.prepare(ctx, &s, r)
	}
	return Outcome{Failed: failed}
}
