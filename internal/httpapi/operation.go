package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/queries"
)

// operation is ready to run: its document is valid, and its variables and cost are known.
type operation struct {
	document   *queries.Document
	definition *ast.OperationDefinition
	variables  map[string]any
	name       string
	cost       int
	// size bounds the answer.
	size *admit.AnswerSize
	// position is set for one batch of a subscription, and client is then the one whose budget
	// it uses.
	position *fastql.Position
	client   netip.Addr
}

// outcome is the result of one operation: a response or an error.
type outcome struct {
	response *graphql.Response
	failed   *failure.Error
	// subscribed is set, and nothing else, if the operation is a subscription, which has not run.
	subscribed *subscription
	// final is set if the answer cannot change any more.
	final *final
	// size holds the memory of the response.
	size *admit.AnswerSize
}

// label returns an operation's name in logs and metrics: the REST route, the name in the
// document, or [observe.Nameless].
func (o operation) label() string {
	switch {
	case o.document.Route != "":
		return o.document.Route
	case o.definition.Name != "":
		return o.definition.Name
	default:
		return observe.Nameless
	}
}

// shownErrors is the maximum number of errors in the answer to an operation.
const shownErrors = 100

// fewErrors replaces the errors beyond shownErrors with one that reports their number.
func fewErrors(list gqlerror.List) gqlerror.List {
	more := failure.New(apierror.QueryTooCostly, "%d more errors are left out", len(list)-shownErrors)
	return append(list[:shownErrors:shownErrors], more.Errors...)
}

// prepare returns the operation of a request. The caller must hold the slot s.
func (e *endpoint) prepare(ctx context.Context, s *admit.Slot, r *request) (o operation, failed *failure.Error) {
	if r.Failed != nil {
		return o, r.Failed
	}
	if o.document = r.document; o.document == nil {
		raise := func(cost int) *failure.Error { return s.Raise(ctx, cost) }
		if o.document, failed = e.queries.Find(&r.Request, r.client, raise); failed != nil {
			return o, failed
		}
	}
	if o.definition, failed = o.document.Operation(r.OperationName); failed != nil {
		return o, failed
	}
	if o.definition.Operation == ast.Subscription && r.stream == "" {
		return o, failure.WithStatus(http.StatusNotAcceptable, apierror.BadUserInput, "a subscription has many answers: want Accept: %s or %s;subscriptionSpec=1.0 and no batch, or a WebSocket with the subprotocol %s",
			negotiate.EventStream, negotiate.Multipart, negotiate.WebSocket)
	}
	if o.variables, failed = e.queries.Coerce(ctx, o.definition, r.Variables); failed != nil {
		return o, failed
	}
	o.name, o.size = r.OperationName, r.size
	o.cost, failed = e.prices.Cost(o.definition, o.variables, e.Limits.PageSize)
	observe.Of(ctx).Note(o.label(), o.document.Text, o.cost, o.document.Route == "")
	return o, failed
}

// checkCost returns an error if the operations of a request cost more than one request may.
func (e *endpoint) checkCost(ctx context.Context, cost int) *failure.Error {
	most := e.Limits.Cost
	if e.access != nil {
		most = e.access.MostCost(ctx, most)
	}
	if cost <= most {
		return nil
	}
	failed := failure.New(apierror.QueryTooCostly, "the request costs %d: want at most %d; ask for smaller pages or fewer fields", cost, most)
	failed.Errors[0].Extensions["cost"], failed.Errors[0].Extensions["maxCost"] = cost, most
	return failed
}

// run runs an operation, which is traced and counted.
func (e *endpoint) run(ctx context.Context, o operation) (done outcome) {
	e.observer.Operation(ctx, string(o.definition.Operation), o.label(), o.cost, func(ctx context.Context) gqlerror.List {
		if o.position != nil {
			done = e.runBatch(ctx, o)
		} else {
			done = e.runWithRetries(ctx, o)
		}
		return done.errors()
	})
	return done
}

// runWithRetries runs an operation. If the database is unavailable, it retries for a short
// time, or once if the database cancelled a statement. That is safe because no part of the
// answer has been sent.
func (e *endpoint) runWithRetries(ctx context.Context, o operation) outcome {
	growth := o.size.Operation()
	for wait := firstWait; ; wait *= 2 {
		done := e.runOnce(ctx, o, growth)
		switch {
		case !done.unavailable():
			if ctx.Err() == nil {
				e.outage.end()
			} else if wait > firstWait {
				// The database has not come back.
				return outcome{failed: failure.Unavailable()}
			}
			return done
		case done.cancelled() && wait == firstWait:
			// The database answers, so this is no outage.
		case done.cancelled(), !e.outage.wait(ctx, wait):
			return outcome{failed: failure.Unavailable()}
		}
	}
}

