package database_test

import (
	"context"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestShadow_Statements checks that a statement that a connection of PostgreSQL has prepared reads
// the temporary table within a shadow, and the permanent one before and after it.
func TestShadow_Statements(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.DSN(t), database.Options{})
	expect.NoError(t, write(t, db, "CREATE TABLE things (id int)"))
	expect.NoError(t, write(t, db, "INSERT INTO things VALUES (1)"))
	count := func(ctx context.Context, tx *database.Tx) (n int) {
		expect.NoError(t, tx.Query(ctx, entsql.Raw("SELECT count(*) FROM things"), func(row *database.Row) error { return row.Values(&n) }))
		return n
	}
	for range 3 {
		expect.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			expect.Equal(t, "stored rows", 1, count(ctx, tx))
			return nil
		}))
		expect.NoError(t, database.Shadow(t.Context(), db, []string{"things"}, func(ctx context.Context, tx *database.Tx) error {
			expect.Equal(t, "rows of the shadow", 0, count(ctx, tx))
			return nil
		}))
	}
}
