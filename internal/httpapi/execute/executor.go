package execute

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/queries"
)

// Config says how operations run.
type Config struct {
	// Schema executes GraphQL operations.
	Schema *fastql.Schema
	// Extensions intercept operations and responses. Field interceptors are ignored.
	Extensions []graphql.HandlerExtension
	// ErrorPresenter converts errors to the form that clients see. Recover converts a panic to
	// an error.
	ErrorPresenter graphql.ErrorPresenterFunc
	Recover        graphql.RecoverFunc
	// Final is called within an operation without errors. It reports whether the answer is final, or
	// grows only with the finalized blocks. verified reports that not even a repair will change it.
	Final func(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) (final, verified bool, err error)
	// Log receives the errors that clients do not see, and the lines of the access log.
	Log *slog.Logger
}

// Parts are what an executor shares with the rest of a server.
type Parts struct {
	Queries *queries.Queries
	// Limiter bounds how many requests are read and priced at once.
	Limiter  *admit.Limiter
	Budget   *admit.Budget
	Observer *observe.Observer
	// Callers is nil if everybody may use the API.
	Callers *admit.Callers
}

// Executor runs operations.
type Executor struct {
	Config
	Parts
	executor  *executor.Executor
	prices    cost.Prices
	limits    cost.Limits
	maxAnswer int
}

// New returns an executor. maxAnswer is the maximum size of the answer to a request, in bytes.
func New(c Config, p Parts, limits cost.Limits, maxAnswer int) *Executor {
	e := &Executor{Config: c, Parts: p, limits: limits, maxAnswer: maxAnswer, executor: executor.New(c.Schema), prices: cost.NewPrices(c.Schema.Schema())}
	e.executor.SetErrorPresenter(c.ErrorPresenter)
	e.executor.SetRecoverFunc(c.Recover)
	for _, extension := range c.Extensions {
		e.executor.Use(extension)
	}
	// The extension added last is the innermost.
	e.executor.AroundResponses(e.noteFinal)
	return e
}

// run runs an operation, which is traced and counted.
func (e *Executor) run(ctx context.Context, o operation) (done Outcome) {
	if o.Chain.Name != "" && o.Chain.Name != admit.ChainOf(ctx) {
		ctx = admit.OnChain(ctx, o.Chain.Name)
	}
	e.Observer.Operation(ctx, string(o.definition.Operation), o.label(), o.Cost, func(ctx context.Context) gqlerror.List {
		if o.position != nil {
			done = e.runBatch(ctx, o)
		} else {
			done = e.runWithRetries(ctx, o)
		}
		return done.Errors()
	})
	return done
}

// runWithRetries runs an operation. If the database is unavailable, or a standby that is behind, it
// retries for a short time, or once if the database cancelled a statement. That is safe because no
// part of the answer has been sent.
func (e *Executor) runWithRetries(ctx context.Context, o operation) Outcome {
	growth, lag := o.size.Operation(), outage{}
	for wait := firstWait; ; wait *= 2 {
		done := e.runOnce(ctx, o, growth)
		behind := done.failed(apierror.ReplicaBehind)
		switch {
		case behind != nil && lag.wait(ctx, wait, maxBehind):
		case behind != nil:
			return Outcome{Failed: failure.ReplicaBehind(behind.Message)}
		case done.failed(apierror.Unavailable) == nil:
			if ctx.Err() == nil {
				o.Chain.outage.end()
			} else if wait > firstWait {
				// The database has not come back.
				return Outcome{Failed: failure.Unavailable()}
			}
			return done
		case done.cancelled() && wait == firstWait:
			// The database answers, so this is no outage.
		case done.cancelled(), !o.Chain.outage.wait(ctx, wait, maxOutage):
			return Outcome{Failed: failure.Unavailable()}
		}
	}
}

