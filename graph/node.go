package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// node returns the GraphQL object that an id names; nil stays nil.
func node(n *store.Node) Node {
	switch {
	case n == nil:
		return nil
	case n.Token != nil:
		return TokenMetadata{n.Token}
	case n.Page.Items[0].Kind == nft.Burn:
		return burnAt(n.Page, 0)
	default:
		return mintAt(n.Page, 0)
	}
}

// nodesOf returns the objects that ids name, in their order. An unknown id is null.
// A bad id is null too, with an error that has its index; the other ids are
// answered, unless the error ends the operation.
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
