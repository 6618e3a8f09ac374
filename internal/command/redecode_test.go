package command_test

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

const (
	deadAddress  = "0x000000000000000000000000000000000000dead"
	kittyAddress = "0x06012c8cf97bead5deae237070f9587f8e7a266d"
)

// hashOf parses a hash. A shorter one is padded on the left.
func hashOf(t testing.TB, hex string) evm.Hash {
	t.Helper()
	hex = strings.TrimPrefix(hex, "0x")
	hash, err := evm.ParseHash("0x" + strings.Repeat("0", 64-len(hex)) + hex)
	expect.NoError(t, err)
	return hash
}

// optional returns transactions with logs that each decoder option decodes differently.
func optional(t testing.TB, n int) [][]evm.Log {
	t.Helper()
	transfer := hashOf(t, "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
	consecutive := hashOf(t, "deaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d")
	id := func(n int) evm.Hash { return evm.NewUint256(uint64(n)).Word() }
	kitty, err := evm.ParseAddress(kittyAddress)
	expect.NoError(t, err)
	alice, dead, zero := hashOf(t, "a11ce"), hashOf(t, deadAddress), evm.Hash{}
	old, last := slices.Concat(zero[:], alice[:], make([]byte, 32)), id(10*n+19)
	number := id(n)
	copy(old[64:], number[:])
	return [][]evm.Log{
		{{Address: evm.Address{1}, Topics: []evm.Hash{transfer, zero, alice, id(n)}}, {Address: evm.Address{1}, Topics: []evm.Hash{transfer, alice, dead, id(n)}}},
		{{Address: kitty, Topics: []evm.Hash{transfer}, Data: old}},
		{{Address: evm.Address{2}, Topics: []evm.Hash{consecutive, id(10 * n), zero, alice}, Data: last[:]}},
	}
}

// mineOptional adds n blocks of [optional] transactions to a node.
func mineOptional(t testing.TB, node *chaintest.Node, n int) {
	t.Helper()
	for range n {
		node.Mine(optional(t, len(node.Blocks()))...)
	}
}

func optionalNode(t testing.TB, n int) *chaintest.Node {
	t.Helper()
	node, _ := generated(t, 40, 30)
	mineOptional(t, node, n-40)
	return node
}

// synced returns a fresh database, synced with the given flags.
func synced(t testing.TB, node *chaintest.Node, flags ...string) string {
	t.Helper()
	db := filepath.Join(t.TempDir(), "fresh.db")
	mustRun(t, append([]string{"sync", "--once", "--rpc", node.URL, "--db", db}, flags...)...)
	return db
}

// checkSame compares all records with their ids, totals, and coverage.
func checkSame(t *testing.T, what, want, got string) {
	t.Helper()
	if want, got := exported(t, want), exported(t, got); want != got {
		t.Errorf("%s: different records: got %d, want %d", what, strings.Count(got, "\n"), strings.Count(want, "\n"))
	}
	state := func(db string) map[string]any {
		return serve(t, db).Get(t, fmt.Sprintf(`{ chain { head { number hash } finalized { number hash } indexedRanges { fromBlock toBlock } verifiedRanges { fromBlock toBlock } }
			mints(first: 0) { totalItems } burns(first: 0) { totalItems } old: mints(first: 0, address: %q) { totalItems }
			big: mints(first: 0, address: "0x0200000000000000000000000000000000000000", fromBlock: 70, toBlock: 333) { totalItems }
			account: burns(first: 0, account: "0x00000000000000000000000000000000000a11ce") { totalItems } }`, kittyAddress), "")
	}
	if diff := cmp.Diff(state(want), state(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestDecoding_IsRemembered fills a database with an option that later commands omit.
// They must all use the stored option, and reject other values.
func TestDecoding_IsRemembered(t *testing.T) {
	t.Parallel()
	node := optionalNode(t, 150)
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		before := exported(t, db)
		if n := strings.Count(before, deadAddress); n != 110 {
			t.Fatalf("%d burns to %s, want 110", n, deadAddress)
		}
		if stdout, _ := mustRun(t, "verify", "--repair", "--rpc", node.URL, "--db", db); !strings.HasPrefix(stdout, "Verified 151 blocks") {
			t.Errorf("verify --repair: %s", stdout)
		}
		mustRun(t, "sync", "--once", "--audit", "full", "--rpc", node.URL, "--db", db, "--range-cap", "10000")
		if exported(t, db) != before {
			t.Error("records changed")
		}
		for _, command := range [][]string{
			{"sync", "--once", "--rpc", node.URL}, {"verify", "--rpc", node.URL}, {"import", "-"}, {"serve", "--listen", "127.0.0.1:0", "--rpc", node.URL},
		} {
			for flag, changed := range map[string]string{
				"--range-cap=7":               "--burn-address " + deadAddress + " --range-cap 7",
				"--unindexed=" + kittyAddress: "--burn-address " + deadAddress + " --unindexed " + kittyAddress + " --range-cap 10000",
				"--burn-address=0x0000000000000000000000000000000000000001": "--burn-address 0x0000000000000000000000000000000000000001 --range-cap 10000",
			} {
				_, stderr, code := run(t, strings.NewReader(""), append(slices.Clone(command), "--db", db, flag)...)
				want := "mintburn: the database is decoded with --burn-address " + deadAddress + " --range-cap 10000, given are " + changed +
					": mintburn redecode --db DSN --rpc URL " + changed + " changes it\n"
				if code != 1 || !strings.HasSuffix(stderr, want) {
					t.Errorf("%v: exit code %d: %swant %s", append(command, flag), code, stderr, want)
				}
			}
		}
		if exported(t, db) != before {
			t.Error("records changed")
		}
	})
}

// TestRedecode changes each option and reverts it. After each redecode, the database must
// equal one that always had the option.
func TestRedecode(t *testing.T) {
	t.Parallel()
	// More than one range of 256 blocks.
	node := optionalNode(t, 280)
	steps := [][]string{
		{"--burn-address", deadAddress},
		{"--unindexed", kittyAddress, "--range-cap", "10"},
		{"--unindexed", kittyAddress, "--burn-address", deadAddress},
		nil,
	}
	if testing.Short() {
		steps = steps[:2]
	}
	var fresh []string
	for _, flags := range steps {
		fresh = append(fresh, synced(t, node, flags...))
	}
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		for i, flags := range steps {
			args := append([]string{"redecode", "--rpc", node.URL, "--db", db}, flags...)
			if stdout, _ := mustRun(t, args...); !strings.HasPrefix(stdout, "Redecoded 281 blocks with ") {
				t.Errorf("%v: %s", flags, stdout)
			}
			checkSame(t, fmt.Sprint(flags), fresh[i], db)
			if strings.HasSuffix(db, ".db") {
				want, got := content(t, fresh[i]), content(t, db)
				// Contracts without records stay in the table.
				delete(want, "contracts")
				delete(got, "contracts")
				checkTables(t, want, got)
			}
			if stdout, _ := mustRun(t, args...); !strings.HasPrefix(stdout, "Redecoded 0 blocks ") {
				t.Errorf("%v again: %s", flags, stdout)
			}
			mustRun(t, "verify", "--rpc", node.URL, "--db", db)
		}
	})
}

