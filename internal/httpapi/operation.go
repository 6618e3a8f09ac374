package httpapi

import (
	"context"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/nft"
)

// operation is what may run: valid, with its variables, and priced.
type operation struct {
	document   *document
	definition *ast.OperationDefinition
	variables  map[string]any
	name       string
	cost       int
}

// outcome is what became of one operation: a response, or a refusal.
type outcome struct {
	response *graphql.Response
	refused  *refusal
	// final is of an answer that can not change any more; else it is nil.
	final *final
}

// prepare makes an operation of a request.
func (e *endpoint) prepare(r *request) (o operation, refused *refusal) {
	if r.refused != nil {
		return o, r.refused
	}
	if o.document, refused = e.find(r); refused != nil {
		return o, refused
	}
	if o.definition, refused = o.document.operation(r.operationName); refused != nil {
		return o, refused
	}
	if o.variables, refused = e.documents.coerce(o.definition, r.variables); refused != nil {
		return o, refused
	}
	o.name = r.operationName
	o.cost = meter{e.prices, e.limits.PageSize, o.variables}.cost(o.definition)
	return o, nil
}

// affordable refuses operations that together cost more than a request may.
func (e *endpoint) affordable(cost int) *refusal {
	if cost <= e.limits.Cost {
		return nil
	}
	r := refuse(nft.QueryTooCostly, "the request costs %d: want at most %d; ask for smaller pages or fewer fields", cost, e.limits.Cost)
	r.errors[0].Extensions["cost"], r.errors[0].Extensions["maxCost"] = cost, e.limits.Cost
	return r
}

// run runs an operation.
func (e *endpoint) run(ctx context.Context, o operation) outcome {
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery:      o.document.text,
		OperationName: o.name,
		Variables:     o.variables,
		Doc:           o.document.query,
		Operation:     o.definition,
		RecoverFunc:   e.recover,
		// Validation refuses what is not to be told.
		DisableIntrospection:   false,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	})
	next, ctx := e.executor.DispatchOperation(ctx, graphql.GetOperationContext(ctx))
	response := next(ctx)
	if response == nil {
		// The executor gives up without a word when ctx has ended.
		return outcome{refused: tookTooLong()}
	}
	return outcome{response: response}
}

func tookTooLong() *refusal {
	return refuseWith(http.StatusGatewayTimeout, nft.Timeout, "the operation took too long and was stopped")
}

// answer prepares and runs one operation. A panic is logged and answered.
func (e *endpoint) answer(ctx context.Context, r *request) (done outcome) {
	defer e.catch(ctx, &done)
	if refused := e.gate.enter(ctx); refused != nil {
		return outcome{refused: refused}
	}
	defer e.gate.leave()
	o, refused := e.prepare(r)
	if refused == nil {
		refused = e.affordable(o.cost)
	}
	if refused != nil {
		return outcome{refused: refused}
	}
	if !r.public && r.key == "" {
		return e.run(ctx, o)
	}
	var generation string
	done = e.run(withGeneration(ctx, &generation), o)
	if generation != "" && done.response != nil && len(done.response.Errors) == 0 {
		done.final = &final{generation: generation, public: r.public, key: r.key}
	}
	return done
}

// catch makes an internal error of a panic.
func (e *endpoint) catch(ctx context.Context, done *outcome) {
	if cause := recover(); cause != nil {
		e.log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		*done = outcome{refused: refuseWith(http.StatusInternalServerError, nft.Internal, "internal error")}
	}
}
