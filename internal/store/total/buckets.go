package total

import (
	"cmp"
	"context"
	"slices"

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

// walkedEach is how many records, for each range, take less time to read one after the other than
// the range takes in a counter tree: in SQLite a record takes 0.2 µs and a range 3, in PostgreSQL
// 0.5 and 10.
const walkedEach = 8

// Buckets returns the tallies of ranges of blocks, which are in order and do not overlap. Without a
// counter tree, or with one of few records, it reads all records once, otherwise each level of the
// tree with one statement. ends sets the positions of the first and the last record.
func Buckets(ctx context.Context, s *read.Snapshot, q *query.Query, ranges []evm.Range, ends bool) ([]Bucket, error) {
	list := make([]Bucket, len(ranges))
	if len(ranges) == 0 {
		return list, nil
	}
	if q.Counted == nil {
		return list, walk(ctx, s, q, ranges, list)
	}
	cuts := counter.NewCuts(ranges)
	for first := true; len(cuts.Parts()) > 0; first = false {
		sums, err := sumsOf(ctx, s, q.Counted.Scope(), cuts.Parts())
		switch {
		case err != nil:
			return nil, err
		case first && sums[0] <= int64(walkedEach*len(ranges)):
			return list, walk(ctx, s, q, ranges, list)
		}
		cuts.Add(sums)
	}
	for i, n := range cuts.N {
		list[i].N = n
	}
	counts, err := countPieces(ctx, s, q, cuts.Uncounted)
	for i, n := range counts {
		list[cuts.Uncounted[i].Range].N += n
	}
	if err == nil && ends {
		err = findEnds(ctx, s, q, ranges, list)
	}
	return list, err
}

// walk reads the position of each record in the ranges, and adds it to its tally.
func walk(ctx context.Context, s *read.Snapshot, q *query.Query, ranges []evm.Range, list []Bucket) error {
	of := query.Within(evm.Range{From: ranges[0].From, To: ranges[len(ranges)-1].To})
	of.Lo, of.Hi, of.Columns = max(of.Lo, q.Lo), min(of.Hi, q.Hi), []string{mint.FieldID}
	text, args := s.StatementOf(q, "positions", of)
	_, err := s.Run(ctx, database.Statement{Text: text, Args: args, Read: func(row *database.Row) error {
		id := row.Int64()
		block := tables.BlockOf(id)
		i, _ := slices.BinarySearchFunc(ranges, block, func(r evm.Range, block uint64) int { return cmp.Compare(r.To, block) })
		if i < len(ranges) && ranges[i].From <= block {
			b := &list[i]
			if b.N++; b.N == 1 {
				b.First, b.Last = id, id
			}
			b.First, b.Last = min(b.First, id), max(b.Last, id)
		}
		return row.Err()
	}})
	return database.Wrap(err, "reading records")
}

// sumsOf returns the numbers of records of any number of parts, in their order, with one statement.
func sumsOf(ctx context.Context, s *read.Snapshot, scope counter.Scope, parts []counter.Part) ([]int64, error) {
	var low, high [][]byte
	for _, p := range parts {
		low, high = append(low, counter.Key(scope, p.Level, p.Buckets.From)), append(high, counter.Key(scope, p.Level, p.Buckets.To))
	}
	table, dialect, sums := query.Arrays{low, high}, s.DB.Database.Dialect(), make([]int64, 0, len(parts))
	_, err := s.Cached(ctx, query.Key{Name: "sums of parts"}, func(*ent.Client) entsql.Querier {
		return table.Select(dialect, "parts(low, high)", func(b *entsql.Builder) { b.WriteString(sumOf(nodes) + " FROM parts") })
	}, table.Args(dialect), func(row *database.Row) error {
		sums = append(sums, row.Int64())
		return row.Err()
	})
	return sums, database.Wrap(err, "reading counters")
}

// pieceBounds bounds a selection by the columns lo and hi of each row of a table k.
func pieceBounds(of query.Selection) query.Selection {
	of.Lo, of.Hi, of.Low, of.High = 1, tables.MaxPosition-1, "k.lo", "k.hi"
	return of
}

// countPieces counts the records of each piece, which are few, with one statement.
func countPieces(ctx context.Context, s *read.Snapshot, q *query.Query, pieces []counter.Piece) (counts []int64, err error) {
	if len(pieces) == 0 {
		return nil, nil
	}
	var lo, hi []int64
	for _, p := range pieces {
		lo, hi = append(lo, max(q.Lo, tables.FirstIn(p.Blocks.From))), append(hi, min(q.Hi, tables.LastIn(min(p.Blocks.To, tables.MaxBlock))))
	}
	of := pieceBounds(query.Selection{Limit: counter.LeafSize})
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