// runOnce runs an operation on one snapshot of the data.
func (e *endpoint) runOnce(ctx context.Context, o operation, growth *admit.Growth) outcome {
	ctx = graphql.WithOperationContext(fastql.WithOperation(ctx, &o.document.Plans, growth), &graphql.OperationContext{
		RawQuery:      o.document.Text,
		OperationName: o.name,
		Variables:     o.variables,
		Doc:           o.document.Query,
		Operation:     o.definition,
		RecoverFunc:   e.Recover,
		// Validation rejects introspection if it is disabled.
		DisableIntrospection:   false,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	})
	next, ctx := e.executor.DispatchOperation(ctx, graphql.GetOperationContext(ctx))
	response := next(ctx)
	if response == nil {
		// The executor returns nil once ctx has ended.
		return outcome{failed: failure.WithStatus(http.StatusGatewayTimeout, apierror.Timeout, "the operation took too long and was stopped")}
	}
	if failed := o.size.Why(); failed != nil && bytes.Equal(response.Data, []byte("null")) {
		return outcome{failed: failed}
	}
	if len(response.Errors) > shownErrors {
		response.Errors = fewErrors(response.Errors)
	}
	return outcome{response: response, size: o.size}
}

// An operation whose database is unavailable is retried until the outage has lasted maxOutage.
// The first wait lasts firstWait, and each further one twice as long.
const (
	maxOutage = 2 * time.Second
	firstWait = 20 * time.Millisecond
)

// outage measures how long the database has been unavailable. All operations share it, so that
// later ones do not wait in their slots again.
type outage struct {
	// since is the time of the first failure in Unix nanoseconds, or 0.
	since atomic.Int64
}

// end records that the database is available again.
func (o *outage) end() {
	if o.since.Load() != 0 {
		o.since.Store(0)
	}
}

// wait records that the database is unavailable, waits, and reports whether to retry.
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

// unavailable reports whether an operation failed because the database is unavailable.
func (o outcome) unavailable() bool {
	return o.response != nil && slices.ContainsFunc(o.response.Errors, func(e *gqlerror.Error) bool { return failure.CodeOf(e) == string(apierror.Unavailable) })
}

// cancelled reports whether an operation failed because the database cancelled a statement.
func (o outcome) cancelled() bool {
	return slices.ContainsFunc(o.response.Errors, func(e *gqlerror.Error) bool { return errors.Is(e, apierror.ErrCancelled) })
}

// answer prepares and runs one operation. A panic is logged and becomes an internal error.
func (e *endpoint) answer(ctx context.Context, r *request) (done outcome) {
	defer e.catch(ctx, &done)
	s, failed := e.limiter.Enter(ctx, r.client)
	defer s.Leave()
	var o operation
	if failed == nil {
		o, failed = e.prepare(ctx, &s, r)
	}
	if failed == nil {
		failed = e.checkCost(ctx, o.cost)
	}
	if failed == nil && o.definition.Operation == ast.Subscription {
		return e.newSubscription(o, r)
	}
	if failed == nil && e.access != nil && !r.paid {
		failed = e.access.Charge(ctx, o.cost)
		r.paid = failed == nil
	}
	if failed == nil {
		failed = s.Raise(ctx, o.cost)
	}
	if failed != nil {
		return outcome{failed: failed}
	}
	if !r.public {
		return e.run(ctx, o)
	}
	found := &final{}
	done = e.run(context.WithValue(ctx, finalKey{}, found), o)
	if found.is && done.response != nil && len(done.response.Errors) == 0 {
		done.final = found
	}
	return done
}

// catch logs a panic and turns it into an internal error.
func (e *endpoint) catch(ctx context.Context, done *outcome) {
	if cause := recover(); cause != nil {
		e.Log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		*done = outcome{failed: failure.WithStatus(http.StatusInternalServerError, apierror.Internal, "internal error")}
	}
}

// finalKey is the context key of an operation's [final].
type finalKey struct{}

// noteFinal fills in the [final] of a context. It reads alongside the answer, from the same snapshot.
func (e *endpoint) noteFinal(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	f, asked := ctx.Value(finalKey{}).(*final)
	if !asked {
		return next(ctx)
	}
	var once sync.Once
	read := func(ctx context.Context) {
		once.Do(func() {
			var err error
			o := graphql.GetOperationContext(ctx)
			// The answer contains a mistake of the client.
			if f.is, f.verified, err = e.Final(ctx, o.Operation, o.Variables); err != nil && !errors.As(err, new(*apierror.Error)) {
				e.Log.WarnContext(ctx, "reading whether an answer is final", "error", err)
			}
		})
	}
	response := next(fastql.Beside(ctx, read))
	if response != nil && len(response.Errors) == 0 {
		// gqlgen's executor has not called read.
		read(ctx)
	}
	return response
}
