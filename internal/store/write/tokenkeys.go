package write

import (
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// withoutRecords returns the tokens that have no record. The keys must be distinct.
func withoutRecords(ctx context.Context, tx *database.Tx, keys []tables.TokenKey) ([]tables.TokenKey, error) {
	none := func(table string) string {
		return "(SELECT id FROM " + table + " WHERE contract_id = k.n AND token_id = k.b LIMIT 1) IS NULL"
	}
	return selectTokenKeys(ctx, tx, keys, none(mint.Table)+" AND "+none(burn.Table))
}

// selectTokenKeys returns the tokens for which a condition on a table k with their contract
// n and id b holds.
func selectTokenKeys(ctx context.Context, tx *database.Tx, keys []tables.TokenKey, where string) (found []tables.TokenKey, err error) {
	err = eachTokenKey(ctx, tx, keys, "k.i FROM k WHERE "+where, func(key tables.TokenKey, _ *database.Row) { found = append(found, key) })
	return found, err
}

// rowsOfTokens returns the ids of the rows of tokens in a table with one row for each token.
func rowsOfTokens(ctx context.Context, tx *database.Tx, table string, keys []tables.TokenKey) (ids map[tables.TokenKey]int, err error) {
	ids = make(map[tables.TokenKey]int, len(keys))
	id := "k.i, (SELECT id FROM " + table + " WHERE contract_id = k.n AND token_id = k.b) FROM k"
	err = eachTokenKey(ctx, tx, keys, id, func(key tables.TokenKey, row *database.Row) {
		if !row.Null() {
			ids[key] = int(row.Int64())
		}
	})
	return ids, err
}

// eachTokenKey calls read for the rows of a statement without SELECT on a table k with the contract n, the
// id b and the number i of each token. The statement's first value is the number. Scalar subqueries in it
// keep PostgreSQL, without statistics, from reading the rows of all tokens at once.
func eachTokenKey(ctx context.Context, tx *database.Tx, keys []tables.TokenKey, statement string, read func(tables.TokenKey, *database.Row)) error {
	for part := range slices.Chunk(keys, tables.MaxArgs) {
		contracts, ids := make([]int64, len(part)), make([][]byte, len(part))
		for i, key := range part {
			contracts[i], ids[i] = key.ContractID, key.TokenID.Bytes()
		}
		err := tx.Query(ctx, query.Arrays{contracts, ids, query.RowNumber{}}.Select(tx.Dialect(), "k(n, b, i)", func(b *entsql.Builder) {
			b.WriteString(statement)
		}), func(row *database.Row) error {
			if i := row.Unsigned(uint64(len(part))); row.Err() == nil {
				read(part[i-1], row)
			}
			return row.Err()
		})
		if err != nil {
			return fmt.Errorf("looking for tokens: %w", err)
		}
	}
	return nil
}
