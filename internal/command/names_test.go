package command_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

const storedNames = `SELECT '0x' || lower(hex(address)) AS a, coalesce(name, '-') AS n, coalesce(symbol, '-') AS s, state, coalesce(error, '-') AS e
	FROM contract_metadata JOIN contracts ON contracts.id = contract_id ORDER BY address`

// TestNames_Anvil asks the contracts of the recorded chain for their names, which the recorded
// calls contain.
func TestNames_Anvil(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for a node")
	node := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := filepath.Join(t.TempDir(), "named.db")
	mustRun(t, "sync", "--once", "--rpc", node, "--db", db)
	mustRun(t, "metadata", "--once", "--rpc", node, "--db", db)
	packed, err := os.ReadFile(chainA(t, "calls.ndjson.gz"))
	expect.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	expect.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	expect.NoError(t, err)
	recorded := map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		var call struct {
			To, Fn string
			Result hexutil.Bytes
		}
		expect.NoError(t, json.Unmarshal([]byte(line), &call))
		if recorded[call.To] == nil {
			recorded[call.To] = map[string]string{}
		}
		recorded[call.To][call.Fn] = metadata.DecodeName(call.Result)
	}
	or := func(text string) string {
		if text == "" {
			return "-"
		}
		return text
	}
	var want []string
	known := rows(t, open(t, db), "SELECT '0x' || lower(hex(address)) AS a FROM contracts")
	for _, address := range slices.Sorted(maps.Keys(recorded)) {
		if slices.Contains(known, "a="+address) {
			want = append(want, "a="+address+" n="+or(recorded[address]["name"])+" s="+or(recorded[address]["symbol"])+" state=done e=-")
		}
	}
	var got []string
	for _, row := range rows(t, open(t, db), storedNames) {
		if address, _, _ := strings.Cut(strings.TrimPrefix(row, "a="), " "); recorded[address] != nil {
			got = append(got, row)
		}
	}
	expect.Equal(t, "names", want, got)
	if len(got) < 5 {
		t.Errorf("only %d names", len(got))
	}
}

// TestNames_Proxy changes what name() returns, as an upgrade of a proxy does, and emits
// ContractURIUpdated.
func TestNames_Proxy(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs anvil")
	node := "http://" + chaintest.Anvil(t)
	contract, site := deploy(t, node, "Mutable721"), newSite(t)
	db := filepath.Join(t.TempDir(), "proxy.db")
	step := func(args ...string) string {
		t.Helper()
		mustRun(t, "sync", "--once", "--rpc", node, "--db", db)
		mustRun(t, append([]string{"metadata", "--once", "--allow-private-metadata", "--rpc", node, "--db", db}, args...)...)
		list := rows(t, open(t, db), storedNames)
		if len(list) != 1 {
			t.Fatalf("got %v", list)
		}
		_, row, _ := strings.Cut(list[0], " ")
		return row
	}
	contract.do("mint", contract.from, new(hexutil.Big).ToInt(), site.url+"/0")
	expect.Equal(t, "at first", "n=Name s=SYM state=done e=-", step())
	// OpenZeppelin's ERC721 stores its name, if it is short, in slot 0 with twice its length.
	rename := func(name string) {
		var slot evm.Hash
		copy(slot[:], name)
		slot[31] = byte(2 * len(name))
		contract.call(nil, "anvil_setStorageAt", contract.address, "0x0", slot)
	}
	rename("Upgraded")
	contract.do("touchRange", new(hexutil.Big).ToInt(), new(hexutil.Big).ToInt())
	expect.Equal(t, "after another event", "n=Name s=SYM state=done e=-", step())
	var code string
	contract.call(&code, "eth_getCode", contract.address, "latest")
	// PUSH32 topic, PUSH1 0, PUSH1 0, LOG1
	topic := evm.TopicContractURIUpdated.Hash()
	contract.call(nil, "anvil_setCode", contract.address, "0x7f"+hexutil.Encode(topic[:])[2:]+"60006000a1")
	contract.transact(&contract.address, nil)
	contract.call(nil, "anvil_setCode", contract.address, code)
	expect.Equal(t, "after ContractURIUpdated", "n=Upgraded s=SYM state=done e=-", step("--recheck", "1h"))
	rename("Rechecked")
	// An hour later.
	change(t, db, "UPDATE contract_metadata SET due_at = 0 WHERE due_at = attempted_at + 3600")
	expect.Equal(t, "after --recheck", "n=Rechecked s=SYM state=done e=-", step())
}
