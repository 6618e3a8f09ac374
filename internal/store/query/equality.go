package query

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// equality compares a column with a value, which is an argument or an expression of
// [entsql.Raw].
type equality struct {
	column string
	value  any
}

// hidden returns the equality in a form that no planner matches with an index. PostgreSQL
// also does not expect it to exclude nearly all rows, which would make it sort the rest.
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

// lead returns the equality in a form that PostgreSQL matches with an index without
// dropping the column from the order, as it does for a column that equals a constant. This
// only works for the first column of an index.
func (e equality) lead(s *entsql.Selector) *entsql.Predicate {
	name := s.C(e.column)
	return entsql.P(func(b *entsql.Builder) { b.WriteString(name + " = ANY(ARRAY[").Arg(e.value).WriteString("::bigint])") })
}
