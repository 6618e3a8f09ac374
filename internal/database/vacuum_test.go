package database_test

import (
	"context"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestVacuum checks that Vacuum ignores the server's statement_timeout but returns other
// errors.
func TestVacuum(t *testing.T) {
	dsn := withOptions(t, pgtest.DSN(t), "-c synchronous_commit=on")
	db, hurried := open(t, dsn, database.Options{}), open(t, dsn, database.Options{})
	expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE many AS SELECT generate_series(1, 100000) AS n"))
	// VACUUM now sleeps for 100 ms after each page. The timeout is set only once the database
	// is open.
	expect.NoError(t, hurried.Exec(t.Context(), "SET vacuum_cost_limit = 1; SET vacuum_cost_delay = 100; SET statement_timeout = 50"))
	visible := func() (n int) {
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			return tx.Query(ctx, entsql.Raw("SELECT relallvisible FROM pg_class WHERE relname = 'many'"), func(row *database.Row) error { return row.Values(&n) })
		})
		expect.NoError(t, err)
		return n
	}
	expect.NoError(t, hurried.Vacuum(t.Context(), "many"))
	expect.Equal(t, "visible pages after a vacuum that took too long", 0, visible())
	expect.NoError(t, db.Vacuum(t.Context(), "many"))
	if visible() == 0 {
		t.Error("the table was not vacuumed")
	}
	if err := db.Vacuum(t.Context(), "nothing"); err == nil {
		t.Error("no error for a table that does not exist")
	}
}
