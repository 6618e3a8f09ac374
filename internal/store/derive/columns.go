package derive

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/ent/resolution"
	"mintburn/ent/setting"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Column is a column of contracts, and the SQL expression of its value.
type Column struct{ Name, Value string }

// Columns returns the derived columns that SQL can compute. Their expressions refer to a row
// of contracts.
func Columns(name string) []Column {
	first := func(table string) string {
		of := "contract_id = contracts.id"
		if name == dialect.Postgres {
			// This and the order make PostgreSQL use the index on collections. The primary
			// key would look cheaper to it.
			of = "contract_id = ANY(ARRAY[contracts.id])"
		}
		return fmt.Sprintf("SELECT * FROM (SELECT (id >> %d << %[1]d) | log_index AS log FROM %s WHERE %s ORDER BY contract_id, id LIMIT 1) AS first_of_%[2]s", tables.SlotBits, table, of)
	}
	// A subquery per token instead of a join: PostgreSQL plans a join for a collection of
	// average size, which compares each token of the largest one with every other token.
	of := func(value, table, as string) string {
		return fmt.Sprintf("(SELECT %s FROM %s AS %s WHERE %[3]s.contract_id = t.contract_id AND %[3]s.token_id = t.token_id LIMIT 1)", value, table, as)
	}
	state := func(isDone string) string {
		return of("r.error IS NULL AND r.state "+isDone+" 'done'", resolution.Table, "r")
	}
	noMint := of("1", mint.Table, "m") + " IS NULL"
	noRecord := noMint + " AND " + of("1", burn.Table, "b") + " IS NULL"
	count := func(table, where string) string {
		return "(SELECT count(*) FROM " + table + " AS t WHERE t.contract_id = contracts.id" + where + ")"
	}
	return []Column{
		{contract.FieldFirstLog, "(SELECT min(log) FROM (" + first(mint.Table) + " UNION ALL " + first(burn.Table) + ") AS both_kinds)"},
		{contract.FieldMintCount, count(mint.Table, "")},
		{contract.FieldBurnCount, count(burn.Table, "")},
		{contract.FieldTokenCount, "((SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + mint.Table + " WHERE contract_id = contracts.id) AS distinct_mints)" +
			" + (SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + burn.Table + " AS t WHERE contract_id = contracts.id AND " + noMint + ") AS distinct_burns))"},
		{contract.FieldRecordless, "(" + count(token.Table, " AND "+noRecord) + " + " +
			count(resolution.Table, " AND error IS NOT NULL AND "+noRecord+" AND "+of("1", token.Table, "d")+" IS NULL") + ")"},
		{contract.FieldFailed, count(resolution.Table, " AND error IS NOT NULL")},
		{contract.FieldPending, count(token.Table, " AND "+state("<>"))},
		{contract.FieldResolved, count(token.Table, " AND COALESCE("+state("=")+", TRUE)")},
		{contract.FieldTokens, count(token.Table, "")},
		{contract.FieldTraits, "CASE WHEN EXISTS (SELECT 1 FROM " + setting.Table + " WHERE id = '" + tables.TraitsCounted + "') THEN contracts.traits ELSE (" + facet.NumberOf + ") END"},
	}
}

// RecordColumns is how many of the derived columns, the first ones, depend on records.
const RecordColumns = 5

// SetColumns recomputes derived columns of the collections that a condition on contracts
// selects.
func SetColumns(ctx context.Context, tx *database.Tx, columns []Column, where string) error {
	text := "UPDATE " + contract.Table + " SET "
	for i, d := range columns {
		if i > 0 {
			text += ", "
		}
		text += d.Name + " = " + d.Value
	}
	if _, err := tx.Exec(ctx, entsql.Raw(text+" WHERE "+where)); err != nil {
		return fmt.Errorf("counting tokens: %w", err)
	}
	return nil
}

// Update updates rows of contracts from a table k with their ids and the columns
// v1, v2 and so on.
func Update(ctx context.Context, tx *database.Tx, table query.Arrays, set string) error {
	_, err := tx.Exec(ctx, entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(tx.Dialect())
		b.WriteString("WITH k(id")
		for i := range table[1:] {
			b.WriteString(fmt.Sprintf(", v%d", i+1))
		}
		b.WriteString(") AS ").Wrap(table.Write)
		b.WriteString(" UPDATE " + contract.Table + " SET " + set + " FROM k WHERE contracts.id = k.id")
	}))
	return err
}
