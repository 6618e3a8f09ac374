package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// numbered returns a fault that numbers the logs of each answer by their place in the block and
// in the transaction, and by their transaction. It does not see logs that the answer lacks.
func numbered(number func(place, inTx, tx int) any) chaintest.Fault {
	return chaintest.Fault{Edit: func(result json.RawMessage) json.RawMessage {
		block, hash := "", ""
		place, inTx, tx := 0, 0, 0
		return chaintest.OfLogs(func(log map[string]any) {
			switch {
			case log["blockHash"] != block:
				block, hash = log["blockHash"].(string), log["transactionHash"].(string)
				place, inTx, tx = 0, 0, 0
			case log["transactionHash"] != hash:
				hash = log["transactionHash"].(string)
				place, inTx, tx = place+1, 0, tx+1
			default:
				place, inTx = place+1, inTx+1
			}
			log["logIndex"] = number(place, inTx, tx)
		}).Edit(result)
	}}
}

// TestIndices reads blocks of which each method numbers the logs in another way. The index of a
// log is its place in the block, in whatever way the block is read.
func TestIndices(t *testing.T) {
	t.Parallel()
	inTx := numbered(func(_, inTx, _ int) any { return inTx })
	restarted := numbered(func(place, inTx, tx int) any {
		if tx == 1 {
			return inTx
		}
		return place
	})
	stable := numbered(func(place, _, tx int) any { return []int{0, 1, 2, 3, 4, 1}[min(place+tx, 5)] })
	same := numbered(func(int, int, int) any { return 0 })
	falling := numbered(func(place, _, _ int) any { return 100 - place })
	receipts := []string{"eth_getBlockReceipts", "eth_getTransactionReceipt"}
	everywhere := append([]string{"eth_getLogs"}, receipts...)
	for name, test := range map[string]struct {
		fault   chaintest.Fault
		methods []string
	}{
		"none":                          {chaintest.Fault{}, nil},
		"in transactions, receipts":     {inTx, receipts},
		"in transactions, logs":         {inTx, everywhere[:1]},
		"in transactions, everywhere":   {inTx, everywhere},
		"one restarted, receipts":       {restarted, receipts},
		"one restarted, block receipts": {restarted, receipts[:1]},
		"one restarted, logs":           {restarted, everywhere[:1]},
		"one restarted, everywhere":     {restarted, everywhere},
		"4, 1 at the end, receipts":     {stable, receipts},
		"4, 1 at the end, everywhere":   {stable, everywhere},
		"all the same, logs":            {same, everywhere[:1]},
		"all the same, everywhere":      {same, everywhere},
		"falling, logs":                 {falling, everywhere[:1]},
		"falling, everywhere":           {falling, everywhere},
		"another counting of txs, logs": {chaintest.OfLogs(func(l map[string]any) {
			l["transactionIndex"] = "0x" + strings.TrimPrefix(l["transactionIndex"].(string), "0x") + "7"
		}), everywhere[:1]},
		"no counting of txs, everywhere":  {chaintest.OfLogs(func(l map[string]any) { delete(l, "transactionIndex") }), everywhere},
		"txs of another form, everywhere": {chaintest.OfLogs(func(l map[string]any) { l["transactionIndex"] = "first" }), everywhere},
	} {
		for chain, shape := range map[string]chaintest.Shape{"": {}, ", not provable": {OtherHash: true}} {
			for way, read := range readings {
				t.Run(name+chain+", "+way, func(t *testing.T) {
					node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
					for i := range byte(6) {
						node.Mine([]evm.Log{erc721(i), erc721(10 + i)}, nil, []evm.Log{erc721(20 + i), erc721(30 + i)}, []evm.Log{erc721(40 + i)})
					}
					for _, method := range test.methods {
						node.Break(0, test.fault, chaintest.Method(method))
					}
					blocks, err := read(t.Context(), dial(t, lieOptions(), node.URL), 1, 6)
					expect.NoError(t, err)
					whole := node.Blocks()[1:]
					for _, list := range [][]evm.Block{whole, blocks} {
						for i := range list {
							for k := range list[i].Logs {
								// Ranges have the node's.
								list[i].Logs[k].TxIndex = evm.TxIndex{}
							}
						}
					}
					checkBlocks(t, whole, blocks)
				})
			}
		}
	}
}

// TestIndices_Lies has an index that grows, but is not the place of its log. A sample, or any
// block that is read for its numbering, shows it.
func TestIndices_Lies(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 20)
	for name, fault := range map[string]chaintest.Fault{
		"all one higher":       numbered(func(place, _, _ int) any { return place + 1 }),
		"with holes":           numbered(func(place, _, _ int) any { return 3 * place }),
		"of the filter's logs": numbered(func(place, _, _ int) any { return place }),
		"in the filter's txs":  numbered(func(_, inTx, _ int) any { return inTx }),
		"the last one":         chaintest.EditLog(-1, func(l map[string]any) { l["logIndex"] = "0xff" }),
	} {
		t.Run(name, func(t *testing.T) {
			o := lieOptions()
			o.Samples = 20
			checkCaught(t, node, o, fault, byRange, 1, 20)
		})
	}
}

// TestIndices_ShownLater has a block whose indices grow, between two in which those of the third
// transaction restart. The last one, whose only selected log has the index 0, must be read in
// full all the same.
func TestIndices_ShownLater(t *testing.T) {
	t.Parallel()
	for _, shape := range []chaintest.Shape{{RestartAt: 2}, {RestartAt: 2, OtherHash: true}} {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
		node.Mine([]evm.Log{erc721(1)}, []evm.Log{erc721(2)}, []evm.Log{erc721(3)})
		node.Mine([]evm.Log{erc721(4)}, []evm.Log{erc721(5)})
		node.Mine([]evm.Log{swap(6)}, []evm.Log{swap(7)}, []evm.Log{erc721(8)})
		blocks := mustRange(t, dial(t, unsampled(), node.URL), 1, 3)
		expect.Equal(t, "index", uint32(2), blocks[2].Logs[0].Index)
	}
}
