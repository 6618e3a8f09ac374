package store

import (
	"context"
	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"slices"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// pairs are the values of two columns, in turn.
type pairs []any

func (p *pairs) add(id int64, value []byte) { *p = append(*p, id, value) }

// in holds for rows whose two columns are one of the pairs. A chain of ORs,
// which is also what PostgreSQL makes of a list of rows, would do the same
// until it is deeper than a database parses.
func (p pairs) in(first, second string) *entsql.Predicate {
	return entsql.P(func(b *entsql.Builder) {
		b.WriteString("(" + first + ", " + second + ") IN ")
		if b.Dialect() == dialect.Postgres {
			args := p.args(dialect.Postgres)
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

// where is in as a condition on the collection and another column.
func (p pairs) where(second string) func(*entsql.Selector) {
	return func(s *entsql.Selector) { s.Where(p.in(s.C(token.FieldContractID), s.C(second))) }
}

// args are the parameters of in: the values, or in PostgreSQL a list of the
// first of each pair and one of the second.
func (p pairs) args(of string) []any {
	if of != dialect.Postgres {
		return p
	}
	ids, values := make([]int64, 0, len(p)/2), make([][]byte, 0, len(p)/2)
	for i := 0; i < len(p); i += 2 {
		ids, values = append(ids, p[i].(int64)), append(values, p[i+1].([]byte))
	}
	return []any{ids, values}
}

// eachOf runs a statement for pairs, with at most maxArgs values at a time, and
// calls read for each row.
func eachOf(ctx context.Context, s *Snapshot, key statementKey, wanted pairs, build func(*ent.Client, pairs) entsql.Querier, read func(*database.Row) error) error {
	for part := range slices.Chunk(wanted, maxArgs) {
		key.limit = len(part)
		text := s.store.statement(key, func(client *ent.Client) entsql.Querier { return build(client, part) })
		if err := s.run(ctx, text, part.args(s.store.db.Dialect()), read); err != nil {
			return err
		}
	}
	return nil
}
