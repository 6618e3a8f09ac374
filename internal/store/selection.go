package store

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
)

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

// equality says that a column has a value, which is an argument or an expression of
// [entsql.Raw].
type equality struct {
	column string
	value  any
}

// hidden is the equality in words that no planner looks for in an index, and that
// PostgreSQL does not take to exclude nearly all rows, which it would then sort.
func (e equality) hidden(s *entsql.Selector) *entsql.Predicate {
	name := s.C(e.column)
	return entsql.P(func(b *entsql.Builder) {
		compare := func(b *entsql.Builder) { b.WriteString(name).WriteOp(entsql.OpEQ).Arg(e.value) }
		if b.Dialect() != dialect.Postgres {
			compare(b.WriteString("+"))
			return
		}
		b.WriteString("COALESCE").Wrap(func(b *entsql.Builder) {
			compare(b)
			b.WriteString(", FALSE")
		})
	})
}

// lead is the equality in words that PostgreSQL looks for in an index and that keep the
// column in its order: it drops one that equals a constant. Only the first column of an
// index can be compared so.
func (e equality) lead(s *entsql.Selector) *entsql.Predicate {
	name := s.C(e.column)
	return entsql.P(func(b *entsql.Builder) { b.WriteString(name + " = ANY(ARRAY[").Arg(e.value).WriteString("::bigint])") })
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
