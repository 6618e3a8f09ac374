package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/sync/errgroup"

	"mintburn/internal/nft"
)

// operation is ready to run: valid, with its variables and its cost.
type operation struct {
	document   *document
	definition *ast.OperationDefinition
	variables  map[string]any
	name       string
	cost       int
	// size bounds the answer.
	size *answerSize
}

// outcome is the result of one operation: a response or an error.
type outcome struct {
	response *graphql.Response
	failed   *requestError
	// final is set if the answer cannot change any more.
	final *final
	// size has the memory of the response.
	size *answerSize
}

// prepare returns the operation of a request, which has a slot.
func (e *endpoint) prepare(ctx context.Context, s *slot, r *request) (o operation, failed *requestError) {
	if r.failed != nil {
		return o, r.failed
	}
	if o.document, failed = e.find(ctx, s, r); failed != nil {
		return o, failed
	}
	if o.definition, failed = o.document.operation(r.operationName); failed != nil {
		return o, failed
	}
	if o.variables, failed = e.queries.coerce(ctx, o.definition, r.variables); failed != nil {
		return o, failed
	}
	o.name, o.size = r.operationName, r.size
	o.cost = meter{e.prices, e.Limits.PageSize, o.variables}.cost(o.definition)
	return o, nil
}

// checkCost returns an error if operations together cost more than a request may.
func (e *endpoint) checkCost(cost int) *requestError {
	if cost <= e.Limits.Cost {
		return nil
	}
	failed := failf(nft.QueryTooCostly, "the request costs %d: want at most %d; ask for smaller pages or fewer fields", cost, e.Limits.Cost)
	failed.errors[0].Extensions["cost"], failed.errors[0].Extensions["maxCost"] = cost, e.Limits.Cost
	return failed
}

// run runs an operation. While the database is gone, it runs it again for a short
// time: nothing of the answer is sent yet.
func (e *endpoint) run(ctx context.Context, o operation) outcome {
	growth := o.size.operation()
	for wait := firstWait; ; wait *= 2 {
		done := e.runOnce(ctx, o, growth)
		if !done.unavailable() {
			e.outage.end()
			return done
		}
		if !e.outage.wait(ctx, wait) {
			return outcome{failed: unavailable()}
		}
	}
}

// runOnce runs an operation on one snapshot of the data.
func (e *endpoint) runOnce(ctx context.Context, o operation, growth *growing) outcome {
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery:      o.document.text,
		OperationName: o.name,
		Variables:     o.variables,
		Doc:           o.document.query,
		Operation:     o.definition,
		RecoverFunc:   e.Recover,
		// Validation rejects introspection where it is turned off.
		DisableIntrospection:   false,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	})
	next, ctx := e.executor.DispatchOperation(ctx, graphql.GetOperationContext(ctx))
	response := next(e.Bounded(ctx, growth))
	if response == nil {
		// The executor returns nothing when ctx has ended.
		return outcome{failed: statusError(http.StatusGatewayTimeout, nft.Timeout, "the operation took too long and was stopped")}
	}
	if failed := o.size.why(); failed != nil && bytes.Equal(response.Data, []byte("null")) {
		return outcome{failed: failed}
	}
	response.Errors = fewErrors(response.Errors)
	return outcome{response: response, size: o.size}
}

// An operation whose database is gone runs again until the database has been
// gone for maxOutage. The first wait takes firstWait, and each next one twice as
// long.
const (
	maxOutage = 2 * time.Second
	firstWait = 20 * time.Millisecond
)

// outage is the time for which the database has been gone. All operations share
// it, so that later ones do not wait in their slots again.
type outage struct {
	// since is the time of the first failure in Unix nanoseconds, or 0.
	since atomic.Int64
}

// end notes that the database answers.
func (o *outage) end() {
	if o.since.Load() != 0 {
		o.since.Store(0)
	}
}

// wait notes that the database is gone, waits, and reports whether to try again.
func (o *outage) wait(ctx context.Context, d time.Duration) bool {
	now := time.Now()
	o.since.CompareAndSwap(0, now.UnixNano())
	left := maxOutage - now.Sub(time.Unix(0, o.since.Load()))
	if left <= 0 {
		return false
	}
	select {
	case <-time.After(min(d, left)):
		return true
	case <-ctx.Done():
		return false
	}
}