// TestRedecode_LogsByRanges redecodes blocks so deep that their logs are requested by
// range, at the end from a node that leaves logs out.
func TestRedecode_LogsByRanges(t *testing.T) {
	t.Parallel()
	skipShort(t, "has 10,400 blocks")
	// All blocks that are read by range have records, so that any sample of a range
	// shows that logs are left out.
	node, _ := generated(t, 400, 5)
	mineOptional(t, node, 10)
	node.MineEmpty(10_000)
	fresh := synced(t, node, "--burn-address", deadAddress, "--unindexed", kittyAddress)
	db, plain := synced(t, node), synced(t, node)
	asked := node.Calls("eth_getLogs")
	mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress, "--unindexed", kittyAddress)
	checkSame(t, "redecoded", fresh, db)
	if node.Calls("eth_getLogs") == asked {
		t.Error("no ranges of logs were requested")
	}
	node.Break(0, chaintest.Empty(), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && !c.ByHash && c.Blocks() > 1 })
	_, stderr := mustRun(t, "redecode", "--rpc", node.URL, "--db", db)
	if !strings.Contains(stderr, "leaves logs out") {
		t.Errorf("the node was not caught: %s", stderr)
	}
	if exported(t, db) != exported(t, plain) {
		t.Error("records are missing")
	}
}

