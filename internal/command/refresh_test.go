package command_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// site serves a document at each path and counts the requests.
type site struct {
	url string

	mu    sync.Mutex // guards asked
	asked map[string]int
}

func newSite(t *testing.T) *site {
	s := &site{asked: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[r.URL.Path]++
		fmt.Fprintf(w, `{"name":"at %s"}`, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// take returns the number of requests per path since the last call.
func (s *site) take() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = map[string]int{}
	return asked
}

// deployed is a contract on a fresh anvil, compiled from the recorded chain's sources.
type deployed struct {
	t       *testing.T
	client  *rpc.Client
	abi     abi.ABI
	from    common.Address
	address common.Address
}

func deploy(t *testing.T, node, name string) *deployed {
	t.Helper()
	packed, err := os.ReadFile(chainA(t, "artifacts.json.gz"))
	expect.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	expect.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	expect.NoError(t, err)
	artifacts := map[string]struct {
		ABI      json.RawMessage
		Bytecode hexutil.Bytes
	}{}
	apitest.Decode(t, string(text), &artifacts)
	d := &deployed{t: t}
	if d.client, err = rpc.Dial(node); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.client.Close)
	if d.abi, err = abi.JSON(bytes.NewReader(artifacts[name].ABI)); err != nil {
		t.Fatal(err)
	}
	var accounts []common.Address
	d.call(&accounts, "eth_accounts")
	d.from = accounts[0]
	// The constructors require a name and a symbol.
	arguments, err := d.abi.Pack("", "Name", "SYM")
	expect.NoError(t, err)
	d.address = d.transact(nil, append(artifacts[name].Bytecode, arguments...))
	return d
}

func (d *deployed) call(result any, method string, args ...any) {
	d.t.Helper()
	if err := d.client.CallContext(d.t.Context(), result, method, args...); err != nil {
		d.t.Fatalf("%s: %v", method, err)
	}
}

// transact mines a transaction, and returns the address of the contract that it created,
// if any.
func (d *deployed) transact(to *common.Address, data []byte) common.Address {
	d.t.Helper()
	var hash common.Hash
	d.call(&hash, "eth_sendTransaction", map[string]any{"from": d.from, "to": to, "data": hexutil.Bytes(data), "gas": "0x800000"})
	for {
		var receipt *struct {
			Status          hexutil.Uint64
			ContractAddress *common.Address
		}
		if d.call(&receipt, "eth_getTransactionReceipt", hash); receipt == nil {
			continue
		}
		if receipt.Status != 1 {
			d.t.Fatalf("transaction %s failed", hash)
		}
		if receipt.ContractAddress == nil {
			return common.Address{}
		}
		return *receipt.ContractAddress
	}
}

// do calls a method of the contract in a transaction.
func (d *deployed) do(method string, args ...any) {
	d.t.Helper()
	data, err := d.abi.Pack(method, args...)
	if err != nil {
		d.t.Fatal(err)
	}
	d.transact(&d.address, data)
}

// TestMetadata_Refresh changes documents on a real node, and checks that each event causes
// exactly the expected fetches.
func TestMetadata_Refresh(t *testing.T) {
	t.Parallel()
	skipShort(t, "fetches documents again")
	node := "http://" + chaintest.Anvil(t)
	contract, site := deploy(t, node, "Mutable721"), newSite(t)
	db := filepath.Join(t.TempDir(), "refreshed.db")
	run1 := func(args ...string) {
		t.Helper()
		mustRun(t, append(args, "--rpc", node, "--db", db)...)
	}
	id := func(n int64) *big.Int { return big.NewInt(n) }
	all := new(big.Int).Sub(new(big.Int).Lsh(id(1), 256), id(1))
	paths := func(list string) map[string]int {
		want := map[string]int{}
		for path := range strings.FieldsSeq(list) {
			want["/"+path]++
		}
		return want
	}
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"mints", func() {
			for n := range int64(6) {
				contract.do("mint", contract.from, id(n), fmt.Sprintf("%s/%d", site.url, n))
			}
		}, "0 1 2 3 4 5"},
		{"nothing", func() {}, ""},
		{"MetadataUpdate", func() { contract.do("setURI", id(3), site.url+"/3b") }, "3b"},
		{"BatchMetadataUpdate of some", func() { contract.do("touchRange", id(2), id(4)) }, "2 3b 4"},
		{"BatchMetadataUpdate(0, 2^256-1)", func() { contract.do("touchRange", id(0), all) }, "0 1 2 3b 4 5"},
		{"of none that is known", func() { contract.do("touchRange", id(100), all) }, ""},
		{"two events of one token", func() {
			contract.do("setURI", id(1), site.url+"/1b")
			contract.do("setURI", id(1), site.url+"/1c")
		}, "1c"},
		{"a burned token", func() {
			contract.do("burn", id(5))
			contract.do("touchRange", id(4), id(5))
		}, "4"},
		{"a mint and an event", func() {
			contract.do("mint", contract.from, id(9), site.url+"/9")
			contract.do("touchRange", id(9), id(9))
		}, "9"},
	} {
		step.do()
		run1("sync", "--once")
		run1("metadata", "--once", "--allow-private-metadata")
		if diff := cmp.Diff(paths(step.want), site.take()); diff != "" {
			t.Errorf("%s (-want +fetched):\n%s", step.name, diff)
		}
	}
	names := map[string]string{}
	answer := serve(t, db).Get(t, `{ tokenMetadata(address: "`+strings.ToLower(contract.address.Hex())+`") { data { tokenId name state } } }`, "")
	for _, record := range answer["tokenMetadata"].(map[string]any)["data"].([]any) {
		r := record.(map[string]any)
		names[r["tokenId"].(string)] = fmt.Sprint(r["name"], " ", r["state"])
	}
	want := map[string]string{
		"0": "at /0 RESOLVED", "1": "at /1c RESOLVED", "2": "at /2 RESOLVED", "3": "at /3b RESOLVED", "4": "at /4 RESOLVED",
		"5": "at /5 FAILED", "9": "at /9 RESOLVED",
	}
	if !maps.Equal(want, names) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, names))
	}
}
