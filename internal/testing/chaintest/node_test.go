package chaintest_test

import (
	"encoding/json"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// ask calls a method of a node.
func ask[T any](t testing.TB, node *chaintest.Node, method string, args ...any) (result T) {
	t.Helper()
	client, err := rpc.Dial(node.URL)
	expect.NoError(t, err)
	defer client.Close()
	expect.NoError(t, client.Call(&result, method, args...))
	return result
}

func TestNode_ReorgAndLag(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 4})
	node.MineEmpty(10)
	old := node.Blocks()[10].Header
	height := func(tag string) string {
		return ask[map[string]any](t, node, "eth_getBlockByNumber", tag, false)["number"].(string)
	}
	heights := func() []string { return []string{height("latest"), height("safe"), height("finalized")} }
	expect.Equal(t, "at first", []string{"0xa", "0x8", "0x6"}, heights())
	node.Reorg(3, nil, nil, nil, nil)
	expect.Equal(t, "after a reorg", []string{"0xb", "0x9", "0x7"}, heights())
	if got := ask[json.RawMessage](t, node, "eth_getBlockByHash", old.Hash, false); string(got) != "null" {
		t.Errorf("the old head is %s", got)
	}
	blocks := node.Blocks()
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Header.ParentHash != blocks[i-1].Header.Hash {
			t.Errorf("block %d is not linked to its parent", i)
		}
	}
	if blocks[10].Header.Hash == old.Hash {
		t.Error("both branches have the same block")
	}
	node.Lag(5)
	expect.Equal(t, "lagging", []string{"0x6", "0x4", "0x2"}, heights())
	if calls, requests := node.AllCalls(); calls != 10 || requests != 10 || node.Calls("eth_getBlockByNumber") != 9 {
		t.Errorf("%d calls in %d requests", calls, requests)
	}
}

// TestNode_Break checks a fault for two calls of a method, and one for all calls.
func TestNode_Break(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	client, err := rpc.Dial(node.URL)
	expect.NoError(t, err)
	defer client.Close()
	node.Break(2, chaintest.Fault{Code: 7, Message: "no"}, chaintest.Method("eth_blockNumber"))
	var failed []bool
	for _, method := range []string{"eth_blockNumber", "eth_chainId", "eth_blockNumber", "eth_blockNumber"} {
		failed = append(failed, client.Call(new(string), method) != nil)
	}
	expect.Equal(t, "failed", []bool{true, false, true, false}, failed)
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