// runOnce runs an operation on one snapshot of the data.
func (e *Executor) runOnce(ctx context.Context, o operation, growth *admit.Growth) Outcome {
	ctx = graphql.WithOperationContext(fastql.WithOperation(ctx, &o.document.Plans, growth), &graphql.OperationContext{
		RawQuery:      o.document.Text,
		OperationName: o.name,
		Variables:     o.Variables,
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
		return Outcome{Failed: failure.WithStatus(http.StatusGatewayTimeout, apierror.Timeout, "the operation took too long and was stopped")}
	}
	if failed := o.size.Why(); failed != nil && bytes.Equal(response.Data, []byte("null")) {
		return Outcome{Failed: failed}
	}
	if len(response.Errors) > shownErrors {
		response.Errors = fewErrors(response.Errors)
	}
	return Outcome{Response: response, Size: o.size}
}

// failed returns the first error of an operation with a code that may pass at once, or nil.
func (o Outcome) failed(code apierror.Code) *gqlerror.Error {
	if o.Response == nil {
		return nil
	}
	if i := slices.IndexFunc(o.Response.Errors, func(e *gqlerror.Error) bool {
		return failure.CodeOf(e) == string(code) && !errors.Is(e, apierror.ErrLasting)
	}); i >= 0 {
		return o.Response.Errors[i]
	}
	return nil
}

// cancelled reports whether an operation failed because the database cancelled a statement.
func (o Outcome) cancelled() bool {
	return slices.ContainsFunc(o.Response.Errors, func(e *gqlerror.Error) bool { return errors.Is(e, apierror.ErrCancelled) })
}

// batchBytes is the maximum size of the answer to a batch with several changes.
const batchBytes = 64 << 10

// runBatch runs a subscription for one batch. If the answer is too long, it runs again with fewer
// changes.
func (e *Executor) runBatch(ctx context.Context, o operation) Outcome {
	tooLong := func(e *gqlerror.Error) bool { return failure.CodeOf(e) == string(apierror.QueryTooCostly) }
	for p := o.position; ; {
		most := e.maxAnswer
		if p.Limit > 1 {
			most = min(most, batchBytes)
		}
		o.size = e.Budget.AnswerSize(o.client, most)
		p.Count = 0
		done := e.runWithRetries(fastql.WithPosition(ctx, p), o)
		o.size.Release()
		done.Size = nil
		if p.Limit == 1 || !slices.ContainsFunc(done.Errors(), tooLong) {
			return done
		}
		if p.Count > 0 {
			p.Limit = min(p.Limit, p.Count)
		}
		p.Limit = max(1, p.Limit/2)
	}
}

// runInSlot runs an operation of a batch in its own slot.
func (e *Executor) runInSlot(ctx context.Context, client netip.Addr, o operation) (done Outcome) {
	defer e.Catch(ctx, &done)
	s, failed := o.limiter().EnterFor(ctx, client, o.Cost)
	defer s.Leave()
	if failed != nil {
		return Outcome{Failed: failed}
	}
	return e.run(ctx, o)
}

// Catch logs a panic and turns it into an internal error.
func (e *Executor) Catch(ctx context.Context, done *Outcome) {
	if cause := recover(); cause != nil {
		e.Log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		*done = Outcome{Failed: failure.WithStatus(http.StatusInternalServerError, apierror.Internal, "internal error")}
	}
}

// finalKey is the context key of an operation's [Final].
type finalKey struct{}

// noteFinal fills in the [Final] of a context. It reads alongside the answer, from the same snapshot.
func (e *Executor) noteFinal(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	f, asked := ctx.Value(finalKey{}).(*Final)
	if !asked {
		return next(ctx)
	}
	var once sync.Once
	read := func(ctx context.Context) {
		once.Do(func() {
			var err error
			o := graphql.GetOperationContext(ctx)
			// The answer contains a mistake of the client.
			if f.Is, f.Verified, err = e.Final(ctx, o.Operation, o.Variables); err != nil && !errors.As(err, new(*apierror.Error)) {
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
