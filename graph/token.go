package graph

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// Token is the GraphQL type of a token; schema.graphqls describes its fields.
type Token struct{ *store.Token }

// IsNode marks a Node.
func (Token) IsNode() {}

func (t Token) ID() string                     { return store.TokenNodeID(t.TokenKey) }
func (t Token) Address() evm.Address           { return t.Contract }
func (t Token) ContractType() nft.ContractType { return t.Type }

func (t Token) narrow(f store.Filter) store.Filter {
	f.Address, f.TokenID = &t.Contract, &t.TokenKey.TokenID
	return f
}

// statesOf returns the state of each token.
func statesOf(ctx context.Context, objs []*Token) ([]store.TokenState, error) {
	return present(objs, func(objs []*Token) ([]store.TokenState, error) {
		tokens := make([]*store.Token, len(objs))
		for i, obj := range objs {
			tokens[i] = obj.Token
		}
		return snapshotOf(ctx).Subjects().States(ctx, tokens)
	})
}

// tokenOf returns the token of each object by its key. A token without records, which can only
// have metadata, is null if it is known to have none, and otherwise an error.
func tokenOf[T any](ctx context.Context, objs []T, key func(obj T) nft.TokenKey) ([]*Token, error) {
	keys := make([]nft.TokenKey, len(objs))
	for i, obj := range objs {
		keys[i] = key(obj)
	}
	tokens, errs, err := tokensOf(ctx, keys)
	if err != nil {
		return nil, err
	}
	return each(tokens, errs)
}

// tokensOf returns the tokens with keys. A missing token has an error unless it is known not
// to exist.
func tokensOf(ctx context.Context, keys []nft.TokenKey) (tokens []*Token, errs []error, err error) {
	snapshot := snapshotOf(ctx)
	var found []*store.Token
	err = withCoverage(ctx, func(ctx context.Context) (err error) {
		found, err = snapshot.Subjects().TokensOf(ctx, keys)
		return err
	}, "Token", "minted", "burned", "supply")
	if err != nil {
		return nil, nil, err
	}
	tokens, errs = make([]*Token, len(keys)), make([]error, len(keys))
	for i, t := range found {
		if t != nil {
			tokens[i] = &Token{t}
			continue
		}
		if errs[i] = snapshot.Subjects().RequireToken(ctx, keys[i]); errs[i] != nil && endsOperation(ctx, errs[i]) {
			return nil, nil, errs[i]
		}
	}
	return tokens, errs, nil
}

// metadataOf returns the metadata of each token, or nil before the first attempt to fetch it.
func metadataOf(ctx context.Context, objs []*Token) ([]*TokenMetadata, error) {
	return present(objs, func(objs []*Token) ([]*TokenMetadata, error) {
		keys := make([]nft.TokenKey, len(objs))
		for i, t := range objs {
			keys[i] = t.TokenKey
		}
		found, err := snapshotOf(ctx).MetadataOf(ctx, keys, selectedTexts(ctx))
		list := make([]*TokenMetadata, len(objs))
		for i, key := range keys {
			if m := found[key]; m != nil {
				list[i] = &TokenMetadata{m}
			}
		}
		return list, err
	})
}

// TokenEdge is the GraphQL type of a token on a page.
type TokenEdge = edge[Token]

// TokenConnection is the GraphQL type of a page of tokens.
type TokenConnection struct {
	connectionOf[*page.Page[*store.Token], Token]
}

func tokens(p *page.Page[*store.Token]) *TokenConnection {
	return &TokenConnection{newConnection(&p.AnyPage, p, tokenAt)}
}

func tokenAt(p *page.Page[*store.Token], i int) Token { return Token{p.Items[i]} }
