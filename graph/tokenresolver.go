package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Token implements [ResolverRoot].
func (r *Resolver) Token() TokenResolver { return &tokenResolver{} }

type tokenResolver struct{}

// State is the resolver for the state field.
func (*tokenResolver) State(ctx context.Context, objs []*Token) ([]store.TokenState, error) {
	return statesOf(ctx, objs)
}

// Minted is the resolver for the minted field.
func (*tokenResolver) Minted(ctx context.Context, objs []*Token, atBlock *evm.Long) ([]*evm.Uint256, error) {
	return amountOf(ctx, objs, store.Minted, atBlock)
}

// Burned is the resolver for the burned field.
func (*tokenResolver) Burned(ctx context.Context, objs []*Token, atBlock *evm.Long) ([]*evm.Uint256, error) {
	return amountOf(ctx, objs, store.Burned, atBlock)
}

// Supply is the resolver for the supply field.
func (*tokenResolver) Supply(ctx context.Context, objs []*Token, atBlock *evm.Long) ([]*evm.Uint256, error) {
	return amountOf(ctx, objs, store.Supply, atBlock)
}

// FirstMint is the resolver for the firstMint field.
func (*tokenResolver) FirstMint(ctx context.Context, objs []*Token) ([]*Mint, error) {
	return recordOf(ctx, objs, nft.Mint, false, mintAt)
}

// LastMint is the resolver for the lastMint field.
func (*tokenResolver) LastMint(ctx context.Context, objs []*Token) ([]*Mint, error) {
	return recordOf(ctx, objs, nft.Mint, true, mintAt)
}

// LastBurn is the resolver for the lastBurn field.
func (*tokenResolver) LastBurn(ctx context.Context, objs []*Token) ([]*Burn, error) {
	return recordOf(ctx, objs, nft.Burn, true, burnAt)
}

// Mints is the resolver for the mints field.
func (*tokenResolver) Mints(ctx context.Context, objs []*Token, filter store.Filter, finality *store.Finality, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) ([]*MintConnection, error) {
	filter = completed(filter, nft.Mint, finality, order, partial)
	return pageOf(ctx, objs, filter, pageArgs(first, after, last, before), mints)
}

// Burns is the resolver for the burns field.
func (*tokenResolver) Burns(ctx context.Context, objs []*Token, filter store.Filter, finality *store.Finality, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) ([]*BurnConnection, error) {
	filter = completed(filter, nft.Burn, finality, order, partial)
	return pageOf(ctx, objs, filter, pageArgs(first, after, last, before), burns)
}

// Metadata is the resolver for the metadata field.
func (*tokenResolver) Metadata(ctx context.Context, objs []*Token) ([]*TokenMetadata, error) {
	return metadataOf(ctx, objs)
}

// Indexed is the resolver for the indexed field.
func (*tokenResolver) Indexed(ctx context.Context, objs []*Token) ([][]evm.Range, error) {
	return indexedOf(ctx, objs)
}

// Mint implements [ResolverRoot].
func (r *Resolver) Mint() MintResolver { return &mintResolver{} }

type mintResolver struct{}

// Token is the resolver for the token field.
func (*mintResolver) Token(ctx context.Context, objs []*Mint) ([]*Token, error) {
	return tokenOf(ctx, objs, func(obj *Mint) nft.TokenKey { return obj.key() })
}

// Burn implements [ResolverRoot].
func (r *Resolver) Burn() BurnResolver { return &burnResolver{} }

type burnResolver struct{}

// Token is the resolver for the token field.
func (*burnResolver) Token(ctx context.Context, objs []*Burn) ([]*Token, error) {
	return tokenOf(ctx, objs, func(obj *Burn) nft.TokenKey { return obj.key() })
}

// TokenMetadata implements [ResolverRoot].
func (r *Resolver) TokenMetadata() TokenMetadataResolver { return &tokenMetadataResolver{} }

type tokenMetadataResolver struct{}

// Token is the resolver for the token field.
func (*tokenMetadataResolver) Token(ctx context.Context, objs []*TokenMetadata) ([]*Token, error) {
	return tokenOf(ctx, objs, func(obj *TokenMetadata) nft.TokenKey { return obj.TokenKey })
}

// Versions is the resolver for the versions field.
func (*tokenMetadataResolver) Versions(ctx context.Context, objs []*TokenMetadata, first *int, after *string) ([]*MetadataVersionConnection, error) {
	return versionsOf(ctx, objs, pageArgs(first, after, nil, nil))
}
