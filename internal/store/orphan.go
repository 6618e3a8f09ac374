package store

import (
	"context"
	"encoding/json"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/mint"
	"mintburn/ent/token"
	"mintburn/internal/nft"
)

// removeOrphanedTokens removes what the queue and the documents know of the tokens
// whose every mint lies above a block, and returns the refreshes above it. The
// mints must still be there. A token that is minted again is a new one: another
// branch may have given it another document.
func (w *writer) removeOrphanedTokens(ctx context.Context, above uint64) error {
	client, orphaned := w.store.client(w.tx), mintedAbove(above)
	ids, err := client.Token.Query().Where(orphaned).IDs(ctx)
	if err != nil {
		return fmt.Errorf("looking for tokens: %w", err)
	}
	for _, id := range ids {
		if err := w.removeDocument(ctx, id); err != nil {
			return fmt.Errorf("removing token metadata: %w", err)
		}
	}
	if _, err := client.Resolution.Delete().Where(orphaned).Exec(ctx); err != nil {
		return fmt.Errorf("removing tokens from the queue: %w", err)
	}
	return w.returnRefreshes(ctx, above)
}

// mintedAbove selects the tokens whose every mint lies above a block, of a table
// with a row for each token.
func mintedAbove(above uint64) func(*entsql.Selector) {
	return func(s *entsql.Selector) {
		from, builder := firstIn(above+1), entsql.Dialect(s.Dialect())
		minted, before := builder.Table(mint.Table).As("minted"), builder.Table(mint.Table).As("before")
		older := builder.Select(before.C(mint.FieldID)).From(before).Where(entsql.And(
			entsql.ColumnsEQ(before.C(mint.FieldContractID), minted.C(mint.FieldContractID)),
			entsql.ColumnsEQ(before.C(mint.FieldTokenID), minted.C(mint.FieldTokenID)),
			entsql.LT(before.C(mint.FieldID), from)))
		tokens := builder.Select(minted.C(mint.FieldContractID), minted.C(mint.FieldTokenID)).From(minted).
			Where(entsql.And(entsql.GTE(minted.C(mint.FieldID), from), entsql.NotExists(older)))
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { b.IdentComma(s.C(mint.FieldContractID), s.C(mint.FieldTokenID)) })
			b.WriteOp(entsql.OpIn).Wrap(func(b *entsql.Builder) { b.Join(tokens) })
		}))
	}
}

// removeDocument removes a row of tokens and takes it out of the counts.
func (w *writer) removeDocument(ctx context.Context, id int) error {
	client := w.store.client(w.tx)
	row, err := client.Token.Query().Where(token.ID(id)).Only(ctx)
	if err != nil {
		return err
	}
	var attributes []nft.Attribute
	if err := json.Unmarshal([]byte(row.Attributes), &attributes); err != nil {
		return fmt.Errorf("reading stored attributes: %w", err)
	}
	w.documents.count(row.ContractID, attributes, -1)
	w.documents.tokens[row.ContractID]--
	return client.Token.DeleteOne(row).Exec(ctx)
}
