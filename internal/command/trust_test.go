package command_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestServe_Spots checks that the server finds logs in the background that a node left out
// before, without any flag, and that it logs at startup how many blocks it will prove.
func TestServe_Spots(t *testing.T) {
	skipShort(t, "waits for looks at blocks")
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(300)
	node.Generate(contents(1, 4))
	node.MineEmpty(300)
	node.Break(0, chaintest.DropLog(0), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.To-c.From > 50 })
	var args []string
	// The random sample of blocks may find the missing log. Then nothing is left to find,
	// so sync again.
	for before := 4; before == 4; {
		db := filepath.Join(t.TempDir(), "x.db")
		args = []string{"--receipts-depth", "0", "--rpc", node.URL, "--db", db}
		mustRun(t, append([]string{"sync", "--once"}, args...)...)
		before = strings.Count(exported(t, db), "\n")
	}
	node.ClearFaults()
	s := start(t, append([]string{"serve", "--poll", "10ms"}, args...)...)
	until(t, func() bool { return strings.Contains(s.output.String(), "calls_at_most=") })
	until(t, func() bool {
		got := s.Get(t, "{ mints(first: 0) { totalItems } burns(first: 0) { totalItems } }", "")
		return integer(t, got, "mints", "totalItems")+integer(t, got, "burns", "totalItems") == 4
	})
}

// TestServe_RefusesADeepReorg replaces finalized blocks on a node. The server keeps serving
// its blocks, counts the refused reorg, and logs how to accept it. With --allow-deep-reorg it
// follows the reorg, but not to another chain.
func TestServe_RefusesADeepReorg(t *testing.T) {
	skipShort(t, "starts a server four times")
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 70})
		node.MineEmpty(200)
		follow := func(flags ...string) *server {
			return start(t, append([]string{"serve", "--rpc", node.URL, "--poll", "10ms", "--no-metadata", "--db", db}, flags...)...)
		}
		head := func() string {
			blocks := node.Blocks()
			return blocks[len(blocks)-1].Header.Hash.String()
		}
		before := head()
		s := follow()
		await(t, s, before)
		node.Reorg(100, make([][][]evm.Log, 110)...)
		awaitMetric(t, s, `mintburn_deep_reorgs_refused_total [1-9]`)
		await(t, s, before)
		if said := s.output.String(); !strings.Contains(said, "level=ERROR") || !strings.Contains(said, "--allow-deep-reorg") {
			t.Errorf("the log does not say how to continue: %s", said)
		}
		node.Break(0, chaintest.Replace("0x7a69", "0x5"), chaintest.Method("eth_chainId"))
		fails(t, 1, "serves chain 5, want chain 31337", "sync", "--once", "--rpc", node.URL, "--db", db, "--allow-deep-reorg")
		node.ClearFaults()
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db, "--allow-deep-reorg")
		await(t, s, head())
	})
}

// awaitMetric waits until a line of the metrics matches.
func awaitMetric(t *testing.T, s *server, pattern string) {
	t.Helper()
	line := regexp.MustCompile("(?m)^" + pattern)
	until(t, func() bool { return line.MatchString(s.Send(t, "GET", "/metrics", "").Body) })
}

