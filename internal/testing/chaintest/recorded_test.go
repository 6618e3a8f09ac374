package chaintest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// record requests all blocks from a node.
func record(t testing.TB, node *chaintest.Node) (all []chaintest.Recorded) {
	t.Helper()
	for number := range node.Blocks() {
		tag := fmt.Sprintf("%#x", number)
		all = append(all, chaintest.Recorded{
			Block:    ask[json.RawMessage](t, node, "eth_getBlockByNumber", tag, false),
			Receipts: ask[[]json.RawMessage](t, node, "eth_getBlockReceipts", tag),
		})
	}
	return all
}

// TestNode_Play checks that a node plays the blocks of another one and then a reorg of them.
func TestNode_Play(t *testing.T) {
	original, node := chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 7}), chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.NoiseShare = 12, 0.3
	original.Generate(contents)
	expect.NoError(t, node.Play(record(t, original)...))
	same := func() {
		t.Helper()
		if !reflect.DeepEqual(original.Blocks(), node.Blocks()) {
			t.Fatal("the blocks differ")
		}
		if !reflect.DeepEqual(record(t, original), record(t, node)) {
			t.Fatal("the answers differ")
		}
		logs := func(n *chaintest.Node) string {
			filter := map[string]any{"fromBlock": "0x0", "toBlock": "latest"}
			return string(ask[json.RawMessage](t, n, "eth_getLogs", filter))
		}
		if logs(original) != logs(node) {
			t.Fatal("the logs differ")
		}
	}
	same()
	old := node.Blocks()[10].Header.Hash
	original.Reorg(3, [][]evm.Log{{{Data: []byte{1}}}}, nil)
	expect.NoError(t, node.Play(record(t, original)[10:]...))
	same()
	if got := ask[json.RawMessage](t, node, "eth_getBlockByHash", old, false); string(got) != "null" {
		t.Errorf("the orphaned block is served as %.200s", got)
	}
}

// TestNode_PlayRefuses checks that a node keeps its chain if the recorded blocks do not fit.
func TestNode_PlayRefuses(t *testing.T) {
	node, other := chaintest.NewNode(t, chaintest.NodeOptions{}), chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(5)
	other.Reorg(0, nil, nil, nil, nil, nil, nil, nil, nil)
	recorded, branch := record(t, node), record(t, other)
	before := node.Blocks()
	for name, c := range map[string]struct {
		blocks []chaintest.Recorded
		want   string
	}{
		"a gap":                 {branch[7:], "recorded block 7: the chain has 6 blocks"},
		"another branch":        {branch[3:], "block 3 does not follow"},
		"another branch within": {append(append([]chaintest.Recorded{}, recorded[1:3]...), branch[3]), "block 3 does not follow"},
		"the same block twice":  {append(append([]chaintest.Recorded{}, recorded[1]), recorded[1]), "block 1 does not follow"},
		"not a block":           {[]chaintest.Recorded{{Block: json.RawMessage(`7`)}}, "recorded block 1 of 1"},
		"not a receipt":         {[]chaintest.Recorded{{Block: recorded[0].Block, Receipts: []json.RawMessage{json.RawMessage(`7`)}}}, "recorded block 1 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := node.Play(c.blocks...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			expect.Equal(t, "the chain", before, node.Blocks())
		})
	}
}
