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
