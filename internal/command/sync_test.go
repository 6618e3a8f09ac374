package command_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestSync_Anvil indexes a real node's chain. The database must equal an import of the
// same chain, and every block must be proved.
func TestSync_Anvil(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs anvil")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := filepath.Join(t.TempDir(), "synced.db")
	mustRun(t, "sync", "--once", "--rpc", node, "--db", db)
	s := serve(t, db)
	for field, key := range map[string]string{"mints": "all-mints.ndjson.gz", "burns": "all-burns.ndjson.gz"} {
		if diff := cmp.Diff(expected(t, chainA(t, key)), s.walk(t, field, "", 1000)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
	const rejected = "SELECT id, reason FROM rejected_logs ORDER BY id"
	expect.Equal(t, "rejected logs", rows(t, open(t, importChainA(t)), rejected), rows(t, open(t, db), rejected))
	stdout, stderr, code := run(t, nil, "verify", "--rpc", node, "--db", db)
	if code != 0 || !strings.HasPrefix(stdout, "Verified 361 blocks") {
		t.Fatalf("verify: exit code %d: %s%s", code, stdout, stderr)
	}
	verified := s.Get(t, "{ chain { chainId verifiedRanges { fromBlock toBlock } finalized { number } } }", "")
	want := map[string]any{"chain": map[string]any{
		"chainId":        number("31337"),
		"verifiedRanges": []any{map[string]any{"fromBlock": number("0"), "toBlock": number("360")}},
		"finalized":      map[string]any{"number": number("296")},
	}}
	expect.Equal(t, "chain", want, verified)
}

// change runs a statement in a database file behind the program's back.
func change(t testing.TB, dsn, statement string) {
	t.Helper()
	driver := "sqlite3"
	if strings.HasPrefix(dsn, "postgres:") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	expect.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	expect.NoError(t, errors.Join(err, db.Close()))
}

func TestVerify_FindsWhatWasChanged(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := importChainA(t)
	// nth returns SQL for the id of the nth mint.
	nth := func(n int) string { return fmt.Sprintf("(SELECT id FROM mints ORDER BY id LIMIT 1 OFFSET %d)", n) }
	for _, statement := range []string{
		"DELETE FROM mints WHERE id = " + nth(0),
		"INSERT INTO burns SELECT id + 1000, contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index + 1000, sub_index, operator, NULL, tx_index FROM mints WHERE id = " + nth(0),
		"UPDATE mints SET amount = x'0105' WHERE id = " + nth(1),
		"UPDATE mints SET tx_index = NULL WHERE id = " + nth(2),
		"UPDATE blocks SET hash_prefix = 1 WHERE id = 7",
		"DELETE FROM rejected_logs WHERE reason = 'cap'",
	} {
		change(t, db, statement)
	}
	const want = `block 3: mint at log 0, sub index 0 (collection 0x663f3ad617193148711d28f5334ee4ed07016602, token 0) is missing
block 3: mint at log 0, sub index 2: amount: stored is 5, the chain has 1
block 3: mint at log 0, sub index 3: transaction_index: stored is unknown, the chain has 0
block 3: burn at log 1000, sub index 1 (collection 0x663f3ad617193148711d28f5334ee4ed07016602, token 1) is stored, and not on the chain
block 7: hash: stored is 0x0000000000000001bc4e655cef52eb8843ceff9b88c492a9d3ac984c6182d100, the chain has 0xa14d370852281dbbbc4e655cef52eb8843ceff9b88c492a9d3ac984c6182d100
block 54: rejected log 1 is missing
`
	stdout, stderr, code := run(t, nil, "verify", "--rpc", node, "--db", db)
	if code != 1 || !strings.HasPrefix(stdout, want) || !strings.Contains(stderr, "mintburn: 6 differences in 361 blocks") {
		t.Errorf("exit code %d, output %q, error %q", code, stdout, stderr)
	}
	verified := rows(t, open(t, db), "SELECT sum(to_block - from_block + 1) AS blocks FROM coverage WHERE kind = 'verified'")
	expect.Equal(t, "verified", []string{"blocks=358"}, verified)
	stdout, stderr, code = run(t, nil, "verify", "--repair", "--rpc", node, "--db", db)
	if code != 0 || !strings.HasSuffix(stdout, "Repaired 6 differences in 361 blocks.\n") {
		t.Errorf("repairing: exit code %d, output %q, error %q", code, stdout, stderr)
	}
	mustRun(t, "verify", "--rpc", node, "--db", db)
}

// TestVerify_Holes verifies the indexed blocks from a given block on, and checks that a
// range with unindexed blocks is an error.
func TestVerify_Holes(t *testing.T) {
	skipShort(t, "verifies 13 times")
	t.Parallel()
	db, node := withHole(t)
	for bounds, want := range map[string]string{
		"": "12", "--from-block 5": "12", "--from-block 8": "9", "--to-block 25": "12", "--to-block 9": "5", "--from-block 20 --to-block 25": "6",
	} {
		stdout, _ := mustRun(t, append([]string{"verify", "--rpc", node.URL, "--db", db}, strings.Fields(bounds)...)...)
		if !strings.HasPrefix(stdout, "Verified "+want+" blocks: ") {
			t.Errorf("%s: %s", bounds, stdout)
		}
	}
	for bounds, want := range map[string]string{
		"--from-block 4": "4 to 25", "--from-block 11": "11 to 25", "--from-block 26": "26", "--to-block 26": "5 to 26",
		"--to-block 19": "5 to 19", "--to-block 4": "5", "--from-block 8 --to-block 22": "8 to 22 is indexed",
	} {
		fails(t, 1, "not every block from "+want, append([]string{"verify", "--rpc", node.URL, "--db", db}, strings.Fields(bounds)...)...)
	}
}

// TestSync_SomeCollections indexes two collections of a chain. The database must remember
// them, and must not report other collections as empty.
func TestSync_SomeCollections(t *testing.T) {
	t.Parallel()
	skipShort(t, "syncs several times")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	var contracts, flags []string
	var want []record
	for _, m := range expected(t, chainA(t, "all-mints.ndjson.gz")) {
		contract := m["tokenAddress"].(string)
		if len(contracts) < 2 && !slices.Contains(contracts, contract) {
			contracts, flags = append(contracts, contract), append(flags, "--contract", contract)
		}
		if slices.Contains(contracts, contract) {
			want = append(want, m)
		}
	}
	db := filepath.Join(t.TempDir(), "some.db")
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{flags, ""},
		{nil, ""},
		{[]string{"--contract", contracts[0]}, "mintburn: the database holds the collections [" + strings.Join(slices.Sorted(slices.Values(contracts)), " ") + "] only, asked for are [" + contracts[0] + "]: use another database\n"},
	} {
		_, stderr, code := run(t, nil, append([]string{"sync", "--once", "--rpc", node, "--db", db}, c.flags...)...)
		if code != min(len(c.want), 1) || c.want != "" && stderr != c.want {
			t.Fatalf("sync %v: exit code %d: %s", c.flags, code, stderr)
		}
	}
	mustRun(t, "import", "--db", db, chainA(t, "bundle.ndjson.gz"))
	if stdout, stderr, code := run(t, nil, "verify", "--rpc", node, "--db", db); code != 0 {
		t.Errorf("verify: exit code %d: %s%s", code, stdout, stderr)
	}
	s := serve(t, db)
	expect.Equal(t, "mints", want, s.walk(t, "mints", "", 1000))
	got := s.Get(t, "{ chain { contracts endpoints { url healthy head lastError } } }", "")["chain"].(map[string]any)
	if listed := got["contracts"].([]any); len(listed) != 2 {
		t.Errorf("contracts: got %v, want %v", listed, contracts)
	}
	endpoints := []any{map[string]any{"url": node, "healthy": true, "head": number("360"), "lastError": nil}}
	expect.Equal(t, "endpoints", endpoints, got["endpoints"])
	failed := s.Ask(t, `{ burns(address: "0x00000000000000000000000000000000000000aa") { totalItems } }`, "").Errors
	if len(failed) != 1 || failed[0].Extensions["code"] != "NOT_FOUND" {
		t.Errorf("a collection that is not indexed: errors %v, want NOT_FOUND", failed)
	}
}

// TestServe_WithoutMetadata follows the chain without calling contracts.
func TestServe_WithoutMetadata(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	for flag, asks := range map[string]bool{"--metadata": true, "--no-metadata": false} {
		node, _ := generated(t, 5, 10)
		args := []string{"--rpc", node.URL, "--db", filepath.Join(t.TempDir(), "followed.db")}
		mustRun(t, append([]string{"sync", "--once"}, args...)...)
		polls := node.Calls("eth_getBlockByNumber") + 200
		start(t, append([]string{"serve", "--poll", "1ms", flag}, args...)...)
		until(t, func() bool {
			return asks && node.Calls("eth_call") > 0 || !asks && node.Calls("eth_getBlockByNumber") > polls
		})
		if asked := node.Calls("eth_call") > 0; asked != asks {
			t.Errorf("%s: it asks contracts: %t", flag, asked)
		}
	}
}

// await waits until a server's head has the given hash.
func await(t *testing.T, s *server, hash string) {
	t.Helper()
	until(t, func() bool {
		head, _ := s.Get(t, "{ chain { head { hash } } }", "")["chain"].(map[string]any)["head"].(map[string]any)
		return head["hash"] == hash
	})
}
