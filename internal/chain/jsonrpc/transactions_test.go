package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// detailed returns options that want the transactions of all logs.
func detailed() jsonrpc.Options {
	o := lieOptions()
	o.Samples = -1
	o.Transactions = func(_ evm.Header, logs []evm.Log) (map[evm.Hash]bool, error) {
		hashes := map[evm.Hash]bool{}
		for _, log := range logs {
			hashes[log.TxHash] = true
		}
		return hashes, nil
	}
	return o
}

// detailReadings are the ways to read blocks with their transactions, each with the number of
// calls for a block that has some.
var detailReadings = map[string]struct {
	read  func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error)
	calls int
}{
	"ranges": {func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error) {
		blocks, _, err := c.Blocks(ctx, from, to)
		return blocks, err
	}, 2},
	"sparse": {func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error) {
		blocks, _, err := c.Sparse(ctx, from, to)
		return blocks, err
	}, 2},
	"receipts": {func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error) {
		blocks, _, err := c.Full(ctx, from, to)
		return blocks, err
	}, 1},
	"proofs": {func(ctx context.Context, c *jsonrpc.Client, from, to uint64) (blocks []evm.Block, err error) {
		for n := from; n <= to && err == nil; n++ {
			var b evm.Block
			b, err = c.Proven(ctx, n)
			blocks = append(blocks, b)
		}
		return blocks, err
	}, 1},
}

// transactionsOf returns the transactions of blocks, by block.
func transactionsOf(blocks []evm.Block) map[uint64][]evm.Transaction {
	all := map[uint64][]evm.Transaction{}
	for _, b := range blocks {
		if len(b.Transactions) > 0 {
			all[b.Header.Number] = b.Transactions
		}
	}
	return all
}

// TestTransactions reads blocks in each way: all with the same transactions, and with one more
// call for each block that has some, or two without receipts.
func TestTransactions(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	for i := range byte(6) {
		node.Mine([]evm.Log{erc721(i)}, nil, []evm.Log{erc721(i + 1), erc721(i + 2)})
		node.MineEmpty(3)
	}
	var first map[uint64][]evm.Transaction
	for name, reading := range detailReadings {
		t.Run(name, func(t *testing.T) {
			calls := func(o jsonrpc.Options) (count int, blocks []evm.Block) {
				count, _ = spent(t, node, dial(t, o, node.URL), func(c *jsonrpc.Client) (err error) {
					blocks, err = reading.read(t.Context(), c, 1, 24)
					return err
				})
				return count, blocks
			}
			o := detailed()
			more, blocks := calls(o)
			got := transactionsOf(blocks)
			o.Transactions = nil
			less, without := calls(o)
			expect.Equal(t, "calls for the details", 6*reading.calls, more-less)
			expect.Equal(t, "without the option", 0, len(transactionsOf(without)))
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" || len(got) != 6 {
				t.Errorf("transactions of %d blocks (-other way +this way):\n%s", len(got), diff)
			}
			for number, list := range got {
				if len(list) != 2 || list[0].Index != 0 || list[1].Index != 2 || list[0].Fee.String() != "147000" || list[0].From != evm.Address(list[0].Hash[:20]) {
					t.Errorf("block %d: %+v", number, list)
				}
			}
		})
	}
}

