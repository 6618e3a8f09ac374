package jsonrpc_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

func TestFull_Node(t *testing.T) {
	t.Parallel()
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

// TestFull_Lies checks that each method that lies about a block is replaced by the next one:
// single receipts prove the block; logs that match the bloom filter do not. If they lie too,
// the range is an error.
func TestFull_Lies(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 10)
	shorter := func(receipt map[string]any) {
		if logs := receipt["logs"].([]any); len(logs) > 0 {
			receipt["logs"] = logs[:len(logs)-1]
		}
	}
	gas := chaintest.Replace(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`)
	token := chaintest.Replace(evm.Hash{31: 1}.String(), evm.Hash{31: 99}.String())
	for name, test := range map[string]struct {
		ofBlock, single chaintest.Fault
		want            error
	}{
		"no last log":     {chaintest.EditLog(-1, shorter), chaintest.Edit(shorter), rpcerror.ErrMismatch},
		"no last receipt": {chaintest.DropLog(-1), chaintest.Null(), rpcerror.ErrGone},
		"another amount":  {gas, gas, rpcerror.ErrMismatch},
		"another token":   {token, token, rpcerror.ErrMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			for _, lie := range []struct {
				method string
				fault  chaintest.Fault
				proven bool
			}{
				{"eth_getBlockReceipts", test.ofBlock, true},
				{"eth_getTransactionReceipt", test.single, false},
			} {
				node.Break(0, lie.fault, chaintest.Method(lie.method))
				got, proven, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 0, 10)
				if err != nil || proven != lie.proven {
					t.Errorf("%s lies: proven %t, error %v; want %t", lie.method, proven, err, lie.proven)
				}
				checkBlocks(t, node.Blocks(), onlyFull(got))
			}
			node.Break(0, chaintest.DropLog(-1), chaintest.Method("eth_getLogs"))
			if _, _, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 0, 10); !errors.Is(err, test.want) {
				t.Errorf("all methods lie: error %v, want %v", err, test.want)
			}
		})
	}
	other := chaintest.Replace(`"number":"0x5"`, `"number":"0x6"`)
	checkRefused(t, node, lieOptions(), other, chaintest.Method("eth_getBlockByNumber"), rpcerror.ErrInconsistent, readFull(0, 10))
}

// TestFull_Calls counts the calls for a range. A block whose bloom filter allows no selected
// log costs only its header, if the header is provable.
func TestFull_Calls(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 60)
	node.MineEmpty(500)
	if _, _, err := dial(t, jsonrpc.Options{}, node.URL).Full(context.Background(), 1, 560); err != nil {
		t.Fatal(err)
	}
	calls, requests := node.AllCalls()
	if calls != 1+560+60 || requests > 1+6+5 {
		t.Errorf("%d calls in %d requests: want 621 in at most 12", calls, requests)
	}
	// On a chain that is not provable, filters prove nothing: the logs of each block are read.
	node = filled(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}}, 20)
	_, proven, err := dial(t, jsonrpc.Options{Contracts: []evm.Address{{9}}, AcceptUnprovable: true}, node.URL).Full(context.Background(), 1, 20)
	if calls, _ := node.AllCalls(); err != nil || proven || calls != 1+20+20 {
		t.Errorf("not provable: proven %t, error %v, %d calls, want 41", proven, err, calls)
	}
}
