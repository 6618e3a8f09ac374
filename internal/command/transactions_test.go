package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// receiptDetails returns the details of the transactions of recorded blocks, from the texts
// alone.
func receiptDetails(t testing.TB, blocks []chaintest.Recorded) map[string]any {
	t.Helper()
	all := map[string]any{}
	quantity := func(v any) *big.Int {
		text, ok := v.(string)
		if !ok {
			return new(big.Int)
		}
		n, ok := new(big.Int).SetString(text, 0)
		if !ok {
			t.Fatalf("quantity %q", text)
		}
		return n
	}
	for _, b := range blocks {
		var block struct{ Transactions []map[string]any }
		chaintest.Parse(t, b.Block, &block)
		for i, text := range b.Receipts {
			var receipt map[string]any
			expect.NoError(t, json.Unmarshal(text, &receipt))
			tx := block.Transactions[i]
			expect.Equal(t, "hash", tx["hash"], receipt["transactionHash"])
			fee := new(big.Int).Mul(quantity(receipt["gasUsed"]), quantity(receipt["effectiveGasPrice"]))
			fee.Add(fee, quantity(receipt["l1Fee"])).Add(fee, new(big.Int).Mul(quantity(receipt["blobGasUsed"]), quantity(receipt["blobGasPrice"])))
			all[tx["hash"].(string)] = map[string]any{"from": receipt["from"], "to": receipt["to"], "value": quantity(tx["value"]).String(), "fee": fee.String()}
		}
	}
	return all
}

// details returns the details of each transaction with records, by its hash.
func details(t testing.TB, db string) map[string]any {
	t.Helper()
	all := map[string]any{}
	s := serve(t, db)
	for _, field := range []string{"mints", "burns"} {
		after := "null"
		for after != "" {
			page := apitest.At(s.Get(t, fmt.Sprintf("{ page: %s(first: 1000, after: %s) { cursor data { transaction { hash details { from to value fee } } } } }", field, after), ""), "page").(map[string]any)
			for _, record := range page["data"].([]any) {
				tx := apitest.At(record, "transaction").(map[string]any)
				all[tx["hash"].(string)] = tx["details"]
			}
			if after = ""; page["cursor"] != nil {
				after = fmt.Sprintf("%q", page["cursor"])
			}
		}
	}
	return all
}

// wantDetails checks that the transactions of a database have the details of receipts.
func wantDetails(t testing.TB, what, db string, receipts map[string]any) {
	t.Helper()
	got := details(t, db)
	want := map[string]any{}
	for hash := range got {
		want[hash] = receipts[hash]
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 100 {
		t.Errorf("%s: details of %d transactions (-want +got):\n%s", what, len(got), diff)
	}
}

// withoutDetails returns the transactions of a database with null for the details.
func withoutDetails(all map[string]any) map[string]any {
	none := map[string]any{}
	for hash := range all {
		none[hash] = nil
	}
	return none
}

// TestTransactions_Recorded imports and syncs the recorded chain with --transactions, and
// compares the details with the recorded receipts. Then it adds them to a database without.
func TestTransactions_Recorded(t *testing.T) {
	t.Parallel()
	skipShort(t, "reads the recorded transactions")
	bundle := chainA(t, "bundle.ndjson.gz")
	blocks := chaintest.Values[chaintest.Recorded](t, "chain-a/bundle.ndjson.gz")
	receipts := receiptDetails(t, blocks)
	node := chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 31337})
	expect.NoError(t, node.Play(blocks...))
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "import", "--db", db, "--transactions", bundle)
		wantDetails(t, "imported", db, receipts)
		mustRun(t, "check", "--db", db)
		mustRun(t, "verify", "--transactions", "--rpc", node.URL, "--db", db)
	})
	for what, flags := range map[string]string{"from receipts": "", "from ranges": "--receipts-depth 0 --header-depth 0"} {
		t.Run(what, func(t *testing.T) {
			db := synced(t, node, append(strings.Fields(flags), "--transactions")...)
			wantDetails(t, what, db, receipts)
		})
	}
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		before := exported(t, db)
		if got := details(t, db); !maps.Equal(got, withoutDetails(got)) {
			t.Error("details without --transactions")
		}
		fails(t, 1, "differences in 361 blocks", "verify", "--transactions", "--rpc", node.URL, "--db", db)
		// Those that were not stored are no differences later.
		mustRun(t, "verify", "--rpc", node.URL, "--db", db)
		mustRun(t, "verify", "--repair", "--transactions", "--rpc", node.URL, "--db", db)
		wantDetails(t, "repaired", db, receipts)
		expect.Equal(t, "records", before, exported(t, db))
		mustRun(t, "verify", "--transactions", "--rpc", node.URL, "--db", db)
		mustRun(t, "check", "--db", db)
	})
}

