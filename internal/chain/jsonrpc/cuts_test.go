package jsonrpc_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// keeps returns a fault that leaves logs out of a list, given the block of each and its places
// from both ends.
func keeps(keep func(block uint64, place, after int) bool) chaintest.Fault {
	return chaintest.Fault{Edit: func(result json.RawMessage) json.RawMessage {
		var logs, kept []map[string]any
		if err := json.Unmarshal(result, &logs); err != nil {
			panic(err)
		}
		for i, log := range logs {
			var block uint64
			fmt.Sscanf(log["blockNumber"].(string), "0x%x", &block)
			if keep(block, i, len(logs)-1-i) {
				kept = append(kept, log)
			}
		}
		text, err := json.Marshal(append([]map[string]any{}, kept...))
		if err != nil {
			panic(err)
		}
		return text
	}}
}

// TestCuts reads ranges whose lists were cut without an error. The sample, block 61, is
// complete: the cut itself shows it.
func TestCuts(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 120)
	for name, fault := range map[string]chaintest.Fault{
		"after block 80":         keeps(func(block uint64, _, _ int) bool { return block <= 80 }),
		"after block 110":        keeps(func(block uint64, _, _ int) bool { return block <= 110 }),
		"before block 40":        keeps(func(block uint64, _, _ int) bool { return block >= 40 }),
		"before block 12":        keeps(func(block uint64, _, _ int) bool { return block >= 12 }),
		"both ends":              keeps(func(block uint64, _, _ int) bool { return block >= 12 && block <= 110 }),
		"in a block":             keeps(func(_ uint64, _, after int) bool { return after >= 100 }),
		"in the last block":      keeps(func(_ uint64, _, after int) bool { return after >= 1 }),
		"around the sample":      keeps(func(block uint64, _, _ int) bool { return block >= 59 && block <= 63 }),
		"of many logs alone":     keeps(func(block uint64, place, after int) bool { return place+after < 300 || place < 300 }),
		"the first logs, in one": keeps(func(_ uint64, place, _ int) bool { return place >= 60 }),
	} {
		t.Run(name, func(t *testing.T) {
			checkCaught(t, node, lieOptions(), fault, byRange, 1, 120)
		})
	}
}

// TestCuts_Beside has blocks without logs beside the block in which a list was cut.
func TestCuts_Beside(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after int
		fault         chaintest.Fault
	}{
		"no logs after":  {0, 40, keeps(func(_ uint64, _, after int) bool { return after >= 1 })},
		"no logs before": {40, 0, keeps(func(_ uint64, place, _ int) bool { return place >= 1 })},
	} {
		t.Run(name, func(t *testing.T) {
			node := chaintest.NewNode(t, chaintest.NodeOptions{})
			node.MineEmpty(test.before)
			for i := range byte(80) {
				node.Mine([]evm.Log{erc721(i), erc721(100 + i)})
			}
			node.MineEmpty(test.after)
			checkCaught(t, node, lieOptions(), test.fault, byRange, 1, 120)
		})
	}
}

// TestCuts_Sparse checks that a chain with few logs is not suspected: no more blocks are read
// than in a dense range without cuts.
func TestCuts_Sparse(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	for i := range byte(120) {
		if i%30 == 10 {
			node.Mine([]evm.Log{erc721(i)})
		} else {
			node.MineEmpty(1)
		}
	}
	c := dial(t, lieOptions(), node.URL)
	checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 120))
	if n := node.Calls("eth_getLogs"); n != 2+1 || c.Health()[0].LeavesOut {
		t.Errorf("%d calls for logs, want those of the filters and the sample; health %+v", n, c.Health()[0])
	}
}

// TestCuts_Once checks that an endpoint that was caught once is not asked for logs again, though
// its later answers are right and samples would pass; and that another client, which knows it,
// doesn't either.
func TestCuts_Once(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chaintest.Fault{
		"cut":            keeps(func(block uint64, _, _ int) bool { return block <= 20 }),
		"another index":  chaintest.EditLog(-1, func(l map[string]any) { l["logIndex"] = "0x4000" }),
		"another time":   timed(20, func(uint64) any { return "0x1" }),
		"a log too many": chaintest.EditLog(-1, func(l map[string]any) { l["blockNumber"] = "0x1000" }),
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 60)
			node.Break(1, fault, byRange)
			o := lieOptions()
			o.Samples = 60
			c := dial(t, o, node.URL)
			mustRange(t, c, 1, 30)
			o.LeavesOut = []string{node.URL}
			before := node.Calls("eth_getLogs")
			for _, c := range []*jsonrpc.Client{c, dial(t, o, node.URL)} {
				for range 5 {
					checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 60))
				}
			}
			expect.Equal(t, "calls for logs", before, node.Calls("eth_getLogs"))
		})
	}
}
