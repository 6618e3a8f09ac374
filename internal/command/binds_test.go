package command_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// away is the URL of a node that does not answer.
const away = "http://127.0.0.1:9"

// bound returns the settings that flags store.
func bound(t *testing.T, db string) []string {
	t.Helper()
	return rows(t, open(t, db), `SELECT id, value FROM settings
		WHERE id IN ('chain_id', 'contracts', 'decoding', 'deployment', 'transactions', 'log_numbering') ORDER BY id`)
}

// TestBinds_Nothing checks that verify without --repair stores no option, and that other commands
// store none before a node has answered or a line could be imported.
func TestBinds_Nothing(t *testing.T) {
	skipShort(t, "waits for a node that is away")
	t.Parallel()
	node, _ := generated(t, 40, 6)
	bad := filepath.Join(t.TempDir(), "bad.ndjson")
	expect.NoError(t, os.WriteFile(bad, []byte("{"), 0o600))
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		// As an import without --chain-id, by a version that stored no options, leaves it.
		change(t, db, "DELETE FROM settings WHERE id IN ('chain_id', 'decoding')")
		nothing := bound(t, db)
		for _, flags := range []string{"--burn-address " + deadAddress, "", "--transactions", "--no-transactions"} {
			run(t, nil, append([]string{"verify", "--db", db, "--rpc", node.URL}, strings.Fields(flags)...)...)
			expect.Equal(t, "verify "+flags, nothing, bound(t, db))
		}
		for _, args := range []string{
			"verify --repair --transactions", "sync --once --from-deployment --transactions --burn-address " + deadAddress,
		} {
			fails(t, 1, "", append(strings.Fields(args), "--db", db, "--rpc", away)...)
			expect.Equal(t, args, nothing, bound(t, db))
		}
		fails(t, 1, "bad.ndjson:1", "import", "--chain-id", "5", "--transactions", "--db", db, bad)
		expect.Equal(t, "import", nothing, bound(t, db))
		mustRun(t, "verify", "--repair", "--rpc", node.URL, "--db", db)
		if got := bound(t, db); len(got) != len(nothing)+2 {
			t.Errorf("verify --repair: bound to %v", got)
		}
	})
	db := storetest.Postgres(t)
	fails(t, 1, "", "sync", "--once", "--contract", kittyAddress, "--from-deployment", "--from-block", "5", "--db", db, "--rpc", away)
	if got := bound(t, db); len(got) > 0 {
		t.Errorf("a new database: bound to %v", got)
	}
}

// TestBinds_NoTransactions turns the details of transactions off: those that are stored stay, and later
// blocks have none, however they are read, until the option is on again.
func TestBinds_NoTransactions(t *testing.T) {
	t.Parallel()
	skipShort(t, "starts PostgreSQL")
	bundle := chainA(t, "bundle.ndjson.gz")
	storetest.Each(t, func(t *testing.T, db string) {
		node, o := generated(t, 60, 30)
		mustRun(t, "sync", "--once", "--transactions", "--rpc", node.URL, "--db", db)
		before := details(t, db)
		mustRun(t, "sync", "--once", "--no-transactions", "--rpc", node.URL, "--db", db)
		for _, flags := range [][]string{nil, {"--repair"}} {
			mustRun(t, append([]string{"verify", "--rpc", node.URL, "--db", db}, flags...)...)
			expect.Equal(t, "details that were stored before", before, details(t, db))
		}
		node.Generate(o)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		added := details(t, db)
		maps.DeleteFunc(added, func(hash string, got any) bool {
			was, known := before[hash]
			return known && cmp.Equal(was, got)
		})
		if len(added) < 100 {
			t.Fatalf("%d transactions are new", len(added))
		}
		expect.Equal(t, "details of later blocks", withoutDetails(added), added)
		mustRun(t, "check", "--db", db)
		fails(t, 1, "differences in", "verify", "--transactions", "--rpc", node.URL, "--db", db)
		mustRun(t, "verify", "--transactions", "--repair", "--rpc", node.URL, "--db", db)
		for hash, of := range details(t, db) {
			if of == nil {
				t.Errorf("transaction %s has no details", hash)
			}
		}
	})
	db := storetest.SQLite(t)
	importInto(t, db, strings.NewReader(""), "--transactions", "-")
	importInto(t, db, nil, "--no-transactions", bundle)
	got := details(t, db)
	expect.Equal(t, "imported", withoutDetails(got), got)
}

// TestBinds_Both refuses an option with its opposite, in each command that has them.
func TestBinds_Both(t *testing.T) {
	t.Parallel()
	for command, flag := range map[string]string{
		"serve": "transactions", "sync --rpc " + away: "transactions", "import -": "transactions", "verify --rpc " + away: "transactions",
		"migrate": "index-traits",
	} {
		for _, on := range []string{"--" + flag, "--" + flag + "=true"} {
			for _, args := range [][]string{{on, "--no-" + flag}, {"--no-" + flag, on}} {
				fails(t, 2, "want one of them", append(strings.Fields(command), args...)...)
			}
		}
	}
}
