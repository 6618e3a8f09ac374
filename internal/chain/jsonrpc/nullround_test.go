package jsonrpc_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// nullAnswers are answers for a height without a block.
func nullAnswers() map[string]chaintest.Fault {
	return map[string]chaintest.Fault{
		"null":      chaintest.Null(),
		"error 12":  {Code: 12, Message: "requested epoch was a null round (5)"},
		"-32000":    {Code: -32000, Message: "no such tipset"},
		"not found": {Code: -32000, Message: "header not found"},
		"-39001":    {Code: -39001, Message: "Unknown block"},
	}
}

// within returns the blocks of a range of heights.
func within(blocks []evm.Block, from, to uint64) []evm.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b evm.Block) bool { return b.Header.Number < from || b.Header.Number > to })
}

// TestNullRounds reads ranges with heights that have no block: the parents of the blocks after
// them prove that none is missing.
func TestNullRounds(t *testing.T) {
	t.Parallel()
	for place, null := range map[string][]uint64{
		"beginning": {4}, "middle": {8}, "end": {12}, "after": {13}, "before": {3}, "both ends": {4, 12}, "two": {7, 8}, "two, beginning": {4, 5},
		"two, end": {11, 12}, "around the beginning": {3, 4, 5}, "around the end": {11, 12, 13, 14}, "every second": {3, 5, 7, 9, 11, 13},
		"all but one": {4, 5, 6, 7, 9, 10, 11, 12}, "many": {4, 5, 6, 7, 8, 9, 10},
	} {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Null: null, Finality: 4})
		node.Generate(contents(20))
		for words, fault := range nullAnswers() {
			node.ClearFaults()
			node.Break(0, fault, func(c chaintest.Call) bool {
				return c.Method == "eth_getBlockByNumber" && slices.Contains(null, c.To)
			})
			want := within(node.Blocks(), 4, 12)
			// Endpoints learn their head from the follower.
			client := func(samples int) *jsonrpc.Client {
				o := lieOptions()
				o.Samples = samples
				c := atHead(t, o, node.URL)
				return c
			}
			for way, read := range readings {
				t.Run(fmt.Sprint(place, ", ", words, ", ", way), func(t *testing.T) {
					oneOfFive(t)
					c := client(20)
					got, err := read(t.Context(), c, 4, 12)
					expect.NoError(t, err)
					checkBlocks(t, want, onlyFull(got))
					if way != "logs" && len(got) != len(want) {
						t.Errorf("%d blocks, want %d", len(got), len(want))
					}
					if c.Health()[0].LeavesOut {
						t.Errorf("health %+v", c.Health()[0])
					}
				})
			}
			t.Run(fmt.Sprint(place, ", ", words, ", sparse"), func(t *testing.T) {
				oneOfFive(t)
				got, _, err := client(1).Sparse(t.Context(), 4, 12)
				expect.NoError(t, err)
				checkBlocks(t, want, onlyFull(got))
				first, last := got[0].Header, got[len(got)-1].Header
				if first != want[0].Header || last != want[len(want)-1].Header {
					t.Errorf("first block %d, last block %d, want %d and %d", first.Number, last.Number, want[0].Header.Number, want[len(want)-1].Header.Number)
				}
			})
			t.Run(fmt.Sprint(place, ", ", words, ", headers"), func(t *testing.T) {
				oneOfFive(t)
				got, err := client(1).Headers(t.Context(), 4, 12)
				expect.NoError(t, err)
				var headers []evm.Header
				for _, b := range want {
					headers = append(headers, b.Header)
				}
				expect.Equal(t, "headers", headers, got)
			})
		}
	}
}

