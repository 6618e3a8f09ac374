package fastql

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// subscriptionGenerated leaves one batch of a subscription to gqlgen's execution, which calls
// its resolver again. That is safe, because the resolvers read one snapshot.
func (s *Schema) subscriptionGenerated(ctx context.Context, o *graphql.OperationContext) *graphql.Response {
	next := s.execGenerated(ctx, o)
	if len(graphql.GetErrors(ctx)) > 0 {
		// gqlgen's handler panics if the resolver has failed.
		return &graphql.Response{Data: []byte("null")}
	}
	// Without the context of the root field, the paths of errors below it would not begin with it.
	return next(s.fieldContext(ctx, o, &RootField{merged: true}, 0))
}

// First returns the first value of a subscription's channel. The resolver must have sent it.
func First[V any](values <-chan V, err error) (first V, _ error) {
	if err == nil {
		first = <-values
	}
	return first, err
}

// Once returns a channel with one value, for the resolver of a subscription.
func Once[V any](value V) <-chan V {
	values := make(chan V, 1)
	values <- value
	close(values)
	return values
}

// Position is where one execution of a subscription reads. Its resolver finds it by
// [PositionOf].
type Position struct {
	// After is the cursor to continue after, in place of the operation's argument; "" uses
	// the argument. Limit is the maximum number of items.
	After string
	Limit int
	// Next, Count, More and Scanned are set by the resolver: the cursor after the batch, the number
	// of its items, whether more items are known, and how many others were read for it.
	Next    string
	Count   int
	More    bool
	Scanned int
}

type positionKey struct{}

// WithPosition returns a context for an execution of a subscription.
func WithPosition(ctx context.Context, p *Position) context.Context {
	return context.WithValue(ctx, positionKey{}, p)
}

// PositionOf returns the position of a context, or nil.
func PositionOf(ctx context.Context) *Position {
	p, _ := ctx.Value(positionKey{}).(*Position)
	return p
}
