package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
)

func TestFull_Node(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 60)
	node.MineEmpty(20)
	odd := func(h map[string]any) { h["extDataHash"], h["gasUsed"] = "0x1", "0x123" }
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		when   func(chaintest.Call) bool
		proven bool
	}{
		"no fault":                          {chaintest.Fault{}, nil, true},
		"no receipts of a block":            {chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"), false},
		"receipts one by one":               {chaintest.Fault{Code: -32601, Message: "Method not found"}, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" || c.Method == "eth_getLogs" }, false},
		"batches of receipts are too large": {chaintest.Fault{Code: -32003, Message: "response too large"}, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.Batch > 3 }, true},
		"batches are refused":               {chaintest.Fault{Status: http.StatusRequestEntityTooLarge}, func(c chaintest.Call) bool { return c.Batch > 5 }, true},
		"receipts by number":                {chaintest.Null(), func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.ByHash }, true},
		"receipts are too large":            {chaintest.Fault{Code: -32003, Message: "response too large"}, chaintest.Method("eth_getBlockReceipts"), true},
		"receipts are refused":              {chaintest.Fault{Status: http.StatusRequestEntityTooLarge}, chaintest.Method("eth_getBlockReceipts"), true},
		"headers with unknown fields":       {chaintest.Edit(odd), chaintest.Method("eth_getBlockByNumber"), false},
		"no bloom filters": {chaintest.Edit(func(h map[string]any) {
			odd(h)
			h["logsBloom"] = "0x" + strings.Repeat("00", 256)
		}), chaintest.Method("eth_getBlockByNumber"), false},
		"receipts of another type": {chaintest.Replace(`"type":"0x0"`, `"type":"0x71"`), chaintest.Method("eth_getBlockReceipts"), false},
		"nothing but logs": {chaintest.Edit(func(h map[string]any) {
			odd(h)
			h["logsBloom"], h["transactions"] = "0x"+strings.Repeat("00", 256), []any{}
		}), chaintest.Method("eth_getBlockByNumber"), false},
		"eth_getLogs is broken": {chaintest.Empty(), chaintest.Method("eth_getLogs"), true},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			if test.when != nil {
				node.Break(0, test.fault, test.when)
			}
			if name == "nothing but logs" {
				node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"))
			}
			got, proven, err := dial(t, lieOptions(), node.URL).Full(context.Background(), 0, 80)
			expect.NoError(t, err)
			for i, want := range node.Blocks() {
				if len(got) != 81 || got[i].Header != want.Header {
					t.Fatalf("%d blocks, want 81; block %d is %+v", len(got), i, got[i].Header)
				}
			}
			checkBlocks(t, node.Blocks(), onlyFull(got))
			if proven != test.proven {
				t.Errorf("proven: got %v, want %v", proven, test.proven)
			}
		})
	}
}

func TestFull_Lies(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 10)
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		method string
	}{
		"no last log": {chaintest.EditLog(-1, func(receipt map[string]any) {
			logs := receipt["logs"].([]any)
			receipt["logs"] = logs[:len(logs)-1]
		}), "eth_getBlockReceipts"},
		"no last receipt": {chaintest.DropLog(-1), "eth_getBlockReceipts"},
		"another amount":  {chaintest.Replace(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`), "eth_getBlockReceipts"},
		"another block":   {chaintest.Replace(`"number":"0x5"`, `"number":"0x6"`), "eth_getBlockByNumber"},
	} {
		t.Run(name, func(t *testing.T) {
			// Other methods would be right.
			when := func(c chaintest.Call) bool { return c.Method == test.method }
			node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getTransactionReceipt"))
			node.Break(0, chaintest.Empty(), chaintest.Method("eth_getLogs"))
			defer node.ClearFaults()
			node.Break(0, test.fault, when)
			if _, _, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 0, 10); !jsonrpc.Contradicts(err) && !errors.Is(err, jsonrpc.ErrGone) {
				t.Errorf("error %v, want a contradiction", err)
			}
		})
	}
}

// TestFull_Calls counts the calls for a range. A block whose bloom filter allows no selected
// log costs only its header.
func TestFull_Calls(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 60)
	node.MineEmpty(500)
	if _, _, err := dial(t, jsonrpc.Options{}, node.URL).Full(context.Background(), 1, 560); err != nil {
		t.Fatal(err)
	}
	calls, requests := node.AllCalls()
	if calls != 1+560+60 || requests > 1+6+5 {
		t.Errorf("%d calls in %d requests: want 621 in at most 12", calls, requests)
	}
	// On a chain that is not provable, bloom filters exclude nothing.
	node = filled(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}}, 20)
	_, proven, err := dial(t, jsonrpc.Options{Contracts: []evm.Address{{9}}, AcceptUnprovable: true}, node.URL).Full(context.Background(), 1, 20)
	if calls, _ := node.AllCalls(); err != nil || proven || calls != 1+20+20 {
		t.Errorf("not provable: proven %t, error %v, %d calls, want 41", proven, err, calls)
	}
}

// TestBlock_InventedLog checks that a log is rejected if the empty bloom filter of a
// provable header excludes it and the node has no receipts to compare with.
func TestBlock_InventedLog(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(1)
	block := node.Blocks()[1]
	invented := fmt.Appendf(nil, `[{"address":%q,"topics":[],"data":"0x","blockNumber":"0x1","blockHash":%q,"transactionHash":%q,"transactionIndex":"0x0","logIndex":"0x0"}]`,
		evm.Address{1}, block.Header.Hash, block.Header.ParentHash)
	node.Break(0, chaintest.Fault{Edit: func(json.RawMessage) json.RawMessage { return invented }}, chaintest.Method("eth_getLogs"))
	node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"))
	got, err := dial(t, lieOptions(), node.URL).Block(context.Background(), evm.BlockNumberOrHash{Number: 1})
	if !errors.Is(err, jsonrpc.ErrInconsistent) {
		t.Errorf("got %v and error %v, want ErrInconsistent", got, err)
	}
}
