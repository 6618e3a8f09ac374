package graph

import (
	"context"
	"maps"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
)

// Resolver resolves the fields of Query.
type Resolver struct {
	maxPageSize int
	now         func() time.Time
}

// NewSchema returns the executable schema over stores whose largest page has maxPageSize items. now
// returns the current time. Operations must run with [Snapshots].
func NewSchema(maxPageSize int, now func() time.Time) *fastql.Schema {
	schema := NewFastSchema(Config{Resolvers: &Resolver{maxPageSize, now}, Schema: withoutDefer(parsedSchema)})
	schema.Ends = endsOperation
	schema.Together = readTogether
	return schema
}

// readTogether implements [fastql.Schema.Together] with a snapshot. If reads are gathered, all
// selections of a root field are read before the field is written.
func readTogether(ctx context.Context, n int, alone bool, each func(ctx context.Context, i int) error) error {
	if alone {
		return snapshotOf(ctx).Tx.Finish(ctx, n, each)
	}
	return snapshotOf(ctx).Tx.Together(ctx, n, each)
}

// withoutDefer returns a schema without @defer, which gqlparser adds to every schema but this
// server does not support.
func withoutDefer(schema *ast.Schema) *ast.Schema {
	copied := *schema
	copied.Directives = maps.Clone(schema.Directives)
	delete(copied.Directives, "defer")
	return &copied
}

// Query implements [ResolverRoot].
func (r *Resolver) Query() QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *Resolver }

// Mints is the resolver for the mints field.
func (r *queryResolver) Mints(ctx context.Context, filter store.Filter, finality *store.Finality, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) (*MintConnection, error) {
	filter = completed(filter, nft.Mint, finality, order, partial)
	page, err := snapshotOf(ctx).Page(filter, pageArgs(first, after, last, before))
	if err != nil {
		return nil, err
	}
	return mints(page), nil
}

// Burns is the resolver for the burns field.
func (r *queryResolver) Burns(ctx context.Context, filter store.Filter, finality *store.Finality, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) (*BurnConnection, error) {
	filter = completed(filter, nft.Burn, finality, order, partial)
	page, err := snapshotOf(ctx).Page(filter, pageArgs(first, after, last, before))
	if err != nil {
		return nil, err
	}
	return burns(page), nil
}

// completed returns a filter with the arguments that are no pointers in it.
func completed(f store.Filter, kind nft.Kind, finality *store.Finality, order *store.Order, partial *bool) store.Filter {
	f.Kind, f.Finality, f.Order, f.Partial = kind, deref(finality), deref(order), deref(partial)
	return f
}

// filtersOf returns filters by traits.
func filtersOf(traits []TraitFilter) []store.TraitFilter {
	filters := make([]store.TraitFilter, len(traits))
	for i, t := range traits {
		filters[i] = store.TraitFilter(t)
	}
	return filters
}

// TokenMetadata is the resolver for the tokenMetadata field.
func (r *queryResolver) TokenMetadata(ctx context.Context, address evm.Address, tokenID *evm.Uint256, traits []TraitFilter, first *int, after *string, last *int, before *string) (*TokenMetadataConnection, error) {
	page, err := snapshotOf(ctx).MetadataPage(address, tokenID, pageArgs(first, after, last, before), selectedTexts(ctx), filtersOf(traits)...)
	if err != nil {
		return nil, err
	}
	return metadata(page), nil
}

// Token is the resolver for the token field.
func (r *queryResolver) Token(ctx context.Context, address evm.Address, tokenID evm.Uint256) (*Token, error) {
	tokens, errs, err := tokensOf(ctx, []nft.TokenKey{{Contract: address, TokenID: tokenID}})
	if err != nil {
		return nil, err
	}
	return tokens[0], errs[0]
}

// Tokens is the resolver for the tokens field.
func (r *queryResolver) Tokens(ctx context.Context, keys []nft.TokenKey) ([]*Token, error) {
	if len(keys) > store.MaxKeys {
		return nil, apierror.Errorf(apierror.BadUserInput, "keys: got %d, want at most %d", len(keys), store.MaxKeys)
	}
	tokens, errs, err := tokensOf(ctx, keys)
	addErrors(ctx, errs)
	return tokens, err
}

// Collection is the resolver for the collection field.
func (r *queryResolver) Collection(ctx context.Context, address evm.Address) (*Collection, error) {
	var found []*store.Collection
	err := withCoverage(ctx, func(ctx context.Context) (err error) {
		found, err = snapshotOf(ctx).Subjects().CollectionsOf(ctx, []evm.Address{address})
		return err
	}, "Collection", "mintedItems", "burnedItems", "supply")
	switch {
	case err != nil:
		return nil, err
	case found[0] == nil:
		return nil, snapshotOf(ctx).Subjects().RequireCollection(ctx, address)
	}
	return &Collection{found[0]}, nil
}

