package store

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
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// A collection's row repeats what its other rows say: its first record, how many tokens
// have records, and how many have which fetch state. All of it changes in the transactions
// that change the rows. While a database is loaded there is no index to look tokens up
// with: token_count is null until the load ends.
//
// A token is tried if it has a document or an error. Tried tokens without a record, whose
// documents were imported, are counted as recordless: the tokens that were never tried are
// token_count less the tried ones that have records.

// derived are the columns that the rows of a collection give.
type derived struct{ column, value string }

// derivedColumns are SQL expressions over a row of contracts.
func derivedColumns(name string) []derived {
	first := func(table string) string {
		of := "contract_id = contracts.id"
		if name == dialect.Postgres {
			// In the order of the index of collections: the key's would look cheaper.
			of = "contract_id = ANY(ARRAY[contracts.id])"
		}
		return fmt.Sprintf("SELECT * FROM (SELECT (id >> %d << %[1]d) | log_index AS log FROM %s WHERE %s ORDER BY contract_id, id LIMIT 1) AS first_of_%[2]s", tables.SlotBits, table, of)
	}
	// A value per token, and no join: PostgreSQL plans one for a collection of average size,
	// and for the largest it compares each token with each other one.
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
	return []derived{
		{contract.FieldFirstLog, "(SELECT min(log) FROM (" + first(mint.Table) + " UNION ALL " + first(burn.Table) + ") AS both_kinds)"},
		{contract.FieldTokenCount, "((SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + mint.Table + " WHERE contract_id = contracts.id) AS distinct_mints)" +
			" + (SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + burn.Table + " AS t WHERE contract_id = contracts.id AND " + noMint + ") AS distinct_burns))"},
		{contract.FieldRecordless, "(" + count(token.Table, " AND "+noRecord) + " + " +
			count(resolution.Table, " AND error IS NOT NULL AND "+noRecord+" AND "+of("1", token.Table, "d")+" IS NULL") + ")"},
		{contract.FieldFailed, count(resolution.Table, " AND error IS NOT NULL")},
		{contract.FieldPending, count(token.Table, " AND "+state("<>"))},
		{contract.FieldResolved, count(token.Table, " AND COALESCE("+state("=")+", TRUE)")},
	}
}

// ofRecords are the columns that depend on records.
const ofRecords = 3

// derive stores the first n derived columns anew, of the collections that a condition on
// contracts selects.
func derive(ctx context.Context, tx *database.Tx, columns []derived, where string) error {
	text := "UPDATE " + contract.Table + " SET "
	for i, d := range columns {
		if i > 0 {
			text += ", "
		}
		text += d.column + " = " + d.value
	}
	if _, err := tx.Exec(ctx, entsql.Raw(text+" WHERE "+where)); err != nil {
		return fmt.Errorf("counting tokens: %w", err)
	}
	return nil
}

// deriveSome stores the derived columns of records of some collections anew.
func deriveSome(ctx context.Context, tx *database.Tx, ids []int64, loading bool) error {
	columns := derivedColumns(tx.Dialect())[:ofRecords]
	if loading {
		columns = columns[:1] // The others have no index.
	}
	for part := range slices.Chunk(ids, maxArgs) {
		list := make([]string, len(part))
		for i, id := range part {
			list[i] = strconv.FormatInt(id, 10)
		}
		if err := derive(ctx, tx, columns, "id IN ("+strings.Join(list, ", ")+")"); err != nil {
			return err
		}
	}
	return nil
}
