package jsonrpc_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
)

// readings are the methods with which a follower reads a range.
var readings = map[string]func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error){
	"blocks": func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error) {
		blocks, _, err := c.Blocks(ctx, from, to)
		return blocks, err
	},
	"full": func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error) {
		blocks, _, err := c.Full(ctx, from, to)
		return blocks, err
	},
	"logs": func(ctx context.Context, c *jsonrpc.Client, from, to uint64) ([]evm.Block, error) {
		return c.Range(ctx, from, to)
	},
}

// TestClient_FlakyBatches checks that a failed call is repeated alone, not with its range.
func TestClient_FlakyBatches(t *testing.T) {
	t.Parallel()
	count := uint64(640)
	if testing.Short() {
		count = 160
	}
	node := filled(t, chaintest.NodeOptions{}, int(count))
	for name, read := range readings {
		var got []evm.Block
		ask := func(c *jsonrpc.Client) (err error) {
			got, err = read(context.Background(), c, 1, count)
			return err
		}
		honest, _ := spent(t, node, dial(t, lieOptions(), node.URL), ask)
		for fault, f := range map[string]chaintest.Fault{
			"internal error": {Code: -32603, Message: "internal error"},
			"unknown":        {Code: -32000, Message: "that went wrong"},
			"rate limit":     {Code: 429, Message: "compute units exceeded"},
		} {
			t.Run(name+"/"+fault, func(t *testing.T) {
				defer node.ClearFaults()
				node.Break(0, f, chaintest.Flaky(0.01, 7))
				if asked, _ := spent(t, node, dial(t, lieOptions(), node.URL), ask); asked > honest+honest/10+10 {
					t.Errorf("%d calls, want about %d (without failures)", asked, honest)
				}
				checkBlocks(t, node.Blocks()[1:], onlyFull(got))
			})
		}
	}
}

// TestClient_BatchBudget has a node answer only some calls of each batch.
func TestClient_BatchBudget(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 200)
	left := 0
	node.Break(0, chaintest.Fault{Code: -32000, Message: "try again later"}, func(c chaintest.Call) bool {
		if c.Method != "eth_getBlockByNumber" || c.Batch == 1 {
			return false
		}
		left++
		return left%20 != 0
	})
	if _, err := dial(t, lieOptions(), node.URL).Headers(context.Background(), 1, 200); err != nil {
		t.Error(err)
	}
}

// TestRange_UnknownError checks that a range is halved after any error.
func TestRange_UnknownError(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	for name, fault := range map[string]chaintest.Fault{
		"Harmony":     {Code: -32000, Message: "query must be smaller than size 3"},
		"Tenderly":    {Code: -32602, Message: "invalid params", Data: "too wide: maximum is set to 3"},
		"Nethermind":  {Code: -32000, Message: "Unable to resolve the filter"},
		"parity":      {Code: -32012, Message: "Filter error", Data: map[string]any{"reason": "overwhelming"}},
		"no method":   {Code: -32601, Message: "the method eth_getLogs is not available on this plan"},
		"internal":    {Code: -32603, Message: "Internal error"},
		"HTTP 400":    {Status: http.StatusBadRequest, Body: "<html>"},
		"HTTP 403":    {Status: http.StatusForbidden, Body: `{"error":{"code":-1,"message":"no"}}`},
		"HTTP 500":    {Status: http.StatusInternalServerError},
		"whole batch": {Status: http.StatusOK, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, chaintest.Wider(3))
			o := lieOptions()
			o.Samples, o.Attempts = -1, 8
			c := dial(t, o, node.URL)
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 40))
			if calls := node.Calls("eth_getBlockReceipts"); calls > 0 {
				t.Errorf("%d blocks were read from their receipts", calls)
			}
		})
	}
}

// TestRange_ErrorData has errors whose reason is only in data.
func TestRange_ErrorData(t *testing.T) {
	t.Parallel()
	for data, want := range map[string][]chaintest.Asked{
		"too wide: maximum is set to 5": {{From: 1, To: 10}, {From: 1, To: 5}, {From: 6, To: 10}},
		"request rate exceeded":         {{From: 1, To: 10}},
	} {
		t.Run(data, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 10)
			node.Break(2, chaintest.Fault{Code: -32602, Message: "invalid params", Data: data}, chaintest.Wider(5))
			c := dial(t, lieOptions(), node.URL)
			mustRange(t, c, 1, 10)
			if diff := cmp.Diff(want, node.Ranges()); diff != "" || !strings.Contains(c.Health()[0].LastFailure, "invalid params: "+data) {
				t.Errorf("failure %q, ranges (-want +got):\n%s", c.Health()[0].LastFailure, diff)
			}
		})
	}
	// The data of a reverted call comes from the contract.
	node := filled(t, chaintest.NodeOptions{}, 1)
	node.Break(1, chaintest.Fault{Code: -32000, Message: "that went wrong", Data: "request rate exceeded"}, chaintest.Method("eth_call"))
	c := dial(t, lieOptions(), node.URL)
	results, err := c.Call(context.Background(), []evm.Call{{}})
	if err != nil || results[0].Problem != "that went wrong" {
		t.Errorf("a call: %+v, error %v", results, err)
	}
}

