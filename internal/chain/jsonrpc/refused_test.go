package jsonrpc_test

import (
	"net/http"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// unknownWords are answers in words that no list contains.
func unknownWords() map[string]chaintest.Fault {
	return map[string]chaintest.Fault{
		"-32000":           {Code: -32000, Message: "receipts length mismatch: 1 vs 0"},
		"-32603":           {Code: -32603, Message: "the method handler crashed"},
		"1":                {Code: 1, Message: "not for you"},
		"12":               {Code: 12, Message: "upgrade to the Growth tier to use this call"},
		"999":              {Code: 999, Message: "недоступно"},
		"-32602":           {Code: -32602, Message: "number too large to fit in target type"},
		"-32005":           {Code: -32005, Message: "no"},
		"internal error":   {Code: -32603, Message: "Internal error"},
		"panic":            {Code: -32000, Message: "runtime error: invalid memory address or nil pointer dereference"},
		"no code":          {Message: "nope"},
		"data":             {Code: 3, Message: "execution aborted", Data: map[string]any{"why": 7}},
		"HTTP 500":         {Status: http.StatusInternalServerError, Body: "<html>oops"},
		"HTTP 400":         {Status: http.StatusBadRequest, Body: "bad"},
		"HTTP 404":         {Status: http.StatusNotFound, Body: "page not found"},
		"HTTP 403":         {Status: http.StatusForbidden, Body: `{"message":"plan"}`},
		"HTTP 500 as JSON": {Status: http.StatusInternalServerError, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32099,"message":"boom"}}`},
	}
}

// TestRefused_BlockReceipts checks that blocks are read by the next method if
// eth_getBlockReceipts is refused in whatever words: for one block, for every second one, for
// hashes only, or for all. Blocks are proved as long as single receipts are read.
func TestRefused_BlockReceipts(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 6)
	for words, fault := range unknownWords() {
		for scope, test := range map[string]struct {
			when   func(c chaintest.Call) bool
			proven bool
		}{
			"one block":  {func(c chaintest.Call) bool { return c.To == 5 }, true},
			"every 2nd":  {func(c chaintest.Call) bool { return c.To%2 == 0 }, true},
			"by hash":    {func(c chaintest.Call) bool { return c.ByHash }, true},
			"by number":  {func(c chaintest.Call) bool { return !c.ByHash }, true},
			"all blocks": {func(chaintest.Call) bool { return true }, false},
		} {
			t.Run(words+", "+scope, func(t *testing.T) {
				defer node.ClearFaults()
				node.Break(0, fault, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && test.when(c) })
				c := dial(t, lieOptions(), node.URL)
				got, proven, err := c.Full(t.Context(), 0, 6)
				expect.NoError(t, err)
				checkBlocks(t, node.Blocks(), onlyFull(got))
				if proven != test.proven && scope != "all blocks" || c.Health()[0].LeavesOut {
					t.Errorf("proven %t, want %t; health %+v", proven, test.proven, c.Health()[0])
				}
				block, err := c.Proven(t.Context(), 5)
				expect.NoError(t, err)
				checkBlocks(t, node.Blocks()[5:6], []evm.Block{{Header: block.Header, Logs: standard(block.Logs)}})
			})
		}
	}
}

// TestRefused_OneLeft refuses all methods but one, in whatever words.
func TestRefused_OneLeft(t *testing.T) {
	t.Parallel()
	chains := map[string]*chaintest.Node{
		"":               filled(t, chaintest.NodeOptions{}, 6),
		", not provable": filled(t, chaintest.NodeOptions{Shape: chaintest.Shape{OtherHash: true}}, 6),
	}
	methods := map[string]func(c chaintest.Call) bool{
		"block receipts by hash":   func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.ByHash },
		"block receipts by number": func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && !c.ByHash },
		"single receipts":          chaintest.Method("eth_getTransactionReceipt"),
		"logs by hash":             func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.ByHash },
		"none":                     func(chaintest.Call) bool { return false },
	}
	headers := chaintest.Method("eth_getBlockByNumber")
	for words, fault := range unknownWords() {
		for left, allowed := range methods {
			for chain, node := range chains {
				for way, read := range readings {
					t.Run(words+", "+left+chain+", "+way, func(t *testing.T) {
						oneOfFive(t)
						defer node.ClearFaults()
						node.Break(0, fault, func(c chaintest.Call) bool { return !allowed(c) && !headers(c) && c.Method != "eth_chainId" })
						o := lieOptions()
						// A range is halved with each attempt if the failure may pass.
						o.Attempts = 8
						got, err := read(t.Context(), dial(t, o, node.URL), 1, 6)
						if left == "none" || left == "logs by hash" && way != "full" {
							if err == nil || !rpcerror.Refuses(err) {
								t.Errorf("%d blocks, error %v", len(got), err)
							}
							return
						}
						expect.NoError(t, err)
						checkBlocks(t, node.Blocks()[1:], onlyFull(got))
					})
				}
			}
		}
	}
}

// TestRefused_NotAsked checks that a method that is refused for each block is not called
// for ever, and that one that is refused now and then is.
func TestRefused_NotAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		when func(c chaintest.Call) bool
		most int
	}{
		"for all blocks": {func(chaintest.Call) bool { return true }, 30},
		"for the odd":    {func(c chaintest.Call) bool { return c.To%2 == 1 }, 100},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 40)
			node.Break(0, chaintest.Fault{Code: 12, Message: "not for you"}, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && test.when(c) })
			o := lieOptions()
			o.BatchSize = 4
			c := dial(t, o, node.URL)
			got, _, err := c.Full(t.Context(), 1, 40)
			expect.NoError(t, err)
			checkBlocks(t, node.Blocks()[1:], onlyFull(got))
			before := node.Calls("eth_getBlockReceipts")
			_, _, err = c.Full(t.Context(), 1, 40)
			expect.NoError(t, err)
			if more := node.Calls("eth_getBlockReceipts") - before; before > test.most || (more == 0) != (test.most == 30) {
				t.Errorf("called %d times, then %d times", before, more)
			}
		})
	}
}
