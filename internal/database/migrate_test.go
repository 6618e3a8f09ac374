package database_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// steps are migrations that can't be applied twice.
var steps = []database.Migration{
	{Version: 1, Name: "things", Text: "-- Two statements; both count.\nCREATE TABLE things (n bigint);\nINSERT INTO things VALUES (1);\n"},
	{Version: 2, Name: "more", Text: "UPDATE things SET n = n + 1;\n"},
}

// TestMigrate_ManyAtOnce migrates from eight connections at once and checks that each
// migration is applied once.
func TestMigrate_ManyAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lock that is polled every second")
	}
	const many = 30
	all := slices.Clone(steps)
	for version := int64(len(all)) + 1; version <= many; version++ {
		all = append(all, database.Migration{Version: version, Name: "more", Text: steps[1].Text})
	}
	onEach(t, func(t *testing.T, dsn string) {
		var mu sync.Mutex
		var group sync.WaitGroup
		applied := 0
		for range 8 {
			db := open(t, dsn, database.Options{})
			group.Go(func() {
				err := db.Migrate(t.Context(), all, func(database.Migration) {
					mu.Lock()
					defer mu.Unlock()
					applied++
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		expect.Equal(t, "applied", many, applied)
		db := open(t, dsn, database.Options{})
		version, err := db.SchemaVersion(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, "version", int64(many), version)
		expect.NoError(t, db.Query(t.Context(), "SELECT n FROM things", nil, func(row *database.Row) error {
			expect.Equal(t, "n", int64(many), row.Int64())
			return row.Err()
		}))
	})
}

// TestMigrate_WaitsForWriters checks that the schema does not change during a writing
// transaction.
func TestMigrate_WaitsForWriters(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	waits := make(chan bool, 2)
	writer, db := open(t, dsn, database.Options{}), open(t, dsn, database.Options{OnWait: func(w bool) { waits <- w }})
	expect.NoError(t, db.Migrate(t.Context(), steps[:1], nil))
	migrated := make(chan error, 1)
	n := func(ctx context.Context, tx *database.Tx) (n int64) {
		expect.NoError(t, tx.Query(ctx, entsql.Raw("SELECT n FROM things"), func(row *database.Row) error { return row.Values(&n) }))
		return n
	}
	err := writer.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		go func() { migrated <- db.Migrate(t.Context(), steps, nil) }()
		select {
		case <-waits:
		case err := <-migrated:
			t.Fatalf("the migration did not wait: %v", err)
		}
		expect.Equal(t, "n", int64(1), n(ctx, tx))
		return nil
	})
	expect.NoError(t, errors.Join(err, <-migrated))
	expect.NoError(t, writer.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		expect.Equal(t, "n", int64(2), n(ctx, tx))
		return nil
	}))
}

// TestMigrate_Fails checks that a failed migration changes nothing.
func TestMigrate_Fails(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dsn string) {
		db := open(t, dsn, database.Options{})
		wrong := append(steps[:1:1], database.Migration{Version: 2, Text: "DELETE FROM things;\nSELECT missing;\n"})
		if err := db.Migrate(t.Context(), wrong, nil); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Errorf("got %v", err)
		}
		expect.NoError(t, db.Migrate(t.Context(), steps, nil))
	})
}

// TestMigrate_Deadlock has a migration and a reader wait for each other's tables. Whichever
// PostgreSQL ends, the migration succeeds, and the reader's error says that it may try again.
func TestMigrate_Deadlock(t *testing.T) {
	t.Parallel()
	for victim, timeout := range map[string]string{"migration": "1min", "reader": "1ms"} {
		t.Run(victim, func(t *testing.T) {
			dsn := pgtest.DSN(t)
			db := open(t, dsn, database.Options{})
			admin, err := sql.Open("pgx", dsn)
			expect.NoError(t, err)
			defer admin.Close()
			tables := []database.Migration{
				{Version: 1, Text: "CREATE TABLE a (n int); CREATE TABLE b (n int);"},
				{Version: 2, Text: "ALTER TABLE a ADD m int; ALTER TABLE b ADD m int;"},
			}
			expect.NoError(t, db.Migrate(t.Context(), tables[:1], nil))
			reader, err := admin.BeginTx(t.Context(), nil)
			expect.NoError(t, err)
			_, err = reader.ExecContext(t.Context(), "SET LOCAL deadlock_timeout = '"+timeout+"'; SELECT n FROM b")
			expect.NoError(t, err)
			migrated := make(chan error, 1)
			go func() { migrated <- db.Migrate(t.Context(), tables, nil) }()
			for waits := false; !waits; {
				expect.NoError(t, admin.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'b'::regclass)").Scan(&waits))
			}
			_, err = reader.ExecContext(t.Context(), "SELECT n FROM a")
			if (err != nil) != (victim == "reader") || err != nil && !database.IsLost(err) {
				t.Errorf("reader: %v", err)
			}
			expect.NoError(t, reader.Rollback())
			expect.NoError(t, <-migrated)
		})
	}
}

// TestMigrate_Mistakes checks the errors of databases and addresses that cannot be migrated.
func TestMigrate_Mistakes(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ statement, parameters string }{
		"the table schema_version is of another program: want a database, or a search_path in the address, of its own": {statement: "CREATE TABLE schema_version (installed_rank int, version text)"},
		"no schema of the search_path exists: create one, or correct the search_path of the address or the role":       {parameters: "search_path=none"},
	} {
		dsn := pgtest.Direct(t)
		if c.statement != "" {
			expect.NoError(t, open(t, dsn, database.Options{}).Exec(t.Context(), c.statement))
		}
		separator := "?"
		if strings.Contains(dsn, "?") {
			separator = "&"
		}
		err := open(t, dsn+separator+c.parameters, database.Options{}).Migrate(t.Context(), steps, nil)
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMigrate_ReportsWaits checks that a migration reports that another process has not finished its
// own, or writes.
func TestMigrate_ReportsWaits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dsn string) {
		begun, finish := make(chan struct{}), make(chan struct{})
		slow := slices.Clone(steps)
		slow[0].Around = func(_ context.Context, _ *database.Tx, apply func() error) error {
			close(begun)
			<-finish
			return apply()
		}
		first, waits := make(chan error, 1), make(chan bool, 4)
		db := open(t, dsn, database.Options{})
		go func() { first <- db.Migrate(t.Context(), slow, nil) }()
		<-begun
		second := make(chan error, 1)
		waiting := open(t, dsn, database.Options{OnWait: func(w bool) { waits <- w }})
		go func() { second <- waiting.Migrate(t.Context(), steps, nil) }()
		if !<-waits {
			t.Error("the wait ended before it began")
		}
		close(finish)
		expect.NoError(t, errors.Join(<-first, <-second))
		if <-waits {
			t.Error("the wait does not end")
		}
	})
}
