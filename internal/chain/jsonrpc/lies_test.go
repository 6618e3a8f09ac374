package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
)

// rangeLies are answers to a range that must be rejected. If want is nil, the client gets
// the right blocks in another way.
func rangeLies() map[string]struct {
	fault  chaintest.Fault
	method string
	want   error
} {
	type lie = struct {
		fault  chaintest.Fault
		method string
		want   error
	}
	log := func(edit func(log map[string]any)) lie {
		return lie{chaintest.EditLog(1, edit), "eth_getLogs", nil}
	}
	set := func(name string, value any) lie { return log(func(l map[string]any) { l[name] = value }) }
	hash := strings.Repeat("ab", 32)
	// A want of nil means that the receipts are right, from which the range is read then.
	return map[string]lie{
		"empty list":          {chaintest.Empty(), "eth_getLogs", nil},
		"null logs":           {chaintest.Null(), "eth_getLogs", nil},
		"another fork":        {chaintest.Fault{Fork: true}, "eth_getLogs", jsonrpc.ErrInconsistent},
		"null header":         {chaintest.Null(), "eth_getBlockByNumber", jsonrpc.ErrLagging},
		"another header":      {chaintest.Edit(func(h map[string]any) { h["number"] = "0x1" }), "eth_getBlockByNumber", jsonrpc.ErrInconsistent},
		"another hash":        {chaintest.Edit(func(h map[string]any) { h["hash"] = "0x" + hash }), "eth_getBlockByNumber", jsonrpc.ErrInconsistent},
		"header without one":  {chaintest.Edit(func(h map[string]any) { delete(h, "hash") }), "eth_getBlockByNumber", jsonrpc.ErrInconsistent},
		"removed":             set("removed", true),
		"pending":             set("logIndex", nil),
		"pending, the first":  {chaintest.EditLog(0, func(l map[string]any) { l["logIndex"] = nil }), "eth_getLogs", nil},
		"no block hash":       set("blockHash", nil),
		"no block number":     set("blockNumber", nil),
		"outside the range":   set("blockNumber", "0x29"),
		"beyond the range":    {chaintest.EditLog(-1, func(l map[string]any) { l["blockNumber"] = "0x29" }), "eth_getLogs", nil},
		"two hashes":          set("blockHash", "0x"+hash),
		"two times":           set("blockTimestamp", "0x1"),
		"not the header's":    {chaintest.Replace(`"blockTimestamp":"0x5f5e11e0"`, `"blockTimestamp":"0x5f5e11e1"`), "eth_getLogs", nil},
		"a time that falls":   {chaintest.Replace(`"blockTimestamp":"0x5f5e10f0"`, `"blockTimestamp":"0x5f5e11df"`), "eth_getLogs", nil},
		"same index":          log(func(l map[string]any) { l["logIndex"], l["data"] = "0x0", "0x01" }),
		"wrong topic":         set("topics", []string{"0x" + hash}),
		"no topic":            set("topics", []string{}),
		"five topics":         set("topics", []string{"0x" + hash, "0x" + hash, "0x" + hash, "0x" + hash, "0x" + hash}),
		"odd data":            set("data", "0x1"),
		"truncated":           {chaintest.Fault{Truncate: true}, "eth_getLogs", jsonrpc.ErrTemporary},
		"closed":              {chaintest.Fault{Close: true}, "eth_getLogs", jsonrpc.ErrTemporary},
		"HTTP 503":            {chaintest.Fault{Status: 503}, "eth_getLogs", jsonrpc.ErrTemporary},
		"HTTP 502 web page":   {chaintest.Fault{Status: 502, Body: "<html>"}, "eth_getLogs", jsonrpc.ErrTemporary},
		"200 with a web page": {chaintest.Fault{Status: 200, Body: "<html>"}, "eth_getLogs", jsonrpc.ErrTemporary},
		"200 with an error":   {chaintest.Fault{Status: 200, Body: `{"error":{"code":-32000,"message":"no backend is currently healthy"}}`}, "eth_getLogs", jsonrpc.ErrTemporary},
		"200 with nothing":    {chaintest.Fault{Status: 200}, "eth_getLogs", jsonrpc.ErrTemporary},
		"200 and no answers":  {chaintest.Fault{Status: 200, Body: "[]"}, "eth_getLogs", jsonrpc.ErrTemporary},
		"too large":           {chaintest.Fault{Pad: 2 * lieBody}, "eth_getLogs", nil},
		"hangs":               {chaintest.Fault{Hang: make(chan struct{})}, "eth_getLogs", jsonrpc.ErrTemporary},
		"rate limit":          {chaintest.Fault{Status: 429}, "eth_getLogs", jsonrpc.ErrTemporary},
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

// TestRange_LieOnce checks that the right blocks are read from a node that lies once.
func TestRange_LieOnce(t *testing.T) {
	t.Parallel()
	node := lied(t, chaintest.NodeOptions{})
	for name, lie := range rangeLies() {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			o := lieOptions()
			o.MaxBody = lieBody
			if lie.fault.Hang != nil {
				o.Timeout = 2 * time.Second
			}
			node.Break(1, lie.fault, chaintest.Method(lie.method))
			c := dial(t, o, node.URL)
			got, err := c.Range(context.Background(), 1, 40)
			expect.NoError(t, err)
			checkBlocks(t, node.Blocks()[1:], got)
			// Some lies are healed by another call, or do not matter.
			if c.Health()[0].LastError == "" && !slices.Contains([]string{"too large", "null header", "another header", "header without one", "odd data"}, name) {
				t.Error("health does not show the failure")
			}
		})
	}
}

