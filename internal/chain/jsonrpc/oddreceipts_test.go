package jsonrpc_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// typed returns a node with four blocks of five transactions, one of each of Ethereum's types.
// The second and the fourth transaction of each block have no log.
func typed(t testing.TB, shape chaintest.Shape) *chaintest.Node {
	t.Helper()
	shape.Types = []uint8{0, 1, 2, 3, 4}
	node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: shape})
	for i := range byte(4) {
		node.Mine([]evm.Log{erc721(i)}, nil, []evm.Log{erc721(10 + i), swap(i)}, nil, []evm.Log{erc721(20 + i)})
	}
	return node
}

// ofList returns a fault that edits the elements of a list.
func ofList(edit func(list []map[string]any) []map[string]any) chaintest.Fault {
	return chaintest.Fault{Edit: func(result json.RawMessage) json.RawMessage {
		var list []map[string]any
		if err := json.Unmarshal(result, &list); err != nil {
			panic(err)
		}
		text, err := json.Marshal(append([]map[string]any{}, edit(list)...))
		if err != nil {
			panic(err)
		}
		return text
	}}
}

// without returns a fault that leaves elements out of a list.
func without(places ...int) chaintest.Fault {
	return ofList(func(list []map[string]any) (kept []map[string]any) {
		for i, element := range list {
			if !slices.Contains(places, i) {
				kept = append(kept, element)
			}
		}
		return kept
	})
}

// invented returns a receipt of a transaction that no block lists.
func invented(r map[string]any) map[string]any {
	other := map[string]any{"transactionHash": evm.Hash{7}.String(), "status": "0x1", "cumulativeGasUsed": "0x1", "logs": []any{}}
	other["blockHash"], other["blockNumber"] = r["blockHash"], r["blockNumber"]
	return other
}

