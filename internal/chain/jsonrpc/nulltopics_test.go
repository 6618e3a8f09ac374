package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// nullTopics selects calls with a filter that has null topics, as for ERC-721 events.
func nullTopics(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.Topics == 4 }

// sparse721 returns a node with 200 blocks, of which every 20th has a mint, up to a block.
func sparse721(t testing.TB, last int) *chaintest.Node {
	t.Helper()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	for i := 1; i <= 200; i++ {
		if i%20 == 0 && i <= last {
			node.Mine([]evm.Log{erc721(byte(i))}, []evm.Log{swap(byte(i))})
		} else {
			node.Mine([]evm.Log{swap(byte(i))})
		}
	}
	return node
}

// TestNullTopics reads ranges from a node whose filter with null topics is wrong. A proved block
// near the head shows it, though no sample does: all samples are blocks without mints.
func TestNullTopics(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		last   int // block with a mint
		caught bool
	}{
		"right":                   {chaintest.Fault{}, 200, false},
		"nothing":                 {chaintest.Empty(), 200, true},
		"null":                    {chaintest.Null(), 200, true},
		"nothing, 40 blocks back": {chaintest.Empty(), 160, true},
		"nothing, 160 back":       {chaintest.Empty(), 40, true},
		"another token":           {chaintest.OfLogs(func(l map[string]any) { l["topics"].([]any)[3] = evm.Hash{31: 250}.String() }), 200, true},
		"too many":                {chaintest.OfLogs(func(l map[string]any) { l["address"] = evm.Address{9}.String() }), 200, true},
	} {
		t.Run(name, func(t *testing.T) {
			node := sparse721(t, test.last)
			node.Break(0, test.fault, nullTopics)
			told := 0
			o := lieOptions()
			// The sample of the range is block 6, and tests of an empty range meet no mint.
			o.Clock = new(chaintest.Clock).Random(0.03)
			o.OnLeftOut = func(context.Context, string, error) error { told++; return nil }
			c := atHead(t, o, node.URL)
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 200))
			if h := c.Health()[0]; h.LeavesOut != test.caught || (told == 1) != test.caught {
				t.Errorf("caught %d times, health %+v", told, h)
			}
		})
	}
}

// TestNullTopics_Once checks that the filter is compared once, again after a failure that says
// nothing about it, and never without samples or a mint near the head.
func TestNullTopics_Once(t *testing.T) {
	t.Parallel()
	limit := chaintest.Fault{Code: -32005, Message: "rate limit exceeded"}
	oneBlock := func(c chaintest.Call) bool { return nullTopics(c) && c.From == c.To }
	for name, test := range map[string]struct {
		node    *chaintest.Node
		samples int
		fault   chaintest.Fault
		times   int
		when    func(chaintest.Call) bool
		want    int
	}{
		"once":                      {sparse721(t, 200), 1, chaintest.Fault{}, 1, oneBlock, 1},
		"no samples":                {sparse721(t, 200), -1, chaintest.Fault{}, 1, oneBlock, 0},
		"no mint":                   {sparse721(t, 0), 1, chaintest.Fault{}, 1, oneBlock, 0},
		"a limit of the receipts":   {sparse721(t, 200), 1, limit, 2, chaintest.Method("eth_getBlockReceipts"), 1},
		"no receipts, in any words": {sparse721(t, 200), 1, chaintest.Fault{Code: 12, Message: "not yours"}, 0, chaintest.Method("eth_getBlockReceipts"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			test.node.Break(0, chaintest.Fault{}, func(c chaintest.Call) bool {
				if oneBlock(c) {
					asked++
				}
				return false
			})
			test.node.Break(test.times, test.fault, test.when)
			o := lieOptions()
			o.Samples = test.samples
			c := atHead(t, o, test.node.URL)
			for range 3 {
				checkBlocks(t, test.node.Blocks()[1:], mustRange(t, c, 1, 200))
			}
			expect.Equal(t, "comparisons", test.want, asked)
		})
	}
}

