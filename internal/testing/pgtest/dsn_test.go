package pgtest_test

import (
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

func TestDSN_CreatesADatabaseEachCall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	for range 2 {
		db, err := sql.Open("pgx", pgtest.DSN(t))
		expect.NoError(t, err)
		if _, err := db.Exec("CREATE TABLE mine (id bigint PRIMARY KEY)"); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