// contractsOf returns the contracts that emitted logs.
func contractsOf(t testing.TB, node *chaintest.Node) (contracts []evm.Address) {
	t.Helper()
	for _, b := range node.Blocks() {
		for _, log := range b.Logs {
			if !slices.Contains(contracts, log.Address) {
				contracts = append(contracts, log.Address)
			}
		}
	}
	if len(contracts) < 4 {
		t.Fatalf("%d contracts are too few", len(contracts))
	}
	return contracts
}

// TestRange_RefusedBlock reads a block from its receipts because the node refuses to
// return its logs. The client also tries fewer addresses, which does not help: later
// ranges request all addresses again.
func TestRange_RefusedBlock(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 10)
	contracts := contractsOf(t, node)
	for name, list := range map[string][]evm.Address{"all contracts": nil, "listed": contracts} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			var later []int
			node.Break(0, chaintest.Fault{Code: -32000, Message: "no"}, func(c chaintest.Call) bool {
				if c.Method == "eth_getLogs" && !c.ByHash && c.From > 5 {
					later = append(later, c.Addresses)
				}
				return c.Method == "eth_getLogs" && !c.ByHash && c.From <= 5 && 5 <= c.To
			})
			o := lieOptions()
			o.Contracts, o.Samples = list, -1
			checkBlocks(t, node.Blocks()[1:], mustRange(t, dial(t, o, node.URL), 1, 10))
			if len(later) == 0 || slices.Min(later) != len(list) {
				t.Errorf("later ranges have %v addresses, want %d", later, len(list))
			}
		})
	}
}

// TestRange_NoAddresses has a node reject any address in a filter: the client reads
// receipts.
func TestRange_NoAddresses(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 4)
	contracts := contractsOf(t, node)
	node.Break(0, chaintest.Fault{Code: -32602, Message: "too many addresses"}, func(c chaintest.Call) bool { return c.Addresses > 0 })
	for _, count := range []int{1, len(contracts)} {
		o := lieOptions()
		o.Contracts = contracts[:count]
		got := mustRange(t, dial(t, o, node.URL), 1, 4)
		want := node.Blocks()[1:]
		for i := range want {
			want[i].Logs = slices.DeleteFunc(slices.Clone(want[i].Logs), func(log evm.Log) bool { return !slices.Contains(o.Contracts, log.Address) })
		}
		checkBlocks(t, want, got)
	}
}

// TestRange_AddressLimit checks that address lists are split.
func TestRange_AddressLimit(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 40)
	contracts := contractsOf(t, node)
	for name, fault := range map[string]chaintest.Fault{
		"named":    {Code: -32602, Message: "exceed max addresses or topics per search position"},
		"unknown":  {Code: -32000, Message: "no"},
		"in data":  {Code: -32602, Message: "invalid params", Data: "too many addresses"},
		"HTTP 400": {Status: http.StatusBadRequest, Body: `{"error":{"code":-32602,"message":"too many addresses"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, func(c chaintest.Call) bool { return c.Addresses > 2 })
			o := lieOptions()
			o.Contracts = contracts
			c := dial(t, o, node.URL)
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 40))
			// The limit is remembered.
			before := node.Calls("eth_getBlockReceipts")
			_, requests := spent(t, node, c, readRange(1, 40))
			if requests > 40 || node.Calls("eth_getBlockReceipts") > before {
				t.Errorf("%d requests, %d blocks from their receipts", requests, node.Calls("eth_getBlockReceipts"))
			}
		})
	}
}

// TestClient_BatchRefusedWhole checks that a batch answered by a single error is halved,
// whatever the message.
func TestClient_BatchRefusedWhole(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 100)
	const message = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`
	for name, test := range map[string]struct {
		fault chaintest.Fault
		learn bool
	}{
		"unknown":  {chaintest.Fault{Status: http.StatusOK, Body: message}, true},
		"internal": {chaintest.Fault{Status: http.StatusOK, Body: strings.Replace(message, "no", "internal error", 1)}, false},
		"HTTP 400": {chaintest.Fault{Status: http.StatusBadRequest, Body: message}, false},
		"HTTP 403": {chaintest.Fault{Status: http.StatusForbidden, Body: "<html>"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, test.fault, func(c chaintest.Call) bool { return c.Batch > 10 })
			c := dial(t, lieOptions(), node.URL)
			for _, most := range []int{40, 20} {
				if _, requests := spent(t, node, c, readHeaders(1, 100)); requests > most && (test.learn || requests > 40) {
					t.Errorf("%d requests, want at most %d", requests, most)
				}
			}
		})
	}
}

// onlyFull returns the blocks with logs.
func onlyFull(blocks []evm.Block) (kept []evm.Block) {
	for _, b := range blocks {
		if len(b.Logs) > 0 {
			kept = append(kept, b)
		}
	}
	return kept
}
