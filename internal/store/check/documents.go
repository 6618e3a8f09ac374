package check

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/token"
	"mintburn/internal/store/document"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// checkStandards checks that the standards of collections are known ones.
func checkStandards(ctx context.Context, c *checker) error {
	return c.pages(ctx, contract.Table, func(s *read.Snapshot, above, last int64) error {
		const known = tables.ERC721 | tables.ERC1155
		rows, err := s.Client().Contract.Query().Where(contract.IDGT(above), contract.IDLTE(last), contract.Or(contract.StandardsLT(0), contract.StandardsGT(known))).
			Order(contract.ByID()).Select(contract.FieldID, contract.FieldAddress, contract.FieldStandards).All(ctx)
		if err != nil {
			return fmt.Errorf("reading contracts: %w", err)
		}
		for _, row := range rows {
			c.differ("collection %s: its standards are %d, want 0 to %d", row.Address, row.Standards, known)
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *write.Tx, row *ent.Contract) error {
			return write.SetStandards(ctx, w, row.Standards&known, row)
		})
	})
}

// checkDocuments checks the stored text lengths of documents, which decide whether the
// texts are read together with a page.
func checkDocuments(ctx context.Context, c *checker) error {
	return c.pages(ctx, token.Table, func(s *read.Snapshot, above, last int64) error {
		columns := []string{token.FieldID, token.FieldContractID, token.FieldTokenID, token.FieldTextBytes}
		rows, err := s.Client().Token.Query().Where(token.IDGT(int(above)), token.IDLTE(int(last)), wrongTextBytes).
			Order(token.ByID()).Select(columns...).All(ctx)
		if err != nil {
			return fmt.Errorf("reading documents: %w", err)
		}
		for _, row := range rows {
			c.differ("token %s of collection %s: its texts are noted with %d bytes and have others", row.TokenID, contractName(ctx, s, row.ContractID), row.TextBytes)
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *write.Tx, row *ent.Token) error {
			return w.Client().Token.Update().Where(token.ID(row.ID), wrongTextBytes).
				Modify(func(u *entsql.UpdateBuilder) {
					u.Set(token.FieldTextBytes, entsql.ExprFunc(func(b *entsql.Builder) { b.WriteString(document.BytesOf(read.TextColumns, b.Quote)) }))
				}).Exec(ctx)
		})
	})
}

// wrongTextBytes selects documents whose texts have a length other than the stored one.
func wrongTextBytes(s *entsql.Selector) {
	s.Where(entsql.P(func(b *entsql.Builder) {
		b.WriteString(s.C(token.FieldTextBytes) + " <> " + document.BytesOf(read.TextColumns, s.C))
	}))
}
