package store

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

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
