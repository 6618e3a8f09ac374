package database_test

import (
	"context"
	"net/url"
	"sync"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestOpen_Pooled checks that snapshots and transactions work behind a pooler, also if more of
// them run at once than it has connections.
func TestOpen_Pooled(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), pgtest.Pooled(t), database.Options{Readers: 8})
	expect.NoError(t, err)
	defer func() { expect.NoError(t, db.Close()) }()
	expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE numbers (n bigint)"))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for turn := range 20 {
				snapshot := db.Snapshot()
				for range 2 {
					var got []int64
					if err := snapshot.RunAll(t.Context(), numbers(&got, int64(turn), 2)...); err != nil || len(got) != 2 {
						t.Errorf("got %v, error %v", got, err)
					}
				}
				if err := snapshot.Close(); err != nil {
					t.Error(err)
				}
				err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
					_, err := tx.Exec(ctx, tx.Builder().Insert("numbers").Columns("n").Values(turn))
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	err = db.Query(t.Context(), "SELECT COUNT(*), SUM(n)::bigint FROM numbers", nil, func(row *database.Row) error {
		expect.Equal(t, "rows and their sum", [2]int64{160, 8 * 190}, [2]int64{row.Int64(), row.Int64()})
		return row.Err()
	})
	expect.NoError(t, err)
}

// TestOpen_StatementMode checks the error of a pooler without transactions.
func TestOpen_StatementMode(t *testing.T) {
	dsn, err := url.Parse(pgtest.Pooled(t))
	expect.NoError(t, err)
	dsn.Path = "/" + pgtest.StatementMode
	db, err := database.Open(t.Context(), dsn.String(), database.Options{})
	if err == nil {
		expect.NoError(t, db.Close())
	}
	const want = "opening database: the pooler has no transactions, as pgbouncer with pool_mode = statement: want pool_mode = transaction"
	if err == nil || err.Error() != want || database.IsLost(err) {
		t.Errorf("got %v, want %s", err, want)
	}
}
