package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
)

func TestProven_Node(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 20)
	for name, broken := range map[string]struct {
		fault  chaintest.Fault
		method string
	}{
		"receipts of a block":     {},
		"receipts by number":      {chaintest.Fault{Code: -32602, Message: "invalid argument 0: hex string"}, "by hash"},
		"receipts, out of range":  {chaintest.Fault{Code: -32000, Message: "BlockOutOfRangeError: block height is 0"}, "by hash"},
		"receipts, null by hash":  {chaintest.Null(), "by hash"},
		"receipts one by one":     {chaintest.Fault{Code: -32601, Message: "Method not found"}, "eth_getBlockReceipts"},
		"receipts without blooms": {chaintest.Replace(`"logsBloom"`, `"other"`), "eth_getBlockReceipts"},
		"log indices":             {chaintest.Replace(`"logIndex":"0x0"`, `"logIndex":"0x7f"`), "eth_getBlockReceipts"},
		"an extra receipt": {chaintest.Fault{Edit: func(list json.RawMessage) json.RawMessage {
			extra := `{"transactionHash":"` + evm.Hash{1}.String() + `","logs":[]}]`
			if string(list) != "[]" {
				extra = "," + extra
			}
			return append(bytes.TrimSuffix(list, []byte("]")), extra...)
		}}, "eth_getBlockReceipts"},
		"a missing receipt":        {chaintest.DropLog(0), "eth_getBlockReceipts"},
		"a status of true":         {chaintest.Replace(`"status":"0x1"`, `"status":true`), "eth_getBlockReceipts"},
		"receipts without types":   {chaintest.Replace(`"type"`, `"other"`), "eth_getBlockReceipts"},
		"transaction indices":      {chaintest.Replace(`"transactionIndex":"0x0"`, `"transactionIndex":"0x9"`), "eth_getBlockReceipts"},
		"unknown fields and nulls": {chaintest.Edit(func(h map[string]any) { h["l1BlockNumber"], h["slotNumber"] = "0x1", nil }), "eth_getBlockByNumber"},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, broken.fault, func(c chaintest.Call) bool {
				return c.Method == broken.method || broken.method == "by hash" && c.Method == "eth_getBlockReceipts" && c.ByHash
			})
			c := dial(t, lieOptions(), node.URL)
			for _, want := range node.Blocks() {
				got, err := c.Proven(context.Background(), want.Header.Number)
				expect.NoError(t, err)
				if diff := cmp.Diff(want.Header, got.Header); diff != "" || len(want.Logs) != len(got.Logs) {
					t.Fatalf("%d logs, want %d; header (-want +got):\n%s", len(got.Logs), len(want.Logs), diff)
				}
				for i, log := range got.Logs {
					if log.TxIndex != want.Logs[i].TxIndex || !log.TxIndex.Known {
						t.Fatalf("log %d is of transaction %v, want %v", i, log.TxIndex, want.Logs[i].TxIndex)
					}
				}
			}
		})
	}
}

