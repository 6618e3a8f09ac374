package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/store"
)

// pager is what the pages of package store have in common.
type pager interface {
	Number() uint64
	Limit() int
	NextCursor(ctx context.Context) (*string, error)
	HasNextPage(ctx context.Context) (bool, error)
	HasPreviousPage(ctx context.Context) (bool, error)
	Total(ctx context.Context) (int64, error)
}

var (
	_ pager = (*store.Page)(nil)
	_ pager = (*store.TokenPage)(nil)
)

// connection has the fields of a connection that do not depend on what it
// lists; schema.graphqls describes them.
type connection struct {
	pager
	start, end *string
}

func (c connection) Cursor(ctx context.Context) (*string, error) { return c.NextCursor(ctx) }
func (c connection) Page() int                                   { return int(c.Number()) }
func (c connection) PageInfo() PageInfo                          { return PageInfo{c} }

func (c connection) TotalItems(ctx context.Context) (evm.Long, error) {
	n, err := c.Total(ctx)
	return evm.Long(n), err
}

// PageInfo is the GraphQL type of what lies around a page.
type PageInfo struct{ connection }

func (p PageInfo) StartCursor() *string { return p.start }
func (p PageInfo) EndCursor() *string   { return p.end }

// MintConnection is the GraphQL type of a page of mints.
type MintConnection struct {
	connection
	Edges []MintEdge
}

// MintEdge is the GraphQL type of a mint on a page.
type MintEdge struct {
	Cursor string
	Node   Mint
}

// BurnConnection is the GraphQL type of a page of burns.
type BurnConnection struct {
	connection
	Edges []BurnEdge
}

// BurnEdge is the GraphQL type of a burn on a page.
type BurnEdge struct {
	Cursor string
	Node   Burn
}

// TokenMetadataConnection is the GraphQL type of a page of token metadata.
type TokenMetadataConnection struct {
	connection
	Edges []TokenMetadataEdge
}

// TokenMetadataEdge is the GraphQL type of a token's metadata on a page.
type TokenMetadataEdge struct {
	Cursor string
	Node   TokenMetadata
}

func (c MintConnection) Data() []Mint { return nodes(c.Edges, func(e MintEdge) Mint { return e.Node }) }
func (c BurnConnection) Data() []Burn { return nodes(c.Edges, func(e BurnEdge) Burn { return e.Node }) }
func (c TokenMetadataConnection) Data() []TokenMetadata {
	return nodes(c.Edges, func(e TokenMetadataEdge) TokenMetadata { return e.Node })
}

func nodes[E, N any](edges []E, node func(E) N) []N {
	list := make([]N, len(edges))
	for i, e := range edges {
		list[i] = node(e)
	}
	return list
}

// connect makes a connection of a page: its items and their cursors.
func connect[T, E any](page pager, items []T, cursor func(*T) string, edge func(string, *T) E) (connection, []E) {
	c, edges := connection{pager: page}, make([]E, len(items))
	for i := range items {
		text := cursor(&items[i])
		edges[i] = edge(text, &items[i])
		if i == 0 {
			c.start = &text
		}
		c.end = &text
	}
	return c, edges
}