// TestRange_LieAlways checks that a node that always lies leads to an error, and to all
// blocks if there is also an honest node.
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
				o.Timeout = 2 * time.Second
			}
			liar.Break(0, lie.fault, chaintest.Method(lie.method))
			got, err := dial(t, o, liar.URL).Range(context.Background(), 1, 40)
			if !errors.Is(err, lie.want) || (got != nil) != (lie.want == nil) {
				t.Errorf("alone: %d blocks, error %v: want %v", len(got), err, lie.want)
			}
			checkBlocks(t, honest.Blocks()[1:], mustRange(t, dial(t, o, liar.URL, honest.URL), 1, 40))
		})
	}
}

// TestRange_DroppedLog checks that a missing log is noticed if its block is sampled, and
// only then. The range is then read from receipts.
func TestRange_DroppedLog(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 40)
	for name, test := range map[string]struct {
		log, samples int
		caught       bool
	}{
		"first, every block sampled": {0, 40, true},
		"middle, every block":        {50, 40, true},
		"last, ranges of one block":  {-1, 1, true},
		"middle, not sampled":        {50, -1, false},
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
			if h.LeavesOut != test.caught || (h.LastError == jsonrpc.ClassLeavesOut) != test.caught {
				t.Errorf("health %+v, want caught: %t", h, test.caught)
			}
			if test.caught {
				checkBlocks(t, node.Blocks()[1:], got)
			}
		})
	}
}

// TestRange_Unnamed checks that logs without a required field mark the endpoint.
func TestRange_Unnamed(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 5)
	node.MineEmpty(1)
	for _, field := range []string{"blockHash", "blockNumber", "logIndex", "transactionHash", "address", "topics", "data"} {
		t.Run(field, func(t *testing.T) {
			fault := chaintest.Replace(`"`+field+`"`, `"other"`)
			checkCaught(t, node, unsampled(), fault, chaintest.Method("eth_getLogs"), 0, 6)
		})
	}
}

// TestBlock_Lie checks that every lie about one block is rejected, whichever log is left
// out.
func TestBlock_Lie(t *testing.T) {
	node := lied(t, chaintest.NodeOptions{})
	block := node.Blocks()[40]
	type lie struct {
		fault  chaintest.Fault
		method string
		want   error
	}
	lies := map[string]lie{
		"empty list":     {chaintest.Empty(), "eth_getLogs", jsonrpc.ErrInconsistent},
		"null logs":      {chaintest.Null(), "eth_getLogs", jsonrpc.ErrInconsistent},
		"null header":    {chaintest.Null(), "eth_getBlockByNumber", jsonrpc.ErrLagging},
		"another header": {chaintest.Edit(func(h map[string]any) { h["number"] = "0x1" }), "eth_getBlockByNumber", jsonrpc.ErrInconsistent},
		// The receipts are not.
		"gone in between":  {chaintest.Fault{Code: -32000, Message: "unknown block"}, "eth_getLogs", nil},
		"gone, by hardhat": {chaintest.Fault{Code: -32602, Message: "blockHash cannot be found"}, "eth_getLogs", nil},
		"pruned":           {chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, "eth_getLogs", nil},
		"fork":             {chaintest.Replace(block.Header.Hash.String(), block.Header.ParentHash.String()), "eth_getLogs", nil},
		"closed":           {chaintest.Fault{Close: true}, "eth_getLogs", jsonrpc.ErrTemporary},
	}
	for i := range block.Logs {
		lies[fmt.Sprint("drops log ", i)] = lie{chaintest.DropLog(i), "eth_getLogs", jsonrpc.ErrInconsistent}
	}
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			checkRefused(t, node, lieOptions(), lie.fault, chaintest.Method(lie.method), lie.want, readBlock(40))
		})
	}
}

