package read

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/transaction"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Place is the place of a transaction: its block and its index there.
type Place struct {
	Block uint64
	Index uint32
}

// Transactions returns the details of the transactions at these places that are stored, with
// one statement.
func Transactions(ctx context.Context, s *Snapshot, places []Place) (map[Place]*evm.TransactionDetails, error) {
	ids, found := make([]int64, 0, len(places)), make(map[Place]*evm.TransactionDetails, len(places))
	for _, p := range places {
		// A record's index may be any that a node has claimed.
		if p.Index < 1<<tables.SlotBits {
			ids = append(ids, tables.TransactionID(p.Block, p.Index))
		}
	}
	table, dialect := query.Arrays{ids}, s.DB.Database.Dialect()
	var row ent.Transaction
	_, err := s.Cached(ctx, query.Key{Name: "transactions"}, func(client *ent.Client) entsql.Querier {
		transactions := client.Transaction.Query()
		transactions.Modify(func(t *entsql.Selector) {
			b := entsql.Dialect(t.Dialect())
			k := b.Select("n").From(b.Table("k")).Prefix(entsql.ExprFunc(func(b *entsql.Builder) {
				b.WriteString("WITH k(n) AS ").Wrap(table.Write)
			})).As("named")
			t.Join(k).On(t.C(transaction.FieldID), k.C("n")).Select(t.Columns(transaction.Columns...)...)
		})
		return transactions.Selector()
	}, table.Args(dialect), func(r *database.Row) error {
		if err := row.ReadRow(r); err != nil {
			return err
		}
		details := tables.DetailsOf(&row)
		found[Place{tables.BlockOf(row.ID), uint32(row.ID & (1<<tables.SlotBits - 1))}] = &details
		return nil
	})
	return found, database.Wrap(err, "reading transactions")
}