// unavailable reports whether an operation failed because its database is gone.
func (o outcome) unavailable() bool {
	return o.response != nil && slices.ContainsFunc(o.response.Errors, func(e *gqlerror.Error) bool { return codeOf(e) == string(nft.Unavailable) })
}

// answer prepares and runs one operation. A panic is logged, and answered as an
// internal error.
func (e *endpoint) answer(ctx context.Context, r *request) (done outcome) {
	defer e.catch(ctx, &done)
	s, failed := e.limiter.enter(ctx, r.client)
	defer s.leave()
	var o operation
	if failed == nil {
		o, failed = e.prepare(ctx, &s, r)
	}
	if failed == nil {
		failed = e.checkCost(o.cost)
	}
	if failed == nil {
		failed = s.raise(ctx, o.cost)
	}
	if failed != nil {
		return outcome{failed: failed}
	}
	if !r.public && r.key == "" {
		return e.run(ctx, o)
	}
	found := &final{public: r.public, key: r.key}
	done = e.run(withFinal(ctx, found), o)
	if found.generation != "" && done.response != nil && len(done.response.Errors) == 0 {
		done.final = found
	}
	return done
}

// catch turns a panic into an internal error.
func (e *endpoint) catch(ctx context.Context, done *outcome) {
	if cause := recover(); cause != nil {
		e.Log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		*done = outcome{failed: statusError(http.StatusInternalServerError, nft.Internal, "internal error")}
	}
}

// batchWidth is how many operations of one batch run at once, so that one
// batch leaves slots for others.
const batchWidth = 4

// answerAll answers the operations of a batch, in their order. Each has its own
// errors, but nothing runs unless the sum of the costs is within the limit.
func (e *endpoint) answerAll(ctx context.Context, list []request) []outcome {
	done := make([]outcome, len(list))
	operations := make([]operation, len(list))
	cost := 0
	for i := range list {
		done[i] = e.prepareInSlot(ctx, &list[i], &operations[i])
		cost = plus(cost, operations[i].cost)
	}
	tooCostly := e.checkCost(cost)
	var running errgroup.Group
	running.SetLimit(batchWidth)
	for i := range operations {
		switch {
		case done[i].failed != nil:
		case tooCostly != nil:
			done[i].failed = tooCostly
		default:
			running.Go(func() error {
				done[i] = e.runInSlot(ctx, list[i].client, operations[i])
				return nil
			})
		}
	}
	// None of them returns an error.
	_ = running.Wait()
	return done
}

// prepareInSlot prepares an operation of a batch in a slot of its own.
func (e *endpoint) prepareInSlot(ctx context.Context, r *request, o *operation) (done outcome) {
	defer e.catch(ctx, &done)
	s, failed := e.limiter.enter(ctx, r.client)
	defer s.leave()
	if failed == nil {
		*o, failed = e.prepare(ctx, &s, r)
	}
	return outcome{failed: failed}
}

// runInSlot runs an operation of a batch in a slot of its own.
func (e *endpoint) runInSlot(ctx context.Context, client netip.Addr, o operation) (done outcome) {
	defer e.catch(ctx, &done)
	s, failed := e.limiter.enter(ctx, client)
	defer s.leave()
	if failed == nil {
		failed = s.raise(ctx, o.cost)
	}
	if failed != nil {
		return outcome{failed: failed}
	}
	return e.run(ctx, o)
}

type finalKey struct{}

// withFinal returns a context whose operation sets the generation of f if its
// answer is final.
func withFinal(ctx context.Context, f *final) context.Context {
	return context.WithValue(ctx, finalKey{}, f)
}

// noteFinal runs around an operation, inside the extensions, so that it reads the
// snapshot of the answer.
func (e *endpoint) noteFinal(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	f, asked := ctx.Value(finalKey{}).(*final)
	if !asked || response == nil || len(response.Errors) > 0 {
		return response
	}
	var err error
	o := graphql.GetOperationContext(ctx)
	if f.generation, f.verified, err = e.Final(ctx, o.Operation, o.Variables); err != nil {
		e.Log.WarnContext(ctx, "reading whether an answer is final", "error", err)
	}
	return response
}
