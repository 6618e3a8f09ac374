package query

import (
	"math"
	"strconv"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/mint"
	"mintburn/internal/nft"
)

// The records of a list are merged from those of its values, each read in the order of the
// index: a statement does one or a few seeks for each value and for each record of the page.
// The values are arguments, so that lists of any length share one text.

// Merged returns ent's query for a selection with a limit from a list.
func (q *Query) Merged(client *ent.Client, of Selection) *entsql.Selector {
	return q.Positioned(client, of, func(b *entsql.Builder) { q.walk(b, client, of) })
}

// Positioned returns ent's query for the records at the positions in the table walk. with
// writes the query of that table. With a limit, the records are in order.
func (q *Query) Positioned(client *ent.Client, of Selection, with func(*entsql.Builder)) *entsql.Selector {
	walk := func(s *entsql.Selector) {
		builder := entsql.Dialect(s.Dialect())
		positions := builder.Select(mint.FieldID).From(builder.Table("walk")).Prefix(entsql.ExprFunc(with)).As("merged")
		// The sum keeps PostgreSQL from reading the table in key order to save a sort.
		s.Join(positions).OnP(entsql.P(func(b *entsql.Builder) {
			b.WriteString(s.C(mint.FieldID)).WriteOp(entsql.OpEQ).WriteString(positions.C(mint.FieldID) + " + 0")
		}))
		if of.Limit > 0 {
			s.OrderBy(of.direction(positions.C(mint.FieldID)))
		}
	}
	if q.Kind == nft.Burn {
		burns := client.Burn.Query()
		burns.Modify(walk, of.readAlso)
		return burns.Select(of.Columns...).Selector()
	}
	mints := client.Mint.Query()
	mints.Modify(walk, of.readAlso)
	return mints.Select(of.Columns...).Selector()
}

// MergedArgs returns the arguments of merged's statement.
func (q *Query) MergedArgs(database string, of Selection) []any {
	args := append(q.List.Table().Args(database), q.Args(database, of.each(database))...)
	if database == dialect.Postgres {
		// The first positions of the values, and those of the chosen ones, have the same bounds.
		return append(args, q.Args(database, of.each(database))...)
	}
	return append(args, q.Args(database, of.next())...)
}

// each returns the selection of the records of one value that the merge starts with: all
// for PostgreSQL, the first for SQLite.
func (of Selection) each(database string) Selection {
	of.Columns, of.Joined, of.Needs = []string{mint.FieldID}, false, NeedsNone
	if database != dialect.Postgres {
		of.Limit = 1
	}
	return of
}

// next returns the selection of a value's record after that of the row k.
func (of Selection) next() Selection {
	of = of.each(dialect.SQLite)
	if of.FromHigh {
		of.High = "k.id - 1"
	} else {
		of.Low = "k.id + 1"
	}
	return of
}

// walk writes the WITH clause with the table k of the values and the table walk of the
// positions.
//
// In SQLite, a recursive query with an order is a priority queue: each step removes the
// first position and adds the next one of the same value. A value without further records
// is added once more, at the end.
//
// PostgreSQL looks up the first position of each value. Only as many values as the limit, those whose
// first positions come first, can be in the page: it sorts the first positions of these.
func (q *Query) walk(b *entsql.Builder, client *ent.Client, of Selection) {
	last, desc := strconv.FormatInt(math.MaxInt64, 10), ""
	if of.FromHigh {
		last, desc = "-1", " DESC"
	}
	limit := desc + " LIMIT " + strconv.Itoa(of.Limit) + ")"
	one := func(of Selection) { b.Wrap(func(b *entsql.Builder) { b.Join(q.Selector(client, of)) }) }
	if b.Dialect() == dialect.Postgres {
		each, first := of.each(b.Dialect()), of.each(b.Dialect())
		first.Limit = 1
		b.WriteString("WITH k(n, b) AS ").Wrap(q.List.Table().Write)
		b.WriteString(", walk(id) AS (SELECT one.id FROM (SELECT k.n, k.b FROM k CROSS JOIN LATERAL ")
		one(first)
		b.WriteString(" AS one ORDER BY one.id" + limit + " AS k CROSS JOIN LATERAL ")
		one(each)
		b.WriteString(" AS one ORDER BY one.id" + limit)
		return
	}
	b.WriteString("WITH RECURSIVE k(n, b) AS ").Wrap(q.List.Table().Write)
	b.WriteString(", walk(id, n, b) AS (SELECT COALESCE(")
	one(of.each(b.Dialect()))
	b.WriteString(", " + last + "), n, b FROM k UNION ALL SELECT COALESCE(")
	one(of.next())
	b.WriteString(", " + last + "), n, b FROM walk AS k WHERE id <> " + last + " ORDER BY 1" + limit)
}