// Collections is the resolver for the collections field.
func (r *queryResolver) Collections(ctx context.Context, search *string, addresses []evm.Address, order *store.Order, partial *bool, first *int, after *string, last *int, before *string) (*CollectionConnection, error) {
	filter := store.CollectionFilter{Search: deref(search), Addresses: addresses, Order: deref(order), Ordered: isGiven(ctx, "order"), Partial: deref(partial)}
	page, err := snapshotOf(ctx).Collections(filter, pageArgs(first, after, last, before))
	if err != nil {
		return nil, err
	}
	return collections(page), nil
}

// Transaction is the resolver for the transaction field.
func (r *queryResolver) Transaction(ctx context.Context, hash evm.Hash) (*Transaction, error) {
	return transactionOf(ctx, hash)
}

// Block is the resolver for the block field.
func (r *queryResolver) Block(ctx context.Context, block evm.BlockNumberOrHash) (*evm.Header, error) {
	header, stored, err := snapshotOf(ctx).Block(ctx, block)
	if err != nil || stored {
		return &header, err
	}
	return headerOf(ctx, header.Number)
}

// Node is the resolver for the node field.
func (r *queryResolver) Node(ctx context.Context, id string) (Node, error) {
	found, err := snapshotOf(ctx).Node(ctx, id, selected(ctx))
	if err != nil {
		return nil, err
	}
	return node(found), nil
}

// Nodes is the resolver for the nodes field.
func (r *queryResolver) Nodes(ctx context.Context, ids []string) ([]Node, error) {
	if len(ids) > r.maxPageSize {
		return nil, apierror.Errorf(apierror.BadUserInput, "ids: got %d, want at most %d", len(ids), r.maxPageSize)
	}
	return nodesOf(ctx, ids)
}

// Chain is the resolver for the chain field.
func (r *queryResolver) Chain(ctx context.Context) (*Chain, error) {
	state, err := snapshotOf(ctx).Chain(ctx)
	if err != nil {
		return nil, err
	}
	c := chain(state, r.now())
	if wantsFollowing(ctx) {
		c.Following, err = read.Following(ctx, snapshotOf(ctx).Snapshot)
	}
	return c, err
}

// pageArgs returns the arguments of a page. An empty cursor is not given, because clients begin
// with an empty variable.
func pageArgs(first *int, after *string, last *int, before *string) page.Args {
	if deref(after) == "" {
		after = nil
	}
	if deref(before) == "" {
		before = nil
	}
	return page.Args{First: first, After: after, Last: last, Before: before}
}

// deref returns the value of a pointer, or the zero value for nil.
func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// Snapshots gives each operation a snapshot of its store, and closes it when the answer is
// complete.
type Snapshots struct {
	// Store returns the store of an operation, or nil while it is not open.
	Store func(context.Context) *read.DB
	// Prover returns what proves the blocks of an operation's chain, or nil. It may be nil.
	Prover func(context.Context) Prover
}

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
	of := e.Store(ctx)
	if of == nil {
		graphql.AddError(ctx, apierror.Errorf(apierror.Unavailable, "the data is unavailable: try again later"))
		return &graphql.Response{Errors: graphql.GetErrors(ctx)}
	}
	snapshot := store.NewSnapshot(of.Snapshot())
	if snapshot.Outdated() {
		// The stored data may mean something else in the newer schema.
		graphql.AddError(ctx, apierror.Errorf(apierror.Unavailable, "the data is unavailable: it needs a newer version of this program, or the end of a copy"))
		return &graphql.Response{Errors: graphql.GetErrors(ctx)}
	}
	if g := fastql.GrowthOf(ctx); g != nil {
		snapshot.Hold = g.Hold
	}
	// Deferred, because a panic must not leak the connection.
	defer func() {
		if err := snapshot.Close(); err != nil {
			graphql.AddError(ctx, err)
		}
	}()
	return next(context.WithValue(ctx, snapshotKey{}, &operation{Snapshot: snapshot, proofs: proofs{prover: e.Prover}}))
}

// operation is what the resolvers of an operation share.
type operation struct {
	*store.Snapshot
	proofs
}

type snapshotKey struct{}

func snapshotOf(ctx context.Context) *store.Snapshot {
	return ctx.Value(snapshotKey{}).(*operation).Snapshot
}

func proofsOf(ctx context.Context) *proofs { return &ctx.Value(snapshotKey{}).(*operation).proofs }
