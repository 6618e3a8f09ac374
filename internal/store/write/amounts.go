package write

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Trees built at the end of a load count each record as one token, which is right for
// ERC-721. One pass over the tables, in key order, then adds the records with another amount. Reading the records of each scope by its
// index would read a row once for each scope of the record.

// amountsAtOnce is how many records are added to the trees at once.
const amountsAtOnce = 50_000

// addAmounts adds the part of each record's amount above 1 to trees that count each record
// as one token. For an amount of 0 it subtracts 1.
func addAmounts(ctx context.Context, from tables.Querier, trees *counter.Trees) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for above, read := int64(-1), amountsAtOnce; read == amountsAtOnce; {
			var err error
			if above, read, err = addSomeAmounts(ctx, from, trees, kind, above); err != nil {
				return database.Wrap(err, "adding the amounts of %ss", kind)
			}
			if err := trees.Apply(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSomeAmounts is addAmounts for the next amountsAtOnce records of a kind above a
// position whose amount is not 1. It returns their last position and their number.
func addSomeAmounts(ctx context.Context, from tables.Querier, trees *counter.Trees, kind nft.Kind, above int64) (last int64, read int, err error) {
	one, columns := evm.NewUint256(1), append([]string{mint.FieldAmount}, tables.CountedColumns...)
	builder := from.Builder()
	others := builder.Select(columns...).From(builder.Table((&query.Query{Kind: kind}).Table())).
		Where(entsql.And(entsql.GT(mint.FieldID, above), entsql.NEQ(mint.FieldAmount, one.Bytes()))).OrderBy(mint.FieldID).Limit(amountsAtOnce)
	row := tables.RecordRow{Kind: kind}
	err = from.Query(ctx, others, func(values *database.Row) error {
		if err := row.Read(values, columns...); err != nil {
			return err
		}
		account, err := row.Account()
		beyond := counter.AmountOf(row.Mint.Amount).Sub(counter.AmountOf(one))
		trees.Add(row.Counted(account), counter.Tally{Amount: beyond})
		last = row.Mint.ID
		read++
		return err
	})
	return last, read, err
}
