package store

import (
	"context"
	"encoding/binary"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
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

// scope is a counter's name: the kind, the sort of filter, its values.
type scope []byte

// scopes makes the scopes of one kind of record.
type scopes struct{ kind nft.Kind }

func (s scopes) make(sort byte, size int) scope {
	return append(make(scope, 0, 2+size), byte(s.kind), sort)
}

func (s scopes) all() scope { return s.make('*', 0) }

func (s scopes) contract(id int64) scope {
	return binary.BigEndian.AppendUint64(s.make('c', 8), uint64(id))
}

func (s scopes) account(a evm.Address) scope { return append(s.make('a', 20), a[:]...) }

func (s scopes) accountContract(a evm.Address, id int64) scope {
	return binary.BigEndian.AppendUint64(append(s.make('b', 28), a[:]...), uint64(id))
}

func (s scopes) token(id int64, token evm.Uint256) scope {
	return append(binary.BigEndian.AppendUint64(s.make('t', 41), uint64(id)), token.Bytes()...)
}

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
		return s.count(ctx, q, all, 0)
	}
	root, found, err := s.node(ctx, q.scope, 0, 0)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return s.count(ctx, q, all, 0)
	default:
		return s.below(ctx, q, root, all)
	}
}

// below totals the part of a node that lies in r, which must meet the node.
func (s *Snapshot) below(ctx context.Context, q *query, n node, r Range) (int64, error) {
	span := n.span()
	r = Range{From: max(r.From, span.From), To: min(r.To, span.To)}
	switch {
	case r == span:
		return n.n, nil
	case !n.split:
		return s.count(ctx, q, r, n.n)
	}
	// The parts wholly inside are summed; the one or two that are cut are
	// descended into. Buckets first..last meet r.
	level := n.level + 1
	shift := levelShifts[level]
	first, last := r.From>>shift, r.To>>shift
	inner := Range{From: first, To: last}
	var cut []uint64
	if r.From != first<<shift {
		cut, inner.From = append(cut, first), first+1
	}
	if r.To != (last+1)<<shift-1 && (last != first || len(cut) == 0) {
		cut = append(cut, last)
	}
	if r.To != (last+1)<<shift-1 {
		inner.To = last - 1
	}
	var total int64
	if inner.From <= inner.To && inner.To <= last {
		sum, err := s.sum(ctx, q.scope, level, inner)
		if err != nil {
			return 0, err
		}
		total = sum
	}
	for _, bucket := range cut {
		part, found, err := s.node(ctx, q.scope, level, bucket)
		if err != nil {
			return 0, err
		}
		if !found {
			continue
		}
		sum, err := s.below(ctx, q, part, r)
		if err != nil {
			return 0, err
		}
		total += sum
	}
	return total, nil
}

// node reads one counter.
func (s *Snapshot) node(ctx context.Context, scope scope, level int, bucket uint64) (node, bool, error) {
	n := node{level: level, bucket: bucket}
	found, err := s.fixed(ctx, "node", func(b *entsql.DialectBuilder) entsql.Querier {
		t := b.Table(counter.Table)
		return b.Select(t.Columns(counter.FieldN, counter.FieldSplit)...).From(t).Where(entsql.And(
			entsql.EQ(t.C(counter.FieldScope), []byte(scope)),
			entsql.EQ(t.C(counter.FieldLevel), level),
			entsql.EQ(t.C(counter.FieldBucket), bucket)))
	}, []any{[]byte(scope), level, bucket}, &n.n, &n.split)
	return n, found, err
}

// sum adds the counters of a range of buckets.
func (s *Snapshot) sum(ctx context.Context, scope scope, level int, buckets Range) (int64, error) {
	var sum int64
	_, err := s.fixed(ctx, "sum", func(b *entsql.DialectBuilder) entsql.Querier {
		t := b.Table(counter.Table)
		return b.Select(fmt.Sprintf("COALESCE(CAST(SUM(%s) AS bigint), 0)", t.C(counter.FieldN))).From(t).Where(entsql.And(
			entsql.EQ(t.C(counter.FieldScope), []byte(scope)),
			entsql.EQ(t.C(counter.FieldLevel), level),
			entsql.GTE(t.C(counter.FieldBucket), buckets.From),
			entsql.LTE(t.C(counter.FieldBucket), buckets.To)))
	}, []any{[]byte(scope), level, buckets.From, buckets.To}, &sum)
	return sum, err
}

// count counts records on the index of the query's filter. There are at most
// limit of them; 0 says that their number is not known.
func (s *Snapshot) count(ctx context.Context, q *query, r Range, limit int64) (int64, error) {
	lo, hi := max(q.lo, firstIn(r.From)), min(q.hi, lastIn(r.To))
	statement, t := q.selector(s.builder(), lo, hi)
	statement.Count(t.C(mint.FieldID))
	if limit > 0 {
		// The limit tells the planner that few records of many are meant.
		statement = s.builder().Select(entsql.Count("*")).From(q.first(s.builder(), lo, hi, limit).As("few"))
	}
	var n int64
	_, err := s.row(ctx, statement, &n)
	return n, err
}