// TestImport_Numbering checks that lists of logs are errors once receipts have shown that the
// chain restarts log indices.
func TestImport_Numbering(t *testing.T) {
	skipShort(t, "imports 22 times")
	t.Parallel()
	stable, err := json.Marshal(chaintest.RecordedBlock(t, "stable-testnet-42767022"))
	expect.NoError(t, err)
	cronos, err := json.Marshal(chaintest.RecordedBlock(t, "cronos-11446765"))
	expect.NoError(t, err)
	zero := strings.Repeat("0", 64)
	list := func(tx int) string {
		log := fmt.Sprintf(`{"address":%q,"topics":["0x%s"],"data":"0x","transactionHash":"0x%s","transactionIndex":"%#x","logIndex":"0x0"}`, evm.Address{}, zero, zero, tx)
		return fmt.Sprintf(`{"block":{"number":"0x7","hash":"0x%s","parentHash":"0x%s","timestamp":"0x1"},"logs":[%s]}`, strings.Repeat("7", 64), zero, log)
	}
	const transactions = "in each transaction: want the receipts"
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"receipts of each transaction, a list":                     {[]string{string(stable), list(1)}, "stdin:2: got logs of a chain that restarts log indices " + transactions},
		"receipts of each transaction, a list of the first":        {[]string{string(stable), list(0)}, ""},
		"receipts through the block, receipts of each":             {[]string{string(cronos), string(stable)}, ""},
		"receipts through the block, of each, and a list":          {[]string{string(cronos), string(stable), list(1)}, "stdin:3: got logs of a chain that restarts log indices " + transactions},
		"a list, receipts of each transaction":                     {[]string{list(1), string(stable)}, ""},
		"a list of the first, receipts of each transaction":        {[]string{list(0), string(stable)}, ""},
		"receipts of each transaction, receipts through the block": {[]string{string(stable), string(cronos)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			// In one file, and in two that separate processes import.
			for _, files := range [][]string{{strings.Join(test.lines, "\n")}, test.lines} {
				db, failed := storetest.SQLite(t), ""
				for _, text := range files {
					if _, stderr, code := run(t, strings.NewReader(text), "import", "--db", db, "-"); code != 0 {
						failed = stderr
					}
				}
				want := test.want
				if len(files) > 1 {
					want = strings.NewReplacer("stdin:2", "stdin:1", "stdin:3", "stdin:1").Replace(want)
				}
				if !strings.Contains(failed, want) || want == "" && failed != "" {
					t.Errorf("%d files: got %q, want %q", len(files), failed, want)
				}
			}
		})
	}
}

// TestVerify_NotProvable verifies a chain that is unlike Ethereum. It is not provable if two
// nodes agree or --unprovable is set. Otherwise verify fails.
func TestVerify_NotProvable(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	foreign := func() string {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}})
		node.Generate(contents(80, 6))
		return node.URL
	}
	one, two := foreign(), foreign()
	const reason = "the hash of the header is not that of its fields"
	for name, test := range map[string]struct {
		flags []string
		want  string
		known bool
	}{
		"one node":  {[]string{"--rpc", one}, "proof failed", false},
		"two nodes": {[]string{"--rpc", one, "--rpc", two}, "not provable", true},
		"the flag":  {[]string{"--rpc", one, "--unprovable"}, "not provable", true},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "test.db")
			mustRun(t, "sync", "--once", "--receipts-depth", "0", "--db", db, "--rpc", one)
			_, stderr, code := run(t, nil, append([]string{"verify", "--from-block", "7", "--to-block", "7", "--db", db}, test.flags...)...)
			if code != 1 || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "--unprovable") == test.known {
				t.Errorf("exit code %d: %s: want %q", code, stderr, test.want)
			}
			got := serve(t, db).Get(t, "{ chain { provable unprovableRanges { fromBlock toBlock reason } } }", "")["chain"]
			want := map[string]any{"provable": nil, "unprovableRanges": []any{}}
			if test.known {
				want["provable"] = false
				want["unprovableRanges"] = []any{map[string]any{"fromBlock": number("7"), "toBlock": number("7"), "reason": reason}}
			}
			expect.Equal(t, "got", want, got)
		})
	}
	// The database as it is, and with proved blocks.
	for name, test := range map[string]struct {
		flags []string
		want  any
	}{
		"two nodes, full blocks": {[]string{"--rpc", one, "--rpc", two}, false},
		"one node, full blocks":  {[]string{"--rpc", one}, nil},
		"Ethereum":               {[]string{"--rpc", chaintest.NewNode(t, chaintest.NodeOptions{}).URL}, true},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "test.db")
			mustRun(t, append([]string{"sync", "--once", "--db", db}, test.flags...)...)
			expect.Equal(t, "provable", test.want, serve(t, db).Get(t, "{ chain { provable } }", "")["chain"].(map[string]any)["provable"])
		})
	}
}

// TestVerify_PartlyProvable proves the blocks below and above those whose receipts are
// pruned, and reports and counts the pruned ones.
func TestVerify_PartlyProvable(t *testing.T) {
	t.Parallel()
	skipShort(t, "verifies chains")
	node, _ := generated(t, 100, 6)
	db := synced(t, node)
	node.Break(0, chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, func(c chaintest.Call) bool {
		return strings.HasSuffix(c.Method, "Receipts") && 40 <= c.To && c.To <= 49 || c.Method == "eth_getTransactionReceipt"
	})
	for _, flags := range [][]string{nil, {"--repair"}} {
		stdout, stderr, code := run(t, nil, append([]string{"verify", "--rpc", node.URL, "--db", db}, flags...)...)
		if code != 1 || !strings.HasPrefix(stdout, "blocks 40 to 49 are not proved: proving block 40: ") || strings.Count(stdout, "\n") != 1 ||
			stderr != "mintburn: 0 differences in 101 blocks: 91 proved, 10 not provable, 0 differing\n" {
			t.Errorf("%v: exit code %d: %s%s", flags, code, stdout, stderr)
		}
	}
	got := serve(t, db).Get(t, "{ chain { verifiedRanges { fromBlock toBlock } } }", "")["chain"]
	want := map[string]any{"verifiedRanges": []any{
		map[string]any{"fromBlock": number("0"), "toBlock": number("39")}, map[string]any{"fromBlock": number("50"), "toBlock": number("100")},
	}}
	expect.Equal(t, "got", want, got)
}

