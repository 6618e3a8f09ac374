package total

import (
	"context"

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

// pieces are values of a list, each with a range of positions.
type pieces struct {
	query.List
	lo, hi []int64
}

// add adds a piece: value i, and the part of a range of blocks in the query's range.
func (p *pieces) add(q *query.Query, i int, blocks evm.Range) {
	p.List.Add(q.List.N[i], q.List.B[i])
	p.lo = append(p.lo, max(q.Lo, tables.FirstIn(blocks.From)))
	p.hi = append(p.hi, min(q.Hi, tables.LastIn(blocks.To)))
}

// OfList is [Of] for a list. It sums the totals of the values, because no
// two values select the same record.
func OfList(ctx context.Context, s *read.Snapshot, q *query.Query) (total int64, err error) {
	blocks := q.Blocks()
	// Each range that a tree does not count contains few records. Values without a tree may
	// have more.
	var few, others pieces
	if q.List.Scopes == nil {
		for i := range q.List.N {
			others.add(q, i, blocks)
		}
	} else {
		stored, err := sumsOfEach(ctx, s, q.List.Scopes, counter.Parts(blocks))
		if err != nil {
			return 0, err
		}
		for i := range stored {
			summed, uncounted, found := counter.Total(blocks, stored[i])
			total += summed.N
			if !found {
				others.add(q, i, blocks)
			}
			for _, r := range uncounted {
				few.add(q, i, r)
			}
		}
	}
	counts := make([][]int64, 2)
	err = s.Tx.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			counts[i], err = countEach(ctx, s, q, &few, counter.LeafSize)
		} else {
			counts[i], err = countEach(ctx, s, q, &others, 0)
		}
		return err
	})
	for _, list := range counts {
		for _, n := range list {
			total += n
		}
	}
	return total, err
}

// FoundAll reports whether each value of a list has a record in the query's range.
func FoundAll(ctx context.Context, s *read.Snapshot, q *query.Query) (bool, error) {
	var all pieces
	for i := range q.List.N {
		all.add(q, i, q.Blocks())
	}
	counts, err := countEach(ctx, s, q, &all, 1)
	for _, n := range counts {
		if n == 0 {
			return false, err
		}
	}
	return err == nil, err
}

// countEach counts the records of each piece, with one statement. A limit other than 0 caps
// the count of each piece. It tells the planner that a piece contains few of the records.
func countEach(ctx context.Context, s *read.Snapshot, q *query.Query, p *pieces, limit int) (counts []int64, err error) {
	if len(p.N) == 0 {
		return nil, nil
	}
	of := query.Selection{Low: "k.lo", High: "k.hi", Limit: limit}
	return countRows(ctx, s, q, of, q.Key("count", of), "k(n, b, lo, hi)", query.Arrays{p.N, p.B, p.lo, p.hi}, true)
}

// countRows counts the records of a selection for each row of a table. last means that
// it is the last statement of the reader.
func countRows(ctx context.Context, s *read.Snapshot, q *query.Query, of query.Selection, key query.Key, name string, table query.Arrays, last bool) (counts []int64, err error) {
	dialect := s.DB.Database.Dialect()
	text := s.DB.Statement(key, func(client *ent.Client) entsql.Querier {
		return table.Select(dialect, name, func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { b.Join(q.Counting(client, of)) }).WriteString(" FROM k")
		})
	})
	args := append(table.Args(dialect), q.Args(dialect, of)...)
	err = s.Tx.RunAll(ctx, database.Statement{Text: text, Args: args, Last: last, Read: func(row *database.Row) error {
		counts = append(counts, row.Int64())
		return row.Err()
	}})
	return counts, err
}

// sumsOfEach is partSums of several scopes, with one statement.
func sumsOfEach(ctx context.Context, s *read.Snapshot, scopes [][]byte, parts []counter.Part) ([]map[counter.Part]counter.Tally, error) {
	found := make([]map[counter.Part]counter.Tally, len(scopes))
	table, dialect := query.Arrays{scopes, query.RowNumber{}}, s.DB.Database.Dialect()
	bounds := partArgs(nil, parts)
	text := s.DB.Statement(query.Key{Name: "sums of a list", Limit: len(parts)}, func(*ent.Client) entsql.Querier {
		return table.Select(dialect, "k(b, n)", func(b *entsql.Builder) {
			b.WriteString("k.n, i, " + sumOf(nodesOfEach(dialect)) + " FROM k CROSS JOIN ")
			writeParts(b, bounds)
			// Most values have no tree. The first part is the root.
			b.WriteString(" WHERE EXISTS (SELECT 1 FROM " + entcounter.Table + " WHERE " + entcounter.FieldID + " = CAST(k.b || ").
				Arg(bounds[1]).WriteString(" AS " + bytesType(dialect) + "))")
		})
	})
	args := append(append(table.Args(dialect), bounds...), bounds[1])
	err := s.Tx.Run(ctx, text, args, func(row *database.Row) error {
		n, i, sum := row.Unsigned(uint64(len(scopes)))-1, row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			if found[n] == nil {
				found[n] = map[counter.Part]counter.Tally{}
			}
			found[n][parts[i]] = counter.Tally{N: sum}
		}
		return row.Err()
	})
	return found, database.Wrap(err, "reading counters")
}
