package fasttest

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/fastql"
)

// Asker runs operations.
type Asker struct {
	Schema *ast.Schema
	*executor.Executor
}

// NewAsker returns an asker that runs operations on a schema. A panic becomes an error
// with the panic's value.
func NewAsker(schema graphql.ExecutableSchema) Asker {
	a := Asker{schema.Schema(), executor.New(schema)}
	a.SetRecoverFunc(panicked)
	return a
}

func panicked(_ context.Context, cause any) error { return fmt.Errorf("panic: %v", cause) }

// Document is a document with its plans.
type Document struct {
	*ast.QueryDocument
	plans fastql.Plans
}

// Parse returns a valid document.
func (a Asker) Parse(text string) (*Document, error) {
	document, err := gqlparser.LoadQueryWithRules(a.Schema, text, rules.NewDefaultRules())
	if err != nil {
		return nil, err
	}
	return &Document{QueryDocument: document}, nil
}

// Coerce reads the variables of a document's operation.
func (a Asker) Coerce(document *Document, variables map[string]any) (map[string]any, error) {
	return validator.VariableValues(a.Schema, document.Operations[0], variables)
}

// Ask runs the operation of a document.
func (a Asker) Ask(ctx context.Context, document *Document, variables map[string]any) *graphql.Response {
	next, ctx := a.Start(ctx, document, variables)
	return next(ctx)
}

// Start returns the handler that runs the operation of a document, and its context.
func (a Asker) Start(ctx context.Context, document *Document, variables map[string]any) (graphql.ResponseHandler, context.Context) {
	ctx = fastql.WithOperation(ctx, &document.plans, fastql.GrowthOf(ctx))
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery: "text", Variables: variables, Doc: document.QueryDocument, Operation: document.Operations[0], RecoverFunc: panicked,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	})
	return a.DispatchOperation(ctx, graphql.GetOperationContext(ctx))
}