// TestRange_EmptySparse checks that logs left out of an empty range are noticed, because
// more of its blocks are tested.
func TestRange_EmptySparse(t *testing.T) {
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
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	logs := filled(t, chaintest.NodeOptions{}, 1).Blocks()[1].Logs[:1]
	for range 10 {
		node.Mine(logs)
	}
	other := chaintest.EditLog(4, func(l map[string]any) { l["blockHash"] = "0x" + strings.Repeat("ab", 32) })
	o := lieOptions()
	o.Samples = 10
	checkRefused(t, node, o, other, byRange, jsonrpc.ErrInconsistent, readRange(1, 10))
}

// TestHeaders_Lie checks that headers that are not linked are rejected.
func TestHeaders_Lie(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 10)
	at := func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To == 5 }
	for name, fault := range map[string]chaintest.Fault{
		"parent": chaintest.Edit(func(h map[string]any) { h["parentHash"] = h["hash"] }),
		"hash":   chaintest.Edit(func(h map[string]any) { h["hash"] = h["parentHash"] }),
		"number": chaintest.Edit(func(h map[string]any) { h["number"] = "0x6" }),
	} {
		t.Run(name, func(t *testing.T) {
			checkRefused(t, node, lieOptions(), fault, at, jsonrpc.ErrInconsistent, func(c *jsonrpc.Client) error {
				_, err := c.Headers(t.Context(), 1, 10)
				return err
			})
		})
	}
}

// TestBlock_TwinLogs leaves out one of three logs with the same address and topics. The
// bloom filter does not show that, but the log indices do, except for the last log.
func TestBlock_TwinLogs(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	twin := filled(t, chaintest.NodeOptions{}, 1).Blocks()[1].Logs[0]
	node.Mine([]evm.Log{twin, twin, twin})
	for drop, want := range []error{jsonrpc.ErrInconsistent, jsonrpc.ErrInconsistent, nil} {
		checkRefused(t, node, lieOptions(), chaintest.DropLog(drop), chaintest.Method("eth_getLogs"), want, readBlock(1))
	}
}

// TestBlock_OddBloom has bloom filters that do not match the logs (Polygon), or are empty or
// missing. Logs are accepted if the receipts agree, and rejected if not.
func TestBlock_OddBloom(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 3)
	want := node.Blocks()[3]
	bloomed := func(bloom string) chaintest.Fault {
		return chaintest.Edit(func(h map[string]any) { h["logsBloom"] = bloom })
	}
	for name, fault := range map[string]chaintest.Fault{
		"empty": bloomed("0x" + strings.Repeat("00", 256)),
		"other": bloomed("0x" + strings.Repeat("02", 256)),
		"none":  chaintest.Edit(func(h map[string]any) { delete(h, "logsBloom") }),
	} {
		for _, method := range []string{"by number", "by hash"} {
			t.Run(name+", "+method, func(t *testing.T) {
				defer node.ClearFaults()
				at := evm.BlockNumberOrHash{Number: 3}
				if method == "by hash" {
					at.Hash = &want.Header.Hash
				}
				node.Break(0, fault, chaintest.Method("eth_getBlockByNumber"))
				node.Break(0, fault, chaintest.Method("eth_getBlockByHash"))
				c := dial(t, lieOptions(), node.URL)
				got, err := c.Block(context.Background(), at)
				expect.NoError(t, err)
				checkBlocks(t, []evm.Block{want}, []evm.Block{got})
				node.Break(0, chaintest.DropLog(0), chaintest.Method("eth_getLogs"))
				if _, err := c.Block(context.Background(), at); !errors.Is(err, jsonrpc.ErrInconsistent) {
					t.Errorf("a log is missing: %v, want ErrInconsistent", err)
				}
			})
		}
	}
}

// TestBlock_NoBlockReceipts checks that receipts are read one by one if the node lacks
// eth_getBlockReceipts.
func TestBlock_NoBlockReceipts(t *testing.T) {
	node := filled(t, chaintest.NodeOptions{}, 3)
	node.Break(0, chaintest.Fault{Code: -32004, Message: "Method eth_getBlockReceipts is not supported"}, chaintest.Method("eth_getBlockReceipts"))
	node.Break(0, chaintest.Fault{Code: -32005, Message: "query returned more than 10000 results"}, chaintest.Method("eth_getLogs"))
	c := dial(t, lieOptions(), node.URL)
	for range 2 {
		checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 3))
	}
	if n := node.Calls("eth_getBlockReceipts"); n != 1 {
		t.Errorf("eth_getBlockReceipts was tried %d times, want once", n)
	}
}

// TestClient_Cancelled checks that each kind of wait ends with ctx.
func TestClient_Cancelled(t *testing.T) {
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
