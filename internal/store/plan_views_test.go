package store_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// viewRecords is the number of mints, and of burns, that fillViews stores.
const viewRecords = 20_000

// fillViews stores mints and burns of 2,000 collections, of which one has a tenth, and documents.
func fillViews(t *testing.T, dsn string) {
	t.Helper()
	bytes, series := func(n int, of string) string { return fmt.Sprintf("CAST(printf('%%0%dd', %s) AS blob)", n, of) },
		func(n int) string {
			return fmt.Sprintf("WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d)", n)
		}
	id := "CAST(x'04' || " + bytes(4, "n % 9999") + " AS blob)"
	if isPostgres(dsn) {
		bytes = func(n int, of string) string {
			return fmt.Sprintf("convert_to(lpad((%s)::text, %d, '0'), 'UTF8')", of, n)
		}
		series = func(n int) string { return fmt.Sprintf("WITH s AS (SELECT n FROM generate_series(1, %d) AS n)", n) }
		id = `'\x04'::bytea || ` + bytes(4, "n % 9999")
	}
	one := "x'0101'"
	if isPostgres(dsn) {
		one = `'\x0101'::bytea`
	}
	contract := "CASE WHEN n % 10 = 0 THEN 7 ELSE 1 + n % 2000 END"
	records := func(table string) string {
		return "INSERT INTO " + table + " (id, contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index, sub_index) " + series(viewRecords) +
			" SELECT (CAST(1 + n / 50 AS bigint) << 30) + n % 50, " + contract + ", " + id + ", n, " + bytes(24, "n") + ", n % 999, " + bytes(12, "n % 999") + ", " + one + ", n % 50, 0 FROM s"
	}
	execute(t, dsn,
		"INSERT INTO contracts (id, address, standards, first_log) "+series(2000)+" SELECT n, "+bytes(20, "n")+", 1, (CAST(n AS bigint) << 30) FROM s",
		"INSERT INTO blocks (id, hash_prefix, hash_suffix, time) "+series(viewRecords/50+1)+" SELECT n, n, "+bytes(24, "n")+", n FROM s",
		records("mints"), records("burns"),
		"INSERT INTO tokens (contract_id, token_id, uri, uri_has_id, text_bytes, raw, fetched_at, updated_at, attributes) "+series(9000)+" SELECT 1 + n % 2000, "+id+", 'u', false, 7, '{}', 1, 1, '[]' FROM s",
		"ANALYZE",
	)
}

// TestPlan_Views checks that conditions of the views on a collection's address read the records
// of that collection only, and that other conditions read what they did.
func TestPlan_Views(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		open(t, dsn, write.Options{})
		fillViews(t, dsn)
		db := raw(t, dsn)
		address := func(n int) string { return fmt.Sprintf("'0x%x'", fmt.Sprintf("%020d", n)) }
		const number = "collection_id = ANY(ARRAY(SELECT collection_id FROM v_collections WHERE address = "
		for _, c := range []struct {
			where string
			// rows is how many rows of the big tables it may read.
			rows float64
		}{
			{"v_mints WHERE token_address = " + address(13), 200},
			{"v_mints WHERE token_address = " + address(13) + " ORDER BY position LIMIT 10", 30},
			{"v_burns WHERE token_address = " + address(13) + " AND block_number BETWEEN 100 AND 300", 30},
			{"v_burns WHERE token_address = " + address(13) + " AND position >= 100 * CAST(1073741824 AS bigint) AND position < 300 * CAST(1073741824 AS bigint) ORDER BY position LIMIT 10", 30},
			{"v_mints WHERE token_address IN (" + address(13) + ", " + address(14) + ")", 60},
			{"v_mints WHERE token_address = " + address(7) + " ORDER BY position DESC LIMIT 10", 2500},
			{"v_mints WHERE " + number + address(7) + ")) ORDER BY collection_id DESC, position DESC LIMIT 10", 10},
			{"v_burns WHERE " + number + address(7) + ")) AND position >= 100 * CAST(1073741824 AS bigint) ORDER BY collection_id, position LIMIT 20", 20},
			{"v_mints WHERE " + number + address(13) + ")) ORDER BY collection_id, position LIMIT 10", 10},
			{"v_metadata WHERE collection_address = " + address(11), 200},
			{"v_collections WHERE address = " + address(13), 10},
			{"v_mints WHERE position >= 100 * CAST(1073741824 AS bigint) AND position < 102 * CAST(1073741824 AS bigint) ORDER BY position", 300},
			{"v_mints ORDER BY position DESC LIMIT 10", 100},
		} {
			query := "SELECT * FROM " + c.where
			if strings.Contains(query, number) && !isPostgres(dsn) {
				continue // SQLite needs no such column.
			}
			if got, _ := viewRows(t, db, query); len(got) == 0 {
				t.Errorf("%s\nhas no rows", query)
			}
			if isPostgres(dsn) {
				var text string
				expect.NoError(t, db.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "+query).Scan(&text))
				var plans []struct{ Plan planNode }
				expect.NoError(t, json.Unmarshal([]byte(text), &plans))
				plans[0].Plan.walk(func(n planNode) {
					if big := []string{"mints", "burns", "tokens"}; slices.Contains(big, n.Relation) && (n.Rows+n.Removed)*n.Loops > c.rows {
						t.Errorf("%s\nreads %v rows in a %s of %s: %s", query, (n.Rows+n.Removed)*n.Loops, n.Type, n.Relation, text)
					}
				})
				continue
			}
			plan := sqlitePlan(t, db, statement{query: query})
			if of := strings.Contains(query, "address"); of != strings.Contains(plan, "INDEX contracts_text (<expr>=?)") || of && regexp.MustCompile(`SCAN [mct]\b`).MatchString(plan) {
				t.Errorf("%s\nis answered by: %s", query, plan)
			}
			if strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s\nis sorted: %s", query, plan)
			}
		}
	})
}
