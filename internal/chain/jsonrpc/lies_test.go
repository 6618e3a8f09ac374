package jsonrpc_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
)

// rangeLie is an answer to a range that must be rejected.
type rangeLie struct {
	fault  chaintest.Fault
	method string
	// caught means that the client reads the right blocks from receipts, and marks the
	// endpoint.
	caught bool
	// want is the error of a node that always lies; nil if the client gets the right blocks.
	want error
}

// rangeLies returns lies by name.
func rangeLies() map[string]rangeLie {
	const logs, header = "eth_getLogs", "eth_getBlockByNumber"
	caught := func(fault chaintest.Fault) rangeLie { return rangeLie{fault, logs, true, nil} }
	log := func(edit func(log map[string]any)) rangeLie { return caught(chaintest.EditLog(1, edit)) }
	set := func(name string, value any) rangeLie { return log(func(l map[string]any) { l[name] = value }) }
	failed := func(fault chaintest.Fault) rangeLie { return rangeLie{fault, logs, false, rpcerror.ErrTemporary} }
	edited := func(edit func(h map[string]any)) rangeLie {
		return rangeLie{chaintest.Edit(edit), header, true, rpcerror.ErrInconsistent}
	}
	hash := strings.Repeat("ab", 32)
	return map[string]rangeLie{
		"empty list": caught(chaintest.Empty()),
		"null logs":  caught(chaintest.Null()),
		// A reorg between two answers may be the reason for the next three.
		"another fork":       {chaintest.Fault{Fork: true}, logs, false, rpcerror.ErrInconsistent},
		"another hash":       {chaintest.Edit(func(h map[string]any) { h["hash"] = "0x" + hash }), header, false, rpcerror.ErrInconsistent},
		"null header":        {chaintest.Null(), header, false, rpcerror.ErrLagging},
		"another header":     edited(func(h map[string]any) { h["number"] = "0x2" }),
		"header without one": edited(func(h map[string]any) { delete(h, "hash") }),
		"removed":            set("removed", true),
		"pending":            set("logIndex", nil),
		"pending, the first": caught(chaintest.EditLog(0, func(l map[string]any) { l["logIndex"] = nil })),
		"no block hash":      set("blockHash", nil),
		"no block number":    set("blockNumber", nil),
		"outside the range":  set("blockNumber", "0x29"),
		"beyond the range":   caught(chaintest.EditLog(-1, func(l map[string]any) { l["blockNumber"] = "0x29" })),
		"two hashes":         set("blockHash", "0x"+hash),
		"two times":          set("blockTimestamp", "0x1"),
		"not the header's":   caught(chaintest.Replace(`"blockTimestamp":"0x5f5e11e0"`, `"blockTimestamp":"0x5f5e11e1"`)),
		"a time that falls":  caught(chaintest.Replace(`"blockTimestamp":"0x5f5e10f0"`, `"blockTimestamp":"0x5f5e11df"`)),
		"same index":         log(func(l map[string]any) { l["logIndex"], l["data"] = "0x0", "0x01" }),
		"wrong topic":        set("topics", []string{"0x" + hash}),
		"no topic":           set("topics", []string{}),
		"five topics":        set("topics", []string{"0x" + hash, "0x" + hash, "0x" + hash, "0x" + hash, "0x" + hash}),
		"odd data": log(func(l map[string]any) {
			l["topics"], l["data"] = []string{evm.TopicTransferSingle.Hash().String()}, "0x1"
		}),
		"truncated":           failed(chaintest.Fault{Truncate: true}),
		"closed":              failed(chaintest.Fault{Close: true}),
		"HTTP 503":            failed(chaintest.Fault{Status: 503}),
		"HTTP 502 web page":   failed(chaintest.Fault{Status: 502, Body: "<html>"}),
		"200 with a web page": failed(chaintest.Fault{Status: 200, Body: "<html>"}),
		"200 with an error":   failed(chaintest.Fault{Status: 200, Body: `{"error":{"code":-32000,"message":"no backend is currently healthy"}}`}),
		"200 with nothing":    failed(chaintest.Fault{Status: 200}),
		"200 and no answers":  failed(chaintest.Fault{Status: 200, Body: "[]"}),
		"too large":           {chaintest.Fault{Pad: 2 * lieBody}, logs, false, nil}, // the receipts are not
		"hangs":               failed(chaintest.Fault{Hang: make(chan struct{})}),
		"rate limit":          failed(chaintest.Fault{Status: 429}),
	}
}