// TestServe_Gaps lists gaps and counts their blocks.
func TestServe_Gaps(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	db := filepath.Join(t.TempDir(), "test.db")
	mustRun(t, "sync", "--to-block", "9", "--db", db, "--rpc", node.URL)
	s, err := write.Open(context.Background(), db, write.Options{})
	expect.NoError(t, err)
	next := uint64(time.Now().Add(10 * time.Minute).Unix())
	for number := range uint64(3) {
		gap := evm.Gap{FromBlock: 10 + number, ToBlock: 10 + number, Reason: "inconsistent", Since: 5, NextTry: next, Tries: 3}
		expect.NoError(t, s.SetGap(t.Context(), gap))
	}
	expect.NoError(t, s.Close())
	fails(t, 1, "the database has 3 gaps, the first from block 10 to 10 (inconsistent)", "sync", "--to-block", "20", "--db", db, "--rpc", node.URL)
	server := serve(t, db)
	got := server.Get(t, "{ chain { indexedRanges { fromBlock toBlock } gaps { fromBlock toBlock reason since tries nextTry } } }", "")["chain"]
	var gaps []any
	for n := 10; n < 13; n++ {
		gaps = append(gaps, map[string]any{
			"fromBlock": number(fmt.Sprint(n)), "toBlock": number(fmt.Sprint(n)), "reason": "inconsistent",
			"since": number("5"), "tries": number("3"), "nextTry": number(fmt.Sprint(next)),
		})
	}
	want := map[string]any{"gaps": gaps, "indexedRanges": []any{
		map[string]any{"fromBlock": number("0"), "toBlock": number("9")}, map[string]any{"fromBlock": number("13"), "toBlock": number("20")},
	}}
	expect.Equal(t, "got", want, got)
	if metrics := server.Send(t, "GET", "/metrics", ""); !strings.Contains(metrics.Body, "mintburn_gap_blocks 3\n") {
		t.Errorf("no gap_blocks of 3 in %s", metrics.Body)
	}
}

// TestSync_ZeroBlooms reads every block of a chain whose headers prove themselves, but have
// all-zero bloom filters. Blocks that an earlier version verified by such a filter are proved
// again once.
func TestSync_ZeroBlooms(t *testing.T) {
	t.Parallel()
	skipShort(t, "syncs several times")
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{ZeroBlooms: true}})
	node.Generate(contents(40, 4))
	honest := chaintest.NewNode(t, chaintest.NodeOptions{})
	honest.Generate(contents(40, 4))
	db, want := synced(t, node), synced(t, honest)
	expect.Equal(t, "mints", count(t, want), count(t, db))
	verified := func() any {
		return serve(t, db).Get(t, "{ chain { verifiedRanges { fromBlock toBlock } } }", "")["chain"].(map[string]any)["verifiedRanges"]
	}
	all := []any{map[string]any{"fromBlock": number("0"), "toBlock": number("40")}}
	expect.Equal(t, "verified", any(all), verified())
	// An earlier version stored no mark.
	file, err := sql.Open("sqlite3", db)
	expect.NoError(t, err)
	_, err = file.ExecContext(t.Context(), "DELETE FROM settings WHERE id = 'blooms_dropped'")
	expect.NoError(t, errors.Join(err, file.Close()))
	for _, said := range []int{1, 0} {
		node.Generate(contents(1, 4))
		_, stderr := mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		expect.Equal(t, "warnings", said, strings.Count(stderr, "no block counts as verified until it is proved again"))
	}
	expect.Equal(t, "verified", any([]any{map[string]any{"fromBlock": number("41"), "toBlock": number("42")}}), verified())
}

// count returns the number of exported records.
func count(t *testing.T, db string) int { return strings.Count(exported(t, db), "\n") }
