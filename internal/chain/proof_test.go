package chain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
)

func TestProven_Node(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 20)
	for name, broken := range map[string]struct {
		fault  chaintest.Fault
		method string
	}{
		"receipts of a block":   {},
		"receipts one by one":   {chaintest.Fault{Code: -32601, Message: "Method not found"}, "eth_getBlockReceipts"},
		"no receipts' blooms":   {chaintest.Replace(`"logsBloom"`, `"other"`), "eth_getBlockReceipts"},
		"places of logs":        {chaintest.Replace(`"transactionIndex":"0x0"`, `"transactionIndex":"0x9"`), "eth_getBlockReceipts"},
		"other names and nulls": {chaintest.Edit(func(h map[string]any) { h["l1BlockNumber"], h["slotNumber"] = "0x1", nil }), "eth_getBlockByNumber"},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			if broken.method != "" {
				node.Break(0, broken.fault, chaintest.Method(broken.method))
			}
			c := dial(t, lieOptions(), node.URL)
			for _, want := range node.Blocks() {
				got, err := c.Proven(context.Background(), want.Header.Number)
				if err != nil {
					t.Fatal(err)
				}
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
		"time":                  {header("timestamp", "0x5f5e1001"), byNumber, chain.ErrMismatch},
		"hash":                  {header("hash", block.Header.ParentHash.String()), byNumber, chain.ErrMismatch},
		"parent":                {header("parentHash", block.Header.Hash.String()), byNumber, chain.ErrMismatch},
		"receipts root":         {header("receiptsRoot", block.Header.Hash.String()), byNumber, chain.ErrMismatch},
		"bloom":                 {header("logsBloom", "0x"+strings.Repeat("01", 256)), byNumber, chain.ErrMismatch},
		"a field more":          {both("extDataHash", "gasUsed"), byNumber, chain.ErrNotProvable},
		"a field less":          {chaintest.Edit(func(h map[string]any) { delete(h, "receiptsRoot") }), byNumber, chain.ErrNotProvable},
		"header of another":     {header("number", "0x2"), byNumber, chain.ErrInconsistent},
		"a log's address":       {receipts(block.Logs[0].Address.String(), block.Header.Hash.String()[:42]), byBlock, chain.ErrMismatch},
		"a log's topic":         {receipts(block.Logs[0].Topics[1].String(), block.Header.Hash.String()), byBlock, chain.ErrMismatch},
		"gas":                   {receipts(`"cumulativeGasUsed":"0x5208"`, `"cumulativeGasUsed":"0x5209"`), byBlock, chain.ErrMismatch},
		"status":                {receipts(`"status":"0x1"`, `"status":"0x0"`), byBlock, chain.ErrMismatch},
		"a type that is known":  {receipts(`"type":"0x0"`, `"type":"0x1"`), byBlock, chain.ErrMismatch},
		"a type that is not":    {receipts(`"type":"0x0"`, `"type":"0x64"`), byBlock, chain.ErrNotProvable},
		"receipts' logs bloom":  {receipts(`"logsBloom":"0x0`, `"logsBloom":"0x1`), byBlock, chain.ErrMismatch},
		"a log index":           {receipts(`"logIndex":"0x0"`, `"logIndex":"0x7f"`), byBlock, chain.ErrInconsistent},
		"another block":         {receipts(block.Header.Hash.String(), block.Header.ParentHash.String()), byBlock, chain.ErrInconsistent},
		"a receipt is missing":  {chaintest.DropLog(0), byBlock, chain.ErrInconsistent},
		"no receipts":           {chaintest.Empty(), byBlock, chain.ErrInconsistent},
		"null":                  {chaintest.Null(), byBlock, chain.ErrGone},
		"pruned":                {chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, byBlock, chain.ErrPruned},
		"the index is not done": {chaintest.Fault{Code: -32000, Message: "transaction indexing is in progress"}, byBlock, chain.ErrTemporary},
		"another transaction":   {receipts(block.Logs[0].TxHash.String(), block.Header.Hash.String()), byBlock, chain.ErrInconsistent},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, test.fault, chaintest.Method(test.method))
			got, err := dial(t, lieOptions(), node.URL).Proven(context.Background(), 3)
			if !errors.Is(err, test.want) || got.Logs != nil {
				t.Errorf("block %d, error %v: want %v", got.Header.Number, err, test.want)
			}
		})
	}
}

// answering returns the URL of a server that has one answer to each method.
func answering(t testing.TB, results map[string]json.RawMessage) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text(t, map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": results[asked.Method]}))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestProven_Real proves real blocks of mainnet, which were recorded whole.
func TestProven_Real(t *testing.T) {
	proved := 0
	for _, s := range samples(t) {
		if s.receipts == nil {
			continue
		}
		var receipts []struct{ TransactionHash string }
		parse(t, s.receipts, &receipts)
		var hashes []string
		for _, r := range receipts {
			hashes = append(hashes, r.TransactionHash)
		}
		s.header["transactions"] = text(t, hashes)
		var number evm.Long
		parse(t, s.header["number"], &number)
		url := answering(t, map[string]json.RawMessage{
			"eth_chainId": json.RawMessage(`"0x1"`), "eth_getBlockByNumber": text(t, s.header), "eth_getBlockReceipts": s.receipts,
		})
		got, err := dial(t, lieOptions(), url).Proven(context.Background(), uint64(number))
		if err != nil {
			t.Fatal(err)
		}
		if want := wantLogs(t, s.logs); !reflect.DeepEqual(want, got.Logs) {
			t.Errorf("block %s (-want +got):\n%s", number, cmp.Diff(want, got.Logs))
		}
		proved++
	}
	if proved != 2 {
		t.Errorf("%d blocks were proven, want 2", proved)
	}
}

// TestProven_HeaderBloom: the receipts root proves the logs of a chain that
// keeps no filter in its headers; a filter of other logs is none.
func TestProven_HeaderBloom(t *testing.T) {
	s := samples(t)[0]
	var receipts []struct{ TransactionHash string }
	parse(t, s.receipts, &receipts)
	var hashes []string
	for _, r := range receipts {
		hashes = append(hashes, r.TransactionHash)
	}
	s.header["transactions"] = text(t, hashes)
	for digits, want := range map[string]error{"00": nil, "02": chain.ErrMismatch} {
		old := s.header["hash"]
		s.header["logsBloom"] = text(t, "0x"+strings.Repeat(digits, 256))
		var header types.Header
		parse(t, text(t, s.header), &header)
		s.header["hash"] = text(t, header.Hash())
		s.receipts = bytes.ReplaceAll(s.receipts, old, s.header["hash"])
		url := answering(t, map[string]json.RawMessage{
			"eth_chainId": json.RawMessage(`"0x1"`), "eth_getBlockByNumber": text(t, s.header), "eth_getBlockReceipts": s.receipts,
		})
		got, err := dial(t, lieOptions(), url).Proven(context.Background(), header.Number.Uint64())
		if !errors.Is(err, want) || (want == nil && len(got.Logs) != len(wantLogs(t, s.logs))) {
			t.Errorf("bloom filter of %s: %d logs, error %v: want %v", digits, len(got.Logs), err, want)
		}
	}
}
