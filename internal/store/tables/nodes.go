package tables

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
)

// Number runs a statement whose result is one number.
func Number(ctx context.Context, from Querier, statement entsql.Querier) (n int64, err error) {
	err = from.Query(ctx, statement, func(row *database.Row) error { return row.Values(&n) })
	return n, database.Wrap(err, "counting records")
}

// CollectionTally reads the number of a collection's records of a kind, and their excess, see
// package derive. The number is null during a load.
func CollectionTally(row *database.Row) (t counter.Tally, known bool) {
	if known = !row.Null(); known {
		t = counter.Ones(row.Int64())
	}
	if !row.Null() {
		var excess counter.Amount
		row.Scan(&excess)
		t.Amount = t.Amount.Add(excess)
	}
	return t, known
}

// SameAmounts reads an amount and the number of records with that amount.
func SameAmounts(row *database.Row) counter.Tally {
	var amount evm.Uint256
	row.Scan(&amount)
	n := row.Int64()
	return counter.Tally{N: n, Amount: counter.AmountOf(amount).Times(n)}
}
