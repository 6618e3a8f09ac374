package query

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
)

// WriteTokens writes the WITH clause with the table k(n, b) of the first tokens of a
// collection after a key, or of the last ones before it. From each token, one seek in mints
// and one in burns finds the next; the other records of a token are not read. The arguments
// are the collection, the key, the number of tokens, and the key, exclusive, at which the
// tokens end.
func WriteTokens(b *entsql.Builder, backward bool, args []any) {
	b.WriteString("WITH RECURSIVE walk(n, b, i) AS (SELECT ")
	WriteTyped(b, args[0], "bigint")
	b.WriteString(", ")
	WriteTyped(b, args[1], "bytea")
	b.WriteString(", 0 UNION ALL SELECT n, ")
	WriteNextToken(b, backward)
	b.WriteString(", i + 1 FROM walk WHERE b IS NOT NULL AND i < ")
	WriteTyped(b, args[2], "bigint")
	b.WriteString("), k(n, b) AS (SELECT n, b FROM walk WHERE i > 0 AND b ")
	b.WriteOp(beyond(!backward)).Arg(args[3])
	b.WriteString(")")
}

// beyond returns the operator that selects the token ids before a key, or after it.
func beyond(before bool) entsql.Op {
	if before {
		return entsql.OpLT
	}
	return entsql.OpGT
}

// WriteNextToken writes an expression for the first token id of the collection walk.n after
// walk.b, or the last before it; null if there is none.
func WriteNextToken(b *entsql.Builder, backward bool) {
	order, least := "", "LEAST"
	if backward {
		order, least = " DESC", "GREATEST"
	}
	one := func(table string) {
		b.WriteString("(SELECT " + mint.FieldTokenID + " FROM " + table + " WHERE " + mint.FieldContractID + " = walk.n AND " + mint.FieldTokenID)
		b.WriteOp(beyond(backward)).WriteString("walk.b ORDER BY " + mint.FieldTokenID + order + " LIMIT 1)")
	}
	if b.Dialect() == dialect.Postgres {
		b.WriteString(least + "(")
		one(mint.Table)
		b.WriteString(", ")
		one(burn.Table)
		b.WriteString(")")
		return
	}
	// Not SQLite's MIN of two values, which is null if one of them is null.
	b.WriteString("(SELECT " + map[bool]string{false: "MIN", true: "MAX"}[backward] + "(b) FROM (SELECT ")
	one(mint.Table)
	b.WriteString(" AS b UNION ALL SELECT ")
	one(burn.Table)
	b.WriteString("))")
}

// WriteTyped writes an argument, with its type for PostgreSQL, which cannot infer it.
func WriteTyped(b *entsql.Builder, value any, typ string) {
	if b.Dialect() != dialect.Postgres {
		b.Arg(value)
		return
	}
	b.WriteString("CAST(").Arg(value).WriteString(" AS " + typ + ")")
}
