package query

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

// Query is a filter after its names are looked up, ready for a statement. Each filter
// has an index with its records in chain order. The statements must make both planners
// use it: reading a page from another index, or in key order, takes time that grows
// with the table. A test checks the query plans of all statements.
type Query struct {
	Kind nft.Kind
	Desc bool
	// Lo and Hi bound the positions, inclusive. An empty range has Lo > Hi.
	Lo, Hi int64
	// index are the equalities on the first columns of the filter's index, in index order;
	// none means the primary key. rest are the equalities on columns that the index does
	// not contain. The first column and the number of both identify the filter.
	index, rest []equality
	// Needs says which blocks must be indexed; From is the first of them for NeedsFrom.
	Needs need
	From  int64
	// Counted is the filter whose counters contain the total. It is nil if there are no
	// counters, because the equalities select few records.
	Counted *counter.Filter
	// List are the values of a list; nil for a filter without one. With a list, equalities
	// may compare with the columns of a value.
	List *List
}

// Table returns the table of the query's kind.
func (q *Query) Table() string {
	if q.Kind == nft.Burn {
		return burn.Table
	}
	return mint.Table
}

// Equal adds an equality on the next column of the filter's index.
func (q *Query) Equal(column string, value any) {
	q.index = append(q.index, equality{column, value})
}

// Also adds an equality on a column that the filter's index does not contain.
func (q *Query) Also(column string, value any) {
	q.rest = append(q.rest, equality{column, value})
}

// lead returns the first column of the filter's index, or "" for the primary key.
func (q *Query) lead() string {
	if len(q.index) == 0 {
		return ""
	}
	return q.index[0].column
}

// Restrict adds the equalities of a counter's filter, in the order of its index.
func (q *Query) Restrict(f counter.Filter) {
	if f.Account != nil {
		q.Equal(mint.FieldAccountPrefix, f.Account.Prefix())
		q.Also(mint.FieldAccountSuffix, f.Account.Suffix())
	}
	if f.Contract != nil {
		q.Equal(mint.FieldContractID, *f.Contract)
	}
	if f.Token != nil {
		q.Equal(mint.FieldTokenID, f.Token.Bytes())
	}
}

// ordered reports whether a selection needs an order to make PostgreSQL use the filter's
// index. A generic plan expects one equality and two bounds to leave one row, and uses any
// index with these columns: for an account in a collection, that of the whole collection.
func (q *Query) ordered(database string, of Selection) bool {
	return database == dialect.Postgres && len(q.index) > 0 && (of.Limit > 0 || len(q.index) > 1)
}

// alone returns the equalities on columns that are compared separately, and those on columns
// that are compared as a row together with the key.
func (q *Query) alone(ordered bool) (alone, row []equality) {
	if ordered {
		return q.index[:1], q.index[1:]
	}
	return q.index, nil
}

// bounds returns the bounds of a selection. PostgreSQL reads past a bound on a row until the
// row's first column changes: to the end of a token or a collection. A selection with a
// limit therefore only uses the bound where it starts, near, and applyFar applies the other,
// far. A selection without a limit counts records that have no counters, which are few.
func (q *Query) bounds(database string, of Selection) (near []bound, far *bound) {
	ordered := q.ordered(database, of)
	// A list always has both bounds, so that it needs fewer statement texts.
	always := ordered || q.List != nil
	if of.Lo > 0 || always {
		near = append(near, bound{entsql.OpGTE, of.Lo, of.Low})
	}
	if of.Hi < tables.MaxPosition || always {
		near = append(near, bound{entsql.OpLTE, of.Hi, of.High})
	}
	switch _, row := q.alone(ordered); {
	case len(row) == 0 || of.Limit == 0:
		return near, nil
	case of.FromHigh:
		return near[1:], &near[0]
	default:
		return near[:1], &near[1]
	}
}

// Where returns the condition of a selection: the equalities and at most two bounds on the
// key, so that the planner has one range to read. With more, SQLite might use the bound of
// a range instead of that of a cursor.
func (q *Query) Where(of Selection) func(*entsql.Selector) {
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
			// Together with the near bound this is an equality: reading stops at the end of
			// the token or collection.
			name := s.C(row[0].column)
			s.Where(entsql.P(func(b *entsql.Builder) { b.WriteString(name).WriteOp(far.op).Arg(row[0].value) }))
		}
	}
}

