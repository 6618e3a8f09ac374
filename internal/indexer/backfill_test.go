package indexer_test

import (
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/storetest"
)

// TestStep_SpanOfABackfill checks that ranges without logs grow to 10,000 blocks.
func TestStep_SpanOfABackfill(t *testing.T) {
	long(t)
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 1})
	node.MineEmpty(45_000)
	r := asksForRanges(follow(t, storetest.SQLite(t), jsonrpc.Options{Samples: -1}, node), 1)
	r.Workers = 1
	most := 0
	r.Progress = func(p indexer.Progress) { most = max(most, p.Blocks) }
	r.settle(t)
	if most != 10_000 {
		t.Errorf("the longest range has %d blocks, want 10,000", most)
	}
}
