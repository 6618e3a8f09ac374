package command_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3"

	"mintburn/internal/testing/expect"
)

// open opens a database for statements: a file, which they cannot change, or one of PostgreSQL.
func open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if !strings.HasPrefix(dsn, "postgres:") {
		driver, dsn = "sqlite3", "file:"+dsn+"?_query_only=1&_busy_timeout=10000"
	}
	db, err := sql.Open(driver, dsn)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// rows returns each row of a statement as text.
func rows(t testing.TB, db *sql.DB, statement string) []string {
	t.Helper()
	found, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer found.Close()
	columns, err := found.Columns()
	expect.NoError(t, err)
	var list []string
	for found.Next() {
		values, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		expect.NoError(t, found.Scan(pointers...))
		text := make([]string, len(values))
		for i, value := range values {
			text[i] = fmt.Sprintf("%s=%v", columns[i], value)
			if bytes, ok := value.([]byte); ok {
				text[i] = fmt.Sprintf("%s=%x", columns[i], bytes)
			}
		}
		list = append(list, strings.Join(text, " "))
	}
	expect.NoError(t, found.Err())
	return list
}

// content returns the rows of a database, without generated ids, so that two
// databases of the same chain have equal contents. It omits counters, because they are
// derived from the records and totals check them.
func content(t testing.TB, path string) map[string][]string {
	t.Helper()
	db := open(t, path)
	statements := map[string]string{
		"the schema":      "SELECT name, sql FROM sqlite_schema",
		"contracts":       "SELECT address, standards, tokens FROM contracts",
		"blocks":          "SELECT * FROM blocks",
		"orphaned_blocks": "SELECT number, hash, parent_hash FROM orphaned_blocks",
		"coverage":        "SELECT kind, from_block, to_block FROM coverage",
		"rejected_logs":   "SELECT * FROM rejected_logs",
		"transactions":    "SELECT * FROM transactions",
	}
	for table, columns := range map[string]string{
		"mints": "t.id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, tx_index, log_index, sub_index, operator",
		"burns": "t.id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, tx_index, log_index, sub_index, operator, burn_address",
		"tokens": "token_id, uri, raw, fetched_at, updated_at, name, description, image, external_url, image_data, " +
			"background_color, youtube_url, animation_url, attributes",
		"traits":       "trait, distinct_values, name, t.tokens",
		"trait_values": "trait, value, n, text, t.tokens",
	} {
		statements[table] = fmt.Sprintf("SELECT c.address, %s FROM %s t JOIN contracts c ON c.id = t.contract_id", columns, table)
	}
	tables := map[string][]string{}
	for table, statement := range statements {
		tables[table] = rows(t, db, statement)
		slices.Sort(tables[table])
	}
	return tables
}

// checkTables compares the tables of two databases, or of one database at two times.
func checkTables(t testing.TB, want, got map[string][]string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d tables, want %d", len(got), len(want))
	}
	for table, rows := range want {
		// cmp is slow with thousands of rows, and most tables are equal.
		if !slices.Equal(rows, got[table]) {
			t.Errorf("%s (-want +got):\n%s", table, cmp.Diff(rows, got[table]))
		}
	}
}
