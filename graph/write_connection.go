package graph

import (
	"context"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// list is a page of items, each a T.
type list[T any] interface {
	pager
	len() int
	item(i int) T
	appendCursor(b []byte, i int) []byte
}

// edge is the i-th edge of a page.
type edge[T any] struct {
	list[T]
	i int
}

// transfers is a page of mints or burns.
type transfers struct{ *store.Page }

func (l transfers) len() int            { return len(l.Items) }
func (l transfers) item(i int) transfer { return transfer{&l.Items[i], l.Page} }
func (l transfers) appendCursor(b []byte, i int) []byte {
	return append(l.AppendCursor(append(b, '"'), &l.Items[i]), '"')
}

// tokenList is a page of token metadata.
type tokenList struct{ *store.TokenPage }

func (l tokenList) len() int                 { return len(l.Items) }
func (l tokenList) item(i int) TokenMetadata { return TokenMetadata{l.Items[i]} }
func (l tokenList) appendCursor(b []byte, i int) []byte {
	return append(l.AppendCursor(append(b, '"'), l.Items[i]), '"')
}

// mints compiles Query.mints.
func (c *compiler) mints(f graphql.CollectedField) step[request] {
	return c.transfers(f, nft.Mint, mintImplementors, mintEdgeImplementors, mintConnectionImplementors)
}

// burns compiles Query.burns.
func (c *compiler) burns(f graphql.CollectedField) step[request] {
	return c.transfers(f, nft.Burn, burnImplementors, burnEdgeImplementors, burnConnectionImplementors)
}

func (c *compiler) transfers(f graphql.CollectedField, kind nft.Kind, item, edge, connection []string) step[request] {
	given, ok := argumentsOf(f)
	if !ok {
		return step[request]{}
	}
	items := func(selections ast.SelectionSet) object[transfer] { return compile(c, selections, item, c.transfer) }
	page := compileConnection(c, f, connection, edge, items)
	return step[request]{ask: func(ctx context.Context, b []byte, of request) ([]byte, error) {
		var a arguments
		if err := a.read(given, of); err != nil {
			return nil, err
		}
		a.Kind = kind
		found, err := snapshotOf(ctx).Page(a.Filter, a.PageArgs)
		if err != nil {
			return nil, err
		}
		if err := found.Read(ctx); err != nil {
			return nil, err
		}
		return page.append(ctx, b, transfers{found})
	}}
}

// tokens compiles Query.tokenMetadata.
func (c *compiler) tokens(f graphql.CollectedField) step[request] {
	given, ok := argumentsOf(f)
	if !ok {
		return step[request]{}
	}
	page := compileConnection(c, f, tokenMetadataConnectionImplementors, tokenMetadataEdgeImplementors, c.token)
	return step[request]{ask: func(ctx context.Context, b []byte, of request) ([]byte, error) {
		var a arguments
		if err := a.read(given, of); err != nil {
			return nil, err
		}
		if a.Address == nil {
			return nil, errGenerated
		}
		found, err := snapshotOf(ctx).Tokens(*a.Address, a.TokenID, a.PageArgs)
		if err != nil {
			return nil, err
		}
		if err := found.Read(ctx); err != nil {
			return nil, err
		}
		return page.append(ctx, b, tokenList{found})
	}}
}

// compileConnection compiles a selection on a connection, whose type and whose
// edges' type are the first names of the lists; item compiles one on its items.
func compileConnection[T any](c *compiler, f graphql.CollectedField, connection, edges []string, item func(ast.SelectionSet) object[T]) object[list[T]] {
	return compile(c, f.Selections, connection, func(f graphql.CollectedField) step[list[T]] {
		switch f.Name {
		case "data":
			items := item(f.Selections)
			return step[list[T]]{ask: func(ctx context.Context, b []byte, l list[T]) ([]byte, error) {
				return appendList(ctx, b, l.len(), items, l.item)
			}}
		case "edges":
			items := compile(c, f.Selections, edges, func(f graphql.CollectedField) step[edge[T]] { return compileEdge(f, item) })
			return step[list[T]]{ask: func(ctx context.Context, b []byte, l list[T]) ([]byte, error) {
				return appendList(ctx, b, l.len(), items, func(i int) edge[T] { return edge[T]{l, i} })
			}}
		case "pageInfo":
			info := compile(c, f.Selections, pageInfoImplementors, compilePageInfo[T])
			return step[list[T]]{ask: info.append}
		case "cursor":
			return step[list[T]]{ask: func(ctx context.Context, b []byte, l list[T]) ([]byte, error) {
				next, err := l.NextCursor(ctx)
				return appendText(b, next), err
			}}
		case "page":
			return step[list[T]]{write: func(b []byte, l list[T]) []byte { return appendInt(b, l.Number()) }}
		case "limit":
			return step[list[T]]{write: func(b []byte, l list[T]) []byte { return appendInt(b, l.Limit()) }}
		case "totalItems":
			return step[list[T]]{ask: func(ctx context.Context, b []byte, l list[T]) ([]byte, error) {
				n, err := l.Total(ctx)
				return appendInt(b, uint64(n)), err
			}}
		default:
			return step[list[T]]{}
		}
	})
}

func compileEdge[T any](f graphql.CollectedField, item func(ast.SelectionSet) object[T]) step[edge[T]] {
	switch f.Name {
	case "cursor":
		return step[edge[T]]{write: func(b []byte, e edge[T]) []byte { return e.appendCursor(b, e.i) }}
	case "node":
		node := item(f.Selections)
		return step[edge[T]]{ask: func(ctx context.Context, b []byte, e edge[T]) ([]byte, error) {
			return node.append(ctx, b, e.item(e.i))
		}}
	default:
		return step[edge[T]]{}
	}
}

func compilePageInfo[T any](f graphql.CollectedField) step[list[T]] {
	switch f.Name {
	case "hasNextPage":
		return step[list[T]]{ask: func(ctx context.Context, b []byte, l list[T]) ([]byte, error) {
			yes, err := l.HasNextPage(ctx)
			return strconv.AppendBool(b, yes), err
		}}
	case "hasPreviousPage":
		return step[list[T]]{ask: func(ctx context.Context, b []byte, l list[T]) ([]byte, error) {
			yes, err := l.HasPreviousPage(ctx)
			return strconv.AppendBool(b, yes), err
		}}
	case "startCursor":
		return step[list[T]]{write: func(b []byte, l list[T]) []byte {
			if l.len() == 0 {
				return appendNull(b)
			}
			return l.appendCursor(b, 0)
		}}
	case "endCursor":
		return step[list[T]]{write: func(b []byte, l list[T]) []byte {
			if l.len() == 0 {
				return appendNull(b)
			}
			return l.appendCursor(b, l.len()-1)
		}}
	default:
		return step[list[T]]{}
	}
}