// TestNullRounds_NotProved has a node without a block that the next one names as its parent, and
// one without any block above. Both are errors.
func TestNullRounds_NotProved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		missing []uint64
		head    uint64
	}{
		"beginning": {[]uint64{4}, 20}, "middle": {[]uint64{8}, 20}, "end": {[]uint64{12}, 20}, "two": {[]uint64{7, 8}, 20},
		"nothing above": {[]uint64{12}, 12}, "nothing above, two": {[]uint64{11, 12}, 12},
	} {
		for words, fault := range nullAnswers() {
			t.Run(name+", "+words, func(t *testing.T) {
				oneOfFive(t)
				node := filled(t, chaintest.NodeOptions{}, int(test.head))
				c := atHead(t, lieOptions(), node.URL)
				node.Break(0, fault, func(c chaintest.Call) bool {
					return c.Method == "eth_getBlockByNumber" && slices.Contains(test.missing, c.To)
				})
				for way, read := range map[string]func() (int, error){
					"full":    func() (int, error) { got, _, err := c.Full(t.Context(), 4, 12); return len(got), err },
					"blocks":  func() (int, error) { got, _, err := c.Blocks(t.Context(), 4, 12); return len(got), err },
					"headers": func() (int, error) { got, err := c.Headers(t.Context(), 4, 12); return len(got), err },
				} {
					if n, err := read(); err == nil || errors.Is(err, rpcerror.ErrMismatch) {
						t.Errorf("%s: %d blocks, error %v", way, n, err)
					}
				}
			})
		}
	}
}

// TestNullRounds_TooMany has more heights without a block than the client asks for in a row.
func TestNullRounds_TooMany(t *testing.T) {
	t.Parallel()
	var null []uint64
	for number := uint64(10); number < 50; number++ {
		null = append(null, number)
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{Null: null, Finality: 4})
	node.Generate(contents(60))
	c := atHead(t, lieOptions(), node.URL)
	for _, r := range []evm.Range{{From: 5, To: 12}, {From: 45, To: 55}} {
		if _, err := c.Headers(t.Context(), r.From, r.To); !errors.Is(err, rpcerror.ErrLagging) {
			t.Errorf("%v: error %v, want %v", r, err, rpcerror.ErrLagging)
		}
	}
	calls, _ := node.AllCalls()
	if calls > 200 {
		t.Errorf("%d calls", calls)
	}
	// Within one range, the block after them is the proof.
	got, err := c.Headers(t.Context(), 5, 55)
	if err != nil || len(got) != 11 {
		t.Errorf("%d headers, error %v", len(got), err)
	}
}

// TestNullRounds_Steps reads a range in steps, some of which are a height without a block, from
// logs and from receipts. The node also refuses logs of such a height.
func TestNullRounds_Steps(t *testing.T) {
	t.Parallel()
	null := []uint64{4, 7, 8, 12}
	for _, refused := range []bool{false, true} {
		for _, marked := range []bool{false, true} {
			for _, step := range []uint64{1, 2, 3, 4, 8} {
				t.Run(fmt.Sprint(refused, " ", marked, " ", step), func(t *testing.T) {
					oneOfFive(t)
					node := chaintest.NewNode(t, chaintest.NodeOptions{Null: null, Finality: 4})
					node.Generate(contents(20))
					if refused {
						node.Break(0, chaintest.Fault{Code: 12, Message: "requested epoch was a null round"}, func(c chaintest.Call) bool {
							return c.Method == "eth_getLogs" && !c.ByHash && slices.Contains(null, c.To)
						})
					}
					o := lieOptions()
					o.MaxStep = step
					if marked {
						o.LeavesOut = []string{node.URL}
					}
					c := atHead(t, o, node.URL)
					want := within(node.Blocks(), 4, 12)
					checkBlocks(t, want, mustRange(t, c, 4, 12))
					sparse, _, err := c.Sparse(t.Context(), 4, 12)
					expect.NoError(t, err)
					checkBlocks(t, want, onlyFull(sparse))
					if !slices.IsSortedFunc(sparse, func(a, b evm.Block) int { return cmp.Compare(a.Header.Number, b.Header.Number+1) }) {
						t.Error("a block is repeated or out of order")
					}
					if first, last := sparse[0].Header, sparse[len(sparse)-1].Header; first != want[0].Header || last != want[len(want)-1].Header {
						t.Errorf("first block %d, last block %d", first.Number, last.Number)
					}
					blocks, _, err := c.Blocks(t.Context(), 4, 12)
					expect.NoError(t, err)
					checkBlocks(t, want, onlyFull(blocks))
					// One height alone.
					if marked || refused {
						checkBlocks(t, nil, mustRange(t, c, 12, 12))
					}
				})
			}
		}
	}
}
