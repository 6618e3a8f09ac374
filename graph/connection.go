package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/store"
)

// pager is what the pages of package store have in common.
type pager interface {
	fastql.Reader
	Number() uint64
	Limit() int
	Len() int
	AppendCursorAt(b []byte, i int) []byte
	NextCursor(ctx context.Context) (*string, error)
	HasNextPage(ctx context.Context) (bool, error)
	HasPreviousPage(ctx context.Context) (bool, error)
	Total(ctx context.Context) (int64, error)
}

// connection has the fields of a connection that do not depend on its items, in
// both shapes: the Relay connection and the documented envelope. Its methods
// compute them from the page when they are selected.
type connection struct{ pager }

func (c connection) Cursor(ctx context.Context) (*string, error) { return c.NextCursor(ctx) }
func (c connection) Page() int                                   { return int(c.Number()) }
func (c connection) PageInfo() PageInfo                          { return PageInfo(c) }

func (c connection) TotalItems(ctx context.Context) (evm.Long, error) {
	n, err := c.Total(ctx)
	return evm.Long(n), err
}

// PageInfo is the GraphQL type of a page's boundaries.
type PageInfo connection

func (p PageInfo) StartCursor() *ItemCursor { return p.cursor(0) }
func (p PageInfo) EndCursor() *ItemCursor   { return p.cursor(p.Len() - 1) }

func (p PageInfo) cursor(i int) *ItemCursor {
	if p.Len() == 0 {
		return nil
	}
	return &ItemCursor{p.pager, i}
}

// edge has the field of an edge that does not depend on its item.
type edge struct{ Cursor ItemCursor }

func edgeAt(page pager, i int) edge { return edge{ItemCursor{page, i}} }

// list returns the items of a page.
func list[T any](page pager, item func(i int) T) []T {
	items := make([]T, page.Len())
	for i := range items {
		items[i] = item(i)
	}
	return items
}

// transfers are the connection of a page of mints or burns.
type transfers struct {
	connection
	page *store.Page
}

// Indexed returns the ranges of blocks that the mints or burns are taken from.
func (t transfers) Indexed(ctx context.Context) ([]BlockRange, error) {
	list, err := t.page.Indexed(ctx)
	return ranges(list), err
}

// MintConnection is the GraphQL type of a page of mints.
type MintConnection struct{ transfers }

// MintEdge is the GraphQL type of a mint on a page.
type MintEdge struct {
	edge
	Node Mint
}

func mints(page *store.Page) *MintConnection {
	return &MintConnection{transfers{connection{page}, page}}
}

func (c *MintConnection) Data() []Mint      { return list(c.page, c.item) }
func (c *MintConnection) Edges() []MintEdge { return list(c.page, c.edge) }

func (c *MintConnection) item(i int) Mint     { return Mint{transferAt(c.page, i)} }
func (c *MintConnection) edge(i int) MintEdge { return MintEdge{edgeAt(c.page, i), c.item(i)} }

// BurnConnection is the GraphQL type of a page of burns.
type BurnConnection struct{ transfers }

// BurnEdge is the GraphQL type of a burn on a page.
type BurnEdge struct {
	edge
	Node Burn
}

func burns(page *store.Page) *BurnConnection {
	return &BurnConnection{transfers{connection{page}, page}}
}

func (c *BurnConnection) Data() []Burn      { return list(c.page, c.item) }
func (c *BurnConnection) Edges() []BurnEdge { return list(c.page, c.edge) }

func (c *BurnConnection) item(i int) Burn     { return Burn{transferAt(c.page, i)} }
func (c *BurnConnection) edge(i int) BurnEdge { return BurnEdge{edgeAt(c.page, i), c.item(i)} }

// TokenMetadataConnection is the GraphQL type of a page of token metadata.
type TokenMetadataConnection struct {
	connection
	page *store.TokenPage
}

// TokenMetadataEdge is the GraphQL type of a token's metadata on a page.
type TokenMetadataEdge struct {
	edge
	Node TokenMetadata
}

func tokens(page *store.TokenPage) *TokenMetadataConnection {
	return &TokenMetadataConnection{connection{page}, page}
}

func (c *TokenMetadataConnection) Data() []TokenMetadata      { return list(c.page, c.item) }
func (c *TokenMetadataConnection) Edges() []TokenMetadataEdge { return list(c.page, c.edge) }

func (c *TokenMetadataConnection) item(i int) TokenMetadata { return TokenMetadata{c.page.Items[i]} }
func (c *TokenMetadataConnection) edge(i int) TokenMetadataEdge {
	return TokenMetadataEdge{edgeAt(c.page, i), c.item(i)}
}

// deref returns the value of a pointer, or the zero value for nil.
func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

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
