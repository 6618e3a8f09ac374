package store_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// downgrade reverts a database to schema version 6, as a program of that version created it.
func downgrade(t *testing.T, dsn string) {
	t.Helper()
	revert(t, dsn, 12)
	execute(t, dsn, "DROP VIEW v_mints", "DROP VIEW v_burns", "DROP VIEW v_tokens")
	if isPostgres(dsn) {
		execute(t, dsn, "DROP FUNCTION mintburn_numeric")
	}
	execute(t, dsn,
		"DROP INDEX contracts_first_log", "DROP INDEX blocks_time", "ALTER TABLE counters DROP COLUMN amount",
		"ALTER TABLE contracts DROP COLUMN first_log", "ALTER TABLE contracts DROP COLUMN token_count", "ALTER TABLE contracts DROP COLUMN resolved",
		"ALTER TABLE contracts DROP COLUMN pending", "ALTER TABLE contracts DROP COLUMN failed", "ALTER TABLE contracts DROP COLUMN recordless",
		"ALTER TABLE contracts DROP COLUMN mint_count", "ALTER TABLE contracts DROP COLUMN burn_count",
		"DELETE FROM settings WHERE id = 'compatible_from'", "DELETE FROM schema_version WHERE version_id > 6",
	)
}

// killedIn is the environment variable with the database that a child process migrates
// until it is killed.
const killedIn = "TEST_KILLED_IN"

// TestUpgrade_Amounts checks that the migrations add the amounts to the counters of an earlier
// version, and the counts and the excess to its collections, after another process was killed doing so.
func TestUpgrade_Amounts(t *testing.T) {
	skipShort(t)
	if dsn := os.Getenv(killedIn); dsn != "" {
		_, err := write.Open(t.Context(), dsn, write.Options{Options: database.Options{OnStatement: func(text string, _ []any) {
			if strings.Contains(text, "burns") && strings.Contains(text, "LIMIT") {
				// The amounts of mints are added to the new trees by now.
				expect.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
			}
		}}})
		t.Fatalf("it was not killed: %v", err)
	}
	onEmpty(t, func(t *testing.T, dsn string) {
		s := checked(t, dsn)
		blocks := checkedBlocks()
		fillDigests(t, s)
		want := contentOf(t, dsn)
		expect.NoError(t, s.Close())
		downgrade(t, dsn)
		killed := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUpgrade_Amounts$")
		killed.Env = append(os.Environ(), killedIn+"="+dsn)
		out, err := killed.CombinedOutput()
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("error %v, want a killed process: %s", err, out)
		}
		schema, err := write.ReadSchema(t.Context(), dsn)
		expect.NoError(t, err)
		expect.Equal(t, "complete after the kill", false, schema.Version == schema.Known)

		s = open(t, dsn, write.Options{})
		countTraits(t, s)
		fillDigests(t, s)
		for table, rows := range contentOf(t, dsn) {
			expect.Equal(t, table, want[table], rows)
		}
		wantClean(t, "the upgrade", s)
		each(t, s, func(snap *store.Snapshot) {
			wantSums(t, snap, append(blocks[:200:200], blocks[251:253]...), counter.LastBlock)
		})
	})
}

// TestUpgrade_Loading checks that a load which an earlier version began counts at its end.
func TestUpgrade_Loading(t *testing.T) {
	skipShort(t)
	onEmpty(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		blocks := checkedBlocks()
		beginLoad(t, s)
		apply(t, s, blocks)
		expect.NoError(t, s.Close())
		// The load has dropped it.
		execute(t, dsn, "CREATE INDEX blocks_time ON blocks (time)")
		downgrade(t, dsn)
		s = open(t, dsn, write.Options{})
		execute(t, dsn, "DROP INDEX blocks_time")
		expect.NoError(t, s.Settings().SetDeployment(t.Context(), blocks[0].Header.Number))
		wantItems := func() {
			t.Helper()
			each(t, s, func(snap *store.Snapshot) {
				found, err := snap.Subjects().CollectionsOf(t.Context(), []evm.Address{collection(0)})
				expect.NoError(t, err)
				for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
					items, err := snap.Subjects().Items(t.Context(), kind, []*store.Subject{found[0].AsSubject()}, nil)
					expect.NoError(t, err)
					expect.Equal(t, kind.String()+"s", evm.Long(model(blocks).tally(kind, collection(0), nil, counter.LastBlock).N), *items[0])
				}
			})
		}
		wantItems()
		each(t, s, func(snap *store.Snapshot) {
			_, err := store.CountsOf(t.Context(), snap.Snapshot, collection(0))
			wantCode(t, "while it loads", err, "UNAVAILABLE")
			wantSums(t, snap, blocks, counter.LastBlock)
		})
		finishLoad(t, s)
		wantItems()
		wantClean(t, "the load", s)
		each(t, s, func(snap *store.Snapshot) {
			wantCounts(t, snap, blocks)
			wantSums(t, snap, blocks, counter.LastBlock)
		})
	})
}