// TestReceipts_OfBlock reads blocks whose lists of receipts are incomplete, or contain what is
// not in the block. All are proved: the receipts root decides. Lists with all receipts need no
// single ones.
func TestReceipts_OfBlock(t *testing.T) {
	t.Parallel()
	type list = []map[string]any
	edit := func(edit func(r map[string]any)) chaintest.Fault {
		return ofList(func(l list) list {
			for _, r := range l {
				edit(r)
			}
			return l
		})
	}
	one := func(name string, value any) chaintest.Fault {
		return chaintest.EditLog(2, func(r map[string]any) { r[name] = value })
	}
	complete := map[string]chaintest.Fault{
		"first twice":           ofList(func(l list) list { return append(l, l[0]) }),
		"last twice":            ofList(func(l list) list { return append(l, l[4]) }),
		"all twice":             ofList(func(l list) list { return append(l, l...) }),
		"backwards":             ofList(func(l list) list { slices.Reverse(l); return l }),
		"an unlisted one first": ofList(func(l list) list { return append(list{invented(l[0])}, l...) }),
		"an unlisted one last":  ofList(func(l list) list { return append(l, invented(l[0])) }),
		"no block":              edit(func(r map[string]any) { delete(r, "blockHash"); delete(r, "blockNumber") }),
		"no type":               edit(func(r map[string]any) { delete(r, "type") }),
		"type null":             edit(func(r map[string]any) { r["type"] = nil }),
		"a type without type":   one("type", nil),
		"no bloom":              edit(func(r map[string]any) { delete(r, "logsBloom") }),
		"bloom 0x":              edit(func(r map[string]any) { r["logsBloom"] = "0x" }),
		"status true":           edit(func(r map[string]any) { r["status"] = true }),
		"root 0x":               edit(func(r map[string]any) { r["root"] = "0x" }),
		"logs null where none": edit(func(r map[string]any) {
			if len(r["logs"].([]any)) == 0 {
				r["logs"] = nil
			}
		}),
		"twice, then empty": ofList(func(l list) list {
			for _, r := range slices.Clone(l) {
				again := maps.Clone(r)
				again["logs"] = []any{}
				l = append(l, again)
			}
			return l
		}),
	}
	faults := map[string]chaintest.Fault{
		"[]":                       chaintest.Empty(),
		"null":                     chaintest.Null(),
		"an object":                {Edit: func(json.RawMessage) json.RawMessage { return json.RawMessage(`{}`) }},
		"a text":                   {Edit: func(json.RawMessage) json.RawMessage { return json.RawMessage(`"none"`) }},
		"nulls":                    {Edit: func(json.RawMessage) json.RawMessage { return json.RawMessage(`[null,null]`) }},
		"no first":                 without(0),
		"no first without logs":    without(1),
		"no middle":                without(2),
		"no last":                  without(4),
		"only the first":           without(1, 2, 3, 4),
		"only the last":            without(0, 1, 2, 3),
		"no two":                   without(0, 3),
		"one twice, one missing":   ofList(func(l list) list { l[1] = l[0]; return l }),
		"unlisted ones, one less":  ofList(func(l list) list { l[3] = invented(l[0]); return append(l, invented(l[0])) }),
		"of a block before":        edit(func(r map[string]any) { r["blockHash"] = evm.Hash{9}.String() }),
		"of another number":        edit(func(r map[string]any) { r["blockNumber"] = "0x63" }),
		"no logs in one":           chaintest.EditLog(2, func(r map[string]any) { delete(r, "logs") }),
		"logs null in one":         one("logs", nil),
		"logs of text in one":      one("logs", "none"),
		"no transaction in one":    one("transactionHash", nil),
		"short transaction in one": one("transactionHash", "0x12"),
		"another gas in one":       one("cumulativeGasUsed", "0x1"),
		"another status in one":    one("status", "0x0"),
		"another type in one":      one("type", "0x1"),
		"a foreign transaction's":  one("transactionHash", evm.Hash{8}.String()),
		"removed logs in one":      chaintest.EditLog(2, func(r map[string]any) { r["logs"].([]any)[0].(map[string]any)["removed"] = true }),
		"logs of another tx in one": chaintest.EditLog(2, func(r map[string]any) {
			r["logs"].([]any)[0].(map[string]any)["transactionHash"] = evm.Hash{8}.String()
		}),
	}
	maps.Copy(faults, complete)
	for name, fault := range faults {
		for shape, test := range map[string]struct {
			shape  chaintest.Shape
			proven bool
		}{"": {chaintest.Shape{}, true}, ", without blooms": {chaintest.Shape{NoBloomsFrom: 1}, true}, ", not provable": {chaintest.Shape{OtherHash: true}, false}} {
			t.Run(name+shape, func(t *testing.T) {
				oneOfFive(t)
				node := typed(t, test.shape)
				node.Break(0, fault, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.To > 0 })
				if _, ok := complete[name]; ok {
					node.Break(0, chaintest.Fault{Code: 12, Message: "not yours"}, chaintest.Method("eth_getTransactionReceipt"))
				}
				// As of an endpoint that leaves logs out, from receipts alone.
				for _, marked := range []bool{false, true} {
					if marked && shape == ", not provable" && name == "logs null in one" {
						continue // nothing shows that they are missing
					}
					o := lieOptions()
					if marked {
						o.LeavesOut = []string{node.URL}
					}
					c := dial(t, o, node.URL)
					got, proven, err := c.Full(t.Context(), 0, 4)
					if err != nil || proven != test.proven {
						t.Fatalf("marked %t: proven %t, error %v", marked, proven, err)
					}
					checkBlocks(t, node.Blocks(), onlyFull(got))
					if c.Health()[0].LeavesOut != marked {
						t.Errorf("health %+v", c.Health()[0])
					}
				}
			})
		}
	}
}

// TestReceipts_Missing counts the calls for single receipts: those of the missing ones.
func TestReceipts_Missing(t *testing.T) {
	t.Parallel()
	for _, places := range [][]int{{0}, {4}, {1, 3}, {0, 1, 2, 3}} {
		node := typed(t, chaintest.Shape{})
		node.Break(0, without(places...), func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.To > 0 })
		_, proven, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 1, 4)
		if n := node.Calls("eth_getTransactionReceipt"); n != 4*len(places) || !proven || err != nil {
			t.Errorf("without %v: %d calls, proven %t, error %v", places, n, proven, err)
		}
	}
}