// TestTransactions_Anvil syncs from a real node.
func TestTransactions_Anvil(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs anvil")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := filepath.Join(t.TempDir(), "anvil.db")
	mustRun(t, "sync", "--once", "--transactions", "--rpc", node, "--db", db)
	wantDetails(t, "anvil", db, receiptDetails(t, chaintest.Values[chaintest.Recorded](t, "chain-a/bundle.ndjson.gz")))
}

// TestTransactions_Mainnet imports real blocks, and compares the details with
// the recorded receipts.
func TestTransactions_Mainnet(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	list := func(name string) (all []json.RawMessage) {
		text := chaintest.Values[json.RawMessage](t, "real/"+name)[0]
		if json.Unmarshal(text, &all) != nil {
			all = []json.RawMessage{text}
		}
		return all
	}
	for _, folder := range []string{"mainnet-18000000", "mainnet-18500000"} {
		recorded := chaintest.Recorded{Block: list(folder + "/blocks.json.gz")[0], Receipts: list(folder + "/receipts.json.gz")}
		db := filepath.Join(t.TempDir(), folder+".db")
		if stdout, stderr, code := run(t, bytes.NewReader(recorded.Line()), "import", "--transactions", "--db", db, "-"); code != 0 {
			t.Fatal(stdout, stderr)
		}
		receipts, got := receiptDetails(t, []chaintest.Recorded{recorded}), details(t, db)
		want := map[string]any{}
		for hash := range got {
			want[hash] = receipts[hash]
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			t.Errorf("%s: details of %d transactions (-want +got):\n%s", folder, len(got), diff)
		}
		t.Logf("%s: %d transactions", folder, len(got))
	}
}

// TestTransactions_Change damages a stored detail, which verify finds and repairs, and follows a
// reorg, whose transactions have details although the flag is not given again.
func TestTransactions_Change(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node, _ := generated(t, 200, 30)
	db := synced(t, node, "--transactions")
	want := details(t, db)
	if null := withoutDetails(want); len(want) < 100 || cmp.Equal(want, null) {
		t.Fatalf("%d transactions, want details", len(want))
	}
	change(t, db, "UPDATE transactions SET fee = x'0107' WHERE id = (SELECT MIN(id) FROM transactions)")
	stdout, _, code := run(t, nil, "verify", "--rpc", node.URL, "--db", db)
	if code != 1 || !strings.Contains(stdout, ": [fee] differ\n") {
		t.Errorf("verify: exit code %d: %s", code, stdout)
	}
	mustRun(t, "verify", "--repair", "--rpc", node.URL, "--db", db)
	expect.Equal(t, "repaired", want, details(t, db))
	node.Reorg(5, optional(t, 1), optional(t, 2), optional(t, 3), optional(t, 4), optional(t, 5), optional(t, 6))
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	expect.Equal(t, "after a reorg", details(t, synced(t, node, "--transactions")), details(t, db))
	mustRun(t, "verify", "--transactions", "--rpc", node.URL, "--db", db)
	mustRun(t, "check", "--db", db)
	fresh, stored := open(t, synced(t, node, "--transactions")), open(t, db)
	const all = "SELECT id, hex(sender) AS s, hex(receiver) AS r, hex(value) AS v, hex(fee) AS f FROM transactions ORDER BY id"
	if got, want := rows(t, stored, all), rows(t, fresh, all); !slices.Equal(got, want) {
		t.Errorf("%d rows, want those of a new database, %d", len(got), len(want))
	}
}

