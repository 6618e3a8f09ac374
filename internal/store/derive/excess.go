package derive

import (
	"context"
	"fmt"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// ExcessColumns are the columns of contracts with the excess of each kind.
var ExcessColumns = []string{contract.FieldMintExcess, contract.FieldBurnExcess}

// Where returns the condition that a column has the number of one of some collections.
type Where func(column string) string

// All selects all collections.
func All(string) string { return "true" }

// Excess returns the excess of each of the collections, unless it is 0: the sum of the amounts of
// its records of a kind, minus their number. It leaves out amounts that it cannot read; check
// reports them.
func Excess(ctx context.Context, from tables.Querier, kind nft.Kind, where Where) (map[int64]counter.Amount, error) {
	builder, one := from.Builder(), evm.NewUint256(1)
	others := entsql.And(entsql.NEQ(mint.FieldAmount, one.Bytes()), entsql.ExprP(where(mint.FieldContractID)))
	// In the other order, SQLite would read all records by an index.
	groups := builder.Select(mint.FieldContractID, mint.FieldAmount).AppendSelect(entsql.Count("*")).
		From(builder.Table((&query.Query{Kind: kind}).Table())).Where(others).GroupBy(mint.FieldAmount, mint.FieldContractID)
	found := map[int64]counter.Amount{}
	err := from.Query(ctx, groups, func(row *database.Row) error {
		id, tally := row.Int64(), tables.SameAmounts(row)
		if row.Err() != nil {
			row.Forgive()
			return nil
		}
		if found[id] = found[id].Add(tally.Excess()); found[id] == (counter.Amount{}) {
			delete(found, id)
		}
		return nil
	})
	return found, database.Wrap(err, "summing the amounts of %ss", kind)
}

// SetExcess recomputes the excess of collections.
func SetExcess(ctx context.Context, tx *database.Tx, where Where) error {
	return replaceExcess(ctx, tx, where, func() error {
		return SetColumns(ctx, tx, []Column{{contract.FieldMintExcess, "NULL"}, {contract.FieldBurnExcess, "NULL"}}, where(contract.FieldID))
	})
}

// IntroduceExcess adds the excess of all collections to the columns that apply creates. It sums
// the amounts before, because the columns lock the table for readers of PostgreSQL.
func IntroduceExcess(ctx context.Context, tx *database.Tx, apply func() error) error {
	return replaceExcess(ctx, tx, All, apply)
}

// replaceExcess sums the excess of collections and adds it to the columns once clear has made
// them null.
func replaceExcess(ctx context.Context, tx *database.Tx, where Where, clear func() error) error {
	changes := map[int64][2]counter.Amount{}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		found, err := Excess(ctx, tx, kind, where)
		if err != nil {
			return err
		}
		for id, excess := range found {
			both := changes[id]
			both[kind] = excess
			changes[id] = both
		}
	}
	if err := clear(); err != nil {
		return err
	}
	return AddExcess(ctx, tx, changes)
}

// AddExcess adds changes, by kind, to the excess of collections.
func AddExcess(ctx context.Context, tx *database.Tx, changes map[int64][2]counter.Amount) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(changes)), tables.MaxArgs) {
		list := make([]any, len(ids))
		for i, id := range ids {
			list[i] = id
		}
		var stored []int64
		var columns [2][][]byte
		rows := tx.Builder().Select(append([]string{contract.FieldID}, ExcessColumns...)...).From(entsql.Table(contract.Table)).Where(entsql.In(contract.FieldID, list...))
		err := tx.Query(ctx, rows, func(row *database.Row) error {
			id := row.Int64()
			stored = append(stored, id)
			for kind, change := range changes[id] {
				var excess counter.Amount
				if !row.Null() {
					row.Scan(&excess)
				}
				columns[kind] = append(columns[kind], excess.Add(change).Bytes())
			}
			return row.Err()
		})
		if err == nil {
			err = Update(ctx, tx, query.Arrays{stored, columns[nft.Mint], columns[nft.Burn]}, excessOf(1)+", "+excessOf(2))
		}
		if err != nil {
			return fmt.Errorf("summing the amounts of collections: %w", err)
		}
	}
	return nil
}

// excessOf sets a column to the i-th value of [Update]. The bytes of 0 are its length.
func excessOf(i int) string {
	return fmt.Sprintf("%s = CASE WHEN length(k.v%d) > 1 THEN k.v%[2]d END", ExcessColumns[i-1], i)
}
