package recording_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// recorded is an editable line with a block and its receipts.
type recorded struct {
	block    map[string]any
	receipts []any
}

func (r recorded) receipt(i int) map[string]any { return r.receipts[i].(map[string]any) }

func (r recorded) log(i, j int) map[string]any {
	return r.receipt(i)["logs"].([]any)[j].(map[string]any)
}

// TestItems_Proven records a block of a node and changes the line. A complete line is
// proved, an incomplete one is not, and one that contradicts the header is an error.
func TestItems_Proven(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 3, 40
	node.Generate(contents)
	const (
		proved   = "proved"
		unproved = "unproved"
	)
	inline := func(r recorded) any {
		r.block["receipts"] = r.receipts
		return r.block
	}
	for name, c := range map[string]struct {
		edit func(r recorded) any
		want string // proved, unproved or a part of the error
	}{
		"block and receipts": {nil, proved},
		"inline header":      {inline, proved},
		"transaction objects": {func(r recorded) any {
			for i, hash := range r.block["transactions"].([]any) {
				r.block["transactions"].([]any)[i] = map[string]any{"hash": hash, "gas": "0x1"}
			}
			return nil
		}, proved},
		"no transactions": {func(r recorded) any { delete(r.block, "transactions"); return nil }, proved},
		"no bloom filters in receipts": {func(r recorded) any {
			for i := range r.receipts {
				delete(r.receipt(i), "logsBloom")
			}
			return nil
		}, proved},
		"an odd type, but known from the transaction": {func(r recorded) any {
			for i, hash := range r.block["transactions"].([]any) {
				r.block["transactions"].([]any)[i] = map[string]any{"hash": hash, "type": r.receipt(i)["type"]}
			}
			r.receipt(1)["type"] = "access list"
			return nil
		}, proved},
		"another log's index":        {func(r recorded) any { r.log(0, 0)["logIndex"] = "0x7000"; return nil }, proved},
		"a field that is not hashed": {func(r recorded) any { r.block["totalDifficulty"] = "0x7"; return nil }, proved},

		"logs":                       {func(r recorded) any { return map[string]any{"block": r.block, "logs": []any{}} }, unproved},
		"a header without a field":   {func(r recorded) any { delete(r.block, "stateRoot"); return nil }, unproved},
		"another header":             {func(r recorded) any { r.block["gasUsed"] = "0x1"; return nil }, unproved},
		"a header of another chain":  {func(r recorded) any { r.block["difficulty"] = nil; return nil }, unproved},
		"a receipt without gas":      {func(r recorded) any { delete(r.receipt(0), "cumulativeGasUsed"); return nil }, unproved},
		"a receipt without status":   {func(r recorded) any { delete(r.receipt(0), "status"); return nil }, unproved},
		"a receipt of unknown type":  {func(r recorded) any { r.receipt(0)["type"] = "0x6b"; return nil }, unproved},
		"a receipt with an odd type": {func(r recorded) any { r.receipt(1)["type"] = "access list"; return nil }, unproved},

		"missing receipt": {func(r recorded) any { return map[string]any{"block": r.block, "receipts": r.receipts[1:]} }, "receipts of "},
		"missing receipt, transactions unknown": {func(r recorded) any {
			delete(r.block, "transactions")
			last := len(r.receipts) - 1
			return map[string]any{"block": r.block, "receipts": r.receipts[:last]}
		}, "the root of the receipts is 0x"},
		"another transaction": {func(r recorded) any {
			r.block["transactions"].([]any)[0] = h1
			return nil
		}, "that of " + h1 + " is missing"},
		"another status": {func(r recorded) any { r.receipt(0)["status"] = "0x0"; return nil }, "the root of the receipts is 0x"},
		"another amount": {func(r recorded) any { r.log(0, 0)["data"] = "0x01"; return nil }, "the root of the receipts is 0x"},
		"missing log":    {func(r recorded) any { last := r.receipt(len(r.receipts) - 1); last["logs"] = []any{}; return nil }, "the root of the receipts is 0x"},
	} {
		t.Run(name, func(t *testing.T) {
			var parts struct {
				Block    map[string]any
				Receipts []any
			}
			chaintest.Parse(t, node.Recorded(2).Line(), &parts)
			r := recorded{parts.Block, parts.Receipts}
			line := any(nil)
			if c.edit != nil {
				line = c.edit(r)
			}
			if line == nil {
				line = map[string]any{"block": r.block, "receipts": r.receipts}
			}
			text, err := json.Marshal(line)
			expect.NoError(t, err)
			got := unproved
			for item, err := range open(t, strings.NewReader(string(text)), "-").Items(context.Background()) {
				switch {
				case err != nil:
					got = err.Error()
				case item.Proven:
					got = proved
					for i, log := range item.Block.Logs {
						if log.Index != uint32(i) {
							t.Errorf("log %d has the index %d", i, log.Index)
						}
					}
				}
			}
			if c.want == proved || c.want == unproved {
				if got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			} else if !strings.HasPrefix(got, "stdin:1: ") || !strings.Contains(got, c.want) {
				t.Errorf("got %s, want stdin:1 and %s", got, c.want)
			}
		})
	}
}

// FuzzItems_Proven checks that the parts of a line that only the proof reads cannot crash
// the reader either.
func FuzzItems_Proven(f *testing.F) {
	node := chaintest.NewNode(f, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 2, 5
	node.Generate(contents)
	f.Add(string(node.Recorded(1).Line()))
	f.Add(`{"block":{"number":"0x1"},"receipts":[{"logs":[],"root":"0x","depositReceiptVersion":"0x1"}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		for item, err := range open(t, strings.NewReader(line), "-").Items(context.Background()) {
			if err == nil && item.Proven && item.Block == nil {
				t.Error("proven, but no block")
			}
		}
	})
}
