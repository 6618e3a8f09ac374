package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// querier runs statements of ent's builder: a snapshot or a writing transaction.
type querier interface {
	Builder() *entsql.DialectBuilder
	Query(ctx context.Context, statement entsql.Querier, read func(*database.Row) error) error
}

// number runs a statement whose result is one number.
func number(ctx context.Context, from querier, statement entsql.Querier) (n int64, err error) {
	err = from.Query(ctx, statement, func(row *database.Row) error { return row.Values(&n) })
	return n, database.Wrap(err, "counting records")
}

// readNodes reads stored nodes as [counter.Rows] wants them.
func readNodes(ctx context.Context, from querier, s counter.Scope, level int, buckets evm.Range) (nodes []counter.Node, err error) {
	list := from.Builder().Select(entcounter.FieldBucket, entcounter.FieldN, entcounter.FieldSplit).From(from.Builder().Table(entcounter.Table)).Where(entsql.And(
		entsql.EQ(entcounter.FieldScope, []byte(s)), entsql.EQ(entcounter.FieldLevel, level),
		entsql.GTE(entcounter.FieldBucket, buckets.From), entsql.LTE(entcounter.FieldBucket, buckets.To),
	)).OrderBy(entcounter.FieldBucket)
	err = from.Query(ctx, list, func(row *database.Row) error {
		n := counter.Node{Level: level}
		err := row.Values(&n.Bucket, &n.N, &n.Split)
		nodes = append(nodes, n)
		return err
	})
	return nodes, database.Wrap(err, "reading counters")
}

// counterRows are the counters and records of a writing transaction.
type counterRows struct {
	tx      *database.Tx
	queries *ent.Client
	changed *database.Inserter
}

var _ counter.Rows = counterRows{}

func newCounterRows(tx *database.Tx, queries *ent.Client) counterRows {
	changed := tx.Inserter(entcounter.Table, database.GeneratedID(entcounter.Columns))
	changed.Conflict = []entsql.ConflictOption{
		entsql.ConflictColumns(entcounter.FieldScope, entcounter.FieldLevel, entcounter.FieldBucket),
		entsql.ResolveWith(func(u *entsql.UpdateSet) { u.SetExcluded(entcounter.FieldN).SetExcluded(entcounter.FieldSplit) }),
	}
	return counterRows{tx, queries, changed}
}

// Nodes implements [counter.Rows].
func (r counterRows) Nodes(ctx context.Context, s counter.Scope, level int, buckets evm.Range) ([]counter.Node, error) {
	return readNodes(ctx, r.tx, s, level, buckets)
}

// Save implements [counter.Rows].
func (r counterRows) Save(ctx context.Context, changes []counter.Change) error {
	for _, c := range changes {
		row := ent.Counter{Scope: c.Scope, Level: int8(c.Level), Bucket: int64(c.Bucket), N: c.N, Split: c.Split}
		if err := r.changed.Add(ctx, &row); err != nil {
			return err
		}
	}
	return r.changed.Flush(ctx)
}

// Count implements [counter.Rows].
func (r counterRows) Count(ctx context.Context, s counter.Scope, blocks evm.Range, most int64) (int64, error) {
	of := within(blocks)
	of.limit = int(most)
	return number(ctx, r.tx, scopeQuery(s).counting(r.queries, of))
}

