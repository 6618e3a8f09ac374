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

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

func TestProven_Node(t *testing.T) {
	t.Parallel()
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
		"transaction indices":     {chaintest.Replace(`"transactionIndex":"0x0"`, `"transactionIndex":"0x9"`), "eth_getBlockReceipts"},
		"log indices":             {chaintest.Replace(`"logIndex":"0x0"`, `"logIndex":"0x7f"`), "eth_getBlockReceipts"},
		"an unlisted receipt": {chaintest.Fault{Edit: func(list json.RawMessage) json.RawMessage {
			return append(bytes.TrimSuffix(list, []byte("]")), `,{"transactionHash":"`+evm.Hash{1}.String()+`","logs":[]}]`...)
		}}, "with receipts"},
		"unknown fields and nulls": {chaintest.Edit(func(h map[string]any) { h["l1BlockNumber"], h["slotNumber"] = "0x1", nil }), "eth_getBlockByNumber"},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, broken.fault, func(c chaintest.Call) bool {
				return c.Method == broken.method || c.Method == "eth_getBlockReceipts" && (broken.method == "by hash" && c.ByHash || broken.method == "with receipts" && c.To > 0)
			})
			c := dial(t, lieOptions(), node.URL)
			for _, want := range node.Blocks() {
				got, err := c.Proven(context.Background(), want.Header.Number)
				expect.NoError(t, err)
				if diff := cmp.Diff(want.Header, got.Header); diff != "" || len(want.Logs) != len(got.Logs) {
					t.Fatalf("%d logs, want %d; header (-want +got):\n%s", len(got.Logs), len(want.Logs), diff)
				}
				for i, log := range got.Logs {
					if log.TxIndex != want.Logs[i].TxIndex || !log.TxIndex.Known || log.Index != uint32(i) {
						t.Fatalf("log %d is of transaction %v and has the index %d, want %v", i, log.TxIndex, log.Index, want.Logs[i].TxIndex)
					}
				}
			}
		})
	}
}

// TestProven_Headers checks that blocks whose header was changed are rejected.
func TestProven_Headers(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	block := node.Blocks()[3]
	for name, test := range map[string]struct {
		edit func(h map[string]any)
		want error
	}{
		"time":           {func(h map[string]any) { h["timestamp"] = "0x5f5e1001" }, rpcerror.ErrMismatch},
		"hash":           {func(h map[string]any) { h["hash"] = block.Header.ParentHash.String() }, rpcerror.ErrMismatch},
		"parent":         {func(h map[string]any) { h["parentHash"] = block.Header.Hash.String() }, rpcerror.ErrMismatch},
		"receipts root":  {func(h map[string]any) { h["receiptsRoot"] = block.Header.Hash.String() }, rpcerror.ErrMismatch},
		"bloom":          {func(h map[string]any) { h["logsBloom"] = "0x" + strings.Repeat("01", 256) }, rpcerror.ErrMismatch},
		"extra field":    {func(h map[string]any) { h["extDataHash"], h["gasUsed"] = "0x123", "0x123" }, rpcerror.ErrNotProvable},
		"missing field":  {func(h map[string]any) { delete(h, "receiptsRoot") }, rpcerror.ErrNotProvable},
		"another header": {func(h map[string]any) { h["number"] = "0x2" }, rpcerror.ErrInconsistent},
	} {
		t.Run(name, func(t *testing.T) {
			checkRefused(t, node, lieOptions(), chaintest.Edit(test.edit), chaintest.Method("eth_getBlockByNumber"), test.want, readProof(3))
		})
	}
}

// TestProven_Refused changes the receipts of a block. If only eth_getBlockReceipts is wrong,
// single receipts prove the block, unless a value is odd. If they are wrong too, the block is
// rejected.
func TestProven_Refused(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	block := node.Blocks()[3]
	type wrong struct {
		ofBlock, single chaintest.Fault
		alone, both     error
	}
	same := func(fault chaintest.Fault, both error) wrong { return wrong{fault, fault, nil, both} }
	text := func(old, with string) wrong { return same(chaintest.Replace(old, with), rpcerror.ErrMismatch) }
	edit := func(edit func(r map[string]any)) wrong {
		return wrong{chaintest.EditLog(0, edit), chaintest.Edit(edit), nil, rpcerror.ErrInconsistent}
	}
	log := func(name string, value any) wrong {
		return edit(func(r map[string]any) {
			for _, log := range r["logs"].([]any) {
				if event := log.(map[string]any); len(event["topics"].([]any)) == 4 {
					event[name] = value
				}
			}
		})
	}
	odd := func(w wrong) wrong { w.alone, w.both = rpcerror.ErrNotProvable, rpcerror.ErrNotProvable; return w }
	inconsistent := func(w wrong) wrong { w.both = rpcerror.ErrInconsistent; return w }
	for name, w := range map[string]wrong{
		"a log's address":      text(block.Logs[0].Address.String(), block.Header.Hash.String()[:42]),
		"a log's topic":        text(block.Logs[0].Topics[1].String(), block.Header.Hash.String()),
		"gas":                  text(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`),
		"status":               text(`"status":"0x1"`, `"status":"0x0"`),
		"a known type":         text(`"type":"0x0"`, `"type":"0x1"`),
		"an Arbitrum type":     text(`"type":"0x0"`, `"type":"0x64"`),
		"an unknown type":      odd(text(`"type":"0x0"`, `"type":"0x6b"`)),
		"receipts' logs bloom": text(`"logsBloom":"0x0`, `"logsBloom":"0x1`),
		"another block":        inconsistent(text(block.Header.Hash.String(), block.Header.ParentHash.String())),
		"a pending log":        log("logIndex", nil),
		"a removed log":        log("removed", true),
		"no transaction":       edit(func(r map[string]any) { delete(r, "transactionHash") }),
		"an odd status":        odd(edit(func(r map[string]any) { r["status"] = "0x2" })),
		"missing receipt":      {chaintest.DropLog(0), chaintest.Null(), nil, rpcerror.ErrInconsistent},
		"no receipts":          {chaintest.Empty(), chaintest.Null(), nil, rpcerror.ErrGone},
		"null":                 same(chaintest.Null(), rpcerror.ErrGone),
		"pruned":               same(chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, rpcerror.ErrPruned),
		"index in progress":    same(chaintest.Fault{Code: -32000, Message: "transaction indexing is in progress"}, rpcerror.ErrTemporary),
		"another transaction":  inconsistent(text(block.Logs[0].TxHash.String(), block.Header.Hash.String())),
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, w.ofBlock, chaintest.Method("eth_getBlockReceipts"))
			got, err := dial(t, lieOptions(), node.URL).Proven(t.Context(), 3)
			if !errors.Is(err, w.alone) {
				t.Errorf("eth_getBlockReceipts is wrong: error %v, want %v", err, w.alone)
			}
			if err == nil {
				checkBlocks(t, []evm.Block{block}, []evm.Block{{Header: got.Header, Logs: standard(got.Logs)}})
			}
			node.Break(0, w.single, chaintest.Method("eth_getTransactionReceipt"))
			got, err = dial(t, lieOptions(), node.URL).Proven(t.Context(), 3)
			if !errors.Is(err, w.both) || got.Logs != nil {
				t.Errorf("single receipts are wrong too: block %d, error %v: want %v", got.Header.Number, err, w.both)
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
	t.Parallel()
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
	t.Parallel()
	b := chaintest.RealBlocks(t)[0]
	object := map[string]json.RawMessage{}
	chaintest.Parse(t, b.Block, &object)
	for digits, want := range map[string]error{"00": nil, "02": rpcerror.ErrMismatch} {
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
