package store

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// query is a filter whose names are looked up: what a statement needs. Each
// filter has an index that yields its records in chain order, and both
// planners must be held to it: a page that is picked out of another index, or
// of the key itself, takes time that grows with the table. A test reads the
// plans of all statements.
type query struct {
	kind nft.Kind
	desc bool
	// lo and hi bound the positions, inclusive. An empty range has lo > hi.
	lo, hi int64
	// lead is the first column of the filter's index; empty is the key.
	lead string
	// where are the equalities, and values what they compare with. The lead
	// and their number say which filter it is.
	where  []func(*entsql.Selector)
	values []any
	// scope names the counters of where, see counter.go; nil if there are
	// none, because where selects few records.
	scope scope
}

func (q *query) table() string {
	if q.kind == nft.Burn {
		return burn.Table
	}
	return mint.Table
}

// equal adds an equality on a column of the filter's index; the first one is
// on its first column.
func (q *query) equal(column string, value any) {
	q.values = append(q.values, value)
	if q.lead != "" {
		q.where = append(q.where, entsql.FieldEQ(column, value))
		return
	}
	q.lead = column
	q.where = append(q.where, func(s *entsql.Selector) {
		name := s.C(column)
		s.Where(entsql.P(func(b *entsql.Builder) {
			// PostgreSQL forgets that a column which equals a constant is
			// part of an order. It does not see through an array.
			if b.Dialect() == dialect.Postgres {
				b.WriteString(name).WriteString(" = ANY(ARRAY[").Arg(value).WriteString("::bigint])")
			} else {
				b.WriteString(name).WriteOp(entsql.OpEQ).Arg(value)
			}
		}))
	})
}

// rest adds the equality on what an index leaves out of an address or hash.
func (q *query) rest(column string, value []byte) {
	q.values = append(q.values, value)
	q.where = append(q.where, func(s *entsql.Selector) {
		name := s.C(column)
		s.Where(entsql.P(func(b *entsql.Builder) {
			compare := func(b *entsql.Builder) { b.WriteString(name).WriteOp(entsql.OpEQ).Arg(value) }
			if b.Dialect() != dialect.Postgres {
				compare(b)
				return
			}
			// The rest hardly ever excludes a row. PostgreSQL would take it
			// to exclude nearly all, and would sort what it takes for few.
			b.WriteString("COALESCE").Wrap(func(b *entsql.Builder) {
				compare(b)
				b.WriteString(", FALSE")
			})
		}))
	})
}

func (q *query) account(a evm.Address) {
	q.equal(mint.FieldAccountHead, a.Head())
	q.rest(mint.FieldAccountTail, a.Tail())
}

// bound compares the key with a position. SQLite takes two bounds to leave so
// few rows that any index will do, and then prefers a narrow index on part of
// the equalities: likely tells it that a bound leaves most.
func (q *query) bound(key string, op entsql.Op, pos int64) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		compare := func(b *entsql.Builder) { b.WriteString(key).WriteOp(op).Arg(pos) }
		if b.Dialect() != dialect.SQLite || q.lead == "" {
			compare(b)
			return
		}
		b.WriteString("likely").Wrap(compare)
	})
}

// selector builds a statement for the records of q in [lo, hi]: the equalities
// and at most two bounds on the key, so that the planner has one range to
// read. SQLite would otherwise prefer a range's bound to a cursor's.
func (q *query) selector(builder *entsql.DialectBuilder, lo, hi int64) (*entsql.Selector, *entsql.SelectTable) {
	t := builder.Table(q.table())
	selector := builder.Select().From(t)
	for _, where := range q.where {
		where(selector)
	}
	if lo > 0 {
		selector.Where(q.bound(t.C(mint.FieldID), entsql.OpGTE, lo))
	}
	if hi < maxPos {
		selector.Where(q.bound(t.C(mint.FieldID), entsql.OpLTE, hi))
	}
	return selector, t
}

// shape is that of a statement which has the equalities and bounds of selector.
func (q *query) shape(name string, lo, hi int64) shape {
	return shape{name: name, kind: q.kind, lead: q.lead, where: len(q.where), low: lo > 0, high: hi < maxPos}
}

// args are what such a statement compares with.
func (q *query) args(lo, hi int64) []any {
	args := append(make([]any, 0, len(q.values)+2), q.values...)
	if lo > 0 {
		args = append(args, lo)
	}
	if hi < maxPos {
		args = append(args, hi)
	}
	return args
}

// first builds a statement for the lowest positions of the records of q in
// [lo, hi], at most limit of them.
func (q *query) first(builder *entsql.DialectBuilder, lo, hi, limit int64) *entsql.Selector {
	selector, t := q.selector(builder, lo, hi)
	q.order(selector, false)
	return selector.Select(t.C(mint.FieldID)).Limit(int(limit))
}

// order orders a statement by position, in words that only the filter's index
// fulfils.
func (q *query) order(selector *entsql.Selector, fromHigh bool) {
	direction := entsql.OrderAsc()
	if fromHigh {
		direction = entsql.OrderDesc()
	}
	if selector.Dialect() == dialect.Postgres && q.lead != "" {
		entsql.OrderByField(q.lead, direction).ToFunc()(selector)
	}
	entsql.OrderByField(mint.FieldID, direction).ToFunc()(selector)
}

// beyond narrows [lo, hi] to what follows pos in the query's order, or to what
// precedes it.
func (q *query) beyond(pos, lo, hi int64, follows bool) (int64, int64) {
	if follows != q.desc {
		return max(lo, pos+1), hi
	}
	return lo, min(hi, pos-1)
}

// step is the difference between a position and the next in the query's order.
func (q *query) step() int64 {
	if q.desc {
		return -1
	}
	return 1
}