// settingOf returns the value of a setting, or "".
func settingOf(t testing.TB, dsn, name string) (value string) {
	t.Helper()
	driver := "sqlite3"
	if strings.HasPrefix(dsn, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	expect.NoError(t, err)
	defer db.Close()
	// A locked or missing database counts as no setting.
	_ = db.QueryRowContext(t.Context(), "SELECT value FROM settings WHERE id = '"+name+"'").Scan(&value)
	return value
}

// blocksOf returns exported lines by kind and block.
func blocksOf(t *testing.T, db string) map[string]string {
	t.Helper()
	blocks := map[string]string{}
	for _, kind := range []string{"mints", "burns"} {
		stdout, _ := mustRun(t, "export", "--db", db, kind)
		for line := range strings.Lines(stdout) {
			_, number, _ := strings.Cut(line, `"block_number":`)
			number, _, _ = strings.Cut(number, ",")
			blocks[kind+number] += line
		}
	}
	return blocks
}

// TestRedecode_Killed kills a redecode in the middle. Each block is in its old or its new
// state, other commands that store blocks report how to finish, and the same command
// continues.
func TestRedecode_Killed(t *testing.T) {
	t.Parallel()
	skipShort(t, "reads a long chain several times")
	node := optionalNode(t, 400)
	before, after := blocksOf(t, synced(t, node)), blocksOf(t, synced(t, node, "--burn-address", deadAddress))
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		node.Break(0, chaintest.Fault{Hang: t.Context().Done()}, func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To >= 256 && c.To < 300 })
		defer node.ClearFaults()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		process := exec.CommandContext(ctx, "mintburn", "redecode", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		expect.NoError(t, process.Start())
		until(t, func() bool { return strings.Contains(settingOf(t, db, "redecoding"), `"done"`) })
		expect.NoError(t, process.Process.Kill())
		if err := process.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		node.ClearFaults()
		changed := 0
		for name, lines := range blocksOf(t, db) {
			switch lines {
			case before[name]:
			case after[name]:
				changed++
			default:
				t.Errorf("%s: %swant the old or the new state", name, lines)
			}
		}
		if changed == 0 || changed >= 300 {
			t.Errorf("%d blocks were changed, want some", changed)
		}
		finish := "--burn-address " + deadAddress + " --range-cap 10000"
		for _, command := range [][]string{
			{"sync", "--once", "--rpc", node.URL}, {"sync", "--rpc", node.URL, "--burn-address", deadAddress}, {"verify", "--repair", "--rpc", node.URL},
			{"import", "-"}, {"serve", "--listen", "127.0.0.1:0", "--rpc", node.URL},
		} {
			_, stderr, code := run(t, strings.NewReader(""), append(slices.Clone(command), "--db", db)...)
			want := "mintburn: the change of the database to " + finish + " is not finished: mintburn redecode --db DSN --rpc URL " + finish + " finishes it\n"
			if code != 1 || !strings.HasSuffix(stderr, want) {
				t.Errorf("%v: exit code %d: %swant %s", command, code, stderr, want)
			}
		}
		stdout, _ := mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		if strings.HasPrefix(stdout, "Redecoded 401 ") || strings.HasPrefix(stdout, "Redecoded 0 ") {
			t.Errorf("it did not continue: %s", stdout)
		}
		checkSame(t, "resumed", synced(t, node, "--burn-address", deadAddress), db)
	})
}

// TestRedecode_Reorg redecodes while a longer and a shorter branch orphan the last blocks.
func TestRedecode_Reorg(t *testing.T) {
	skipShort(t, "TestRedecode does most of it")
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db string) {
		node := optionalNode(t, 120)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		branch := func(blocks int) (list [][][]evm.Log) {
			for i := range blocks {
				list = append(list, optional(t, 5000+i))
			}
			return list
		}
		node.Reorg(10, branch(15)...)
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		checkSame(t, "a longer branch", synced(t, node, "--burn-address", deadAddress), db)
		node.Reorg(12, branch(3)...)
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--unindexed", kittyAddress)
		mineOptional(t, node, 20)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		checkSame(t, "a shorter branch", synced(t, node, "--unindexed", kittyAddress), db)
		// A node that is behind does not have the last blocks.
		node.Lag(5)
		fails(t, 1, "is stored, but the head of the chain is", "redecode", "--rpc", node.URL, "--db", db)
		node.Lag(0)
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db)
		checkSame(t, "after the lag", synced(t, node), db)
	})
}