// CountBuckets implements [counter.Rows].
func (r counterRows) CountBuckets(ctx context.Context, s counter.Scope, blocks evm.Range, shift uint, most int64) (counts []counter.Count, err error) {
	of := within(blocks)
	of.limit, of.columns = int(most), []string{mint.FieldID}
	few := scopeQuery(s).selector(r.queries, of).As("few")
	bucket := fmt.Sprintf("%s >> %d AS bucket", few.C(mint.FieldID), tables.SlotBits+shift)
	err = r.tx.Query(ctx, r.tx.Builder().Select().AppendSelectExpr(entsql.Raw(bucket)).AppendSelect(entsql.Count("*")).From(few).
		GroupBy("bucket").OrderBy("bucket"), func(row *database.Row) error {
		var c counter.Count
		err := row.Values(&c.Bucket, &c.N)
		counts = append(counts, c)
		return err
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
	return selection{lo: tables.FirstIn(r.From), hi: tables.LastIn(min(r.To, MaxBlock))}
}

// total counts the records of a query in its range: by its tree, if it has one.
func (s *Snapshot) total(ctx context.Context, q *query) (int64, error) {
	blocks := evm.Range{From: tables.BlockOf(q.lo), To: tables.BlockOf(q.hi)}
	if q.hi == tables.MaxPosition {
		blocks.To = counter.LastBlock
	}
	if q.counted == nil {
		return s.count(ctx, q, blocks, false)
	}
	scope := q.counted.Scope()
	total, uncounted, found, err := counter.Total(ctx, blocks, func(ctx context.Context, parts []counter.Part) (map[counter.Part]counter.Sum, error) {
		return s.sums(ctx, scope, parts)
	})
	if err == nil && !found {
		uncounted = []evm.Range{blocks}
	}
	for _, r := range uncounted {
		n, err := s.count(ctx, q, r, found)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, err
}

// sums reads the sums of parts, with one statement.
func (s *Snapshot) sums(ctx context.Context, scope counter.Scope, parts []counter.Part) (map[counter.Part]counter.Sum, error) {
	args := append(make([]any, 0, 1+4*len(parts)), []byte(scope))
	for i, p := range parts {
		args = append(args, i, p.Level, p.Buckets.From, p.Buckets.To)
	}
	text := s.store.statement(statementKey{name: "sums", limit: len(parts)}, func(*ent.Client) entsql.Querier { return selectSums(s.store.db.Dialect(), args) })
	found := make(map[counter.Part]counter.Sum, len(parts))
	err := s.db.Run(ctx, text, args, func(row *database.Row) error {
		i, sum := row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			found[parts[i]] = counter.Sum{N: sum / 2, Split: sum%2 == 1}
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectSums builds the statement of sums: for each part one range of the
// counters' index. It gives twice the sum, and one more if a node is split, so
// that one look-up is enough; 0 where there is nothing.
func selectSums(dialect string, args []any) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(dialect)
		n, split := entcounter.FieldN, entcounter.FieldSplit
		b.WriteString("SELECT i, (SELECT COALESCE(CAST(SUM(" + n + ") * 2 + MAX(CAST(" + split + " AS int)) AS bigint), 0) FROM " + entcounter.Table)
		b.WriteString(" WHERE " + entcounter.FieldScope + " = ").Arg(args[0])
		b.WriteString(" AND " + entcounter.FieldLevel + " = at AND " + entcounter.FieldBucket + " BETWEEN low AND high) FROM ")
		writeIntegers(b, "parts", args[1:], "i", "at", "low", "high")
	})
}

// writeIntegers writes a table of integers with these columns, row by row.
func writeIntegers(b *entsql.Builder, table string, values []any, columns ...string) {
	b.WriteString("(SELECT ")
	for i := 0; i < len(values); i += len(columns) {
		if i > 0 {
			b.WriteString(" UNION ALL SELECT ")
		}
		for j, name := range columns {
			if j > 0 {
				b.Comma()
			}
			b.WriteString("CAST(").Arg(values[i+j]).WriteString(" AS bigint) AS " + name)
		}
	}
	b.WriteString(") AS " + table)
}

// count counts records on the index of the query's filter; few says that there
// are at most [counter.LeafSize] of them.
func (s *Snapshot) count(ctx context.Context, q *query, r evm.Range, few bool) (n int64, err error) {
	of := selection{lo: max(q.lo, tables.FirstIn(r.From)), hi: min(q.hi, tables.LastIn(r.To))}
	if few {
		// The limit tells the planner that few records of many are meant.
		of.limit = counter.LeafSize
	}
	_, err = s.cached(ctx, q.key("count", of), func(client *ent.Client) entsql.Querier {
		return q.counting(client, of)
	}, q.args(s.store.db.Dialect(), of), func(row *database.Row) error { return row.Values(&n) })
	return n, err
}

// counterReader reads counters and records of a snapshot.
type counterReader struct{ *Snapshot }

var _ counter.Reader = counterReader{}

// Nodes implements [counter.Reader].
func (r counterReader) Nodes(ctx context.Context, s counter.Scope, level int, buckets evm.Range) ([]counter.Node, error) {
	return readNodes(ctx, r.db, s, level, buckets)
}

// CountEach implements [counter.Reader], with one statement.
func (r counterReader) CountEach(ctx context.Context, s counter.Scope, blocks []evm.Range) ([]int64, error) {
	q := scopeQuery(s)
	args := q.args(r.store.db.Dialect(), selection{hi: tables.MaxPosition})
	equalities := len(args)
	for i := range counter.CellsAtOnce {
		of := selection{lo: 1, hi: 0}
		if i < len(blocks) {
			of = within(blocks[i])
		}
		args = append(args, i, of.lo, of.hi)
	}
	text := r.store.statement(q.key("count cells", selection{}), func(*ent.Client) entsql.Querier {
		return selectCells(r.db.Builder(), r.store.db.Dialect(), q, args[equalities:])
	})
	counts := make([]int64, counter.CellsAtOnce)
	err := r.db.Run(ctx, text, args, func(row *database.Row) error {
		i, n := row.Unsigned(counter.CellsAtOnce-1), row.Int64()
		if row.Err() == nil {
			counts[i] = n
		}
		return row.Err()
	})
	return counts[:len(blocks)], database.Wrap(err, "counting records")
}

// selectCells builds the statement of CountEach: for each cell, a range of the
// index of the query's filter.
func selectCells(builder *entsql.DialectBuilder, name string, q *query, cells []any) entsql.Querier {
	records := builder.Table(q.table())
	count := builder.Select(entsql.Count("*")).From(records)
	q.where(selection{hi: tables.MaxPosition})(count)
	key := records.C(mint.FieldID)
	count.Where(q.likely(func(b *entsql.Builder) { b.WriteString(key).WriteOp(entsql.OpGTE).WriteString("low") })).
		Where(q.likely(func(b *entsql.Builder) { b.WriteString(key).WriteOp(entsql.OpLTE).WriteString("high") }))
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(name)
		b.WriteString("SELECT i, ").Wrap(func(b *entsql.Builder) { b.Join(count) }).WriteString(" FROM ")
		writeIntegers(b, "cells", cells, "i", "low", "high")
	})
}
