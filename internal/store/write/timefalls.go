package write

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// A chain's block times need not increase with the block numbers, but a query by time
// requires that they never fall. The setting times_fall contains the lowest stored block
// whose time is below that of a stored block before it. Transactions that store or remove
// headers update it. Comparing neighbours is enough: if the times of any two blocks fall,
// those of two neighbours do.

// noteFall updates the lowest fall for newly stored blocks. The blocks must be in order.
func noteFall(ctx context.Context, w *Tx, blocks []nft.Block) error {
	var first, firstTime, last, lastTime []int64
	lowest := w.fall
	note := func(number uint64) {
		if lowest == nil || number < *lowest {
			lowest = &number
		}
	}
	for run := range tables.Consecutive(blocks) {
		for i := range run[1:] {
			if run[i+1].Header.Time < run[i].Header.Time {
				note(run[i+1].Header.Number)
			}
		}
		begin, end := run[0].Header, run[len(run)-1].Header
		first, firstTime = append(first, int64(begin.Number)), append(firstTime, int64(begin.Time))
		last, lastTime = append(last, int64(end.Number)), append(lastTime, int64(end.Time))
	}
	err := w.Query(ctx, fallsBeside(w.Dialect(), query.Arrays{first, firstTime, last, lastTime}), func(row *database.Row) error {
		if !row.Null() {
			note(row.Unsigned(tables.MaxBlock))
		}
		return row.Err()
	})
	if err != nil || lowest == w.fall {
		return database.Wrap(err, "comparing the times of blocks")
	}
	return SetFall(ctx, w, lowest)
}

// fallsBeside selects the lowest fall between runs of stored blocks and the stored blocks
// before and after each.
func fallsBeside(name string, runs query.Arrays) entsql.Querier {
	text, _ := runs.Select(name, "k(first, first_time, last, last_time)", func(b *entsql.Builder) {
		neighbour := func(column, op, end, order string) {
			b.WriteString("(SELECT " + column + " FROM " + block.Table + " WHERE id " + op + " k." + end + " ORDER BY id" + order + " LIMIT 1)")
		}
		b.WriteString("MIN(fall) FROM (SELECT k.first AS fall FROM k WHERE k.first_time < ")
		neighbour(block.FieldTime, "<", "first", " DESC")
		b.WriteString(" UNION ALL SELECT ")
		neighbour(block.FieldID, ">", "last", "")
		b.WriteString(" FROM k WHERE k.last_time > ")
		neighbour(block.FieldTime, ">", "last", "")
		b.WriteString(") AS falls")
	}).Query()
	return entsql.Expr(text, runs.Args(name)...)
}

// forgetFall searches for the lowest fall again after headers from a block on were removed,
// unless the stored fall lies below that block.
func forgetFall(ctx context.Context, w *Tx, from uint64) error {
	if w.fall == nil || *w.fall < from {
		return nil
	}
	lowest, err := LowestFall(ctx, w, from, tables.MaxBlock)
	if err != nil {
		return err
	}
	return SetFall(ctx, w, lowest)
}

// SetFall stores the lowest block whose time is below that of a block before it; nil means that
// times do not fall.
func SetFall(ctx context.Context, w *Tx, lowest *uint64) error {
	if w.fall = lowest; lowest == nil {
		return tables.Remove(ctx, w.client, tables.TimesFall)
	}
	return tables.Set(ctx, w.client, tables.TimesFall, *lowest)
}

// LowestFall returns the lowest stored block of a range whose time is below that of the
// stored block before it, or nil. It reads the headers of the range.
func LowestFall(ctx context.Context, from tables.Querier, first, last uint64) (lowest *uint64, err error) {
	builder := from.Builder()
	t, before := builder.Table(block.Table), builder.Table(block.Table)
	begin := builder.Select().AppendSelect(entsql.Max(before.C(block.FieldID))).From(before).Where(entsql.LT(block.FieldID, int64(first)))
	pairs := builder.Select(block.FieldID, block.FieldTime).AppendSelectExpr(entsql.Raw("LAG(time) OVER (ORDER BY id) AS before")).From(t).Where(entsql.And(
		entsql.P(func(b *entsql.Builder) {
			b.WriteString("id >= COALESCE(").Wrap(func(b *entsql.Builder) { b.Join(begin) }).WriteString(", 0)")
		}),
		entsql.LTE(block.FieldID, int64(last)),
	)).As("pairs")
	statement := builder.Select(block.FieldID).From(pairs).Where(entsql.ExprP("time < before")).OrderBy(block.FieldID).Limit(1)
	err = from.Query(ctx, statement, func(row *database.Row) error {
		number := row.Unsigned(tables.MaxBlock)
		lowest = &number
		return row.Err()
	})
	return lowest, database.Wrap(err, "comparing the times of blocks")
}
