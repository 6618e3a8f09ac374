package jsonrpc_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// sizes returns the number of blocks of each range.
func sizes(node *chaintest.Node) (all []uint64) {
	for _, r := range node.Ranges() {
		all = append(all, r.To-r.From+1)
	}
	return all
}

func TestRange_Sizes(t *testing.T) {
	t.Parallel()
	tooMany := chaintest.Fault{Code: -32005, Message: "query returned more than 10000 results"}
	for name, test := range map[string]struct {
		o     jsonrpc.Options
		blame func(node *chaintest.Node)
		want  []uint64
	}{
		"all at once": {jsonrpc.Options{}, func(*chaintest.Node) {}, []uint64{200}},
		"slow growth": {jsonrpc.Options{Step: 20}, func(*chaintest.Node) {}, []uint64{20, 26, 33, 42, 53, 26}},
		"no growth":   {jsonrpc.Options{Step: 60, MaxStep: 60}, func(*chaintest.Node) {}, []uint64{60, 60, 60, 20}},
		"halves": {jsonrpc.Options{}, func(n *chaintest.Node) { n.Break(0, tooMany, chaintest.Wider(60)) },
			[]uint64{200, 100, 50, 50, 50, 50}},
		"a named limit": {jsonrpc.Options{},
			func(n *chaintest.Node) {
				n.Break(0, chaintest.Fault{Code: -32602, Message: "eth_getLogs is limited to a 90 blocks range"}, chaintest.Wider(90))
			}, []uint64{200, 90, 90, 20}},
		"a named limit, then none": {jsonrpc.Options{},
			func(n *chaintest.Node) {
				n.Break(2, chaintest.Fault{Message: "eth_getLogs is limited to a 4 blocks range"}, chaintest.Wider(4))
			}, append([]uint64{200}, slices.Repeat([]uint64{4}, 50)...)},
		"calm after an error, then growth": {jsonrpc.Options{Step: 8},
			func(n *chaintest.Node) { n.Break(2, tooMany, chaintest.Wider(4)) },
			append(append([]uint64{8}, slices.Repeat([]uint64{4}, 17)...), 6, 8, 11, 14, 18, 23, 29, 23)},
		"a suggested range": {jsonrpc.Options{},
			func(n *chaintest.Node) {
				n.Break(0, chaintest.Fault{Code: -32602, Message: "this block range should work: [0x1, 0x46]"}, chaintest.Wider(70))
			}, []uint64{200, 70, 70, 60}},
		"a named limit that is too high": {jsonrpc.Options{},
			func(n *chaintest.Node) {
				n.Break(0, chaintest.Fault{Message: "limited to a 10,000 block range"}, chaintest.Wider(110))
			}, []uint64{200, 100, 100}},
		"one temporary failure": {jsonrpc.Options{},
			func(n *chaintest.Node) { n.Break(1, chaintest.Fault{Status: 503}, chaintest.Wider(100)) }, []uint64{200}},
		"back to the last good size": {jsonrpc.Options{Step: 60},
			func(n *chaintest.Node) { n.Break(0, tooMany, chaintest.Wider(70)) }, []uint64{60, 76, 60, 60, 20}},
		"many logs": {jsonrpc.Options{Step: 50, TargetLogs: 100}, func(*chaintest.Node) {},
			[]uint64{50, 17, 16, 16, 16, 16, 16, 16, 16, 16, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 200)
			test.blame(node)
			o := lieOptions()
			o.Step, o.MaxStep, o.TargetLogs = test.o.Step, test.o.MaxStep, test.o.TargetLogs
			c := dial(t, o, node.URL)
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 200))
			expect.Equal(t, "sizes", test.want, sizes(node))
		})
	}
}

// TestRange_Slow checks that the range is halved after a lost answer, and that another
// endpoint is called first.
func TestRange_Slow(t *testing.T) {
	t.Parallel()
	a, b := filled(t, chaintest.NodeOptions{}, 40), filled(t, chaintest.NodeOptions{}, 40)
	a.Break(0, chaintest.Fault{Close: true}, chaintest.Wider(11))
	c := dial(t, lieOptions(), a.URL)
	if _, err := c.Range(context.Background(), 1, 40); !errors.Is(err, rpcerror.ErrTemporary) {
		t.Fatalf("alone with two attempts: %v", err)
	}
	expect.Equal(t, "sizes", []uint64{40, 20}, sizes(a))
	checkBlocks(t, a.Blocks()[1:], mustRange(t, c, 1, 40))
	c = dial(t, lieOptions(), a.URL, b.URL)
	checkBlocks(t, b.Blocks()[1:], mustRange(t, c, 1, 40))
	expect.Equal(t, "sizes of the second", []uint64{40}, sizes(b))
}

// TestRange_Batches checks that smaller batches are sent if large ones fail, and single
// calls if all batches fail.
func TestRange_Batches(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault chaintest.Fault
		most  int
	}{
		"geth's limit":    {chaintest.Fault{Code: -32600, Message: "batch too large"}, 10},
		"none, one error": {chaintest.Fault{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`}, 1},
		"none, HTTP 400":  {chaintest.Fault{Status: 400, Body: `{"error":{"code":-32700,"message":"parse error"}}`}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{NoTimes: true}, 40)
			node.Break(0, test.fault, func(c chaintest.Call) bool { return c.Batch > test.most })
			c := dial(t, lieOptions(), node.URL)
			for range 2 {
				checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 40))
			}
			headers, err := c.Headers(context.Background(), 0, 40)
			expect.NoError(t, err)
			var want []evm.Header
			for _, b := range node.Blocks() {
				want = append(want, b.Header)
			}
			expect.Equal(t, "headers", want, headers)
		})
	}
}
