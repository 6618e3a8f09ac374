package store

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
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
	// index are the equalities on the first columns of the filter's index, in its
	// order; none means the key. rest are those that the index leaves out. The first
	// column and the number of both say which filter it is.
	index, rest []equality
	// needs says which blocks must be indexed; from is the first of those of needsFrom.
	needs need
	from  int64
	// counted is the filter whose counters have the total; nil if there are none,
	// because the equalities select few records.
	counted *counter.Filter
	// list has the values of a list; nil for a single filter. Equalities are then also
	// with the columns of a value.
	list *list
}

func (q *query) table() string {
	if q.kind == nft.Burn {
		return burn.Table
	}
	return mint.Table
}

// equal adds an equality on the next column of the filter's index.
func (q *query) equal(column string, value any) {
	q.index = append(q.index, equality{column, value})
}

// also adds an equality that the filter's index leaves out.
func (q *query) also(column string, value any) {
	q.rest = append(q.rest, equality{column, value})
}

// lead is the first column of the filter's index; empty is the key.
func (q *query) lead() string {
	if len(q.index) == 0 {
		return ""
	}
	return q.index[0].column
}

// restrict adds the equalities of a counter's filter, in the order of its index.
func (q *query) restrict(f counter.Filter) {
	if f.Account != nil {
		q.equal(mint.FieldAccountPrefix, f.Account.Prefix())
		q.also(mint.FieldAccountSuffix, f.Account.Suffix())
	}
	if f.Contract != nil {
		q.equal(mint.FieldContractID, *f.Contract)
	}
	if f.Token != nil {
		q.equal(mint.FieldTokenID, f.Token.Bytes())
	}
}

// ordered reports whether the order of a selection holds PostgreSQL to the index. A plan
// for all arguments expects an equality and two bounds to leave one row, and takes any
// index that has them: for an account in a collection that of the whole collection.
func (q *query) ordered(database string, of selection) bool {
	return database == dialect.Postgres && len(q.index) > 0 && (of.limit > 0 || len(q.index) > 1)
}

// alone returns the equalities on columns that are compared one by one, and row those
// on columns that are compared together with the key.
func (q *query) alone(ordered bool) (alone, row []equality) {
	if ordered {
		return q.index[:1], q.index[1:]
	}
	return q.index, nil
}

// bounds returns the bounds that a selection is read with. PostgreSQL reads past a bound
// on a row until the row's first column changes: to the end of a token or a collection.
// A selection with a limit is therefore read from one bound on, and far is the other, for
// few. One without a limit counts what has no counters, which are few records.
func (q *query) bounds(database string, of selection) (near []bound, far *bound) {
	ordered := q.ordered(database, of)
	// Those of a list are always there: few texts are enough.
	always := ordered || q.list != nil
	if of.lo > 0 || always {
		near = append(near, bound{entsql.OpGTE, of.lo, of.low})
	}
	if of.hi < tables.MaxPosition || always {
		near = append(near, bound{entsql.OpLTE, of.hi, of.high})
	}
	switch _, row := q.alone(ordered); {
	case len(row) == 0 || of.limit == 0:
		return near, nil
	case of.fromHigh:
		return near[1:], &near[0]
	default:
		return near[:1], &near[1]
	}
}

// where returns the condition of a selection: the equalities and at most two
// bounds on the key, so that the planner has one range to read. SQLite would
// otherwise prefer a range's bound to a cursor's.
func (q *query) where(of selection) func(*entsql.Selector) {
	return func(s *entsql.Selector) {
		ordered := q.ordered(s.Dialect(), of)
		alone, row := q.alone(ordered)
		for _, e := range alone {
			if ordered {
				s.Where(e.lead(s))
			} else {
				s.Where(entsql.EQ(s.C(e.column), e.value))
			}
		}
		for _, e := range q.rest {
			s.Where(e.hidden(s))
		}
		near, far := q.bounds(s.Dialect(), of)
		for _, b := range near {
			if len(row) > 0 {
				s.Where(b.row(s, row))
			} else {
				s.Where(b.key(s, len(q.index) > 0))
			}
		}
		if far != nil {
			// With the near bound that is equality, and ends with the token or collection.
			name := s.C(row[0].column)
			s.Where(entsql.P(func(b *entsql.Builder) { b.WriteString(name).WriteOp(far.op).Arg(row[0].value) }))
		}
	}
}

