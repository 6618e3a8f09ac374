package write

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	"mintburn/internal/store/tables"
)

// The row of a collection repeats data from other tables: its first record, its numbers of
// mints, burns and tokens with records, its number of tokens in each fetch state, and its
// number of traits. The transactions that change the other tables update it. During a load there is no index to
// look tokens up, so mint_count, burn_count and token_count are null until the load ends.
//
// A token is tried if it has a document or an error. recordless counts the tried tokens
// without a record, whose documents were imported. The tokens that were never tried are
// token_count minus the tried tokens with records.

// Derived is a column of contracts, and the SQL expression of its value.
type Derived struct{ Column, Value string }

// DerivedColumns returns the derived columns. Their expressions refer to a row of contracts.
func DerivedColumns(name string) []Derived {
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
	return []Derived{
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
		{contract.FieldTraits, "CASE WHEN EXISTS (SELECT 1 FROM " + setting.Table + " WHERE id = '" + tables.TraitsCounted + "') THEN contracts.traits ELSE (" + facet.NumberOf + ") END"},
	}
}

// RecordDerived is how many of the derived columns, the first ones, depend on records.
const RecordDerived = 5

// Derive recomputes derived columns of the collections that a condition on contracts
// selects.
func Derive(ctx context.Context, tx *database.Tx, columns []Derived, where string) error {
	text := "UPDATE " + contract.Table + " SET "
	for i, d := range columns {
		if i > 0 {
			text += ", "
		}
		text += d.Column + " = " + d.Value
	}
	if _, err := tx.Exec(ctx, entsql.Raw(text+" WHERE "+where)); err != nil {
		return fmt.Errorf("counting tokens: %w", err)
	}
	return nil
}

// deriveSome recomputes the derived columns of some collections that depend on records.
func deriveSome(ctx context.Context, tx *database.Tx, ids []int64, loading bool) error {
	columns := DerivedColumns(tx.Dialect())[:RecordDerived]
	if loading {
		columns = columns[:1] // The indexes for the others are not built yet.
	}
	for part := range slices.Chunk(ids, tables.MaxArgs) {
		list := make([]string, len(part))
		for i, id := range part {
			list[i] = strconv.FormatInt(id, 10)
		}
		if err := Derive(ctx, tx, columns, "id IN ("+strings.Join(list, ", ")+")"); err != nil {
			return err
		}
	}
	return nil
}
