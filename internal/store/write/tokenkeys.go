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
// n and id b holds. Scalar subqueries in the condition keep PostgreSQL from reading the
// records of all tokens at once.
func selectTokenKeys(ctx context.Context, tx *database.Tx, keys []tables.TokenKey, where string) (found []tables.TokenKey, err error) {
	for part := range slices.Chunk(keys, tables.MaxArgs) {
		contracts, ids := make([]int64, len(part)), make([][]byte, len(part))
		for i, key := range part {
			contracts[i], ids[i] = key.ContractID, key.TokenID.Bytes()
		}
		err = tx.Query(ctx, query.Arrays{contracts, ids, query.RowNumber{}}.Select(tx.Dialect(), "k(n, b, i)", func(b *entsql.Builder) {
			b.WriteString("k.i FROM k WHERE " + where)
		}), func(row *database.Row) error {
			if i := row.Unsigned(uint64(len(part))); row.Err() == nil {
				found = append(found, part[i-1])
			}
			return row.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("looking for tokens: %w", err)
		}
	}
	return found, nil
}
