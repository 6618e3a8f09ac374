package store

import (
	"encoding/binary"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/ent/predicate"
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
	// gapless says that the records may be in any block, so that the answer is
	// refused where not all are indexed.
	gapless bool
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
func (q *query) bound(op entsql.Op, pos int64) func(*entsql.Selector) {
	return func(s *entsql.Selector) {
		key := s.C(mint.FieldID)
		s.Where(entsql.P(func(b *entsql.Builder) {
			compare := func(b *entsql.Builder) { b.WriteString(key).WriteOp(op).Arg(pos) }
			if b.Dialect() != dialect.SQLite || q.lead == "" {
				compare(b)
				return
			}
			b.WriteString("likely").Wrap(compare)
		}))
	}
}

// selection says which of a query's records a statement reads, and which
// columns.
type selection struct {
	// lo and hi bound the positions, inclusive.
	lo, hi int64
	// limit, if positive, is the number of records at most, ordered by
	// position; fromHigh takes those with the highest, the highest first.
	limit    int
	fromHigh bool
	// columns are those that are read; none means all.
	columns []string
	// joined adds joinedColumns, of the record's block.
	joined bool
	// holes adds whether there are blocks that are not indexed between others
	// that are.
	holes bool
}

// selector returns ent's query for a selection.
func (q *query) selector(client *ent.Client, of selection) *entsql.Selector {
	where, order := q.conditions(of), q.order(of.fromHigh)
	if q.kind == nft.Burn {
		burns := client.Burn.Query().Where(as[predicate.Burn](where)...)
		if of.limit > 0 {
			burns.Order(as[burn.OrderOption](order)...).Limit(of.limit)
		}
		if of.joined {
			burns.Modify(joinBlock)
		}
		if of.holes {
			burns.Modify(addHoles)
		}
		return burns.Select(of.columns...).Selector()
	}
	mints := client.Mint.Query().Where(as[predicate.Mint](where)...)
	if of.limit > 0 {
		mints.Order(as[mint.OrderOption](order)...).Limit(of.limit)
	}
	if of.joined {
		mints.Modify(joinBlock)
	}
	if of.holes {
		mints.Modify(addHoles)
	}
	return mints.Select(of.columns...).Selector()
}

// conditions are the equalities and at most two bounds on the key, so that the
// planner has one range to read. SQLite would otherwise prefer a range's bound to
// a cursor's.
func (q *query) conditions(of selection) []func(*entsql.Selector) {
	list := append(make([]func(*entsql.Selector), 0, len(q.where)+2), q.where...)
	if of.lo > 0 {
		list = append(list, q.bound(entsql.OpGTE, of.lo))
	}
	if of.hi < maxPos {
		list = append(list, q.bound(entsql.OpLTE, of.hi))
	}
	return list
}

// args are the arguments of conditions.
func (q *query) args(of selection) []any {
	args := append(make([]any, 0, len(q.values)+2), q.values...)
	if of.lo > 0 {
		args = append(args, of.lo)
	}
	if of.hi < maxPos {
		args = append(args, of.hi)
	}
	return args
}

// key is the key of the statement of that name for a selection, whose columns
// must always be the same.
func (q *query) key(name string, of selection) statementKey {
	return statementKey{
		name: name, kind: q.kind, lead: q.lead, where: len(q.where), holes: of.holes,
		low: of.lo > 0, high: of.hi < maxPos, fromHigh: of.fromHigh, limit: of.limit,
	}
}

// counting counts the records of a selection.
func (q *query) counting(client *ent.Client, of selection) *entsql.Selector {
	of.columns = []string{mint.FieldID}
	records := q.selector(client, of)
	if of.limit > 0 {
		return entsql.Dialect(records.Dialect()).Select(entsql.Count("*")).From(records.As("few"))
	}
	return records.Count(records.C(mint.FieldID))
}

// as converts conditions and orders to those of an entity.
func as[T ~func(*entsql.Selector)](list []func(*entsql.Selector)) []T {
	converted := make([]T, len(list))
	for i, f := range list {
		converted[i] = f
	}
	return converted
}

// order is the order by position, in words that only the filter's index
// fulfils.
func (q *query) order(fromHigh bool) []func(*entsql.Selector) {
	direction := entsql.OrderAsc()
	if fromHigh {
		direction = entsql.OrderDesc()
	}
	return []func(*entsql.Selector){func(s *entsql.Selector) {
		if s.Dialect() == dialect.Postgres && q.lead != "" {
			entsql.OrderByField(q.lead, direction).ToFunc()(s)
		}
		entsql.OrderByField(mint.FieldID, direction).ToFunc()(s)
	}}
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
