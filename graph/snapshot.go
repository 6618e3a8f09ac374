package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/fastql"
	"mintburn/internal/store"
)

// Growth bounds what an operation reads and writes.
type Growth = interface {
	// Grow is that of [fastql.Growth].
	Grow(size, capacity int) error
	// Hold is a [store.Hold].
	Hold(n int64) (excess int64, err error)
}

// WithGrowth returns a context whose operation g bounds: its answer while it is
// written, and long texts before they are read. An error of g ends the operation,
// as its only error.
func WithGrowth(ctx context.Context, g Growth) context.Context {
	return fastql.WithGrowth(ctx, g)
}

// Snapshots gives each operation one snapshot of the store, and ends it when
// the answer is complete.
type Snapshots struct{ Store *store.Store }

var _ interface {
	graphql.HandlerExtension
	graphql.ResponseInterceptor
} = Snapshots{}

// ExtensionName implements [graphql.HandlerExtension].
func (Snapshots) ExtensionName() string { return "Snapshots" }

// Validate implements [graphql.HandlerExtension].
func (Snapshots) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptResponse implements [graphql.ResponseInterceptor].
func (e Snapshots) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	snapshot := e.Store.Snapshot()
	if g, ok := fastql.GrowthOf(ctx).(Growth); ok {
		snapshot.Bound(g.Hold)
	}
	// Deferred: a panic must not keep a connection.
	defer func() {
		if err := snapshot.Close(); err != nil {
			graphql.AddError(ctx, err)
		}
	}()
	return next(context.WithValue(ctx, snapshotKey{}, snapshot))
}

type snapshotKey struct{}

func snapshotOf(ctx context.Context) *store.Snapshot {
	return ctx.Value(snapshotKey{}).(*store.Snapshot)
}