// TestVerify_DamagedRows damages rows that only a node can restore. An answer lacks the damaged details
// alone. Without --repair only the damaged block loses its mark, and no mark is lost while the node is
// away; with it the rows are as before.
func TestVerify_DamagedRows(t *testing.T) {
	t.Parallel()
	skipShort(t, "exports damaged rows")
	storetest.Each(t, func(t *testing.T, db string) {
		// Its faults are not those of the other database's node.
		node, _ := generated(t, 200, 30)
		mustRun(t, "sync", "--once", "--transactions", "--rpc", node.URL, "--db", db)
		marks := func() []string {
			return rows(t, open(t, db), "SELECT from_block, to_block FROM coverage WHERE kind = 'verified' ORDER BY 1")
		}
		want, before := details(t, db), marks()
		bytes := "x'01'"
		if strings.HasPrefix(db, "postgres:") {
			bytes = `'\x01'`
		}
		damage := func(statements ...string) {
			for _, statement := range statements {
				change(t, db, strings.ReplaceAll(statement, "B", bytes))
			}
		}
		damage("UPDATE transactions SET sender = B WHERE id >> 30 = 7", "UPDATE transactions SET value = B WHERE id >> 30 IN (9, 12)",
			"UPDATE transactions SET receiver = B WHERE id >> 30 = 20")
		got := serve(t, db).Send(t, "POST", "/graphql", `{"query": "{ mints(first: 1000) { data { blockNumber transaction { details { from } } } } }"}`)
		var answer struct {
			Data struct {
				Mints struct {
					Data []struct {
						Transaction struct{ Details *struct{ From string } }
					}
				}
			}
			Errors []struct{ Path []any }
		}
		expect.NoError(t, json.Unmarshal([]byte(got.Body), &answer))
		without := 0
		for _, m := range answer.Data.Mints.Data {
			if m.Transaction.Details == nil {
				without++
			}
		}
		if without == 0 || without == len(answer.Data.Mints.Data) || without != len(answer.Errors) {
			t.Errorf("%d of %d records lack details, with %d errors: %.500s", without, len(answer.Data.Mints.Data), len(answer.Errors), got.Body)
		}
		damage("UPDATE blocks SET hash_suffix = B WHERE id IN (30, 31, 40)", "UPDATE blocks SET parent_hash = B WHERE id = 50",
			"INSERT INTO rejected_logs (id, address, tx_hash, topics, data, reason) VALUES (64424509440 + 900, B, B, B, B, 'malformed')")
		if !strings.HasPrefix(db, "postgres:") {
			damage("UPDATE mints SET contract_id = 'x' WHERE id >> 30 IN (60, 61)", "UPDATE burns SET log_index = 'x' WHERE id >> 30 > 100", "UPDATE blocks SET time = 'x' WHERE id = 70",
				"UPDATE rejected_logs SET reason = 5 WHERE id >> 30 = 80")
		}
		node.Break(0, chaintest.Fault{Code: -32000, Message: "away"}, func(c chaintest.Call) bool { return c.To >= 5 || c.Method == "eth_getTransactionReceipt" })
		_, _, code := run(t, nil, "verify", "--rpc", node.URL, "--db", db)
		node.ClearFaults()
		if expect.Equal(t, "marks after a node that is away", before, marks()); code != 1 {
			t.Errorf("exit code %d", code)
		}
		said, _, code := run(t, nil, "verify", "--rpc", node.URL, "--db", db)
		if lost := marks(); code != 1 || len(lost) < 8 || strings.Count(said, " damaged: ") < 9 {
			t.Errorf("exit code %d, marks %v: %s", code, lost, said)
		}
		mustRun(t, "verify", "--repair", "--rpc", node.URL, "--db", db)
		mustRun(t, "check", "--db", db)
		expect.Equal(t, "details", want, details(t, db))
		expect.Equal(t, "marks", before, marks())
		mints, _ := mustRun(t, "export", "--db", db, "mints")
		damage("UPDATE contracts SET address = B WHERE id = 2")
		said, _, code = run(t, nil, "verify", "--repair", "--rpc", node.URL, "--db", db)
		if code != 1 || !strings.Contains(said, "contract 2: the row is damaged: contracts.address: stored address: got 1 bytes, want 20; nothing restores it but a backup") {
			t.Errorf("a damaged address: exit code %d: %s", code, said)
		}
		again, _ := mustRun(t, "export", "--db", db, "mints")
		expect.Equal(t, "mints", mints, again)
	})
}

// TestTransactions_Unlisted syncs mints in transactions that their blocks do not list: their
// details are null, and verify says how many there are.
func TestTransactions_Unlisted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, dsn string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{})
		mint := func(id byte) []evm.Log {
			return []evm.Log{{Address: evm.Address{1}, Topics: []evm.Hash{evm.TopicTransfer.Hash(), {}, {31: 1}, {31: id}}}}
		}
		node.Mine(mint(1), mint(2), mint(3))
		node.Mine(slices.Concat(mint(4), mint(5)))
		node.Break(0, chaintest.Edit(func(b map[string]any) {
			if list := b["transactions"].([]any); len(list) > 0 {
				b["transactions"] = list[1:]
			}
		}), func(c chaintest.Call) bool { return strings.HasPrefix(c.Method, "eth_getBlockBy") })
		mustRun(t, "sync", "--once", "--transactions", "--from-block", "1", "--rpc", node.URL, "--db", dsn)
		got, first, second := details(t, dsn), node.Blocks()[1].Logs, node.Blocks()[2].Logs
		null := func(log evm.Log) bool { return got[log.TxHash.String()] == nil }
		if !null(first[0]) || null(first[1]) || null(first[2]) || !null(second[0]) || len(got) != 4 {
			t.Errorf("details %v", got)
		}
		stdout, _ := mustRun(t, "verify", "--transactions", "--rpc", node.URL, "--db", dsn)
		expect.Equal(t, "verify", "2 transactions without details: the block does not list them, or was indexed without --transactions.\nVerified 2 blocks: every receipts root was rebuilt, and every record is on the chain.\n", stdout)
	})
}
