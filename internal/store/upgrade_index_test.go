package store_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"mintburn/internal/database"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// building waits until an index build has waited for an older transaction for longer than
// the statement timeout of its role, and returns its process id.
func building(t *testing.T, db *sql.DB, failed <-chan error) (pid int) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := db.QueryRowContext(t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' "+
			"AND state = 'active' AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '700 ms'").Scan(&pid)
		if err == nil {
			return pid
		}
		if !errors.Is(err, sql.ErrNoRows) {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case err := <-failed:
			t.Fatalf("migrating ended: %v", err)
		}
	}
}

// TestUpgrade_Index checks that an index is built while others write and a second process
// waits to migrate, that the build waits for an old transaction without a limit, and that
// it succeeds after an interruption.
func TestUpgrade_Index(t *testing.T) {
	if testing.Short() {
		t.Skip("runs on SQLite")
	}
	blocks := branch(3, 1, 64, blockHash(1, 63), 20, between(5, 0))
	for name, dsnOf := range map[string]func(testing.TB) string{"direct": pgtest.Direct, "pooled": pgtest.Pooled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := dsnOf(t)
			dsn := plain
			if name == "direct" {
				dsn += "&options=" + strings.ReplaceAll(url.QueryEscape("-c statement_timeout=500 -c lock_timeout=50 -c idle_in_transaction_session_timeout=500 -c idle_session_timeout=500"), "+", "%20")
			}
			old := open(t, plain, write.Options{})
			apply(t, old, blocks[:10])
			db, files := raw(t, plain), after(t, expand)
			migrate := func() <-chan error {
				ended := make(chan error, 1)
				go func() {
					s, err := write.OpenWith(t.Context(), dsn, write.Options{Options: database.Options{Readers: 1}}, files)
					if err == nil {
						err = s.Close()
					}
					ended <- err
				}()
				return ended
			}
			valid := func() (n int) {
				expect.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('mints_note') AND indisvalid").Scan(&n))
				return n
			}

			reader := oldTransaction(t, db)
			interrupted := migrate()
			pid := building(t, db, interrupted)
			if name == "direct" {
				expect.Equal(t, "locks of migrations", []int64{1}, listOf[int64](t, plain, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted "+
					"AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"))
			}
			_, err := db.ExecContext(t.Context(), "SELECT pg_terminate_backend($1)", pid)
			expect.NoError(t, err)
			if err := <-interrupted; err == nil {
				t.Fatal("it continued without its connection")
			}
			expect.NoError(t, reader.Rollback())
			expect.Equal(t, "valid indexes after an interruption", 0, valid())

			reader = oldTransaction(t, db)
			first, second := migrate(), migrate()
			building(t, db, first)
			apply(t, old, blocks[10:])
			expect.NoError(t, reader.Rollback())
			expect.NoError(t, errors.Join(<-first, <-second))
			expect.Equal(t, "valid indexes", 1, valid())
			expect.Equal(t, "schema", read.Schema{Version: latest + 2, Known: latest}, open(t, plain, write.Options{}).Schema())
		})
	}
}

// oldTransaction begins a transaction that a later index build must wait for.
func oldTransaction(t *testing.T, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	expect.NoError(t, err)
	var n int
	expect.NoError(t, tx.QueryRowContext(t.Context(), "SELECT count(*) FROM settings").Scan(&n))
	return tx
}

// TestUpgrade_IndexPooled checks that the error says what to do if a pooler keeps the
// server's timeouts.
func TestUpgrade_IndexPooled(t *testing.T) {
	if testing.Short() {
		t.Skip("runs on SQLite")
	}
	t.Parallel()
	dsn := pgtest.Pooled(t)
	open(t, dsn, write.Options{})
	slow := migration(1, "slow", compatible, "-- +goose NO TRANSACTION\n"+compatible+"SET statement_timeout = 100;\nSELECT pg_sleep(0.3);\n")
	_, err := write.OpenWith(t.Context(), dsn, write.Options{}, after(t, slow))
	if err == nil || !strings.Contains(err.Error(), "run mintburn migrate with the address of PostgreSQL itself") {
		t.Errorf("error %v", err)
	}
}
