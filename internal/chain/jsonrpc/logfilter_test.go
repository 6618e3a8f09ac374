package jsonrpc_test

import (
	"context"
	"sync"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestRange_Options checks that a range and a block return the same selected logs.
func TestRange_Options(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	transfer := evm.TopicTransfer.Hash()
	a, b, kitty := evm.Address{1}, evm.Address{2}, evm.Address{3}
	log := func(contract evm.Address, topics ...evm.Hash) evm.Log {
		return evm.Log{Address: contract, Topics: topics, Data: []byte{1}}
	}
	logs := []evm.Log{
		log(a, transfer, evm.Hash{1}, evm.Hash{2}, evm.Hash{0: 1, 31: 1}), // dirty words
		log(a, transfer, evm.Hash{}, evm.Hash{2}),                         // ERC-20
		log(b, transfer, evm.Hash{}, evm.Hash{}, evm.Hash{}),
		log(kitty, transfer),
		log(a, transfer),
		log(b, evm.TopicTransferSingle.Hash()), // malformed
		log(a, evm.TopicURI.Hash(), evm.Hash{1}),
		log(b, evm.TopicMetadataUpdate.Hash()),
		log(b, evm.Hash{9}),
		log(b),
	}
	for name, test := range map[string]struct {
		o    jsonrpc.Options
		want []uint32
	}{
		"all":                  {jsonrpc.Options{}, []uint32{0, 2, 5, 6, 7}},
		"with an old contract": {jsonrpc.Options{Unindexed: []evm.Address{kitty}}, []uint32{0, 2, 3, 5, 6, 7}},
		"one contract":         {jsonrpc.Options{Contracts: []evm.Address{b}}, []uint32{2, 5, 7}},
		"two, one twice":       {jsonrpc.Options{Contracts: []evm.Address{b, a, b}}, []uint32{0, 2, 5, 6, 7}},
		"old, not in the list": {jsonrpc.Options{Contracts: []evm.Address{a}, Unindexed: []evm.Address{kitty}}, []uint32{0, 6}},
		"old, in the list":     {jsonrpc.Options{Contracts: []evm.Address{kitty}, Unindexed: []evm.Address{kitty}}, []uint32{3}},
		"none of them":         {jsonrpc.Options{Contracts: []evm.Address{{7}}}, nil},
	} {
		for _, more := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				node := chaintest.NewNode(t, chaintest.NodeOptions{MoreTopics: more})
				node.Mine(logs[:4], nil, logs[4:])
				node.MineEmpty(30)
				c := dial(t, test.o, node.URL)
				blocks, err := c.Range(ctx, 0, 31)
				expect.NoError(t, err)
				block, err := c.Block(ctx, 1)
				expect.NoError(t, err)
				var inRange, inBlock []uint32
				for _, b := range blocks {
					for _, log := range b.Logs {
						inRange = append(inRange, log.Index)
					}
				}
				for _, log := range block.Logs {
					inBlock = append(inBlock, log.Index)
				}
				expect.Equal(t, "in a range and in a block", [][]uint32{test.want, test.want}, [][]uint32{inRange, inBlock})
			})
		}
	}
}

// TestRange_NoFilterWithoutTopics checks that samples are read from receipts if a provider
// rejects filters without topics.
func TestRange_NoFilterWithoutTopics(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 20)
	node.Break(0, chaintest.Fault{Code: -32602, Message: "specify an address or topics"}, func(c chaintest.Call) bool {
		return c.Method == "eth_getLogs" && (c.ByHash || c.Blocks() == 1)
	})
	o := lieOptions()
	checkBlocks(t, node.Blocks()[1:], mustRange(t, dial(t, o, node.URL), 1, 20))
	// The other block is the first that shows the numbering.
	if n := node.Calls("eth_getBlockReceipts"); n != 1+1 {
		t.Errorf("%d blocks were read from their receipts, want 2", n)
	}
}

// TestRange_Parallel reads ranges from several goroutines with one client, despite
// failures.
func TestRange_Parallel(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 200)
	node.Break(3, chaintest.Fault{Status: 429}, nil)
	node.Break(3, chaintest.Fault{Truncate: true}, chaintest.Method("eth_getLogs"))
	node.Break(0, chaintest.Fault{Code: -32005, Message: "query returned more than 10000 results"}, chaintest.Wider(9))
	c := dial(t, jsonrpc.Options{MinRest: 1, MaxRest: 2, Attempts: 100}, node.URL)
	var running sync.WaitGroup
	parts := make([][]evm.Block, 8)
	for i := range parts {
		running.Go(func() {
			var err error
			if parts[i], err = c.Range(context.Background(), uint64(1+25*i), uint64(25*i+25)); err != nil {
				t.Error(err)
			}
			c.Health()
		})
	}
	running.Wait()
	for i, part := range parts {
		checkBlocks(t, node.Blocks()[1+25*i:26+25*i], part)
	}
}
