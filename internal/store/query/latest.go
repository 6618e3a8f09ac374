package query

import (
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

// latest names the last mint and burn of a value, and the first ones.
var latest = [...]string{"m", "u", "m0", "u0"}

// latestNames returns the records that [List.WriteLatest] looks up: with amounts also the
// first ones.
func latestNames(amounts bool) []string {
	if amounts {
		return latest[:]
	}
	return latest[:2]
}

// latestOf returns the query and the selection of the i-th record.
func (l *List) latestOf(i int) (*Query, Selection) { return l.Records(nft.Kind(i % 2)), End(i < 2) }

// WriteLatest writes a SELECT of the latest records of each row of a table k(n, b): n and b
// and, for mints and then for burns, the position, log index, sub index, and whether there is
// an operator. With amounts it adds whether it is the only record of the kind, and its amount.
func (l *List) WriteLatest(b *entsql.Builder, client *ent.Client, amounts bool) {
	names := latestNames(amounts)
	one := func(i int) {
		q, of := l.latestOf(i)
		b.Wrap(func(b *entsql.Builder) { b.Join(q.Selector(client, of)) }).WriteString(" AS " + names[i])
	}
	b.WriteString(" SELECT ends.n, ends.b")
	for _, of := range names[:2] {
		b.WriteString(", " + of + "." + mint.FieldID + ", " + of + "." + mint.FieldLogIndex + ", " + of + "." + mint.FieldSubIndex + ", " + of + "." + mint.FieldOperator + " IS NOT NULL")
		if amounts {
			b.WriteString(", " + of + ".id = ends." + of + "0, " + of + "." + mint.FieldAmount)
		}
	}
	b.WriteString(" FROM (SELECT k.n, k.b")
	postgres := b.Dialect() == dialect.Postgres
	for i, of := range names {
		if b.WriteString(", "); postgres {
			b.WriteString(of + ".id AS " + of)
		} else {
			one(i)
		}
	}
	b.WriteString(" FROM k")
	for i := range names {
		if postgres {
			b.WriteString(" LEFT JOIN LATERAL ")
			one(i)
			b.WriteString(" ON TRUE")
		}
	}
	b.WriteString(") AS ends LEFT JOIN " + mint.Table + " AS m ON m.id = ends.m + 0 LEFT JOIN " + burn.Table + " AS u ON u.id = ends.u + 0")
}

// LatestArgs returns the arguments of [List.WriteLatest].
func (l *List) LatestArgs(database string, amounts bool) (args []any) {
	for i := range latestNames(amounts) {
		q, of := l.latestOf(i)
		args = append(args, q.Args(database, of)...)
	}
	return args
}
