package graph

import (
	"context"

	"mintburn/internal/apierror"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// Trait is the GraphQL type of a trait of a collection.
type Trait = store.Trait

// TraitValue is the GraphQL type of a value of a trait.
type TraitValue = store.TraitValue

// TraitEdge is the GraphQL type of a trait on a page.
type TraitEdge = edge[Trait]

// TraitConnection is the GraphQL type of a page of traits.
type TraitConnection struct {
	connectionOf[*page.Page[*store.Trait], Trait]
}

func traits(p *page.Page[*store.Trait]) *TraitConnection {
	return &TraitConnection{newConnection(&p.AnyPage, p, traitAt)}
}

func traitAt(p *page.Page[*store.Trait], i int) Trait { return *p.Items[i] }

// Traits is the resolver for the traits field.
func (*collectionResolver) Traits(ctx context.Context, objs []*Collection, first *int, after *string) ([]*TraitConnection, error) {
	args := pageArgs(first, after, nil, nil)
	return readEach(ctx, len(objs), func(ctx context.Context, i int) (*TraitConnection, error) {
		page, err := snapshotOf(ctx).Traits(objs[i].Collection, args)
		if err != nil {
			return nil, err
		}
		return traits(page), page.Read(ctx, nil)
	})
}

// Trait implements [ResolverRoot].
func (r *Resolver) Trait() TraitResolver { return &traitResolver{} }

type traitResolver struct{}

// Values is the resolver for the values field.
func (*traitResolver) Values(ctx context.Context, objs []*Trait, first *int) ([][]TraitValue, error) {
	limit := apierror.DefaultTraitValues
	if first != nil {
		limit = *first
	}
	if limit < 0 || limit > apierror.MaxTraitValues {
		return nil, apierror.Errorf(apierror.BadUserInput, "first: got %d, want 0 to %d", limit, apierror.MaxTraitValues)
	}
	return snapshotOf(ctx).TraitValues(ctx, objs, limit)
}
