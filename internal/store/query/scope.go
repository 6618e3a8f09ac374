package query

import (
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// Values returns a query for each value of the query's list, or the query itself if it has
// no list.
func (q *Query) Values() (each []*Query) {
	if q.List == nil {
		return []*Query{q}
	}
	for i := range q.List.N {
		one := &Query{Kind: q.Kind, Lo: q.Lo, Hi: q.Hi}
		if q.List.Scopes == nil {
			one.Equal(mint.FieldTxPrefix, q.List.N[i])
			one.Also(mint.FieldTxSuffix, q.List.B[i])
		} else {
			f, _ := counter.Scope(q.List.Scopes[i]).Filter()
			one.Restrict(f)
			one.Counted = &f
		}
		each = append(each, one)
	}
	return each
}

// OfScope selects the records of a scope, which must be valid.
func OfScope(s counter.Scope) *Query {
	f, _ := s.Filter()
	q := &Query{Kind: f.Kind, Hi: tables.MaxPosition}
	q.Restrict(f)
	return q
}

// Within selects the records of a range of blocks.
func Within(r evm.Range) Selection {
	return Selection{Lo: tables.FirstIn(r.From), Hi: tables.LastIn(min(r.To, tables.MaxBlock))}
}

// Counting counts the records of a selection.
func (q *Query) Counting(client *ent.Client, of Selection) *entsql.Selector {
	of.Columns = []string{mint.FieldID}
	records := q.Selector(client, of)
	if of.Limit > 0 || q.ordered(records.Dialect(), of) {
		return entsql.Dialect(records.Dialect()).Select(entsql.Count("*")).From(records.As("few"))
	}
	return records.Count(records.C(mint.FieldID))
}

// Blocks returns the blocks of the query's range.
func (q *Query) Blocks() evm.Range {
	blocks := evm.Range{From: tables.BlockOf(q.Lo), To: tables.BlockOf(q.Hi)}
	if q.Hi == tables.MaxPosition {
		blocks.To = counter.LastBlock
	}
	return blocks
}

// Records selects the records of a kind of each value of a list.
func (l *List) Records(kind nft.Kind) *Query {
	q := &Query{Kind: kind, Hi: tables.MaxPosition, List: l}
	q.Equal(mint.FieldContractID, ValueNumber)
	if l.Name == "tokens" {
		q.Equal(mint.FieldTokenID, ValueBytes)
	}
	return q
}

// EachEnd writes the WITH clause with the table k of the values and the table walk of the
// positions of their first or last records.
func (q *Query) EachEnd(b *entsql.Builder, client *ent.Client, of Selection) {
	one := func() { b.Wrap(func(b *entsql.Builder) { b.Join(q.Selector(client, of)) }) }
	b.WriteString("WITH k(n, b) AS ").Wrap(q.List.Table().Write)
	if b.Dialect() == dialect.Postgres {
		b.WriteString(", walk(id) AS (SELECT one.id FROM k CROSS JOIN LATERAL ")
		one()
		b.WriteString(" AS one)")
		return
	}
	b.WriteString(", walk(id) AS (SELECT ")
	one()
	b.WriteString(" FROM k)")
}