// TestTransactions_Lie checks that no answer of a node leaves out details, whichever way blocks
// are read, and that they are read from another node then.
func TestTransactions_Lie(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Mine([]evm.Log{erc721(1)}, []evm.Log{erc721(2)})
	honest := node.Copy(t, chaintest.NodeOptions{}, 2)
	of := func(edit func(tx map[string]any)) chaintest.Fault {
		return chaintest.Edit(func(block map[string]any) {
			list, _ := block["transactions"].([]any)
			for i, tx := range list {
				if text, raw := tx.(json.RawMessage); raw {
					var object map[string]any
					_ = json.Unmarshal(text, &object)
					tx = object
				}
				if object, ok := tx.(map[string]any); ok {
					edit(object)
					list[i] = object
				}
			}
		})
	}
	whole := chaintest.Method("eth_getBlockByHash")
	for name, lie := range map[string]struct {
		fault chaintest.Fault
		when  func(chaintest.Call) bool
		want  error
	}{
		"no block":              {chaintest.Null(), whole, rpcerror.ErrGone},
		"no transactions":       {chaintest.Edit(func(b map[string]any) { delete(b, "transactions") }), whole, rpcerror.ErrInconsistent},
		"no lists":              {chaintest.Edit(func(b map[string]any) { delete(b, "transactions") }), func(c chaintest.Call) bool { return strings.HasPrefix(c.Method, "eth_getBlockBy") }, rpcerror.ErrInconsistent},
		"one transaction":       {chaintest.Edit(func(b map[string]any) { b["transactions"] = b["transactions"].([]any)[:1] }), whole, rpcerror.ErrInconsistent},
		"hashes":                {chaintest.Edit(func(b map[string]any) { b["transactions"] = []string{evm.Hash{1}.String()} }), whole, nil},
		"another block":         {chaintest.Edit(func(b map[string]any) { b["hash"] = evm.Hash{1}.String() }), whole, rpcerror.ErrInconsistent},
		"no sender":             {of(func(tx map[string]any) { delete(tx, "from") }), whole, rpcerror.ErrInconsistent},
		"no value":              {of(func(tx map[string]any) { delete(tx, "value") }), whole, rpcerror.ErrInconsistent},
		"a value of 257 bits":   {of(func(tx map[string]any) { tx["value"] = "0x1" + strings.Repeat("0", 64) }), whole, rpcerror.ErrInconsistent},
		"an error":              {chaintest.Fault{Code: -32000, Message: "no"}, whole, nil},
		"a price of 257 bits":   {chaintest.Replace(`"effectiveGasPrice":"0x7"`, `"effectiveGasPrice":"0x1`+strings.Repeat("0", 64)+`"`), nil, rpcerror.ErrInconsistent},
		"a fee of 257 bits":     {chaintest.Replace(`"effectiveGasPrice":"0x7"`, `"effectiveGasPrice":"0x`+strings.Repeat("f", 64)+`"`), nil, rpcerror.ErrInconsistent},
		"no price, as it seems": {chaintest.Replace(`"effectiveGasPrice":"0x7"`, `"effectiveGasPrice":null`), nil, nil},
	} {
		for way, reading := range detailReadings {
			t.Run(name+"/"+way, func(t *testing.T) {
				defer node.ClearFaults()
				node.Break(0, lie.fault, lie.when)
				blocks, err := reading.read(t.Context(), dial(t, detailed(), node.URL), 1, 1)
				switch {
				case strings.HasPrefix(name, "no price"):
					expect.NoError(t, err)
					if tx := blocks[0].Transactions; len(tx) != 2 || tx[0].Fee != nil {
						t.Errorf("got %+v, want two without a fee", tx)
					}
					return
				case err == nil, lie.want != nil && !errors.Is(err, lie.want):
					t.Fatalf("error %v, want %v", err, lie.want)
				}
				blocks, err = reading.read(t.Context(), dial(t, detailed(), node.URL, honest.URL), 1, 1)
				expect.NoError(t, err)
				if got := transactionsOf(blocks); len(got[1]) != 2 {
					t.Errorf("with another node: %v", got)
				}
			})
		}
	}
}

// TestTransactions_NoBlockReceipts reads details from a node without eth_getBlockReceipts.
func TestTransactions_NoBlockReceipts(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Mine([]evm.Log{erc721(1)}, nil, []evm.Log{erc721(2)})
	node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"))
	for name, reading := range detailReadings {
		blocks, err := reading.read(t.Context(), dial(t, detailed(), node.URL), 1, 1)
		expect.NoError(t, err)
		if got := transactionsOf(blocks)[1]; len(got) != 2 || got[1].Fee.String() != "147000" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestTransactions_StateSync checks that the state sync of a Polygon block has no details.
func TestTransactions_StateSync(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{StateSync: true}})
	node.Mine([]evm.Log{erc721(1)})
	for _, name := range []string{"ranges", "sparse", "receipts"} {
		blocks, err := detailReadings[name].read(t.Context(), dial(t, detailed(), node.URL), 1, 1)
		expect.NoError(t, err)
		b := blocks[slices.IndexFunc(blocks, func(b evm.Block) bool { return len(b.Logs) > 0 })]
		if len(b.Logs) < 2 || len(b.Transactions) != 1 || b.Transactions[0].Hash != b.Logs[0].TxHash {
			t.Errorf("%s: %d logs with the transactions %+v", name, len(b.Logs), b.Transactions)
		}
	}
}

