package read

import (
	"context"
	"fmt"

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
// one statement, and the errors of those whose rows are damaged.
func Transactions(ctx context.Context, s *Snapshot, places []Place) (found map[Place]*evm.TransactionDetails, damaged map[Place]error, err error) {
	ids, damaged := make([]int64, 0, len(places)), map[Place]error{}
	found = make(map[Place]*evm.TransactionDetails, len(places))
	for _, p := range places {
		// A record's index may be any that a node has claimed.
		if p.Index < 1<<tables.SlotBits {
			ids = append(ids, tables.TransactionID(p.Block, p.Index))
		}
	}
	table, dialect := query.Arrays{ids}, s.DB.Database.Dialect()
	var row ent.Transaction
	_, err = s.Cached(ctx, query.Key{Name: "transactions"}, func(client *ent.Client) entsql.Querier {
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
		err := row.ReadRow(r)
		place := Place{tables.BlockOf(row.ID), uint32(row.ID & (1<<tables.SlotBits - 1))}
		if err != nil {
			r.Forgive()
			damaged[place] = fmt.Errorf("reading transaction %d of block %d: %w", place.Index, place.Block, err)
			return nil
		}
		details := tables.DetailsOf(&row)
		found[place] = &details
		return nil
	})
	return found, damaged, database.Wrap(err, "reading transactions")
}
