package tables

import (
	"context"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	entcounter "mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
)

// Number runs a statement whose result is one number.
func Number(ctx context.Context, from Querier, statement entsql.Querier) (n int64, err error) {
	err = from.Query(ctx, statement, func(row *database.Row) error { return row.Values(&n) })
	return n, database.Wrap(err, "counting records")
}

// CounterNodes reads counters in a snapshot or a writing transaction.
type CounterNodes struct{ Querier }

// Nodes implements [counter.Reader] and [counter.Rows].
func (r CounterNodes) Nodes(ctx context.Context, s counter.Scope, level int, buckets evm.Range) (nodes []counter.Node, err error) {
	list := r.Builder().Select(entcounter.FieldBucket, entcounter.FieldSplit, entcounter.FieldN, entcounter.FieldAmount).From(r.Builder().Table(entcounter.Table)).Where(entsql.And(
		entsql.EQ(entcounter.FieldScope, []byte(s)), entsql.EQ(entcounter.FieldLevel, level),
		entsql.GTE(entcounter.FieldBucket, buckets.From), entsql.LTE(entcounter.FieldBucket, buckets.To),
	)).OrderBy(entcounter.FieldBucket)
	err = r.Query(ctx, list, func(row *database.Row) error {
		n := counter.Node{Level: level, Bucket: row.Unsigned(math.MaxInt64), Split: row.Bool(), Tally: storedTally(row)}
		nodes = append(nodes, n)
		return row.Err()
	})
	return nodes, database.Wrap(err, "reading counters")
}

// storedTally reads the columns n and amount of a counter.
func storedTally(row *database.Row) counter.Tally {
	tally := counter.Ones(row.Int64())
	if !row.Null() {
		row.Scan(&tally.Amount)
	}
	return tally
}

// CollectionTally reads the number of a collection's records of a kind, and their excess, see
// package derived. The number is null during a load.
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

// ByAmount groups a selection's records by amount. Few amounts are distinct.
func ByAmount(records *entsql.Selector) *entsql.Selector {
	builder := entsql.Dialect(records.Dialect())
	of := records.As("few").C(mint.FieldAmount)
	return builder.Select(of).AppendSelect(entsql.Count("*")).From(records).GroupBy(of)
}

// SameAmounts reads an amount and the number of records with that amount.
func SameAmounts(row *database.Row) counter.Tally {
	var amount evm.Uint256
	row.Scan(&amount)
	n := row.Int64()
	return counter.Tally{N: n, Amount: counter.AmountOf(amount).Times(n)}
}