// TestTransactions_System reads blocks with mints of the system, in a transaction that the block
// does not list, see TestSystemLogs: it has no details, and no index of another transaction.
func TestTransactions_System(t *testing.T) {
	t.Parallel()
	whole := chaintest.Method("eth_getBlockByHash")
	for hashName, hash := range map[string]string{"zero": evm.Hash{}.String(), "the block's": "", "another": evm.Hash{7}.String()} {
		for answer, receipts := range map[string]chaintest.Fault{
			"with it": {}, "without it": without(0), "refused": {Code: 12, Message: "not yours"}, "unsupported": {Code: -32601, Message: "Method not found"}, "null": chaintest.Null(),
		} {
			for _, name := range []string{"ranges", "sparse", "receipts"} {
				t.Run(fmt.Sprintf("hash %s, receipts %s, %s", hashName, answer, name), func(t *testing.T) {
					node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}})
					node.Mine([]evm.Log{erc721(2), erc721(3)}, nil, []evm.Log{erc721(4)})
					node.Mine([]evm.Log{erc721(5)}) // alone
					if answer == "with it" {
						receipts = chaintest.OfLogs(func(log map[string]any) { log["transactionHash"] = hash })
					}
					system(t, node, hash, receipts)
					node.Break(0, chaintest.Edit(func(b map[string]any) { b["transactions"] = b["transactions"].([]any)[1:] }), whole)
					blocks, err := detailReadings[name].read(t.Context(), dial(t, detailed(), node.URL), 1, 2)
					expect.NoError(t, err)
					if len(transactionsOf(blocks)) != 1 {
						t.Errorf("details of %d blocks, want those of the first: %+v", len(transactionsOf(blocks)), blocks)
					}
					for _, log := range blocks[0].Logs {
						at := slices.IndexFunc(blocks[0].Transactions, func(tx evm.Transaction) bool { return tx.Hash == log.TxHash })
						want, found := evm.TxIndex{}, at >= 0
						if log.Topics[3] == (evm.Hash{31: 4}) {
							want = evm.TxIndex{N: 1, Known: true}
						}
						if found != want.Known || found && blocks[0].Transactions[at].Index != 1 || log.TxIndex != want {
							t.Errorf("token %s: index %v, want %v, and details %d of %+v", log.Topics[3], log.TxIndex, want, at, blocks[0].Transactions)
						}
					}
				})
			}
		}
	}
}

// TestTransactions_Reorg has a reorg between the two answers that must both leave out a
// transaction.
func TestTransactions_Reorg(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Mine([]evm.Log{erc721(1)})
	drop := func(b map[string]any) { b["transactions"] = []any{} }
	var seen atomic.Bool
	node.Break(0, chaintest.Edit(drop), func(c chaintest.Call) bool {
		hit := c.Method == "eth_getBlockByHash"
		seen.Store(hit || seen.Load())
		return hit
	})
	node.Break(0, chaintest.Edit(func(b map[string]any) {
		drop(b)
		b["hash"] = evm.Hash{1}.String()
	}), func(c chaintest.Call) bool { return seen.Load() && c.Method == "eth_getBlockByNumber" })
	blocks, _, err := dial(t, detailed(), node.URL).Sparse(t.Context(), 1, 1)
	if !errors.Is(err, rpcerror.ErrInconsistent) {
		t.Errorf("error %v for %+v", err, blocks)
	}
}