// few leaves out the records that a statement reads beyond the far bound.
func (q *query) few(records *entsql.Selector, of selection) *entsql.Selector {
	_, far := q.bounds(records.Dialect(), of)
	if far == nil {
		return records
	}
	if len(of.columns) > 0 {
		for _, e := range q.index {
			records.AppendSelect(records.C(e.column))
		}
	}
	few := entsql.Dialect(records.Dialect()).Select("*").From(records.As("read"))
	key := records.C(mint.FieldID)
	few.Where(entsql.P(func(b *entsql.Builder) { far.write(b.WriteString(key).WriteOp(far.op)) }))
	for _, e := range q.index {
		few.OrderBy(of.direction(records.C(e.column)))
	}
	return few.OrderBy(of.direction(key))
}

// args are the arguments of a selection's statement.
func (q *query) args(database string, of selection) []any {
	args := make([]any, 0, 2*len(q.index)+len(q.rest)+2)
	alone, row := q.alone(q.ordered(database, of))
	args = appendValues(appendValues(args, alone), q.rest)
	near, far := q.bounds(database, of)
	for _, b := range near {
		args = b.appendTo(appendValues(args, row))
	}
	if far != nil {
		args = far.appendTo(appendValues(args, row))
	}
	return args
}

// selector returns ent's query for a selection.
func (q *query) selector(client *ent.Client, of selection) *entsql.Selector {
	where, order := q.where(of), q.order(of)
	if q.kind == nft.Burn {
		burns := client.Burn.Query().Where(where).Order(order)
		burns.Modify(of.more)
		return q.few(burns.Select(of.columns...).Selector(), of)
	}
	mints := client.Mint.Query().Where(where).Order(order)
	mints.Modify(of.more)
	return q.few(mints.Select(of.columns...).Selector(), of)
}

// key is the key of the statement of that name for a selection, whose columns
// must always be the same.
func (q *query) key(name string, of selection) statementKey {
	if q.list != nil {
		name, of.lo, of.hi = name+" of "+q.list.name, 0, 0
	}
	return statementKey{
		name: name, kind: q.kind, lead: q.lead(), where: len(q.index) + len(q.rest), needs: uint8(of.needs),
		low: of.lo > 0, high: of.hi < tables.MaxPosition, fromHigh: of.fromHigh, limit: of.limit,
	}
}

