package write

import (
	"context"
	"fmt"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// counterRows reads and writes counters in a writing transaction, and counts its records.
type counterRows struct {
	tables.CounterNodes
	queries *ent.Client
	changed *database.Inserter
	// single counts each record as one token; [addAmounts] adds the rest.
	single bool
}

var _ counter.Rows = (*counterRows)(nil)

func newCounterRows(tx *database.Tx, queries *ent.Client) *counterRows {
	changed := tx.Inserter(entcounter.Table, database.GeneratedID(entcounter.Columns))
	changed.Conflict = []entsql.ConflictOption{
		entsql.ConflictColumns(entcounter.FieldScope, entcounter.FieldLevel, entcounter.FieldBucket),
		entsql.ResolveWith(func(u *entsql.UpdateSet) {
			u.SetExcluded(entcounter.FieldN).SetExcluded(entcounter.FieldSplit).SetExcluded(entcounter.FieldAmount)
		}),
	}
	return &counterRows{CounterNodes: tables.CounterNodes{Querier: tx}, queries: queries, changed: changed}
}

// Number implements [counter.Rows].
func (r *counterRows) Number(ctx context.Context, s counter.Scope, most int64) (int64, error) {
	of := query.Within(evm.Range{To: counter.LastBlock})
	of.Limit = int(most)
	return tables.Number(ctx, r, query.OfScope(s).Counting(r.queries, of))
}

// Save implements [counter.Rows].
func (r *counterRows) Save(ctx context.Context, changes []counter.Change) error {
	for _, c := range changes {
		row := ent.Counter{Scope: c.Scope, Level: int8(c.Level), Bucket: int64(c.Bucket), N: c.N, Split: c.Split}
		if !c.Single() {
			row.Amount = c.Amount.Bytes()
		}
		if err := r.changed.Add(ctx, &row); err != nil {
			return err
		}
	}
	return r.changed.Flush(ctx)
}

// CountBuckets implements [counter.Rows].
func (r *counterRows) CountBuckets(ctx context.Context, s counter.Scope, blocks evm.Range, shift uint, most int64) (counts []counter.Count, err error) {
	of := query.Within(blocks)
	of.Limit, of.Columns = int(most), []string{mint.FieldID}
	if !r.single {
		of.Columns = append(of.Columns, mint.FieldAmount)
	}
	few := query.OfScope(s).Selector(r.queries, of).As("few")
	list := r.Builder().Select().AppendSelectExpr(entsql.Raw(fmt.Sprintf("%s >> %d AS bucket", few.C(mint.FieldID), tables.SlotBits+shift)))
	groups := []string{"bucket"}
	if !r.single {
		list.AppendSelect(few.C(mint.FieldAmount))
		groups = append(groups, few.C(mint.FieldAmount))
	}
	list.AppendSelect(entsql.Count("*")).From(few).GroupBy(groups...).OrderBy("bucket")
	err = r.Query(ctx, list, func(row *database.Row) error {
		bucket, read := row.Unsigned(math.MaxInt64), tables.SameAmounts
		if r.single {
			read = func(row *database.Row) counter.Tally { return counter.Ones(row.Int64()) }
		}
		tally := read(row)
		if last := len(counts) - 1; last >= 0 && counts[last].Bucket == bucket {
			counts[last].Tally = counts[last].Plus(tally)
		} else {
			counts = append(counts, counter.Count{Bucket: bucket, Tally: tally})
		}
		return row.Err()
	})
	return counts, database.Wrap(err, "counting records")
}