// inRange returns a condition for calls of a method, from the first range of logs on. Before
// it, the client compares a filter with a block near the head.
func inRange(method string) func(chaintest.Call) bool {
	started := false
	return func(c chaintest.Call) bool {
		started = started || byRange(c)
		return started && c.Method == method
	}
}

// lied returns a node with 40 blocks, the last 20 of which replaced others.
func lied(t testing.TB, o chaintest.NodeOptions) *chaintest.Node {
	node := filled(t, o, 40)
	whole := node.Blocks()
	var other [][][]evm.Log
	for i := range 20 {
		other = append(other, [][]evm.Log{whole[40-i].Logs})
	}
	node.Reorg(20, other...)
	return node
}

func lieOptions() jsonrpc.Options {
	return jsonrpc.Options{MaxBody: 1 << 20, Attempts: 2, Timeout: time.Minute, Clock: new(chaintest.Clock).Random(0.5)}
}

// lieBody is larger than all answers of the test nodes, except those that are meant to be
// too large.
const lieBody = 256 << 10

// TestRange_LieOnce checks that the right blocks are read from a node that lies once, and that
// its later answers are still not trusted if the lie is not a failure.
func TestRange_LieOnce(t *testing.T) {
	t.Parallel()
	node := lied(t, chaintest.NodeOptions{})
	for name, lie := range rangeLies() {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			o := lieOptions()
			o.MaxBody = lieBody
			if lie.fault.Hang != nil {
				o.Timeout = 500 * time.Millisecond
			}
			node.Break(1, lie.fault, inRange(lie.method))
			c := dial(t, o, node.URL)
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 40))
			// The first height may have no block, so a wrong header there is only a missing one.
			silent := lie.method == "eth_getBlockByNumber" && name != "another hash"
			if h := c.Health()[0]; h.LeavesOut != (lie.caught && !silent) || (h.LastError == "") != silent {
				t.Errorf("health %+v, want caught: %t, silent: %t", h, lie.caught, silent)
			}
		})
	}
}

// TestRange_LieAlways checks that the right blocks are read from the receipts of a node that
// always lies about its logs. If its receipts lie too, or if it fails, it is an error alone,
// and no obstacle beside an honest node.
func TestRange_LieAlways(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for timeouts; TestRange_LieOnce covers each lie once")
	}
	t.Parallel()
	liar, honest := lied(t, chaintest.NodeOptions{}), lied(t, chaintest.NodeOptions{})
	for name, lie := range rangeLies() {
		t.Run(name, func(t *testing.T) {
			defer liar.ClearFaults()
			o := lieOptions()
			o.MaxBody = lieBody
			if lie.fault.Hang != nil {
				o.Timeout = 500 * time.Millisecond
			}
			liar.Break(0, lie.fault, chaintest.Method(lie.method))
			c := dial(t, o, liar.URL)
			got, err := c.Range(context.Background(), 1, 40)
			if h := c.Health()[0]; !errors.Is(err, lie.want) || (got != nil) != (lie.want == nil) || h.LeavesOut != lie.caught {
				t.Errorf("alone: %d blocks, error %v: want %v; health %+v", len(got), err, lie.want, h)
			}
			if got != nil {
				checkBlocks(t, honest.Blocks()[1:], got)
			}
			if lie.caught {
				lieInReceipts(liar)
				if got, err := dial(t, o, liar.URL).Range(context.Background(), 1, 40); !rpcerror.Contradicts(err) || got != nil {
					t.Errorf("receipts that lie too: %d blocks, error %v", len(got), err)
				}
			}
			checkBlocks(t, honest.Blocks()[1:], mustRange(t, dial(t, o, liar.URL, honest.URL), 1, 40))
		})
	}
}

// TestRange_DroppedLog checks that a missing log is noticed if its block is sampled, or read
// because it is the first that shows the numbering, and only then. The range is then read from
// receipts.
func TestRange_DroppedLog(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	for name, test := range map[string]struct {
		log, samples int
		caught       bool
	}{
		"first, every block sampled":   {0, 40, true},
		"middle, every block":          {50, 40, true},
		"last, ranges of one block":    {-1, 1, true},
		"first, in a block that shows": {0, -1, true},
		"middle, not sampled":          {50, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			first := func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && !c.ByHash }
			node.Break(0, chaintest.DropLog(test.log), first)
			o := lieOptions()
			// The only block of a range is always the sample.
			if o.Samples = test.samples; test.samples == 1 {
				o.MaxStep = 1
			}
			c := dial(t, o, node.URL)
			got := mustRange(t, c, 1, 40)
			h := c.Health()[0]
			if h.LeavesOut != test.caught || (h.LastError == rpcerror.ClassLeavesOut) != test.caught {
				t.Errorf("health %+v, want caught: %t", h, test.caught)
			}
			if test.caught {
				checkBlocks(t, node.Blocks()[1:], got)
			}
		})
	}
}

