package indexer_test

import (
	"fmt"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// decoded returns blocks from to to of a node, decoded.
func decoded(t testing.TB, node *chaintest.Node, from, to uint64) (blocks []nft.Block) {
	t.Helper()
	for _, b := range node.Blocks()[from : to+1] {
		block, err := new(nft.Decoder).Decode(b.Header, b.Logs)
		expect.NoError(t, err)
		blocks = append(blocks, block)
	}
	return blocks
}

// TestStep_ReorgUnderARangeStoredApart orphans the last two blocks of the followed range,
// above which blocks of the canonical branch are stored as a separate range. The common
// ancestor is below both.
func TestStep_ReorgUnderARangeStoredApart(t *testing.T) {
	for name, database := range storetest.Databases() {
		for _, finality := range []uint64{10, 64} {
			t.Run(fmt.Sprintf("%s, finality %d", name, finality), func(t *testing.T) {
				node, random := chainOf(t, chaintest.NodeOptions{Finality: finality}, 100)
				r := follow(t, database(t), jsonrpc.Options{}, node)
				r.settle(t)
				node.Reorg(2, randomBlocks(random, 22)...)
				if _, err := r.store.Apply(t.Context(), decoded(t, node, 106, 110)); err != nil {
					t.Fatal(err)
				}
				r.settleAt(t, node)
			})
		}
	}
}

// TestStep_SparseToTheHead indexes with few or no headers. Blocks that are not final are
// linked nevertheless, and a reorg over empty blocks is followed.
func TestStep_SparseToTheHead(t *testing.T) {
	long(t)
	for _, depth := range []struct{ receipts, header uint64 }{{0, 0}, {0, 10}, {3, 0}, {0, 1<<64 - 1}, {1<<64 - 1, 0}} {
		for name, database := range storetest.Databases() {
			t.Run(fmt.Sprintf("%s, %d and %d", name, depth.receipts, depth.header), func(t *testing.T) {
				node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 30})
				more := func(count uint64) {
					for range count {
						if n := uint64(len(node.Blocks())); n%7 == 0 {
							node.Mine([]evm.Log{mint(n)})
						} else {
							node.MineEmpty(1)
						}
					}
				}
				more(200)
				r := follow(t, database(t), jsonrpc.Options{}, node)
				r.ReceiptsDepth, r.HeaderDepth, r.sparse = depth.receipts, depth.header, true
				check := func() {
					t.Helper()
					r.settleAt(t, node)
				}
				check()
				for _, change := range []struct{ orphaned, empty int }{{4, 5}, {20, 22}, {20, 12}, {6, 6}} {
					node.Reorg(change.orphaned, make([][][]evm.Log, change.empty)...)
					check()
					more(9)
					check()
				}
			})
		}
	}
}

// TestStep_SparseRangesLink has the node switch branches between two ranges of logs that
// are deeper than HeaderDepth, so that the second does not link to the first.
func TestStep_SparseRangesLink(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 10})
	for n := range uint64(300) {
		node.Mine([]evm.Log{mint(n)})
	}
	r := follow(t, storetest.SQLite(t), jsonrpc.Options{Samples: -1}, node)
	r.ReceiptsDepth, r.HeaderDepth, r.Workers, r.sparse = 0, 0, 1, true
	swapped := false
	r.Progress = func(p indexer.Progress) {
		if !swapped && p.Block > 100 && p.Block < 250 {
			swapped = true
			node.Reorg(int(300-p.Block+20), make([][][]evm.Log, 250)...)
		}
	}
	first := r.endure(t)
	if !swapped || first == nil {
		t.Fatalf("swapped is %v, the first error %v: want one about two branches", swapped, first)
	}
	r.checkHead(t, node)
}

// TestStep_ReorgBelowFrom continues from a block in the middle of the indexed range, and
// puts the common ancestor below it.
func TestStep_ReorgBelowFrom(t *testing.T) {
	for _, longer := range []int{2, -8} {
		node, random := chainOf(t, chaintest.NodeOptions{}, 100)
		dsn := storetest.SQLite(t)
		follow(t, dsn, jsonrpc.Options{}, node).settle(t)
		node.Reorg(10, randomBlocks(random, 10+longer)...)
		r := follow(t, dsn, jsonrpc.Options{}, node)
		r.From = 95
		r.settle(t)
		r.From = 0
		r.checkHead(t, node)
	}
}
