package command_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
)

// TestCheck damages a database, checks it and repairs it.
func TestCheck(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	wantCheck := func(code int, stdout, stderr string, args ...string) {
		t.Helper()
		said, errs, got := run(t, nil, append([]string{"check", "--db", db}, args...)...)
		if got != code || !strings.HasPrefix(said, stdout) || !strings.Contains(errs, stderr) {
			t.Errorf("check %v: exit code %d, %q, %q: want %d, %q, %q", args, got, said, errs, code, stdout, stderr)
		}
	}
	wantCheck(0, "No differences: ", "")
	wantCheck(0, "No differences: ", "", "--repair")
	change(t, db, "UPDATE counters SET n = n + 1 WHERE id = x'002a000000000000000000'")
	wantCheck(1, "counters of mints, blocks 0 to 8589934591: n is 1081, its rows give 1080\n", "mintburn: 1 difference; check --repair repairs")
	wantCheck(0, "counters of mints, blocks 0 to 8589934591: n is 1081, its rows give 1080\nRepaired 1 difference.\n", "", "--repair")
	wantCheck(0, "No differences: ", "")
	change(t, db, "UPDATE blocks SET parent_hash = NULL WHERE id = 7")
	change(t, db, "UPDATE contracts SET standards = 0")
	wantCheck(1, "block 7: the parent hash is missing; verify --repair restores it\n", " differences; check --repair repairs")
	wantCheck(1, "block 7: the parent hash is missing; verify --repair restores it\n", "differences; the report names the commands that repair the others", "--repair")
	wantCheck(1, "block 7: the parent hash is missing; verify --repair restores it\n", "mintburn: 1 difference;")
	t.Run("interrupted", func(t *testing.T) {
		_, said, code := stopping(t, syscall.SIGTERM, func(_ func(), run func(...string)) { run("check", "--db", db) })
		if want := "mintburn: interrupted by SIGTERM: 1 difference so far; repairs are stored; run the same command again\n"; code != 143 || said != want {
			t.Errorf("exit code %d, %q: want 143, %q", code, said, want)
		}
	})
	t.Run("no database", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "none.db")
		fails(t, 1, "no database", "check", "--db", path)
	})
}

// TestVerify_RepairsWhatCheckLeaves damages data that only a node can restore.
func TestVerify_RepairsWhatCheckLeaves(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	node, _ := generated(t, 90, 8)
	db := filepath.Join(t.TempDir(), "spoilt.db")
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	for name, statement := range map[string]string{
		"a header":         "DELETE FROM blocks WHERE id = 7",
		"a parent":         "UPDATE blocks SET parent_hash = NULL WHERE id = 9",
		"another parent":   "UPDATE blocks SET parent_hash = zeroblob(32) WHERE id = 9",
		"a hash":           "UPDATE blocks SET hash_prefix = 5 WHERE id = 11",
		"a duplicate hash": "UPDATE blocks SET hash_prefix = (SELECT hash_prefix FROM blocks WHERE id = 20), hash_suffix = (SELECT hash_suffix FROM blocks WHERE id = 20) WHERE id = 13",
		"mints":            "DELETE FROM mints WHERE id % 5 = 0",
		"a contract":       "DELETE FROM contracts WHERE id = (SELECT min(id) FROM contracts)",
		"a damaged mint":   "UPDATE mints SET account_suffix = x'01' WHERE id = (SELECT min(id) FROM mints)",
		"a mint as text":   "UPDATE mints SET tx_suffix = CAST(zeroblob(24) AS text) WHERE id = (SELECT max(id) FROM mints)",
		"a bad amount":     "UPDATE burns SET amount = x'05' WHERE id = (SELECT max(id) FROM burns)",
		"an extra mint":    "INSERT INTO mints SELECT id + 1000, contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index + 1000, sub_index, operator, tx_index FROM mints WHERE id = (SELECT min(id) FROM mints)",
		"counters":         "UPDATE counters SET n = n + 1",
	} {
		t.Run(name, func(t *testing.T) {
			change(t, db, statement)
			for _, command := range []struct {
				args []string
				code int
			}{
				{[]string{"check"}, 1}, {[]string{"verify", "--rpc", node.URL}, 1}, {[]string{"verify", "--repair", "--rpc", node.URL}, 0},
				{[]string{"check"}, 0}, {[]string{"verify", "--rpc", node.URL}, 0},
			} {
				stdout, stderr, code := run(t, nil, append(command.args, "--db", db)...)
				if code != command.code {
					t.Fatalf("%v: exit code %d, want %d: %.2000s%s", command.args, code, command.code, stdout, stderr)
				}
			}
		})
	}
}

// TestVerify_Continues verifies with a node that refuses every call after some blocks: the
// error says how to continue.
func TestVerify_Continues(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Generate(contents(40, 6))
	db := filepath.Join(t.TempDir(), "test.db")
	mustRun(t, "sync", "--once", "--db", db, "--rpc", node.URL)
	for name, fault := range map[string]chaintest.Fault{
		"credentials": {Status: http.StatusUnauthorized},
		"an error":    {Code: -32000, Message: "that went wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, func(c chaintest.Call) bool {
				return c.Method == "eth_getLogs" || strings.HasSuffix(c.Method, "Receipts") || strings.HasSuffix(c.Method, "Receipt")
			})
			_, stderr, code := run(t, nil, "verify", "--db", db, "--rpc", node.URL)
			if code != 1 || !strings.Contains(stderr, "to continue, run it again with --from-block ") {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}
