package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// Collection is the GraphQL type of a collection; schema.graphqls describes its fields.
type Collection struct{ *store.Collection }

// IsNode marks a Node.
func (Collection) IsNode() {}

func (c Collection) ID() string           { return store.CollectionNodeID(c.Collection.Address) }
func (c Collection) Address() evm.Address { return c.Collection.Address }

func (c Collection) narrow(f store.Filter) store.Filter {
	f.Address = &c.Collection.Address
	return f
}

// collectionsOf returns the stored collections of objects.
func collectionsOf(objs []*Collection) []*store.Collection {
	list := make([]*store.Collection, len(objs))
	for i, obj := range objs {
		list[i] = obj.Collection
	}
	return list
}

// DocumentCounts is the GraphQL type of the document counts of a collection.
type DocumentCounts = store.DocumentCounts

// CollectionMetadata is the GraphQL type of a collection's metadata.
type CollectionMetadata = store.CollectionMetadata

// namesOf returns one of the names of each collection.
func namesOf(ctx context.Context, objs []*Collection, pick func(store.Names) *string) ([]*string, error) {
	return present(objs, func(objs []*Collection) ([]*string, error) {
		names, err := snapshotOf(ctx).Subjects().NamesOf(ctx, collectionsOf(objs))
		list := make([]*string, len(names))
		for i, n := range names {
			list[i] = pick(n)
		}
		return list, err
	})
}

// CollectionEdge is the GraphQL type of a collection on a page.
type CollectionEdge = edge[Collection]

// CollectionConnection is the GraphQL type of a page of collections.
type CollectionConnection struct {
	connectionOf[*page.Page[*store.Collection], Collection]
}

func collections(p *page.Page[*store.Collection]) *CollectionConnection {
	return &CollectionConnection{newConnection(&p.AnyPage, p, collectionAt)}
}

func collectionAt(p *page.Page[*store.Collection], i int) Collection {
	return Collection{p.Items[i]}
}
