package jsonrpc_test

import (
	"fmt"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// system makes the first transaction of each block one of the system: the block does not list it
// and it has no receipt, but its logs are in the block, with the given transaction hash, or with
// the block's hash if that is empty. It returns the blocks as they should be read.
func system(t testing.TB, node *chaintest.Node, hash string, receipts chaintest.Fault) []evm.Block {
	t.Helper()
	blocks, hidden := node.Blocks(), map[string]string{}
	for i := range blocks {
		for k := range blocks[i].Logs {
			log := &blocks[i].Logs[k]
			if log.TxIndex.N > 0 {
				continue
			}
			with := hash
			if with == "" {
				with = blocks[i].Header.Hash.String()
			}
			hidden[log.TxHash.String()] = with
			log.TxHash = parsed(t, with)
		}
	}
	node.Break(0, chaintest.Edit(func(h map[string]any) {
		if txs := h["transactions"].([]any); len(txs) > 0 {
			h["transactions"] = txs[1:]
		}
	}), chaintest.Method("eth_getBlockByNumber"))
	node.Break(0, chaintest.OfLogs(func(log map[string]any) {
		if with, ok := hidden[log["transactionHash"].(string)]; ok {
			log["transactionHash"] = with
		}
	}), chaintest.Method("eth_getLogs"))
	node.Break(0, receipts, chaintest.Method("eth_getBlockReceipts"))
	return blocks
}

func parsed(t testing.TB, text string) evm.Hash {
	t.Helper()
	hash, err := evm.ParseHash(text)
	expect.NoError(t, err)
	return hash
}

// TestSystemLogs reads blocks with mints of the system, in a transaction that the block does not
// list: alone, or beside others. Their headers are not provable, and their bloom filter covers
// the mints, or not.
func TestSystemLogs(t *testing.T) {
	t.Parallel()
	for hashName, hash := range map[string]string{"zero": evm.Hash{}.String(), "the block's": "", "another": evm.Hash{7}.String()} {
		for bloom, shape := range map[string]chaintest.Shape{
			"covered": {OtherHash: true}, "not covered": {OtherHash: true, LastBloom: true}, "zero": {OtherHash: true, ZeroBlooms: true},
			"no roots": {NoRoots: true, ExtraFields: map[string]any{"l1BatchNumber": "0x1"}},
		} {
			for answer, receipts := range map[string]chaintest.Fault{
				"without it": without(0), "refused": {Code: 12, Message: "not yours"}, "unsupported": {Code: -32601, Message: "Method not found"}, "null": chaintest.Null(),
			} {
				t.Run(fmt.Sprintf("hash %s, bloom %s, receipts %s", hashName, bloom, answer), func(t *testing.T) {
					oneOfFive(t)
					node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
					node.Mine([]evm.Log{erc721(1)})
					node.Mine([]evm.Log{erc721(2), erc721(3)}, []evm.Log{erc721(4)})
					node.Mine([]evm.Log{erc721(5)}, []evm.Log{swap(6)}, nil)
					node.MineEmpty(1)
					want := system(t, node, hash, receipts)
					for way, read := range readings {
						o := lieOptions()
						o.Samples = 4
						c := dial(t, o, node.URL)
						got, err := read(t.Context(), c, 0, 4)
						if err != nil {
							t.Errorf("%s: %v", way, err)
							continue
						}
						for _, blocks := range [][]evm.Block{want, got} {
							for i := range blocks {
								for k := range blocks[i].Logs {
									blocks[i].Logs[k].TxIndex = evm.TxIndex{} // of the node's counting
								}
							}
						}
						checkBlocks(t, want, onlyFull(got))
						if c.Health()[0].LeavesOut {
							t.Errorf("%s: health %+v", way, c.Health()[0])
						}
					}
				})
			}
		}
	}
}

// TestSystemLogs_Missing checks that logs which lack one of a listed transaction are still
// rejected beside logs of the system.
func TestSystemLogs_Missing(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true, ZeroBlooms: true}})
	node.Mine([]evm.Log{erc721(1)}, []evm.Log{erc721(2)}, []evm.Log{erc721(3)})
	node.Break(0, chaintest.DropLog(-1), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.ByHash })
	system(t, node, "", without(0))
	c := dial(t, lieOptions(), node.URL)
	if got, _, err := c.Full(t.Context(), 1, 1); err != nil || len(got[0].Logs) != 2 || !c.Health()[0].LeavesOut {
		t.Errorf("%d blocks, error %v, health %+v", len(got), err, c.Health()[0])
	}
}
