package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/token"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// checkContracts checks the numbers of documents, and of each trait's values, of all
// collections.
func checkContracts(ctx context.Context, c *checker) error {
	var ids []int64
	err := c.pages(ctx, contract.Table, func(s *Snapshot, above, last int64) error {
		more, err := documentCounts(ctx, c, s, above, last)
		ids = append(ids, more...)
		return database.Wrap(err, "counting documents")
	})
	for i := 0; i < len(ids) && err == nil; i++ {
		if err = checkTraitValues(ctx, c, ids[i]); err == nil {
			err = checkTraits(ctx, c, ids[i])
		}
	}
	return err
}

// documentCounts checks a page of contracts, and returns those that have documents
// or traits.
func documentCounts(ctx context.Context, c *checker, s *Snapshot, above, last int64) (ids []int64, err error) {
	builder := s.db.Builder()
	contracts := builder.Table(contract.Table)
	number := func(table, column string) entsql.Querier {
		of := builder.Table(table).As("counted")
		count := builder.Select(entsql.Count("*")).From(of).Where(entsql.ColumnsEQ(of.C(column), contracts.C(contract.FieldID)))
		return entsql.ExprFunc(func(b *entsql.Builder) { b.Wrap(func(b *entsql.Builder) { b.Join(count) }) })
	}
	some := func(table, column string) entsql.Querier {
		of := builder.Table(table).As("some")
		exists := entsql.Exists(builder.Select(of.C("id")).From(of).Where(entsql.ColumnsEQ(of.C(column), contracts.C(contract.FieldID))))
		return entsql.ExprFunc(func(b *entsql.Builder) { b.WriteString("CASE WHEN ").Join(exists).WriteString(" THEN 1 ELSE 0 END") })
	}
	page := builder.Select(contracts.Columns(contract.FieldID, contract.FieldStandards, contract.FieldTokens)...).
		AppendSelectExpr(number(token.Table, token.FieldContractID), some(trait.Table, trait.FieldContractID), some(traitvalue.Table, traitvalue.FieldContractID)).
		From(contracts).Where(entsql.And(entsql.GT(contracts.C(contract.FieldID), above), entsql.LTE(contracts.C(contract.FieldID), last))).
		OrderBy(contracts.C(contract.FieldID))
	type wrong struct{ id, shapes, noted, stored int64 }
	var list []wrong
	err = s.db.Query(ctx, page, func(row *database.Row) error {
		w := wrong{row.Int64(), row.Int64(), row.Int64(), row.Int64()}
		if counted := row.Int64() + row.Int64(); w.stored > 0 || counted > 0 {
			ids = append(ids, w.id)
		}
		if w.noted != w.stored || w.shapes < 0 || w.shapes > tables.ERC721|tables.ERC1155 {
			list = append(list, w)
		}
		return row.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		name := contractName(ctx, s, w.id)
		if w.noted != w.stored {
			c.differ("collection %s: %d documents are counted, %d are stored", name, w.noted, w.stored)
		}
		if w.shapes < 0 || w.shapes > tables.ERC721|tables.ERC1155 {
			c.differ("collection %s: its standards are %d, want 0 to %d", name, w.shapes, tables.ERC721|tables.ERC1155)
		}
	}
	return ids, repairEach(ctx, c, list, func(ctx context.Context, w *writer, one wrong) error {
		row, err := w.client.Contract.Get(ctx, one.id)
		if err != nil {
			return err
		}
		n, err := w.client.Token.Query().Where(token.ContractID(one.id)).Count(ctx)
		if err != nil {
			return err
		}
		return w.client.Contract.UpdateOne(row).SetTokens(int64(n)).SetStandards(row.Standards & (tables.ERC721 | tables.ERC1155)).Exec(ctx)
	})
}

// checkDocuments checks the lengths that are noted of documents: they decide which
// texts are read with a page.
func checkDocuments(ctx context.Context, c *checker) error {
	return c.pages(ctx, token.Table, func(s *Snapshot, above, last int64) error {
		columns := []string{token.FieldID, token.FieldContractID, token.FieldTokenID, token.FieldTextBytes}
		rows, err := s.client().Token.Query().Where(token.IDGT(int(above)), token.IDLTE(int(last)), otherLength).
			Order(token.ByID()).Select(columns...).All(ctx)
		if err != nil {
			return fmt.Errorf("reading documents: %w", err)
		}
		for _, row := range rows {
			c.differ("token %s of collection %s: its texts are noted with %d bytes and have others", row.TokenID, contractName(ctx, s, row.ContractID), row.TextBytes)
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *writer, row *ent.Token) error {
			return w.client.Token.Update().Where(token.ID(row.ID), otherLength).
				Modify(func(u *entsql.UpdateBuilder) {
					u.Set(token.FieldTextBytes, entsql.ExprFunc(func(b *entsql.Builder) { b.WriteString(bytesOf(textColumns[:], b.Quote)) }))
				}).Exec(ctx)
		})
	})
}

// otherLength selects documents whose texts have another length than is noted.
func otherLength(s *entsql.Selector) {
	s.Where(entsql.P(func(b *entsql.Builder) {
		b.WriteString(s.C(token.FieldTextBytes) + " <> " + bytesOf(textColumns[:], s.C))
	}))
}