// TestNullTopics_Limit checks that a filter whose first comparison fails is compared again.
func TestNullTopics_Limit(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chaintest.Fault{
		"status": {Status: 503}, "code": {Code: -32005, Message: "rate limit exceeded"}, "connection": {Close: true}, "cut": {Truncate: true},
	} {
		t.Run(name, func(t *testing.T) {
			node := sparse721(t, 200)
			node.Break(2, fault, func(c chaintest.Call) bool { return nullTopics(c) && c.From == c.To })
			node.Break(0, chaintest.Empty(), nullTopics)
			c := atHead(t, lieOptions(), node.URL)
			// Samples of these ranges meet no mint.
			for _, r := range []evm.Range{{From: 1, To: 5}, {From: 6, To: 10}, {From: 11, To: 15}} {
				mustRange(t, c, r.From, r.To)
			}
			if h := c.Health()[0]; !h.LeavesOut {
				t.Errorf("health %+v", h)
			}
		})
	}
}

// TestContracts_LeftOut checks that a block that is left out of ranges with selected contracts is
// found by the bloom filters of the headers, wherever it is.
func TestContracts_LeftOut(t *testing.T) {
	t.Parallel()
	for _, left := range [][]int{{1}, {20}, {40}, {7, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}} {
		for _, fault := range []string{"left out", "cut"} {
			t.Run(fmt.Sprint(fault, " ", left), func(t *testing.T) {
				node := chaintest.NewNode(t, chaintest.NodeOptions{})
				for i := range byte(40) {
					other := erc721(i)
					other.Address = evm.Address{8}
					if i%2 == 0 {
						node.Mine([]evm.Log{erc721(i)}, []evm.Log{other})
					} else {
						node.Mine([]evm.Log{other}, []evm.Log{erc721(100 + i)})
					}
				}
				node.Break(0, keeps(func(block uint64, _, _ int) bool { return !slices.Contains(left, int(block)) }), byRange)
				told := 0
				o := lieOptions()
				o.Contracts = []evm.Address{{1}}
				o.OnLeftOut = func(_ context.Context, _ string, evidence error) error { told++; return nil }
				if fault == "cut" {
					o.MaxStep = 10
				}
				c := dial(t, o, node.URL)
				got, _, err := c.Blocks(t.Context(), 1, 40)
				expect.NoError(t, err)
				if told != 1 || !c.Health()[0].LeavesOut {
					t.Errorf("caught %d times, health %+v", told, c.Health()[0])
				}
				want := node.Blocks()[1:]
				for i := range want {
					want[i].Logs = slices.DeleteFunc(want[i].Logs, func(log evm.Log) bool { return log.Address != evm.Address{1} })
				}
				checkBlocks(t, want, onlyFull(got))
				lieInReceipts(node)
				if got, _, err := dial(t, o, node.URL).Blocks(t.Context(), 1, 40); !rpcerror.Contradicts(err) {
					t.Errorf("receipts that lie too: %d blocks, error %v", len(got), err)
				}
			})
		}
	}
}

// TestContracts_Filters checks that filters which allow more than there is cost reads, not the
// trust, and that a failure while they are compared is one.
func TestContracts_Filters(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 20)
	o := lieOptions()
	o.Contracts = []evm.Address{{1}}
	c := dial(t, o, node.URL)
	// The header allows a log that the block doesn't have.
	node.Break(0, chaintest.Edit(func(h map[string]any) { h["logsBloom"] = "0x" + strings.Repeat("f", 512) }), chaintest.Method("eth_getBlockByNumber"))
	if _, _, err := c.Blocks(t.Context(), 1, 20); err != nil || c.Health()[0].LeavesOut {
		t.Errorf("error %v, health %+v", err, c.Health()[0])
	}
	node.Break(0, chaintest.Fault{Status: 503}, func(c chaintest.Call) bool { return c.ByHash })
	if _, _, err := dial(t, o, node.URL).Blocks(t.Context(), 1, 20); !errors.Is(err, rpcerror.ErrTemporary) {
		t.Errorf("error %v, want %v", err, rpcerror.ErrTemporary)
	}
}
