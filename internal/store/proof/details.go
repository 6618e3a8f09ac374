package proof

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/ent/transaction"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// WithoutDetails returns the number of transactions with records in a range of blocks that have
// no stored details.
func (p Proofs) WithoutDetails(ctx context.Context, r evm.Range) (n int64, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.End(&err)
	of := func(table string) string {
		return fmt.Sprintf("SELECT id >> %[2]d, tx_prefix, tx_suffix FROM %[1]s WHERE id BETWEEN %[3]d AND %[4]d AND NOT EXISTS (SELECT 1 FROM %[5]s WHERE %[5]s.id = (%[1]s.id >> %[2]d << %[2]d) + %[1]s.tx_index)",
			table, tables.SlotBits, tables.FirstIn(r.From), tables.LastIn(r.To), transaction.Table)
	}
	text := "SELECT count(*) FROM (" + of(mint.Table) + " UNION " + of(burn.Table) + ") AS missing"
	err = snapshot.Tx.Query(ctx, entsql.Raw(text), func(row *database.Row) error {
		n = row.Int64()
		return row.Err()
	})
	return n, database.Wrap(err, "counting transactions without details")
}
