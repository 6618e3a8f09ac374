package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Node is the GraphQL interface of all objects with a global id.
type Node interface{ IsNode() }

// IsNode marks a Node.
func (transfer) IsNode() {}

// IsNode marks a Node.
func (TokenMetadata) IsNode() {}

// node returns the GraphQL object for a stored node, nil for nil.
func node(n *store.Node) Node {
	switch {
	case n == nil:
		return nil
	case n.Token != nil:
		return Token{n.Token}
	case n.Collection != nil:
		return Collection{n.Collection}
	case n.Metadata != nil:
		return TokenMetadata{n.Metadata}
	case n.Page.Items[0].Kind == nft.Burn:
		return burnAt(n.Page, 0)
	default:
		return mintAt(n.Page, 0)
	}
}

// nodesOf returns the objects with ids, in order. An unknown id is null. An invalid id is null
// too, with an error at its index; the other ids are answered unless the error ends the
// operation.
func nodesOf(ctx context.Context, ids []string) ([]Node, error) {
	list, errs := make([]Node, len(ids)), make([]error, len(ids))
	also, snapshot := selected(ctx), snapshotOf(ctx)
	err := snapshot.Tx.Together(ctx, len(ids), func(ctx context.Context, i int) error {
		found, err := snapshot.Node(ctx, ids[i], also)
		if err != nil && endsOperation(ctx, err) {
			return err
		}
		list[i], errs[i] = node(found), err
		return nil
	})
	if err != nil {
		return nil, err
	}
	addErrors(ctx, errs)
	return list, nil
}

// addErrors adds the errors of list items.
func addErrors(ctx context.Context, errs []error) {
	for i, err := range errs {
		if err != nil {
			at := graphql.WithPathContext(ctx, graphql.NewPathWithIndex(i))
			graphql.AddError(at, graphql.AddFieldLocationToError(at, graphql.ErrorOnPath(at, err)))
		}
	}
}
