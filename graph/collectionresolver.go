package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Collection implements [ResolverRoot].
func (r *Resolver) Collection() CollectionResolver { return &collectionResolver{} }

type collectionResolver struct{}

// ContractType is the resolver for the contractType field.
func (*collectionResolver) ContractType(ctx context.Context, objs []*Collection) ([]nft.ContractType, error) {
	return snapshotOf(ctx).Subjects().TypesOf(ctx, collectionsOf(objs))
}

// MintedItems is the resolver for the mintedItems field.
func (*collectionResolver) MintedItems(ctx context.Context, objs []*Collection, atBlock *evm.Long) ([]*evm.Long, error) {
	return snapshotOf(ctx).Subjects().Items(ctx, nft.Mint, subjects(objs), atBlock)
}

// BurnedItems is the resolver for the burnedItems field.
func (*collectionResolver) BurnedItems(ctx context.Context, objs []*Collection, atBlock *evm.Long) ([]*evm.Long, error) {
	return snapshotOf(ctx).Subjects().Items(ctx, nft.Burn, subjects(objs), atBlock)
}

// Supply is the resolver for the supply field.
func (*collectionResolver) Supply(ctx context.Context, objs []*Collection, atBlock *evm.Long) ([]*evm.Uint256, error) {
	return amountOf(ctx, objs, store.Supply, atBlock)
}

// FirstMint is the resolver for the firstMint field.
func (*collectionResolver) FirstMint(ctx context.Context, objs []*Collection) ([]*Mint, error) {
	return recordOf(ctx, objs, nft.Mint, false, mintAt)
}

// LastMint is the resolver for the lastMint field.
func (*collectionResolver) LastMint(ctx context.Context, objs []*Collection) ([]*Mint, error) {
	return recordOf(ctx, objs, nft.Mint, true, mintAt)
}

// Documents is the resolver for the documents field.
func (*collectionResolver) Documents(ctx context.Context, objs []*Collection) ([]*DocumentCounts, error) {
	return snapshotOf(ctx).Subjects().DocumentCountsOf(ctx, collectionsOf(objs))
}

// Name is the resolver for the name field.
func (*collectionResolver) Name(ctx context.Context, objs []*Collection) ([]*string, error) {
	return namesOf(ctx, objs, func(n store.Names) *string { return n.Name })
}

// Symbol is the resolver for the symbol field.
func (*collectionResolver) Symbol(ctx context.Context, objs []*Collection) ([]*string, error) {
	return namesOf(ctx, objs, func(n store.Names) *string { return n.Symbol })
}

// Metadata is the resolver for the metadata field.
func (*collectionResolver) Metadata(ctx context.Context, objs []*Collection) ([]*CollectionMetadata, error) {
	return present(objs, func(objs []*Collection) ([]*CollectionMetadata, error) {
		return snapshotOf(ctx).Subjects().CollectionMetadataOf(ctx, collectionsOf(objs), selectedTexts(ctx))
	})
}

// Mints is the resolver for the mints field.
func (*collectionResolver) Mints(ctx context.Context, objs []*Collection, filter store.Filter, finality *store.Finality, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) ([]*MintConnection, error) {
	filter = completed(filter, nft.Mint, finality, order, partial)
	return pageOf(ctx, objs, filter, pageArgs(first, after, last, before), mints)
}

// Burns is the resolver for the burns field.
func (*collectionResolver) Burns(ctx context.Context, objs []*Collection, filter store.Filter, finality *store.Finality, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) ([]*BurnConnection, error) {
	filter = completed(filter, nft.Burn, finality, order, partial)
	return pageOf(ctx, objs, filter, pageArgs(first, after, last, before), burns)
}

// Tokens is the resolver for the tokens field.
func (*collectionResolver) Tokens(ctx context.Context, objs []*Collection, partial *bool, first *int, after *string, last *int, before *string) ([]*TokenConnection, error) {
	args := pageArgs(first, after, last, before)
	return readEach(ctx, len(objs), func(ctx context.Context, i int) (*TokenConnection, error) {
		page, err := snapshotOf(ctx).Tokens(objs[i].Collection, deref(partial), args)
		if err != nil {
			return nil, err
		}
		return tokens(page), page.Read(ctx, selectedOf("TokenConnection"))
	})
}

// TokenMetadata is the resolver for the tokenMetadata field.
func (*collectionResolver) TokenMetadata(ctx context.Context, objs []*Collection, tokenID *evm.Uint256, traits []TraitFilter, first *int, after *string, last *int, before *string) ([]*TokenMetadataConnection, error) {
	args := pageArgs(first, after, last, before)
	return readEach(ctx, len(objs), func(ctx context.Context, i int) (*TokenMetadataConnection, error) {
		page, err := snapshotOf(ctx).MetadataPage(objs[i].Collection.Address, tokenID, args, selectedTexts(ctx), filtersOf(traits)...)
		if err != nil {
			return nil, err
		}
		return metadata(page), page.Read(ctx, selectedOf("TokenMetadataConnection"))
	})
}

// Indexed is the resolver for the indexed field.
func (*collectionResolver) Indexed(ctx context.Context, objs []*Collection) ([][]evm.Range, error) {
	return indexedOf(ctx, objs)
}
