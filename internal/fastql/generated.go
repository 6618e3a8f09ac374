package fastql

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
)

// execGenerated leaves a whole operation to gqlgen's execution.
func (s *Schema) execGenerated(ctx context.Context, o *graphql.OperationContext) graphql.ResponseHandler {
	s.generated.Add(1)
	o = withMiddleware(o, reading)
	next := s.ExecutableSchema.Exec(graphql.WithOperationContext(ctx, o))
	return func(ctx context.Context) *graphql.Response {
		response := next(graphql.WithOperationContext(ctx, o))
		if response == nil {
			return nil
		}
		if err := checkGrowth(ctx, len(response.Data), cap(response.Data)); err != nil {
			graphql.AddError(ctx, err)
			response.Data = []byte("null")
		}
		return response
	}
}

// fieldGenerated returns the answer of gqlgen's execution to the i-th root field.
func (s *Schema) fieldGenerated(ctx context.Context, o *graphql.OperationContext, i int, a *answer) graphql.Marshaler {
	s.generated.Add(1)
	o = withMiddleware(o, a.replaying())
	f := graphql.CollectFields(o, o.Operation.SelectionSet, s.Implementors)[i]
	ctx = graphql.WithOperationContext(ctx, o)
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: s.Object})
	ctx = graphql.WithRootFieldContext(ctx, &graphql.RootFieldContext{Object: f.Name, Field: f})
	return o.RootResolverMiddleware(ctx, func(ctx context.Context) graphql.Marshaler { return s.Field(ctx, o, f) })
}

// withMiddleware returns a copy of an operation whose resolvers gqlgen's execution
// calls through a middleware, inside the operation's own.
func withMiddleware(o *graphql.OperationContext, middleware graphql.FieldMiddleware) *graphql.OperationContext {
	outer := o.ResolverMiddleware
	return &graphql.OperationContext{
		RawQuery: o.RawQuery, Variables: o.Variables, OperationName: o.OperationName, Doc: o.Doc, Extensions: o.Extensions, Headers: o.Headers,
		Operation: o.Operation, DisableIntrospection: o.DisableIntrospection, RecoverFunc: o.RecoverFunc,
		RootResolverMiddleware: o.RootResolverMiddleware, Stats: o.Stats,
		ResolverMiddleware: func(ctx context.Context, resolve graphql.Resolver) (any, error) {
			return outer(ctx, func(ctx context.Context) (any, error) { return middleware(ctx, resolve) })
		},
	}
}

// reading is a middleware that reads the results of root resolvers.
func reading(ctx context.Context, resolve graphql.Resolver) (any, error) {
	result, err := resolve(ctx)
	if err == nil && isRoot(ctx) {
		err = read(ctx, result)
	}
	return result, err
}

// isRoot reports whether the field of a context is a root field.
func isRoot(ctx context.Context) bool {
	parent := graphql.GetFieldContext(ctx).Parent
	// The context of a list item has no field either.
	return parent.Field.Field == nil && parent.Index == nil
}

// replaying returns a middleware that passes the known results and errors of a root
// field to gqlgen's execution instead of calling the resolvers again.
func (a *answer) replaying() graphql.FieldMiddleware {
	if a.err == nil || errors.Is(a.err, errUnwritten) && !a.resolved {
		// Nothing is known: the field has no plan, or its arguments are wrong.
		return reading
	}
	var below *failure
	errors.As(a.err, &below)
	return func(ctx context.Context, resolve graphql.Resolver) (any, error) {
		switch root := isRoot(ctx); {
		case root && a.resolved:
			return a.value, nil
		case root && a.panicked != nil:
			panic(a.panicked)
		case root:
			return nil, a.err
		case below == nil:
			return resolve(ctx)
		}
		switch known := below.of(graphql.GetFieldContext(ctx)); {
		case known == nil:
			return resolve(ctx)
		case known.err == nil:
			return known.value, nil
		case below.batch:
			i, _ := graphql.BatchParentIndex(ctx)
			graphql.AddBatchError(ctx, int(i), known.err)
			return nil, nil
		default:
			return nil, known.err
		}
	}
}

// boundedWriter collects an answer and bounds its growth. After an error it drops all
// further bytes, because marshalers ignore the error.
type boundedWriter struct {
	ctx     context.Context
	b       []byte
	checked int
	err     error
}

// Write implements [io.Writer].
func (w *boundedWriter) Write(p []byte) (int, error) {
	w.append(p)
	return len(p), w.err
}

// append appends p in steps of growthStep bytes.
func (w *boundedWriter) append(p []byte) {
	for len(p) > 0 && w.err == nil {
		n := min(len(p), growthStep)
		if w.b, p = append(w.b, p[:n]...), p[n:]; len(w.b)-w.checked < growthStep {
			continue
		}
		if w.b, w.err = grown(w.ctx, w.b); w.err == nil {
			w.checked = len(w.b)
		}
	}
}
