package graph

import (
	"context"
	"maps"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Resolver answers the fields of Query.
type Resolver struct {
	store *store.Store
	now   func() time.Time
}

// NewSchema returns the executable schema over a store; now tells the time.
// Its operations must run with [Snapshots].
func NewSchema(s *store.Store, now func() time.Time) *fastql.Schema {
	schema := NewFastSchema(Config{Resolvers: &Resolver{store: s, now: now}, Schema: withoutDefer(parsedSchema)})
	schema.Ends = endsOperation
	return schema
}

// withoutDefer returns a schema without @defer, which gqlparser defines for
// every schema: this server answers everything at once.
func withoutDefer(schema *ast.Schema) *ast.Schema {
	copied := *schema
	copied.Directives = maps.Clone(schema.Directives)
	delete(copied.Directives, "defer")
	return &copied
}

// Growth bounds what an operation reads and writes.
type Growth = interface {
	// Grow is that of [fastql.Growth].
	Grow(size, capacity int) error
	// Hold is a [store.Hold].
	Hold(n int64) (excess int64, err error)
}

// WithGrowth returns a context whose operation g bounds: its answer while that is
// written, and long texts before they are read. An error of g ends the operation
// and becomes its only error.
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

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// node makes the GraphQL object of what an id names; nil stays nil.
func node(n *store.Node) Node {
	switch {
	case n == nil:
		return nil
	case n.Token != nil:
		return TokenMetadata{n.Token}
	case n.Page.Items[0].Kind == nft.Burn:
		return burns(n.Page).item(0)
	default:
		return mints(n.Page).item(0)
	}
}

// nodesOf makes the objects that ids name, in their order. What is not there
// is null; so is what can't be read, beside an error with its place in the
// list: the other ids are answered all the same, unless the error ends the
// operation.
func nodesOf(ctx context.Context, ids []string) ([]Node, error) {
	list := make([]Node, len(ids))
	texts := selectedTexts(ctx)
	for i, id := range ids {
		found, err := snapshotOf(ctx).Node(ctx, id, texts)
		if err != nil && endsOperation(ctx, err) {
			return nil, err
		}
		if err != nil {
			at := graphql.WithPathContext(ctx, graphql.NewPathWithIndex(i))
			graphql.AddError(at, graphql.AddFieldLocationToError(at, graphql.ErrorOnPath(at, err)))
			continue
		}
		list[i] = node(found)
	}
	return list, nil
}

// ranges converts ranges of blocks.
func ranges(list []store.Range) []BlockRange {
	converted := make([]BlockRange, len(list))
	for i, r := range list {
		converted[i] = BlockRange{FromBlock: evm.Long(r.From), ToBlock: evm.Long(r.To)}
	}
	return converted
}

// block converts a header; nil stays nil.
func block(h *evm.Header) *Block {
	if h == nil {
		return nil
	}
	return &Block{Number: evm.Long(h.Number), Hash: h.Hash, Timestamp: evm.Long(h.Time)}
}

// maxRanges is how many gaps and unprovable ranges are described at most: the
// newest.
const maxRanges = 100

// chain describes the state of the data at a time.
func chain(c *store.Chain, now time.Time) *Chain {
	described := &Chain{IndexedRanges: ranges(c.Indexed), VerifiedRanges: ranges(c.Verified)}
	if c.ID != nil {
		id := evm.Long(*c.ID)
		described.ChainID = &id
	}
	described.Finalized, described.Head = block(c.Finalized), block(c.Head)
	if c.Head != nil {
		lag := evm.Long(max(0, now.Unix()-int64(c.Head.Time)))
		described.Lag = &lag
	}
	described.Gaps = make([]Gap, 0, min(len(c.Gaps), maxRanges))
	for _, g := range c.Gaps[max(0, len(c.Gaps)-maxRanges):] {
		described.Gaps = append(described.Gaps, Gap{
			FromBlock: evm.Long(g.FromBlock), ToBlock: evm.Long(g.ToBlock), Reason: g.Reason,
			Since: evm.Long(g.Since), Tries: evm.Long(g.Tries), NextTry: evm.Long(g.NextTry),
		})
	}
	described.Provable = c.Provable()
	described.UnprovableRanges = make([]UnprovableRange, 0, min(len(c.Unprovable), maxRanges))
	for _, u := range c.Unprovable[max(0, len(c.Unprovable)-maxRanges):] {
		described.UnprovableRanges = append(described.UnprovableRanges, UnprovableRange{
			FromBlock: evm.Long(u.FromBlock), ToBlock: evm.Long(u.ToBlock), Reason: u.Reason,
		})
	}
	described.Contracts = c.Contracts
	described.Endpoints = make([]Endpoint, len(c.Endpoints))
	for i, e := range c.Endpoints {
		described.Endpoints[i] = endpoint(e)
	}
	return described
}

// endpoint converts what is known of a node.
func endpoint(e store.Endpoint) Endpoint {
	converted := Endpoint{URL: e.URL, Healthy: e.Healthy, Latency: evm.Long(e.LatencyMS), SeenAt: evm.Long(e.SeenAt)}
	if head := evm.Long(e.Head); head > 0 {
		converted.Head = &head
	}
	if e.LastError != "" {
		converted.LastError = &e.LastError
	}
	return converted
}
