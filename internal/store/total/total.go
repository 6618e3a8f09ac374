package total

import (
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

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
func partSums(ctx context.Context, s *read.Snapshot, scope counter.Scope, parts []counter.Part) (map[counter.Part]counter.Tally, error) {
	args := partArgs(scope, parts)
	text := s.DB.Statement(query.Key{Name: "sums", Limit: len(parts)}, func(*ent.Client) entsql.Querier { return selectSums(s.DB.Database.Dialect(), args) })
	found := make(map[counter.Part]counter.Tally, len(parts))
	err := s.Tx.Run(ctx, text, args, func(row *database.Row) error {
		i, sum := row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			found[parts[i]] = counter.Tally{N: sum}
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}

// selectSums builds the statement of partSums, which reads one range of counters for each part.
func selectSums(dialect string, args []any) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(dialect)
		b.WriteString("SELECT i, " + sumOf(nodes) + " FROM ")
		writeParts(b, args)
	})
}

// nodes are the counters of a part, a row of [writeParts].
const nodes = entcounter.Table + " WHERE " + entcounter.FieldID + " BETWEEN low AND high"

// nodesOfEach are the counters of a part of a scope k.b.
func nodesOfEach(name string) string {
	key := func(end string) string { return "CAST(k.b || " + end + " AS " + bytesType(name) + ")" }
	return entcounter.Table + " WHERE " + entcounter.FieldID + " BETWEEN " + key("low") + " AND " + key("high")
}

// sumOf is the number of records of some nodes.
func sumOf(nodes string) string {
	return "(SELECT COALESCE(CAST(SUM(" + entcounter.FieldN + ") AS bigint), 0) FROM " + nodes + ")"
}

// partArgs returns the arguments of writeParts, for one scope or, if that is empty, for any.
func partArgs(scope counter.Scope, parts []counter.Part) []any {
	args := make([]any, 0, 3*len(parts))
	for i, p := range parts {
		args = append(args, i, counter.Key(scope, p.Level, p.Buckets.From), counter.Key(scope, p.Level, p.Buckets.To))
	}
	return args
}

// bytesType returns the name of the type of byte columns.
func bytesType(name string) string {
	if name == dialect.Postgres {
		return "bytea"
	}
	return "blob"
}

// writeParts writes a table of parts with the keys of their first and last nodes, row by row.
func writeParts(b *entsql.Builder, args []any) {
	b.WriteString("(SELECT ")
	bytes := bytesType(b.Dialect())
	columns := [...][2]string{{"bigint", "i"}, {bytes, "low"}, {bytes, "high"}}
	for i, value := range args {
		column := columns[i%len(columns)]
		switch {
		case i%len(columns) > 0:
			b.Comma()
		case i > 0:
			b.WriteString(" UNION ALL SELECT ")
		}
		b.WriteString("CAST(").Arg(value).WriteString(" AS " + column[0] + ") AS " + column[1])
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
