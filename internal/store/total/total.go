package total

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// counterReader reads counters and records of a snapshot.
type counterReader struct {
	tables.CounterNodes
	snapshot *read.Snapshot
}

var _ counter.Reader = counterReader{}

// NewReader returns a reader of counters in a snapshot, for [counter.Compare].
func NewReader(s *read.Snapshot) counterReader {
	return counterReader{tables.CounterNodes{Querier: s.Tx}, s}
}

// CountEach implements [counter.Reader], in one round trip.
func (r counterReader) CountEach(ctx context.Context, s counter.Scope, blocks []evm.Range) ([]counter.Tally, error) {
	q, tallies, batch := query.OfScope(s), make([]counter.Tally, len(blocks)), make([]database.Statement, len(blocks))
	for i := range blocks {
		of := query.Within(blocks[i])
		of.Columns = []string{mint.FieldAmount}
		batch[i] = database.Statement{
			Text: r.snapshot.DB.Statement(q.Key("amounts", of), func(client *ent.Client) entsql.Querier { return tables.ByAmount(q.Selector(client, of)) }),
			Args: q.Args(r.snapshot.DB.Database.Dialect(), of),
			Read: func(row *database.Row) error {
				tallies[i] = tallies[i].Plus(tables.SameAmounts(row))
				return row.Err()
			},
		}
	}
	return tallies, database.Wrap(r.snapshot.Tx.RunAll(ctx, batch...), "counting records")
}

// Of counts the records of a query in its range, with its counter tree if it has one.
func Of(ctx context.Context, s *read.Snapshot, q *query.Query) (int64, error) {
	blocks := q.Blocks()
	if q.Counted == nil {
		return Count(ctx, s, q, blocks, false)
	}
	stored, err := partSums(ctx, s, q.Counted.Scope(), counter.Parts(blocks))
	if err != nil {
		return 0, err
	}
	summed, uncounted, found := counter.Total(blocks, stored)
	if !found {
		uncounted = []evm.Range{blocks}
	}
	counts := make([]int64, len(uncounted))
	err = s.Tx.Together(ctx, len(uncounted), func(ctx context.Context, i int) (err error) {
		counts[i], err = Count(ctx, s, q, uncounted[i], found)
		return err
	})
	total := summed.N
	for _, n := range counts {
		total += n
	}
	return total, err
}

// partSums returns the number of records of each part, with one statement.
func partSums(ctx context.Context, s *read.Snapshot, scope counter.Scope, parts []counter.Part) (map[counter.Part]counter.Sum, error) {
	args := partArgs(parts, []byte(scope))
	text := s.DB.Statement(query.Key{Name: "sums", Limit: len(parts)}, func(*ent.Client) entsql.Querier { return selectSums(s.DB.Database.Dialect(), args) })
	found := make(map[counter.Part]counter.Sum, len(parts))
	err := s.Tx.Run(ctx, text, args, func(row *database.Row) error {
		i, sum := row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			found[parts[i]] = sumOf(sum)
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectSums builds the statement of partSums, which reads one range of the counters'
// index for each part.
func selectSums(dialect string, args []any) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(dialect)
		b.WriteString("SELECT i, ")
		writeSum(b, func(b *entsql.Builder) { b.Arg(args[0]) })
		b.WriteString(" FROM ")
		writeParts(b, args[1:])
	})
}

// writeSum writes the sum of a part's nodes of a scope, encoded in one number: twice the
// sum, plus one if a node is split. It is 0 if there are no nodes.
func writeSum(b *entsql.Builder, scope func(*entsql.Builder)) {
	n, split := entcounter.FieldN, entcounter.FieldSplit
	b.WriteString("(SELECT COALESCE(CAST(SUM(" + n + ") * 2 + MAX(CAST(" + split + " AS int)) AS bigint), 0) FROM " + entcounter.Table)
	b.WriteString(" WHERE " + entcounter.FieldScope + " = ")
	scope(b)
	b.WriteString(" AND " + entcounter.FieldLevel + " = at AND " + entcounter.FieldBucket + " BETWEEN low AND high)")
}

// sumOf decodes the value of writeSum's expression. The result has no amount.
func sumOf(sum int64) counter.Sum {
	return counter.Sum{Tally: counter.Tally{N: sum / 2}, Split: sum%2 == 1}
}

// partArgs returns others, followed by the arguments of writeParts.
func partArgs(parts []counter.Part, others ...any) []any {
	args := append(make([]any, 0, len(others)+4*len(parts)), others...)
	for i, p := range parts {
		args = append(args, i, p.Level, p.Buckets.From, p.Buckets.To)
	}
	return args
}

// writeParts writes a table of parts, row by row.
func writeParts(b *entsql.Builder, args []any) {
	b.WriteString("(SELECT ")
	columns := [...]string{"i", "at", "low", "high"}
	for i, value := range args {
		switch column := i % len(columns); {
		case column > 0:
			b.Comma()
		case i > 0:
			b.WriteString(" UNION ALL SELECT ")
		}
		b.WriteString("CAST(").Arg(value).WriteString(" AS bigint) AS " + columns[i%len(columns)])
	}
	b.WriteString(") AS parts")
}

// Count counts records on the index of the query's filter. few means that there are at most
// [counter.LeafSize] records.
func Count(ctx context.Context, s *read.Snapshot, q *query.Query, r evm.Range, few bool) (n int64, err error) {
	of := query.Selection{Lo: max(q.Lo, tables.FirstIn(r.From)), Hi: min(q.Hi, tables.LastIn(r.To))}
	if few {
		// The limit tells the planner that the range contains few of the records.
		of.Limit = counter.LeafSize
	}
	_, err = s.Last(ctx, q.Key("count", of), func(client *ent.Client) entsql.Querier {
		return q.Counting(client, of)
	}, q.Args(s.DB.Database.Dialect(), of), func(row *database.Row) error { return row.Values(&n) })
	return n, err
}
