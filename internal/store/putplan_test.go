package store_test

import (
	"database/sql"
	"fmt"
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestPutMetadata_Plan stores documents in a fresh PostgreSQL, whose plans are those of empty tables.
// Each document may read few rows, however many are stored.
func TestPutMetadata_Plan(t *testing.T) {
	t.Parallel()
	skipShort(t)
	const documents, most = 6_000, 3
	dsn := storetest.Postgres(t)
	s := open(t, dsn, write.Options{})
	var items []nft.TokenMetadata
	for id := range uint64(documents) {
		items = append(items, traitsOf(0, id, "a", fmt.Sprint(id%5)))
	}
	expect.NoError(t, s.PutMetadata(t.Context(), items))
	// The connection reports its counts before it ends.
	expect.NoError(t, s.Close())
	db, err := sql.Open("pgx", dsn)
	expect.NoError(t, err)
	defer db.Close()
	for _, table := range []string{"tokens", "resolutions"} {
		var inserted, read int64
		for inserted < documents {
			expect.NoError(t, db.QueryRowContext(t.Context(), `SELECT n_tup_ins, seq_tup_read + idx_tup_fetch
				+ (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes i WHERE i.relid = t.relid) FROM pg_stat_user_tables t WHERE relname = $1`, table).Scan(&inserted, &read))
		}
		if read > most*documents {
			t.Errorf("%s: %d rows were read for %d documents, want at most %d a document", table, read, documents, most)
		}
	}
}
