package query

import (
	"strconv"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// End selects the last or the first record.
func End(last bool) Selection {
	return Selection{Hi: tables.MaxPosition, Limit: 1, FromHigh: last, Columns: []string{mint.FieldID}}
}

// latestOf returns the query and the selection of the last record of a kind.
func (l *List) latestOf(kind nft.Kind) (*Query, Selection) { return l.Records(kind), End(true) }

// kinds are the kinds of records with the names of their last record, in the order of the columns.
var kinds = [...]struct {
	kind  nft.Kind
	table string
	as    string
}{{nft.Mint, mint.Table, "m"}, {nft.Burn, burn.Table, "u"}}

// WriteLatest writes a SELECT of the latest records of each row of a table k(n, b): n and b
// and, for mints and then for burns, the position, log index, sub index, and whether there is
// an operator.
func (l *List) WriteLatest(b *entsql.Builder, client *ent.Client) {
	one := func(kind nft.Kind, as string) {
		q, of := l.latestOf(kind)
		b.Wrap(func(b *entsql.Builder) { b.Join(q.Selector(client, of)) }).WriteString(" AS " + as)
	}
	b.WriteString(" SELECT ends.n, ends.b")
	for _, k := range kinds {
		for _, column := range []string{mint.FieldID, mint.FieldLogIndex, mint.FieldSubIndex, mint.FieldOperator + " IS NOT NULL"} {
			b.WriteString(", " + k.as + "." + column)
		}
	}
	b.WriteString(" FROM (SELECT k.n, k.b")
	postgres := b.Dialect() == dialect.Postgres
	for _, k := range kinds {
		if b.WriteString(", "); postgres {
			b.WriteString(k.as + ".id AS " + k.as)
		} else {
			one(k.kind, k.as)
		}
	}
	b.WriteString(" FROM k")
	for _, k := range kinds {
		if postgres {
			b.WriteString(" LEFT JOIN LATERAL ")
			one(k.kind, k.as)
			b.WriteString(" ON TRUE")
		}
	}
	b.WriteString(") AS ends")
	for _, k := range kinds {
		b.WriteString(" LEFT JOIN " + k.table + " AS " + k.as + " ON " + k.as + ".id = ends." + k.as + " + 0")
	}
}

// LatestArgs returns the arguments of [List.WriteLatest].
func (l *List) LatestArgs(database string) (args []any) {
	for _, k := range kinds {
		q, of := l.latestOf(k.kind)
		args = append(args, q.Args(database, of)...)
	}
	return args
}

// Few is how many records of a kind [WriteFew] reads of each token on PostgreSQL.
const Few = 4

// WriteFew writes a SELECT of the records of each token of a table k(n, b): n, b, the kind, the
// position, log index, sub index, whether there is an operator, and the amount. PostgreSQL reads the
// last [Few] of each kind. SQLite, which has no LATERAL, reads all, but no more than most together,
// which is its argument.
func WriteFew(b *entsql.Builder, most int) {
	const which = " WHERE " + mint.FieldContractID + " = k.n AND " + mint.FieldTokenID + " = k.b"
	for i, k := range kinds {
		if i > 0 {
			b.WriteString(" UNION ALL")
		}
		b.WriteString(" SELECT k.n, k.b, " + strconv.Itoa(int(k.kind)))
		for _, column := range []string{mint.FieldID, mint.FieldLogIndex, mint.FieldSubIndex, mint.FieldOperator + " IS NOT NULL", mint.FieldAmount} {
			b.WriteString(", few." + column)
		}
		if b.WriteString(" FROM k CROSS JOIN "); b.Dialect() != dialect.Postgres {
			b.WriteString(k.table + " AS few" + which)
			continue
		}
		b.WriteString("LATERAL (SELECT * FROM " + k.table + which + " ORDER BY " + mint.FieldContractID + " DESC, " +
			mint.FieldTokenID + " DESC, " + mint.FieldID + " DESC LIMIT " + strconv.Itoa(Few) + ") AS few")
	}
	if b.Dialect() != dialect.Postgres {
		// Of a plain argument SQLite looks at the value, and prepares the statement again for each.
		b.WriteString(" LIMIT ").Arg(most).WriteString(" + 0")
	}
}