// applyFar filters out the records that a statement reads beyond the far bound.
func (q *Query) applyFar(records *entsql.Selector, of Selection) *entsql.Selector {
	_, far := q.bounds(records.Dialect(), of)
	if far == nil {
		return records
	}
	if len(of.Columns) > 0 {
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

// Args returns the arguments of a selection's statement.
func (q *Query) Args(database string, of Selection) []any {
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

// Selector returns ent's query for a selection.
func (q *Query) Selector(client *ent.Client, of Selection) *entsql.Selector {
	where, order := q.Where(of), q.order(of)
	if q.Kind == nft.Burn {
		burns := client.Burn.Query().Where(where).Order(order)
		burns.Modify(of.readAlso)
		return q.applyFar(burns.Select(of.Columns...).Selector(), of)
	}
	mints := client.Mint.Query().Where(where).Order(order)
	mints.Modify(of.readAlso)
	return q.applyFar(mints.Select(of.Columns...).Selector(), of)
}

// Key returns the key of the statement with a name for a selection. All selections of a
// name must have the same columns.
func (q *Query) Key(name string, of Selection) Key {
	if q.List != nil {
		name, of.Lo, of.Hi = name+" of "+q.List.Name, 0, 0
	}
	return Key{
		Name: name, kind: q.Kind, lead: q.lead(), where: len(q.index) + len(q.rest), needs: uint8(of.Needs),
		Low: of.Lo > 0, High: of.Hi < tables.MaxPosition, FromHigh: of.FromHigh, Limit: of.Limit,
	}
}

// order adds the limit, if any, and the order by position, in a form that only the filter's
// index provides.
func (q *Query) order(of Selection) func(*entsql.Selector) {
	direction := entsql.OrderAsc()
	if of.FromHigh {
		direction = entsql.OrderDesc()
	}
	return func(s *entsql.Selector) {
		ordered := q.ordered(s.Dialect(), of)
		if ordered {
			for _, e := range q.index {
				entsql.OrderByField(e.column, direction).ToFunc()(s)
			}
		}
		if ordered || of.Limit > 0 {
			entsql.OrderByField(mint.FieldID, direction).ToFunc()(s)
		}
		if of.Limit > 0 {
			s.Limit(of.Limit)
		}
	}
}

// Beyond narrows [lo, hi] to the positions that follow pos in the query's order, or that
// precede it.
func (q *Query) Beyond(pos, lo, hi int64, follows bool) (int64, int64) {
	if follows != q.Desc {
		return max(lo, pos+1), hi
	}
	return lo, min(hi, pos-1)
}

// Step is the difference between a position and the next in the query's order.
func (q *Query) Step() int64 {
	if q.Desc {
		return -1
	}
	return 1
}

// Selection says which records and columns of a query a statement reads.
type Selection struct {
	// Lo and Hi bound the positions, inclusive. Low and High, if not empty, are
	// expressions in their place.
	Lo, Hi    int64
	Low, High string
	// Limit, if positive, is the maximum number of records, which are then ordered by
	// position. FromHigh reads the highest positions first.
	Limit    int
	FromHigh bool
	// Columns are the columns to read; none means all.
	Columns []string
	// Joined adds the JoinedColumns of the record's block.
	Joined bool
	// Needs adds the value from which [need.MetBy] tells whether the blocks are indexed.
	Needs need
}

// direction returns the order by a column.
func (of Selection) direction(column string) string {
	if of.FromHigh {
		return entsql.Desc(column)
	}
	return entsql.Asc(column)
}

// readAlso adds the columns that a statement reads besides the record: its block, and the first
// block of the last indexed range, or with NeedsAll of the range before it.
func (of Selection) readAlso(s *entsql.Selector) {
	if of.Joined {
		tables.JoinBlock(s)
	}
	if of.Needs == NeedsNone {
		return
	}
	builder := entsql.Dialect(s.Dialect())
	t := builder.Table(coverage.Table)
	last := builder.Select(t.C(coverage.FieldFromBlock)).From(t).Where(entsql.P(func(b *entsql.Builder) {
		// Not an argument: [Query.Args] only returns those of the conditions.
		b.Ident(t.C(coverage.FieldKind)).WriteString(" = '" + coverage.KindIndexed.String() + "'")
	})).OrderBy(entsql.Desc(t.C(coverage.FieldFromBlock))).Limit(1)
	if of.Needs == NeedsAll {
		last.Offset(1)
	}
	s.AppendSelectExpr(entsql.ExprFunc(func(b *entsql.Builder) { b.Wrap(func(b *entsql.Builder) { b.Join(last) }) }))
}

// need says which blocks must be indexed for a result. The statement of a page also reads
// a value that confirms this, except in rare cases.
type need uint8

const (
	// NeedsNone is for the other filters: a partial result, a block found by its hash, and
	// a transaction, which is in one block.
	NeedsNone need = iota
	// NeedsFrom is for a filter with a first block.
	NeedsFrom
	// NeedsAll is for records that may be in any block.
	NeedsAll
)

// MetBy reads the value that [Selection.readAlso] adds, and reports whether it confirms that all
// needed blocks are indexed.
func (n need) MetBy(row *database.Row, from int64) bool {
	if row.Null() {
		return n == NeedsAll
	}
	last := row.Int64()
	return n == NeedsFrom && last <= from
}

// appendValues appends the values that are arguments, not expressions.
func appendValues(args []any, list []equality) []any {
	for _, e := range list {
		if _, expression := e.value.(entsql.Querier); !expression {
			args = append(args, e.value)
		}
	}
	return args
}

// bound compares the key with a position, or with expression if that is not empty.
type bound struct {
	op         entsql.Op
	pos        int64
	expression string
}

// write writes the operand that the key is compared with.
func (b bound) write(to *entsql.Builder) {
	if b.expression != "" {
		to.WriteString(b.expression)
		return
	}
	to.Arg(b.pos)
}

// appendTo appends the argument of the bound, if any.
func (b bound) appendTo(args []any) []any {
	if b.expression != "" {
		return args
	}
	return append(args, b.pos)
}

// key returns the bound on the key. SQLite expects two bounds to leave so few rows that any
// index will do, and then prefers a narrow index on some of the equalities. likely tells it
// that a bound leaves most rows.
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

// row returns the bound on columns of the index and the key, as a row comparison.
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