// order is the limit, if any, and the order by position, in words that only the
// filter's index fulfils.
func (q *query) order(of selection) func(*entsql.Selector) {
	direction := entsql.OrderAsc()
	if of.fromHigh {
		direction = entsql.OrderDesc()
	}
	return func(s *entsql.Selector) {
		ordered := q.ordered(s.Dialect(), of)
		if ordered {
			for _, e := range q.index {
				entsql.OrderByField(e.column, direction).ToFunc()(s)
			}
		}
		if ordered || of.limit > 0 {
			entsql.OrderByField(mint.FieldID, direction).ToFunc()(s)
		}
		if of.limit > 0 {
			s.Limit(of.limit)
		}
	}
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

// selection says which of a query's records a statement reads, and which
// columns.
type selection struct {
	// lo and hi bound the positions, inclusive. low and high, if not empty, are
	// expressions in their place.
	lo, hi    int64
	low, high string
	// limit, if positive, is the number of records at most, ordered by
	// position; fromHigh takes those with the highest, the highest first.
	limit    int
	fromHigh bool
	// columns are those that are read; none means all.
	columns []string
	// joined adds joinedColumns, of the record's block.
	joined bool
	// needs adds what tells whether its blocks are indexed.
	needs need
}

// direction is the order by a column.
func (of selection) direction(column string) string {
	if of.fromHigh {
		return entsql.Desc(column)
	}
	return entsql.Asc(column)
}

// more adds what a statement reads beside the record: its block, and the first
// one of the last indexed range, or with needsAll of the range before that.
func (of selection) more(s *entsql.Selector) {
	if of.joined {
		joinBlock(s)
	}
	if of.needs == needsNone {
		return
	}
	builder := entsql.Dialect(s.Dialect())
	t := builder.Table(coverage.Table)
	last := builder.Select(t.C(coverage.FieldFromBlock)).From(t).Where(entsql.P(func(b *entsql.Builder) {
		// Not an argument: those of a page are its conditions'.
		b.Ident(t.C(coverage.FieldKind)).WriteString(" = '" + coverage.KindIndexed.String() + "'")
	})).OrderBy(entsql.Desc(t.C(coverage.FieldFromBlock))).Limit(1)
	if of.needs == needsAll {
		last.Offset(1)
	}
	s.AppendSelectExpr(entsql.ExprFunc(func(b *entsql.Builder) { b.Wrap(func(b *entsql.Builder) { b.Join(last) }) }))
}

// need says which blocks must be indexed for an answer. A page reads with its
// records what it takes to see that they are, in all but rare cases.
type need uint8

const (
	// needsNone is for the rest: a partial answer, a block that is found by its hash, and
	// a transaction, which is in one block.
	needsNone need = iota
	// needsFrom is for a filter with a first block.
	needsFrom
	// needsAll is for records that may be in any block.
	needsAll
)

// metBy reads what more adds for the need and reports whether all that is needed is
// known to be indexed.
func (n need) metBy(row *database.Row, from int64) bool {
	if row.Null() {
		return n == needsAll
	}
	last := row.Int64()
	return n == needsFrom && last <= from
}

// appendValues appends the values that are arguments.
func appendValues(args []any, list []equality) []any {
	for _, e := range list {
		if _, expression := e.value.(entsql.Querier); !expression {
			args = append(args, e.value)
		}
	}
	return args
}

// bound is a comparison of the key with a position, or with an expression if that is
// not empty.
type bound struct {
	op         entsql.Op
	pos        int64
	expression string
}

// write writes what the key is compared with.
func (b bound) write(to *entsql.Builder) {
	if b.expression != "" {
		to.WriteString(b.expression)
		return
	}
	to.Arg(b.pos)
}

// appendTo appends the argument of the bound, if it has one.
func (b bound) appendTo(args []any) []any {
	if b.expression != "" {
		return args
	}
	return append(args, b.pos)
}

// key is the bound on the key. SQLite takes two bounds to leave so few rows that any
// index will do, and then prefers a narrow index on part of the equalities: likely
// tells it that a bound leaves most.
func (b bound) key(s *entsql.Selector, indexed bool) *entsql.Predicate {
	key := s.C(mint.FieldID)
	compare := func(to *entsql.Builder) { b.write(to.WriteString(key).WriteOp(b.op)) }
	return entsql.P(func(to *entsql.Builder) {
		if to.Dialect() != dialect.SQLite || !indexed {
			compare(to)
			return
		}
		to.WriteString("likely").Wrap(compare)
	})
}

// row is the bound on columns of the index and the key, as a row.
func (b bound) row(s *entsql.Selector, equal []equality) *entsql.Predicate {
	columns := make([]string, 0, len(equal)+1)
	for _, e := range equal {
		columns = append(columns, s.C(e.column))
	}
	columns = append(columns, s.C(mint.FieldID))
	return entsql.P(func(to *entsql.Builder) {
		to.Wrap(func(to *entsql.Builder) { to.IdentComma(columns...) }).WriteOp(b.op).Wrap(func(to *entsql.Builder) {
			for _, e := range equal {
				to.Arg(e.value).Comma()
			}
			b.write(to)
		})
	})
}