// TestRange_Unnamed checks that ranges whose logs lack a field that records need are read from
// receipts.
func TestRange_Unnamed(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 5)
	node.MineEmpty(1)
	for _, field := range []string{"blockHash", "blockNumber", "logIndex", "transactionHash", "address", "topics", "data"} {
		t.Run(field, func(t *testing.T) {
			fault := chaintest.Replace(`"`+field+`"`, `"other"`)
			checkCaught(t, node, unsampled(), fault, chaintest.Method("eth_getLogs"), 0, 6)
		})
	}
}

// TestRange_EmptySparse checks that logs left out of an empty range are noticed, because
// more of its blocks are tested.
func TestRange_EmptySparse(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	logs := filled(t, chaintest.NodeOptions{}, 1).Blocks()[1].Logs
	for range 16 {
		node.MineEmpty(1)
		node.Mine(logs)
	}
	c := dial(t, lieOptions(), node.URL)
	checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 32))
	node.Break(0, chaintest.Empty(), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && !c.ByHash })
	checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 32))
	if !c.Health()[0].LeavesOut {
		t.Errorf("health %+v", c.Health()[0])
	}
}

// TestRange_EmptyUnbounded checks that no more blocks of an empty range are read than there
// are samples, if headers have no bloom filter that rules blocks out.
func TestRange_EmptyUnbounded(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	node.Break(0, chaintest.Edit(func(h map[string]any) { delete(h, "logsBloom") }), chaintest.Method("eth_getBlockByNumber"))
	o := lieOptions()
	o.Samples = 2
	if _, err := dial(t, o, node.URL).Span(context.Background(), 1, 100); err != nil {
		t.Fatal(err)
	}
	// Four filters and two samples take one call each, the two blocks read take two each.
	if n := node.Calls("eth_getLogs") + node.Calls("eth_getBlockReceipts"); n != 4+2+2*2 {
		t.Errorf("%d calls for logs and receipts, want 10", n)
	}
}

// TestRange_OneLogOfAnotherBlock checks that a log with another block hash than the
// header's is rejected, even if it is the only log of its block.
func TestRange_OneLogOfAnotherBlock(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	logs := filled(t, chaintest.NodeOptions{}, 1).Blocks()[1].Logs[:1]
	for range 10 {
		node.Mine(logs)
	}
	other := chaintest.EditLog(4, func(l map[string]any) { l["blockHash"] = "0x" + strings.Repeat("ab", 32) })
	o := lieOptions()
	o.Samples = 10
	checkRefused(t, node, o, other, byRange, rpcerror.ErrInconsistent, readRange(1, 10))
}

// TestHeaders_Lie checks that headers that are not linked are rejected.
func TestHeaders_Lie(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 10)
	at := func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To == 5 }
	for name, fault := range map[string]chaintest.Fault{
		"parent": chaintest.Edit(func(h map[string]any) { h["parentHash"] = h["hash"] }),
		"hash":   chaintest.Edit(func(h map[string]any) { h["hash"] = h["parentHash"] }),
		"number": chaintest.Edit(func(h map[string]any) { h["number"] = "0x6" }),
	} {
		t.Run(name, func(t *testing.T) {
			checkRefused(t, node, lieOptions(), fault, at, rpcerror.ErrInconsistent, readHeaders(1, 10))
		})
	}
}

// TestClient_Cancelled checks that each kind of wait ends with ctx.
func TestClient_Cancelled(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 3)
	for name, fault := range map[string]chaintest.Fault{
		"hangs":            {Hang: make(chan struct{})},
		"requests a pause": {Status: http.StatusTooManyRequests, Header: []string{"Retry-After", "600"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			ctx, stop := context.WithCancel(context.Background())
			node.Break(0, fault, func(chaintest.Call) bool {
				stop()
				return true
			})
			if _, err := dial(t, jsonrpc.Options{}, node.URL).Range(ctx, 1, 3); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want ctx's", err)
			}
		})
	}
}
