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
	const (
		fetched  = " LEFT JOIN " + resolution.Table + " AS r ON r.contract_id = t.contract_id AND r.token_id = t.token_id WHERE t.contract_id = contracts.id AND r.error IS NULL AND "
		noMint   = " NOT EXISTS (SELECT 1 FROM " + mint.Table + " AS m WHERE m.contract_id = t.contract_id AND m.token_id = t.token_id)"
		noRecord = noMint + " AND NOT EXISTS (SELECT 1 FROM " + burn.Table + " AS b WHERE b.contract_id = t.contract_id AND b.token_id = t.token_id)"
	)
	return []derived{
		{contract.FieldFirstLog, "(SELECT min(log) FROM (" + first(mint.Table) + " UNION ALL " + first(burn.Table) + ") AS both_kinds)"},
		{contract.FieldTokenCount, "((SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + mint.Table + " WHERE contract_id = contracts.id) AS distinct_mints)" +
			" + (SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + burn.Table + " AS t WHERE contract_id = contracts.id AND" + noMint + ") AS distinct_burns))"},
		{contract.FieldRecordless, "((SELECT count(*) FROM " + token.Table + " AS t WHERE contract_id = contracts.id AND" + noRecord + ")" +
			" + (SELECT count(*) FROM " + resolution.Table + " AS t WHERE contract_id = contracts.id AND error IS NOT NULL AND" + noRecord +
			" AND NOT EXISTS (SELECT 1 FROM " + token.Table + " AS d WHERE d.contract_id = t.contract_id AND d.token_id = t.token_id)))"},
		{contract.FieldFailed, "(SELECT count(*) FROM " + resolution.Table + " WHERE contract_id = contracts.id AND error IS NOT NULL)"},
		{contract.FieldPending, "(SELECT count(*) FROM " + token.Table + " AS t" + fetched + "r.state <> 'done')"},
		{contract.FieldResolved, "(SELECT count(*) FROM " + token.Table + " AS t" + fetched + "(r.state IS NULL OR r.state = 'done'))"},
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
