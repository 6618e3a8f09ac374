package derive

import (
	"context"
	"fmt"
	"math"
	"strings"

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

// CounterRows reads and writes counters in a transaction, and counts its records.
type CounterRows struct {
	*database.Tx
	client, queries *ent.Client
	changed         *database.Inserter
	// Single counts each record as one token; the caller adds the rest.
	Single bool
}

var _ counter.Rows = (*CounterRows)(nil)

// NewCounterRows returns the counters of a transaction. client belongs to it, and queries builds
// statements.
func NewCounterRows(tx *database.Tx, client, queries *ent.Client) *CounterRows {
	changed := tx.Inserter(entcounter.Table, entcounter.Columns)
	changed.Conflict = []entsql.ConflictOption{
		entsql.ConflictColumns(entcounter.FieldID),
		entsql.ResolveWith(func(u *entsql.UpdateSet) { u.SetExcluded(entcounter.FieldN).SetExcluded(entcounter.FieldAmount) }),
	}
	return &CounterRows{Tx: tx, client: client, queries: queries, changed: changed}
}

// Nodes implements [counter.Rows].
func (r *CounterRows) Nodes(ctx context.Context, s counter.Scope, level int, buckets evm.Range) (nodes []counter.Node, err error) {
	list := r.Builder().Select(entcounter.Columns...).From(r.Builder().Table(entcounter.Table)).
		Where(entsql.And(entsql.GTE(entcounter.FieldID, counter.Key(s, level, buckets.From)), entsql.LTE(entcounter.FieldID, counter.Key(s, level, buckets.To)))).
		OrderBy(entcounter.FieldID)
	err = r.Query(ctx, list, func(row *database.Row) error {
		_, _, bucket, _ := counter.ParseKey(row.Bytes())
		nodes = append(nodes, counter.Node{Level: level, Bucket: bucket, Tally: storedTally(row)})
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

// Number implements [counter.Rows].
func (r *CounterRows) Number(ctx context.Context, s counter.Scope, most int64) (int64, error) {
	of := query.Within(evm.Range{To: counter.LastBlock})
	of.Limit = int(most)
	return tables.Number(ctx, r, query.OfScope(s).Counting(r.queries, of))
}

// Save implements [counter.Rows].
func (r *CounterRows) Save(ctx context.Context, changes []counter.Change) error {
	var empty [][]byte
	for _, c := range changes {
		if c.N == 0 {
			empty = append(empty, counter.Key(c.Scope, c.Level, c.Bucket))
		}
	}
	if len(empty) > 0 {
		if _, err := r.client.Counter.Delete().Where(entcounter.IDIn(empty...)).Exec(ctx); err != nil {
			return fmt.Errorf("removing counters: %w", err)
		}
	}
	for _, c := range changes {
		if c.N == 0 {
			continue
		}
		row := ent.Counter{ID: counter.Key(c.Scope, c.Level, c.Bucket), N: c.N}
		if !c.Single() {
			row.Amount = c.Amount.Bytes()
		}
		if err := r.changed.Add(ctx, &row); err != nil {
			return err
		}
	}
	return r.changed.Flush(ctx)
}

// CountBlocks implements [counter.Rows].
func (r *CounterRows) CountBlocks(ctx context.Context, s counter.Scope, blocks evm.Range, most int64) (counts []counter.Count, err error) {
	of := query.Within(blocks)
	of.Limit, of.Columns = int(most), []string{mint.FieldID}
	if !r.Single {
		of.Columns = append(of.Columns, mint.FieldAmount)
	}
	few := query.OfScope(s).Selector(r.queries, of).As("few")
	list := r.Builder().Select().AppendSelectExpr(entsql.Raw(fmt.Sprintf("%s >> %d AS block", few.C(mint.FieldID), tables.SlotBits)))
	groups := []string{"block"}
	if !r.Single {
		list.AppendSelect(few.C(mint.FieldAmount))
		groups = append(groups, few.C(mint.FieldAmount))
	}
	list.AppendSelect(entsql.Count("*")).From(few).GroupBy(groups...).OrderBy("block")
	err = r.Query(ctx, list, func(row *database.Row) error {
		block, read := row.Unsigned(math.MaxInt64), tables.SameAmounts
		if r.Single {
			read = func(row *database.Row) counter.Tally { return counter.Ones(row.Int64()) }
		}
		tally := read(row)
		if last := len(counts) - 1; last >= 0 && counts[last].Block == block {
			counts[last].Tally = counts[last].Plus(tally)
		} else {
			counts = append(counts, counter.Count{Block: block, Tally: tally})
		}
		return row.Err()
	})
	return counts, database.Wrap(err, "counting records")
}

// Tree returns the counters of a scope. In a shadow, [counter.Trees.Rebuild] derives them.
func Tree(tx *database.Tx, s counter.Scope) Table {
	of := func(name string) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.WriteString("SELECT " + strings.Join(entcounter.Columns, ", ") + " FROM " + name)
			b.WriteString(" WHERE id >= ").Arg(counter.Key(s, 0, 0)).WriteString(" AND id <= ").Arg(counter.Key(s, counter.Levels-1, math.MaxUint64))
		})
	}
	return Table{Name: entcounter.Table, Key: 1, Columns: entcounter.Columns, selected: entcounter.Columns, rows: [2]entsql.Querier{of(tx.Stored(entcounter.Table)), of(entcounter.Table)}}
}
