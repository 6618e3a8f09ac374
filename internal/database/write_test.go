package database_test

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// open opens a database until the end of the test.
func open(t *testing.T, dsn string, opts database.Options) *database.DB {
	t.Helper()
	opts.Readers = 1
	db, err := database.Open(t.Context(), dsn, opts)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// withOptions returns the postgres:// URL with server settings added.
func withOptions(t *testing.T, dsn, options string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	expect.NoError(t, err)
	values := u.Query()
	values.Set("options", options)
	// PostgreSQL URLs do not accept + for a space.
	u.RawQuery = strings.ReplaceAll(values.Encode(), "+", "%20")
	return u.String()
}

// TestWrite_WhateverTheDefaults checks that server defaults meant for readers neither end a
// writing transaction or migration nor change its isolation.
func TestWrite_WhateverTheDefaults(t *testing.T) {
	t.Parallel()
	plain := pgtest.DSN(t)
	dsn := withOptions(t, plain, "-c statement_timeout=500 -c lock_timeout=50 -c idle_in_transaction_session_timeout=500 -c default_transaction_isolation=serializable")
	db, other, unhurried := open(t, dsn, database.Options{}), open(t, dsn, database.Options{}), open(t, plain, database.Options{})
	const slow = "SELECT pg_sleep(0.7)"
	expect.NoError(t, db.Migrate(t.Context(), []database.Migration{
		{Version: 1, Text: slow + ";\n"}, {Version: 2, Apart: true, Text: slow + ";\n" + slow + ";\n"},
	}, nil))
	var waited chan error
	err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		waited = make(chan error)
		go func() {
			waited <- other.Write(t.Context(), func(context.Context, *database.Tx) error { return nil })
		}()
		_, err := tx.Exec(ctx, entsql.Raw(slow))
		expect.NoError(t, err)
		// Meanwhile the transaction is idle.
		expect.NoError(t, unhurried.Exec(ctx, slow))
		var isolation string
		err = tx.Query(ctx, entsql.Raw("SHOW transaction_isolation"), func(row *database.Row) error { return row.Values(&isolation) })
		expect.Equal(t, "isolation", "read committed", isolation)
		return err
	})
	expect.NoError(t, err)
	expect.NoError(t, <-waited)
	// A transaction may set a shorter limit, and the connection keeps its defaults.
	err = db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		expect.NoError(t, tx.Allow(ctx, 1_000_000))
		_, err := tx.Exec(ctx, entsql.Raw(slow))
		return err
	})
	if err == nil || db.Exec(t.Context(), slow) == nil {
		t.Errorf("a statement took longer than it was allowed to: %v", err)
	}
}

// TestWrite_Waits checks that a transaction reports that it waits for other processes.
func TestWrite_Waits(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": pgtest.DSN(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waits := make(chan bool, 2)
			holder, db := open(t, dsn, database.Options{}), open(t, dsn, database.Options{OnWait: func(w bool) { waits <- w }})
			nothing := func(context.Context, *database.Tx) error { return nil }
			expect.NoError(t, db.Write(t.Context(), nothing))
			err := holder.Write(t.Context(), func(holding context.Context, tx *database.Tx) error {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				ended := make(chan error)
				if name == "postgres" {
					go func() { ended <- db.Write(ctx, nothing) }()
					expect.Equal(t, "waits", true, <-waits)
					stop()
					if err := <-ended; !errors.Is(err, context.Canceled) {
						t.Errorf("the wait continued: %v", err)
					}
					expect.Equal(t, "waits", false, <-waits)
				}
				go func() { ended <- db.Write(t.Context(), nothing) }()
				expect.Equal(t, "waits", true, <-waits)
				go func() { waits <- <-ended != nil }()
				if name == "postgres" {
					// Longer than the lock_timeout of one wait.
					_, err := tx.Exec(holding, entsql.Raw("SELECT pg_sleep(2.5)"))
					return err
				}
				return nil
			})
			expect.NoError(t, err)
			expect.Equal(t, "waits", false, <-waits)
			expect.Equal(t, "failed", false, <-waits)
		})
	}
}

