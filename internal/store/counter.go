package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/counter"
	"mintburn/internal/database"
)

// Totals come from counters. Each filter that may select many records is a
// scope: all records of a kind, those of a collection, an account, an account
// in a collection, a token. A scope of at most leafSize records or so has no
// counters: its total is counted on the scope's index. A larger one has a tree
// over the block numbers:
//
//   - level 0 is the root and holds all; a node of level l holds the blocks
//     whose number >> levelShifts[l] is its bucket; level 5 is single blocks;
//   - a node of more than leafSize records is split: the level below has a
//     node for each of its parts that holds any record.
//
// A range's total is the sum of the nodes inside it, and, at each end, a count
// of at most leafSize records in a node that is not split. The ends of a range
// are block numbers, so a node of one block is never cut.
//
// Additions and removals commute, so that backfill, rollback and repeated
// imports in any order leave the same counts. Which nodes are split depends on
// the order, the totals do not.

// leafSize is the number of records above which a node is split. It bounds
// what a total counts at each end of its range.
const leafSize = 512

// levelShifts are the block number bits below each level.
var levelShifts = [...]uint{33, 24, 18, 12, 6, 0}

// node is a counter.
type node struct {
	level  int
	bucket uint64
	n      int64
	split  bool
}

// span returns the blocks of a node.
func (n node) span() Range {
	shift := levelShifts[n.level]
	return Range{From: n.bucket << shift, To: (n.bucket+1)<<shift - 1}
}

// Total returns the exact number of records that the page's filter selects,
// over all pages.
func (p *Page) Total(ctx context.Context) (int64, error) {
	q := p.query
	if q.lo > q.hi {
		return 0, nil
	}
	n, err := p.snapshot.total(ctx, q)
	if err != nil {
		return 0, fmt.Errorf("totalling %ss: %w", q.kind, err)
	}
	return n, nil
}

func (s *Snapshot) total(ctx context.Context, q *query) (int64, error) {
	all := Range{From: blockOf(q.lo), To: blockOf(q.hi)}
	if q.hi == maxPos {
		all.To = 1<<levelShifts[0] - 1
	}
	if q.scope == nil {
		return s.count(ctx, q, all, false)
	}
	root := part{}
	sums, err := s.sums(ctx, q.scope, root.reads(all, nil))
	if err != nil {
		return 0, err
	}
	if _, found := sums[root]; !found {
		return s.count(ctx, q, all, false)
	}
	total, uncounted := sums.total(root, all)
	for _, r := range uncounted {
		n, err := s.count(ctx, q, r, true)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// part is nodes of one level next to each other, of which a range's total needs
// the sum.
type part struct {
	level   int
	buckets Range
}

// span returns the blocks of a part.
func (p part) span() Range {
	shift := levelShifts[p.level]
	return Range{From: p.buckets.From << shift, To: (p.buckets.To+1)<<shift - 1}
}

// within narrows r to the part's blocks, which it must meet.
func (p part) within(r Range) Range {
	span := p.span()
	return Range{From: max(r.From, span.From), To: min(r.To, span.To)}
}

// below returns the parts one level down that r consists of, as far as it meets
// p: those wholly inside together, and the one or two that are cut on their own.
func (p part) below(r Range) []part {
	r = p.within(r)
	level := p.level + 1
	shift := levelShifts[level]
	first, last := r.From>>shift, r.To>>shift
	var parts []part
	one := func(bucket uint64) { parts = append(parts, part{level, Range{From: bucket, To: bucket}}) }
	inner := Range{From: first, To: last}
	if r.From != first<<shift {
		one(first)
		inner.From++
	}
	if r.To != (last+1)<<shift-1 {
		if last != first || len(parts) == 0 {
			one(last)
		}
		if last == 0 { // Nothing is before the first bucket.
			return parts
		}
		inner.To--
	}
	if inner.From <= inner.To {
		parts = append(parts, part{level, inner})
	}
	return parts
}

// whole reports whether all blocks of the part are in r.
func (p part) whole(r Range) bool { return p.within(r) == p.span() }

// reads adds to list the parts that the total of r may need, whatever is split.
func (p part) reads(r Range, list []part) []part {
	list = append(list, p)
	if p.whole(r) {
		return list
	}
	for _, b := range p.below(r) {
		list = b.reads(r, list)
	}
	return list
}

// sums are what is stored for parts; those without any record may be missing.
type sums map[part]node

// total totals the blocks of p that are in r. What it does not know, since a
// node that is not split is cut there, it returns as ranges to count.
func (of sums) total(p part, r Range) (n int64, uncounted []Range) {
	stored, found := of[p]
	switch {
	case !found:
		return 0, nil
	case p.whole(r):
		return stored.n, nil
	case !stored.split:
		return 0, []Range{p.within(r)}
	}
	for _, b := range p.below(r) {
		more, ranges := of.total(b, r)
		n, uncounted = n+more, append(uncounted, ranges...)
	}
	return n, uncounted
}

// sums reads the sums of parts, with one statement.
func (s *Snapshot) sums(ctx context.Context, scope scope, parts []part) (sums, error) {
	args := append(make([]any, 0, 1+4*len(parts)), []byte(scope))
	for i, p := range parts {
		args = append(args, i, p.level, p.buckets.From, p.buckets.To)
	}
	text := s.statement(statementKey{name: "sums", limit: len(parts)}, func(*ent.Client) entsql.Querier { return s.selectSums(args) })
	found := make(sums, len(parts))
	err := s.run(ctx, text, args, func(row *database.Row) error {
		i, sum := row.Unsigned(uint64(len(parts)-1)), row.Int64()
		if row.Err() == nil && sum > 0 {
			found[parts[i]] = node{n: sum / 2, split: sum%2 == 1}
		}
		return row.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading counters: %w", err)
	}
	return found, nil
}

// selectSums builds the statement of sums: for each part one range of the
// counters' index. It gives twice the sum, and one more if a node is split, so
// that one look-up is enough; 0 where there is nothing.
func (s *Snapshot) selectSums(args []any) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(s.store.dialect)
		n, split := counter.FieldN, counter.FieldSplit
		b.WriteString("SELECT i, (SELECT COALESCE(CAST(SUM(" + n + ") * 2 + MAX(CAST(" + split + " AS int)) AS bigint), 0) FROM " + counter.Table)
		b.WriteString(" WHERE " + counter.FieldScope + " = ").Arg(args[0])
		b.WriteString(" AND " + counter.FieldLevel + " = at AND " + counter.FieldBucket + " BETWEEN low AND high) FROM ")
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
// are at most leafSize of them.
func (s *Snapshot) count(ctx context.Context, q *query, r Range, few bool) (int64, error) {
	of := selection{lo: max(q.lo, firstIn(r.From)), hi: min(q.hi, lastIn(r.To))}
	if few {
		// The limit tells the planner that few records of many are meant.
		of.limit = leafSize
	}
	var n int64
	_, err := s.cached(ctx, q.key("count", of), func(client *ent.Client) entsql.Querier {
		return q.counting(client, of)
	}, q.args(s.store.dialect, of), func(row *database.Row) error { return row.Values(&n) })
	return n, err
}
