package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestBlock_Lie checks that every lie about one block is rejected, whichever log is left out.
// If eth_getLogs fails, in whatever words, the block is read from its receipts.
func TestBlock_Lie(t *testing.T) {
	t.Parallel()
	node := lied(t, chaintest.NodeOptions{})
	block := node.Blocks()[40]
	type lie struct {
		fault  chaintest.Fault
		method string
		want   error
	}
	lies := map[string]lie{
		"empty list":       {chaintest.Empty(), "eth_getLogs", rpcerror.ErrInconsistent},
		"null logs":        {chaintest.Null(), "eth_getLogs", rpcerror.ErrInconsistent},
		"null header":      {chaintest.Null(), "eth_getBlockByNumber", rpcerror.ErrLagging},
		"another header":   {chaintest.Edit(func(h map[string]any) { h["number"] = "0x1" }), "eth_getBlockByNumber", rpcerror.ErrInconsistent},
		"gone in between":  {chaintest.Fault{Code: -32000, Message: "unknown block"}, "eth_getLogs", nil},
		"gone, by hardhat": {chaintest.Fault{Code: -32602, Message: "blockHash cannot be found"}, "eth_getLogs", nil},
		"pruned":           {chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, "eth_getLogs", nil},
		"fork":             {chaintest.Replace(block.Header.Hash.String(), block.Header.ParentHash.String()), "eth_getLogs", nil},
		"closed":           {chaintest.Fault{Close: true}, "eth_getLogs", rpcerror.ErrTemporary},
	}
	for i := range block.Logs {
		lies[fmt.Sprint("drops log ", i)] = lie{chaintest.DropLog(i), "eth_getLogs", rpcerror.ErrInconsistent}
	}
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, lie.fault, chaintest.Method(lie.method))
			got, err := dial(t, lieOptions(), node.URL).Block(t.Context(), 40)
			if !errors.Is(err, lie.want) {
				t.Fatalf("error %v, want %v", err, lie.want)
			}
			if err == nil {
				checkBlocks(t, []evm.Block{block}, []evm.Block{got})
			}
			lieInReceipts(node)
			if err := readBlock(40)(dial(t, lieOptions(), node.URL)); err == nil {
				t.Error("receipts that lie too: no error")
			}
		})
	}
}

// TestBlock_TwinLogs leaves out one of three logs with the same address and topics. The
// bloom filter does not show that, but the log indices do, except for the last log.
func TestBlock_TwinLogs(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	twin := filled(t, chaintest.NodeOptions{}, 1).Blocks()[1].Logs[0]
	node.Mine([]evm.Log{twin, twin, twin})
	for drop, want := range []error{rpcerror.ErrInconsistent, rpcerror.ErrInconsistent, nil} {
		checkRefused(t, node, lieOptions(), chaintest.DropLog(drop), chaintest.Method("eth_getLogs"), want, readBlock(1))
	}
}

// TestBlock_OddBloom has bloom filters that do not match the logs (Polygon), or are empty or
// missing. Logs are accepted if the receipts agree, and rejected if not.
func TestBlock_OddBloom(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	want := node.Blocks()[3]
	bloomed := func(bloom string) chaintest.Fault {
		return chaintest.Edit(func(h map[string]any) { h["logsBloom"] = bloom })
	}
	for name, fault := range map[string]chaintest.Fault{
		"empty": bloomed("0x" + strings.Repeat("00", 256)),
		"other": bloomed("0x" + strings.Repeat("02", 256)),
		"none":  chaintest.Edit(func(h map[string]any) { delete(h, "logsBloom") }),
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, chaintest.Method("eth_getBlockByNumber"))
			c := dial(t, lieOptions(), node.URL)
			got, err := c.Block(context.Background(), 3)
			expect.NoError(t, err)
			checkBlocks(t, []evm.Block{want}, []evm.Block{got})
			node.Break(0, chaintest.DropLog(0), chaintest.Method("eth_getLogs"))
			if _, err := c.Block(context.Background(), 3); !errors.Is(err, rpcerror.ErrInconsistent) {
				t.Errorf("a log is missing: %v, want ErrInconsistent", err)
			}
		})
	}
}

// TestBlock_NoBlockReceipts checks that receipts are read one by one if the node lacks
// eth_getBlockReceipts.
func TestBlock_NoBlockReceipts(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	node.Break(0, chaintest.Fault{Code: -32004, Message: "Method eth_getBlockReceipts is not supported"}, chaintest.Method("eth_getBlockReceipts"))
	node.Break(0, chaintest.Fault{Code: -32005, Message: "query returned more than 10000 results"}, chaintest.Method("eth_getLogs"))
	c := dial(t, lieOptions(), node.URL)
	for range 2 {
		checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 3))
	}
	if n := node.Calls("eth_getBlockReceipts"); n != 1 {
		t.Errorf("eth_getBlockReceipts was tried %d times, want once", n)
	}
}

// TestBlock_InventedLog checks that a log is rejected if the empty bloom filter of a
// provable header excludes it and the node has no receipts to compare with.
func TestBlock_InventedLog(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(1)
	block := node.Blocks()[1]
	invented := fmt.Appendf(nil, `[{"address":%q,"topics":[],"data":"0x","blockNumber":"0x1","blockHash":%q,"transactionHash":%q,"transactionIndex":"0x0","logIndex":"0x0"}]`,
		evm.Address{1}, block.Header.Hash, block.Header.ParentHash)
	node.Break(0, chaintest.Fault{Edit: func(json.RawMessage) json.RawMessage { return invented }}, chaintest.Method("eth_getLogs"))
	node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"))
	got, err := dial(t, lieOptions(), node.URL).Block(context.Background(), 1)
	if !errors.Is(err, rpcerror.ErrInconsistent) {
		t.Errorf("got %v and error %v, want ErrInconsistent", got, err)
	}
}
