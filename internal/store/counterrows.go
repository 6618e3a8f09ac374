package store

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
	return &counterRows{CounterNodes: tables.CounterNodes{tx}, queries: queries, changed: changed}
}

// Number implements [counter.Rows].
func (r *counterRows) Number(ctx context.Context, s counter.Scope, most int64) (int64, error) {
	of := within(evm.Range{To: counter.LastBlock})
	of.limit = int(most)
	return tables.Number(ctx, r, scopeQuery(s).counting(r.queries, of))
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
	of := within(blocks)
	of.limit, of.columns = int(most), []string{mint.FieldID}
	if !r.single {
		of.columns = append(of.columns, mint.FieldAmount)
	}
	few := scopeQuery(s).selector(r.queries, of).As("few")
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

// scopeQuery selects the records of a scope, which must be valid.
func scopeQuery(s counter.Scope) *query {
	f, _ := s.Filter()
	q := &query{kind: f.Kind, hi: tables.MaxPosition}
	q.restrict(f)
	return q
}

// within selects the records of a range of blocks.
func within(r evm.Range) selection {
	return selection{lo: tables.FirstIn(r.From), hi: tables.LastIn(min(r.To, tables.MaxBlock))}
}

// counting counts the records of a selection.
func (q *query) counting(client *ent.Client, of selection) *entsql.Selector {
	of.columns = []string{mint.FieldID}
	records := q.selector(client, of)
	if of.limit > 0 || q.ordered(records.Dialect(), of) {
		return entsql.Dialect(records.Dialect()).Select(entsql.Count("*")).From(records.As("few"))
	}
	return records.Count(records.C(mint.FieldID))
}