// TestWrite_Demoted checks that a connection to a read-only server is closed, so that the next
// one can reach the primary.
func TestWrite_Demoted(t *testing.T) {
	t.Parallel()
	db := open(t, withOptions(t, pgtest.DSN(t), "-c default_transaction_read_only=on"), database.Options{})
	backends := map[int]bool{}
	for range 2 {
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			var backend int
			if err := tx.Query(ctx, entsql.Raw("SELECT pg_backend_pid()"), func(row *database.Row) error { return row.Values(&backend) }); err != nil {
				return err
			}
			backends[backend] = true
			_, err := tx.Exec(ctx, entsql.Raw("CREATE TABLE things (id bigint)"))
			return err
		})
		if !database.IsLost(err) {
			t.Errorf("got %v, want a lost database", err)
		}
	}
	expect.Equal(t, "connections", 2, len(backends))
}

// TestWrite_Patient checks how long PostgreSQL lets a writing transaction be idle.
func TestWrite_Patient(t *testing.T) {
	dsn := pgtest.DSN(t)
	for patient, want := range map[bool]string{false: "5s", true: "10min"} {
		db, limit := open(t, dsn, database.Options{Patient: patient}), ""
		expect.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			return tx.Query(ctx, entsql.Raw("SHOW idle_in_transaction_session_timeout"), func(row *database.Row) error { return row.Values(&limit) })
		}))
		expect.Equal(t, "limit", want, limit)
	}
}

// TestWrite_Idle checks that a transaction that PostgreSQL ends for being idle too long counts
// as a lost connection.
func TestWrite_Idle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits until a transaction has been idle for too long")
	}
	dsn := pgtest.DSN(t)
	db, unhurried := open(t, dsn, database.Options{}), open(t, dsn, database.Options{})
	err := db.WriteBrief(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		// Meanwhile the transaction is idle.
		expect.NoError(t, unhurried.Exec(ctx, "SELECT pg_sleep(3.5)"))
		_, err := tx.Exec(ctx, entsql.Raw("SELECT 1"))
		return err
	})
	if !database.IsLost(err) {
		t.Errorf("got %v, want a lost connection", err)
	}
}

// TestIsLocked checks that a brief transaction does not wait long for a lock.
func TestIsLocked(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	holder, db := open(t, dsn, database.Options{}), open(t, dsn, database.Options{})
	expect.NoError(t, holder.Exec(t.Context(), "CREATE TABLE rows (id bigint)"))
	lock := func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, entsql.Raw("LOCK TABLE rows"))
		return err
	}
	err := holder.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		expect.NoError(t, lock(ctx, tx))
		// It does not wait for other writers.
		expect.NoError(t, db.WriteBrief(ctx, func(context.Context, *database.Tx) error { return nil }))
		if err := db.WriteBrief(ctx, lock); !database.IsLocked(err) || !database.IsCancelled(err) {
			t.Errorf("got %v, want a lock timeout", err)
		}
		return nil
	})
	expect.NoError(t, err)
}

// TestIsLost_Deadlock checks that a snapshot that PostgreSQL ends because of a deadlock with a
// writer counts as lost, so that it is read again.
func TestIsLost_Deadlock(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	writer, reader := open(t, dsn, database.Options{}), open(t, dsn+"&options=-c%20deadlock_timeout%3D10ms", database.Options{})
	expect.NoError(t, writer.Exec(t.Context(), "CREATE TABLE first (id bigint); CREATE TABLE second (id bigint)"))
	s := reader.Snapshot()
	defer func() { _ = s.Close() }()
	read := func(table string) error {
		return s.Run(t.Context(), "SELECT id FROM "+table, nil, func(*database.Row) error { return nil })
	}
	expect.NoError(t, read("first"))
	written := make(chan error, 1)
	go func() {
		written <- writer.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, entsql.Raw("LOCK TABLE second, first"))
			return err
		})
	}()
	for waits := false; !waits; {
		const text = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'first'::regclass"
		expect.NoError(t, writer.Query(t.Context(), text, nil, func(row *database.Row) error { waits = row.Bool(); return row.Err() }))
	}
	if err := read("second"); !database.IsLost(err) {
		t.Errorf("got %v, want a lost snapshot", err)
	}
	expect.NoError(t, <-written)
}
