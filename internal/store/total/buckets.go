package total

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Bucket is the number of records that a query selects in a range, and the positions
// of the first and the last one.
type Bucket struct{ N, First, Last int64 }

// Buckets returns the tallies of ranges of blocks, in order. If the query has a
// counter tree, one statement reads a level of it for all ranges.
func Buckets(ctx context.Context, s *read.Snapshot, q *query.Query, ranges []evm.Range) ([]Bucket, error) {
	list := make([]Bucket, len(ranges))
	count := func(pieces []counter.Piece, limit int) error {
		counts, err := countPieces(ctx, s, q, pieces, limit)
		for i, n := range counts {
			list[pieces[i].Range].N += n
		}
		return err
	}
	cuts, found, err := walkTree(ctx, s, q, ranges)
	switch {
	case err != nil:
		return nil, err
	case found:
		for i, n := range cuts.N {
			list[i].N = n
		}
		err = count(cuts.Uncounted, counter.LeafSize)
	default:
		pieces := make([]counter.Piece, len(ranges))
		for i, r := range ranges {
			pieces[i] = counter.Piece{Range: i, Blocks: r}
		}
		err = count(pieces, 0)
	}
	if err != nil {
		return nil, err
	}
	return list, findEnds(ctx, s, q, ranges, list)
}

// walkTree counts the records of ranges with the query's counter tree. It returns false if
// there is no tree.
func walkTree(ctx context.Context, s *read.Snapshot, q *query.Query, ranges []evm.Range) (cuts *counter.Cuts, found bool, err error) {
	if q.Counted == nil {
		return nil, false, nil
	}
	scope := q.Counted.Scope()
	for cuts = counter.NewCuts(ranges); len(cuts.Parts()) > 0; {
		sums, err := sumsOf(ctx, s, scope, cuts.Parts())
		if err != nil {
			return nil, false, err
		}
		if !found && sums[0] == (counter.Sum{}) {
			return nil, false, nil
		}
		found = true
		cuts.Add(sums)
	}
	return cuts, found, nil
}

// sumsOf returns the sums of any number of parts, in their order, with one statement.
func sumsOf(ctx context.Context, s *read.Snapshot, scope counter.Scope, parts []counter.Part) ([]counter.Sum, error) {
	var at, low, high []int64
	for _, p := range parts {
		at, low, high = append(at, int64(p.Level)), append(low, int64(p.Buckets.From)), append(high, int64(p.Buckets.To))
	}
	table, dialect, sums := query.Arrays{at, low, high}, s.DB.Database.Dialect(), make([]counter.Sum, 0, len(parts))
	_, err := s.Cached(ctx, query.Key{Name: "sums of parts"}, func(*ent.Client) entsql.Querier {
		return table.Select(dialect, "parts(at, low, high)", func(b *entsql.Builder) {
			writeSum(b, func(b *entsql.Builder) { b.Arg([]byte(scope)) })
			b.WriteString(" FROM parts")
		})
	}, append(table.Args(dialect), []byte(scope)), func(row *database.Row) error {
		sums = append(sums, sumOf(row.Int64()))
		return row.Err()
	})
	return sums, database.Wrap(err, "reading counters")
}

// pieceBounds bounds a selection by the columns lo and hi of each row of a table k.
func pieceBounds(of query.Selection) query.Selection {
	of.Lo, of.Hi, of.Low, of.High = 1, tables.MaxPosition-1, "k.lo", "k.hi"
	return of
}

// countPieces counts the records of each piece with one statement. See
// countEach for limit.
func countPieces(ctx context.Context, s *read.Snapshot, q *query.Query, pieces []counter.Piece, limit int) (counts []int64, err error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	var lo, hi []int64
	for _, p := range pieces {
		lo, hi = append(lo, max(q.Lo, tables.FirstIn(p.Blocks.From))), append(hi, min(q.Hi, tables.LastIn(min(p.Blocks.To, tables.MaxBlock))))
	}
	of := pieceBounds(query.Selection{Limit: limit})
	counts, err = countRows(ctx, s, q, of, q.Key("counts", of), "k(lo, hi)", query.Arrays{lo, hi}, false)
	return counts, database.Wrap(err, "counting records")
}

// findEnds sets the first and the last position of each tally that has records.
func findEnds(ctx context.Context, s *read.Snapshot, q *query.Query, ranges []evm.Range, list []Bucket) error {
	var lo, hi []int64
	var of []*Bucket
	for i := range list {
		if list[i].N > 0 {
			lo, hi = append(lo, max(q.Lo, tables.FirstIn(ranges[i].From))), append(hi, min(q.Hi, tables.LastIn(min(ranges[i].To, tables.MaxBlock))))
			of = append(of, &list[i])
		}
	}
	if len(of) == 0 {
		return nil
	}
	first := pieceBounds(query.Selection{Limit: 1, Columns: []string{mint.FieldID}})
	last := first
	last.FromHigh = true
	table, dialect := query.Arrays{lo, hi}, s.DB.Database.Dialect()
	args := append(append(table.Args(dialect), q.Args(dialect, first)...), q.Args(dialect, last)...)
	i := 0
	_, err := s.Cached(ctx, q.Key("ends", first), func(client *ent.Client) entsql.Querier {
		return table.Select(dialect, "k(lo, hi)", func(b *entsql.Builder) {
			one := func(of query.Selection) {
				b.Wrap(func(b *entsql.Builder) {
					b.WriteString("SELECT one.id FROM ").Wrap(func(b *entsql.Builder) { b.Join(q.Selector(client, of)) }).WriteString(" AS one")
				})
			}
			one(first)
			b.Comma()
			one(last)
			b.WriteString(" FROM k")
		})
	}, args, func(row *database.Row) error {
		of[i].First, of[i].Last = row.Int64(), row.Int64()
		i++
		return row.Err()
	})
	return database.Wrap(err, "reading records")
}
