package chaintest_test

import (
	"encoding/json"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
)

// ask calls a method of a node.
func ask[T any](t testing.TB, node *chaintest.Node, method string, args ...any) (result T) {
	t.Helper()
	client, err := rpc.Dial(node.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Call(&result, method, args...); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestNode_Real rebuilds the hashes of headers and the receipts roots.
func TestNode_Real(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	o := chaintest.Default()
	o.Blocks, o.NoiseShare = 3, 0.3
	node.Generate(o)
	for number, block := range node.Blocks() {
		tag := []any{"0x" + string(rune('0'+number))}
		header := ask[*types.Header](t, node, "eth_getBlockByNumber", append(tag, false)...)
		receipts := ask[types.Receipts](t, node, "eth_getBlockReceipts", tag...)
		if evm.Hash(header.Hash()) != block.Header.Hash {
			t.Errorf("block %d: hash %s, want %s", number, header.Hash(), block.Header.Hash)
		}
		if root := types.DeriveSha(receipts, trie.NewStackTrie(nil)); root != header.ReceiptHash || types.MergeBloom(receipts) != header.Bloom {
			t.Errorf("block %d: root or bloom differ", number)
		}
	}
}

func TestNode_ReorgAndLag(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 4})
	node.MineEmpty(10)
	old := node.Blocks()[10].Header
	height := func(tag string) string {
		return ask[map[string]any](t, node, "eth_getBlockByNumber", tag, false)["number"].(string)
	}
	heights := func() []string { return []string{height("latest"), height("safe"), height("finalized")} }
	if diff := cmp.Diff([]string{"0xa", "0x8", "0x6"}, heights()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	node.Reorg(3, nil, nil, nil, nil)
	if diff := cmp.Diff([]string{"0xb", "0x9", "0x7"}, heights()); diff != "" {
		t.Errorf("after a reorg (-want +got):\n%s", diff)
	}
	if got := ask[json.RawMessage](t, node, "eth_getBlockByHash", old.Hash, false); string(got) != "null" {
		t.Errorf("the old head is %s", got)
	}
	blocks := node.Blocks()
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Header.ParentHash != blocks[i-1].Header.Hash {
			t.Errorf("block %d does not follow", i)
		}
	}
	if blocks[10].Header.Hash == old.Hash {
		t.Error("both branches have the same block")
	}
	node.Lag(5)
	if diff := cmp.Diff([]string{"0x6", "0x4", "0x2"}, heights()); diff != "" {
		t.Errorf("lagging (-want +got):\n%s", diff)
	}
	if calls, requests := node.AllCalls(); calls != 10 || requests != 10 || node.Calls("eth_getBlockByNumber") != 9 {
		t.Errorf("%d calls in %d requests", calls, requests)
	}
}

// TestNode_Break has a fault for two calls of a method, and one for all calls.
func TestNode_Break(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	client, err := rpc.Dial(node.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	node.Break(2, chaintest.Fault{Code: 7, Message: "no"}, chaintest.Method("eth_blockNumber"))
	var failed []bool
	for _, method := range []string{"eth_blockNumber", "eth_chainId", "eth_blockNumber", "eth_blockNumber"} {
		failed = append(failed, client.Call(new(string), method) != nil)
	}
	if diff := cmp.Diff([]bool{true, false, true, false}, failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	node.Break(0, chaintest.Fault{Status: 500}, nil)
	for range 3 {
		if client.Call(new(string), "eth_chainId") == nil {
			t.Error("a lasting fault did not last")
		}
	}
	node.ClearFaults()
	if err := client.Call(new(string), "eth_chainId"); err != nil {
		t.Errorf("without faults: %v", err)
	}
}
