package tables

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/token"
)

// Pairs are alternating values of two columns.
type Pairs []any

// Add adds a pair of a number and bytes.
func (p *Pairs) Add(id int64, value []byte) { *p = append(*p, id, value) }

// In selects the rows whose two columns are one of the pairs. A chain of ORs would do
// the same, but a long one is too deep for a database to parse. PostgreSQL turns a list
// of rows into such a chain.
func (p Pairs) In(first, second string) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		b.WriteString("(" + first + ", " + second + ") IN ")
		if b.Dialect() == dialect.Postgres {
			args := p.Args(dialect.Postgres)
			b.WriteString("(SELECT * FROM unnest(").Arg(args[0]).WriteString("::bigint[], ").Arg(args[1]).WriteString("::bytea[]))")
			return
		}
		b.WriteString("(VALUES ")
		for i := 0; i < len(p); i += 2 {
			if i > 0 {
				b.Comma()
			}
			b.WriteString("(").Args(p[i], p[i+1]).WriteString(")")
		}
		b.WriteString(")")
	})
}

// Where returns In as a condition on the collection and another column.
func (p Pairs) Where(second string) func(*entsql.Selector) {
	return func(s *entsql.Selector) { s.Where(p.In(s.C(token.FieldContractID), s.C(second))) }
}

// Seek makes a query of a table read the rows whose collection and other column are one of the pairs,
// for writers. PostgreSQL keeps a statement's plan, also one from when the table was empty, which
// would read all rows; each pair of a lateral subquery with an offset is looked up by itself.
func (p Pairs) Seek(second string) func(*entsql.Selector) {
	return func(s *entsql.Selector) {
		if s.Dialect() != dialect.Postgres {
			p.Where(second)(s)
			return
		}
		table := s.TableName()
		s.From(entsql.Dialect(dialect.Postgres).SelectExpr(entsql.ExprFunc(func(b *entsql.Builder) {
			args := p.Args(dialect.Postgres)
			b.WriteString("found.* FROM unnest(").Arg(args[0]).WriteString("::bigint[], ").Arg(args[1]).WriteString("::bytea[]) AS k(n, b), LATERAL (SELECT * FROM " +
				table + " WHERE " + token.FieldContractID + " = k.n AND " + second + " = k.b OFFSET 0) AS found")
		})).As(table))
	}
}

// Args returns the arguments of In: the values, or for PostgreSQL an array of the first
// values and an array of the second values.
func (p Pairs) Args(of string) []any {
	if of != dialect.Postgres {
		return p
	}
	ids, values := make([]int64, 0, len(p)/2), make([][]byte, 0, len(p)/2)
	for i := 0; i < len(p); i += 2 {
		ids, values = append(ids, p[i].(int64)), append(values, p[i+1].([]byte))
	}
	return []any{ids, values}
}