func TestProven_Refused(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 3)
	block := node.Blocks()[3]
	receipts := func(old, with string) chaintest.Fault { return chaintest.Replace(old, with) }
	header := func(name string, value any) chaintest.Fault {
		return chaintest.Edit(func(h map[string]any) { h[name] = value })
	}
	first := func(edit func(log map[string]any)) chaintest.Fault {
		return chaintest.EditLog(0, func(receipt map[string]any) { edit(receipt["logs"].([]any)[0].(map[string]any)) })
	}
	both := func(names ...string) chaintest.Fault {
		return chaintest.Edit(func(h map[string]any) {
			for _, name := range names {
				h[name] = "0x123"
			}
		})
	}
	const byNumber, byBlock = "eth_getBlockByNumber", "eth_getBlockReceipts"
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		method string
		want   error
	}{
		"time":                 {header("timestamp", "0x5f5e1001"), byNumber, jsonrpc.ErrMismatch},
		"hash":                 {header("hash", block.Header.ParentHash.String()), byNumber, jsonrpc.ErrMismatch},
		"parent":               {header("parentHash", block.Header.Hash.String()), byNumber, jsonrpc.ErrMismatch},
		"receipts root":        {header("receiptsRoot", block.Header.Hash.String()), byNumber, jsonrpc.ErrMismatch},
		"bloom":                {header("logsBloom", "0x"+strings.Repeat("01", 256)), byNumber, jsonrpc.ErrMismatch},
		"extra field":          {both("extDataHash", "gasUsed"), byNumber, jsonrpc.ErrNotProvable},
		"missing field":        {chaintest.Edit(func(h map[string]any) { delete(h, "receiptsRoot") }), byNumber, jsonrpc.ErrNotProvable},
		"another header":       {header("number", "0x2"), byNumber, jsonrpc.ErrInconsistent},
		"a log's address":      {receipts(block.Logs[0].Address.String(), block.Header.Hash.String()[:42]), byBlock, jsonrpc.ErrMismatch},
		"a log's topic":        {receipts(block.Logs[0].Topics[1].String(), block.Header.Hash.String()), byBlock, jsonrpc.ErrMismatch},
		"gas":                  {receipts(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`), byBlock, jsonrpc.ErrMismatch},
		"status":               {receipts(`"status":"0x1"`, `"status":"0x0"`), byBlock, jsonrpc.ErrMismatch},
		"a known type":         {receipts(`"type":"0x0"`, `"type":"0x1"`), byBlock, jsonrpc.ErrMismatch},
		"an Arbitrum type":     {receipts(`"type":"0x0"`, `"type":"0x64"`), byBlock, jsonrpc.ErrMismatch},
		"an unknown type":      {receipts(`"type":"0x0"`, `"type":"0x6b"`), byBlock, jsonrpc.ErrNotProvable},
		"receipts' logs bloom": {receipts(`"logsBloom":"0x0`, `"logsBloom":"0x1`), byBlock, jsonrpc.ErrMismatch},
		"another block":        {receipts(block.Header.Hash.String(), block.Header.ParentHash.String()), byBlock, jsonrpc.ErrInconsistent},
		"a pending log":        {first(func(log map[string]any) { log["logIndex"] = nil }), byBlock, jsonrpc.ErrInconsistent},
		"a removed log":        {first(func(log map[string]any) { log["removed"] = true }), byBlock, jsonrpc.ErrInconsistent},
		"no transaction":       {chaintest.EditLog(-1, func(r map[string]any) { delete(r, "transactionHash") }), byBlock, jsonrpc.ErrInconsistent},
		"an odd status":        {chaintest.EditLog(-1, func(r map[string]any) { r["status"] = "0x2" }), byBlock, jsonrpc.ErrNotProvable},
		"missing receipt":      {chaintest.DropLog(0), byBlock, jsonrpc.ErrInconsistent},
		"no receipts":          {chaintest.Empty(), byBlock, jsonrpc.ErrGone},
		"null":                 {chaintest.Null(), byBlock, jsonrpc.ErrGone},
		"pruned":               {chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, byBlock, jsonrpc.ErrPruned},
		"index in progress":    {chaintest.Fault{Code: -32000, Message: "transaction indexing is in progress"}, byBlock, jsonrpc.ErrTemporary},
		"another transaction":  {receipts(block.Logs[0].TxHash.String(), block.Header.Hash.String()), byBlock, jsonrpc.ErrInconsistent},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, test.fault, chaintest.Method(test.method))
			// Single receipts would be right.
			node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getTransactionReceipt"))
			got, err := dial(t, lieOptions(), node.URL).Proven(context.Background(), 3)
			if !errors.Is(err, test.want) || got.Logs != nil {
				t.Errorf("block %d, error %v: want %v", got.Header.Number, err, test.want)
			}
		})
	}
}

// played returns the URL of a node with a recorded block.
func played(t testing.TB, block chaintest.Recorded) string {
	t.Helper()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	expect.NoError(t, node.Play(block))
	return node.URL
}

// TestProven_Real proves recorded mainnet blocks.
func TestProven_Real(t *testing.T) {
	proved := 0
	for _, b := range chaintest.RealBlocks(t) {
		if b.Receipts == nil {
			continue
		}
		var header struct{ Number evm.Long }
		chaintest.Parse(t, b.Block, &header)
		got, err := dial(t, lieOptions(), played(t, b.Recorded)).Proven(t.Context(), uint64(header.Number))
		expect.NoError(t, err)
		if want := chaintest.ParseLogs(t, b.Logs); !reflect.DeepEqual(want, got.Logs) {
			t.Errorf("block %s (-want +got):\n%s", header.Number, cmp.Diff(want, got.Logs))
		}
		proved++
	}
	if proved != 2 {
		t.Errorf("%d blocks were proven, want 2", proved)
	}
}

// TestProven_HeaderBloom checks that a block with an empty bloom filter is proved, and that
// one whose filter does not match the logs is rejected.
func TestProven_HeaderBloom(t *testing.T) {
	b := chaintest.RealBlocks(t)[0]
	object := map[string]json.RawMessage{}
	chaintest.Parse(t, b.Block, &object)
	for digits, want := range map[string]error{"00": nil, "02": jsonrpc.ErrMismatch} {
		var header types.Header
		object["logsBloom"] = fmt.Appendf(nil, `"0x%s"`, strings.Repeat(digits, 256))
		text, err := json.Marshal(object)
		expect.NoError(t, err)
		chaintest.Parse(t, text, &header)
		renamed := func(text []byte) []byte {
			return bytes.ReplaceAll(text, bytes.Trim(object["hash"], `"`), []byte(header.Hash().String()))
		}
		edited := chaintest.Recorded{Block: renamed(text)}
		for _, receipt := range b.Receipts {
			edited.Receipts = append(edited.Receipts, renamed(receipt))
		}
		got, err := dial(t, lieOptions(), played(t, edited)).Proven(t.Context(), header.Number.Uint64())
		if !errors.Is(err, want) || (want == nil && len(got.Logs) != len(chaintest.ParseLogs(t, b.Logs))) {
			t.Errorf("bloom filter of %s: %d logs, error %v: want %v", digits, len(got.Logs), err, want)
		}
	}
}