// TestReceipts_Single reads blocks from single receipts that are odd or incomplete.
func TestReceipts_Single(t *testing.T) {
	t.Parallel()
	edit := func(edit func(r map[string]any)) chaintest.Fault { return chaintest.Edit(edit) }
	for name, test := range map[string]struct {
		fault  chaintest.Fault
		proven bool
	}{
		"complete":        {chaintest.Fault{}, true},
		"null":            {chaintest.Null(), false},
		"[]":              {chaintest.Empty(), false},
		"refused":         {chaintest.Fault{Code: 12, Message: "not yours"}, false},
		"no type":         {edit(func(r map[string]any) { delete(r, "type") }), true},
		"type null":       {edit(func(r map[string]any) { r["type"] = nil }), true},
		"type odd":        {edit(func(r map[string]any) { r["type"] = "legacy" }), true},
		"no block":        {edit(func(r map[string]any) { delete(r, "blockHash") }), true},
		"of another tx":   {edit(func(r map[string]any) { r["transactionHash"] = evm.Hash{9}.String() }), false},
		"another gas":     {edit(func(r map[string]any) { r["cumulativeGasUsed"] = "0x7" }), false},
		"no gas":          {edit(func(r map[string]any) { delete(r, "cumulativeGasUsed") }), false},
		"no logs":         {edit(func(r map[string]any) { r["logs"] = []any{} }), false},
		"status a number": {edit(func(r map[string]any) { r["status"] = 1 }), true},
	} {
		t.Run(name, func(t *testing.T) {
			node := typed(t, chaintest.Shape{})
			node.Break(0, test.fault, chaintest.Method("eth_getTransactionReceipt"))
			node.Break(0, chaintest.Fault{Code: 12, Message: "not yours"}, chaintest.Method("eth_getBlockReceipts"))
			got, _, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 0, 4)
			expect.NoError(t, err)
			checkBlocks(t, node.Blocks(), onlyFull(got))
			block, err := dial(t, lieOptions(), node.URL).Proven(t.Context(), 3)
			if (err == nil) != test.proven || test.proven && len(block.Logs) != 4 {
				t.Errorf("%d logs, error %v", len(block.Logs), err)
			}
			// A marked endpoint has nothing else. What is only incomplete is no contradiction.
			o := lieOptions()
			o.LeavesOut = []string{node.URL}
			if got, _, err := dial(t, o, node.URL).Full(t.Context(), 0, 4); (err == nil) != (test.proven || name == "no gas") {
				t.Errorf("marked: %d blocks, error %v", len(got), err)
			}
		})
	}
}

// TestReceipts_OneNull has no single receipt of one transaction in four, with or without logs.
func TestReceipts_OneNull(t *testing.T) {
	t.Parallel()
	for place := range 5 {
		for _, shape := range []chaintest.Shape{{}, {OtherHash: true}} {
			t.Run(fmt.Sprint(place, " ", shape.OtherHash), func(t *testing.T) {
				oneOfFive(t)
				node := typed(t, shape)
				node.Break(0, chaintest.Fault{Code: -32601, Message: "Method not found"}, chaintest.Method("eth_getBlockReceipts"))
				asked := -1
				node.Break(0, chaintest.Null(), func(c chaintest.Call) bool {
					if c.Method == "eth_getTransactionReceipt" {
						asked++
					}
					return c.Method == "eth_getTransactionReceipt" && asked%5 == place
				})
				got, proven, err := dial(t, lieOptions(), node.URL).Full(t.Context(), 0, 4)
				if err != nil || proven {
					t.Errorf("proven %t, error %v", proven, err)
				}
				checkBlocks(t, node.Blocks(), onlyFull(got))
			})
		}
	}
}

// TestReceipts_StateSync has lists of receipts that lack the state sync, contain it twice or at
// another place.
func TestReceipts_StateSync(t *testing.T) {
	t.Parallel()
	type list = []map[string]any
	for name, fault := range map[string]chaintest.Fault{
		"there":   {},
		"missing": without(2),
		"twice":   ofList(func(l list) list { return append(l, l[len(l)-1]) }),
		"first":   ofList(func(l list) list { return append(list{l[len(l)-1]}, l[:len(l)-1]...) }),
		"no list": chaintest.Empty(),
		"null":    chaintest.Null(),
		"refused": {Code: -32000, Message: "receipts length mismatch: 1 vs 0"},
		"no type": ofList(func(l list) list { delete(l[len(l)-1], "type"); return l }),
		"no types": ofList(func(l list) list {
			for _, r := range l {
				delete(r, "type")
			}
			return l
		}),
		"another": ofList(func(l list) list { l[len(l)-1] = invented(l[0]); return l }),
	} {
		t.Run(name, func(t *testing.T) {
			node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Shape{StateSync: true}})
			for i := range byte(3) {
				node.Mine([]evm.Log{erc721(i)}, []evm.Log{swap(i)})
			}
			node.Break(0, fault, func(c chaintest.Call) bool { return c.Method == "eth_getBlockReceipts" && c.To > 0 })
			for _, marked := range []bool{false, true} {
				o := lieOptions()
				if marked {
					o.LeavesOut = []string{node.URL}
				}
				got, proven, err := dial(t, o, node.URL).Full(t.Context(), 0, 3)
				if err != nil || proven {
					t.Errorf("proven %t, error %v", proven, err)
				}
				checkBlocks(t, node.Blocks(), onlyFull(got))
			}
		})
	}
}
