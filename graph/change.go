package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store/feed"
)

// ChangeBatch is the GraphQL type of a batch of changes.
type ChangeBatch struct{ *feed.Batch }

// Changes returns the changes.
func (b ChangeBatch) Changes() []Change {
	changes := make([]Change, len(b.Batch.Changes))
	for i := range changes {
		c := change{&b.Batch.Changes[i]}
		switch c.Change.Kind {
		case feed.Added:
			changes[i] = RecordAdded{c}
		case feed.Voided:
			changes[i] = BlocksVoided{c}
		case feed.Finalized:
			changes[i] = BlocksFinalized{c}
		case feed.Metadata:
			changes[i] = MetadataChanged{c}
		}
	}
	return changes
}

// Change is the GraphQL interface of all changes.
type Change interface{ IsChange() }

// RecordAdded is the GraphQL type of an added record.
type RecordAdded struct{ change }

// BlocksVoided is the GraphQL type of void blocks.
type BlocksVoided struct{ change }

// BlocksFinalized is the GraphQL type of final blocks.
type BlocksFinalized struct{ change }

// MetadataChanged is the GraphQL type of a changed document.
type MetadataChanged struct{ change }

// change has the fields of all types of changes.
type change struct{ *feed.Change }

// IsChange marks a Change.
func (change) IsChange() {}

func (c change) Kind() feed.Kind { return c.Change.Kind }
func (c change) Cursor() string  { return c.Change.Cursor }

// Transfer returns the record.
func (r RecordAdded) Transfer() Transfer {
	if r.Page.Items[r.Item].Kind == nft.Burn {
		return burnAt(r.Page, r.Item)
	}
	return mintAt(r.Page, r.Item)
}

func (m MetadataChanged) Address() evm.Address { return m.Token.Contract }
func (m MetadataChanged) TokenId() evm.Uint256 { return m.Token.TokenID }

// Metadata returns the document.
func (m MetadataChanged) Metadata() *TokenMetadata {
	if m.Document == nil {
		return nil
	}
	return &TokenMetadata{m.Document}
}

// Changes is the resolver for the changes field.
func (r *queryResolver) Changes(ctx context.Context, filter feed.Filter, after *string, first *int) (*ChangeBatch, error) {
	limit := feed.DefaultBatch
	if first != nil {
		limit = *first
	}
	return readChanges(ctx, filter, after, limit)
}

// readChanges reads a batch.
func readChanges(ctx context.Context, f feed.Filter, after *string, limit int) (*ChangeBatch, error) {
	batch, err := feed.Read(ctx, snapshotOf(ctx), f, after, limit, selectedTexts(ctx))
	if err != nil {
		return nil, err
	}
	if at := fastql.PositionOf(ctx); at != nil {
		at.Next, at.Count, at.More, at.Scanned = batch.Cursor, len(batch.Changes), batch.More, batch.Scanned
	}
	return &ChangeBatch{batch}, nil
}

type subscriptionResolver struct{ *Resolver }

// Subscription implements [ResolverRoot].
func (r *Resolver) Subscription() SubscriptionResolver { return subscriptionResolver{r} }

// Changes is the resolver for the changes field. It sends one batch: whoever runs a subscription
// runs it again for the next one, with a [fastql.Position].
func (subscriptionResolver) Changes(ctx context.Context, filter feed.Filter, after *string) (<-chan *ChangeBatch, error) {
	at := fastql.PositionOf(ctx)
	if at == nil {
		at = &fastql.Position{Limit: feed.MaxBatch}
	}
	if at.After != "" {
		after = &at.After
	}
	batch, err := readChanges(ctx, filter, after, at.Limit)
	if err != nil {
		return nil, err
	}
	return fastql.Once(batch), nil
}

// AppendChangeKind appends the enum ChangeKind.
func AppendChangeKind(b []byte, k feed.Kind) []byte { return fastql.AppendName(b, k) }

// MarshalChangeKind writes the enum ChangeKind.
func MarshalChangeKind(k feed.Kind) graphql.Marshaler { return written(AppendChangeKind(nil, k)) }

// UnmarshalChangeKind reads the enum ChangeKind.
func UnmarshalChangeKind(v any) (feed.Kind, error) {
	return oneOf(v, "ADDED, VOIDED, FINALIZED or METADATA", feed.Added, feed.Voided, feed.Finalized, feed.Metadata)
}

// AppendVoidCause appends the enum VoidCause.
func AppendVoidCause(b []byte, c feed.Cause) []byte { return fastql.AppendName(b, c) }

// MarshalVoidCause writes the enum VoidCause.
func MarshalVoidCause(c feed.Cause) graphql.Marshaler { return written(AppendVoidCause(nil, c)) }

// UnmarshalVoidCause reads the enum VoidCause.
func UnmarshalVoidCause(v any) (feed.Cause, error) {
	return oneOf(v, "REORG, REPAIR or REDECODE", feed.Reorg, feed.Repair, feed.Redecode)
}
