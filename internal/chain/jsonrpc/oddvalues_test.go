package jsonrpc_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
)

// breakLogs makes every method of a node write a value into the logs of contracts.
func breakLogs(node *chaintest.Node, odd chaintest.Odd, contracts ...evm.Address) {
	fault := chaintest.OfLogs(func(log map[string]any) {
		if slices.ContainsFunc(contracts, func(a evm.Address) bool { return strings.EqualFold(log["address"].(string), a.String()) }) {
			odd.Set(log)
		}
	})
	for _, method := range []string{"eth_getLogs", "eth_getBlockReceipts", "eth_getTransactionReceipt"} {
		node.Break(0, fault, chaintest.Method(method))
	}
}

// oddChains are the chains on which odd values are read.
var oddChains = map[string]chaintest.Shape{"": {}, ", not provable": {OtherHash: true}, ", no filters": {ZeroBlooms: true, OtherHash: true}}

// TestOddValues_Log reads blocks in which a log has a value that no record needs: any in a log of
// another contract, any data in an ERC-721 event.
func TestOddValues_Log(t *testing.T) {
	t.Parallel()
	for chain, shape := range oddChains {
		node := mixed(t, chaintest.NodeOptions{Shape: shape})
		for _, odd := range chaintest.OddLogs() {
			t.Run(odd.String()+chain, func(t *testing.T) {
				oneOfFive(t)
				defer node.ClearFaults()
				contracts := []evm.Address{{2}}
				if odd.Field == "data" {
					contracts = append(contracts, evm.Address{1})
				}
				breakLogs(node, odd, contracts...)
				for way, read := range readings {
					o := lieOptions()
					o.Samples = 9
					c := dial(t, o, node.URL)
					got, err := read(t.Context(), c, 0, 8)
					if err != nil {
						t.Errorf("%s: %v", way, err)
						continue
					}
					checkBlocks(t, node.Blocks(), onlyFull(got))
					if h := c.Health()[0]; h.LeavesOut {
						t.Errorf("%s: health %+v", way, h)
					}
				}
			})
		}
	}
}

// TestOddValues_EmptyData has a node that writes no data as 0x0, also that of malformed events,
// which are rejected later. Its blocks are proved.
func TestOddValues_EmptyData(t *testing.T) {
	t.Parallel()
	node := mixed(t, chaintest.NodeOptions{})
	node.Mine([]evm.Log{{Address: evm.Address{3}, Topics: []evm.Hash{evm.TopicTransferSingle.Hash(), {31: 3}, {}, {31: 3}}}})
	node.Break(0, chaintest.Replace(`"data":"0x"`, `"data":"0x0"`), nil)
	checkReadings(t, node, true)
}

// strict returns the field that an error must name if a decoded event has an odd value; "" if
// there need not be an error.
func strict(odd chaintest.Odd) string {
	switch odd.Field {
	case "address":
		return odd.Field
	case "transactionHash":
		// A receipt names it.
		if odd.Value != nil {
			return odd.Field
		}
	case "data":
		if odd.Value != "0x0" {
			return odd.Field
		}
	case "logIndex":
		if odd.Value != nil {
			return odd.Field
		}
	case "removed":
		if odd.Value != nil {
			return odd.Field
		}
	}
	return ""
}

// TestOddValues_Event checks that the same value in a decoded event is an error that names the
// field.
func TestOddValues_Event(t *testing.T) {
	t.Parallel()
	single := evm.Log{Address: evm.Address{3}, Topics: []evm.Hash{evm.TopicTransferSingle.Hash(), {31: 3}, {}, {31: 3}}, Data: make([]byte, 64)}
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Mine([]evm.Log{swap(1)}, []evm.Log{single})
	for _, odd := range chaintest.OddLogs() {
		t.Run(odd.String(), func(t *testing.T) {
			oneOfFive(t)
			defer node.ClearFaults()
			breakLogs(node, odd, single.Address)
			for way, read := range readings {
				got, err := read(t.Context(), dial(t, lieOptions(), node.URL), 0, 1)
				field := strict(odd)
				if odd.Field == "topics" && err != nil {
					continue // it may be no decoded event any more
				}
				if (odd.Field == "transactionIndex" || odd.Field == "blockTimestamp") && err != nil {
					t.Errorf("%s: %v", way, err)
				}
				if field != "" && (err == nil || !strings.Contains(err.Error(), field+": ")) {
					t.Errorf("%s: %d blocks, error %v, want %s named", way, len(got), err, field)
				}
			}
		})
	}
}

// TestOddValues_Receipt reads blocks whose receipts have a value that no record needs.
func TestOddValues_Receipt(t *testing.T) {
	t.Parallel()
	for chain, shape := range oddChains {
		node := mixed(t, chaintest.NodeOptions{Shape: shape})
		for _, odd := range chaintest.OddReceipts() {
			t.Run(odd.String()+chain, func(t *testing.T) {
				oneOfFive(t)
				defer node.ClearFaults()
				all := ofList(func(list []map[string]any) []map[string]any {
					for _, r := range list {
						odd.Set(r)
					}
					return list
				})
				node.Break(0, all, chaintest.Method("eth_getBlockReceipts"))
				node.Break(0, chaintest.Edit(odd.Set), chaintest.Method("eth_getTransactionReceipt"))
				o := lieOptions()
				marked := o
				marked.LeavesOut = []string{node.URL}
				for _, o := range []jsonrpc.Options{o, marked} {
					got, _, err := dial(t, o, node.URL).Full(t.Context(), 0, 8)
					if err != nil {
						t.Error(err)
					}
					checkBlocks(t, node.Blocks(), onlyFull(got))
				}
			})
		}
	}
}

// TestOddValues_NoLogs has a node that returns null for no logs: of blocks, of ranges or of
// receipts.
func TestOddValues_NoLogs(t *testing.T) {
	t.Parallel()
	null := chaintest.Fault{Edit: func(result json.RawMessage) json.RawMessage {
		if string(result) == "[]" {
			return json.RawMessage("null")
		}
		return result
	}}
	for chain, shape := range oddChains {
		for name, when := range map[string]func(chaintest.Call) bool{
			"everywhere": chaintest.Method("eth_getLogs"),
			"ranges":     byRange,
			"blocks":     func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.ByHash },
		} {
			t.Run(name+chain, func(t *testing.T) {
				oneOfFive(t)
				node := mixed(t, chaintest.NodeOptions{Shape: shape})
				node.Break(0, null, when)
				checkReadings(t, node, chain == "")
				c := dial(t, lieOptions(), node.URL)
				if mustRange(t, c, 0, 8); c.Health()[0].LeavesOut {
					t.Errorf("health %+v", c.Health()[0])
				}
			})
		}
	}
}
