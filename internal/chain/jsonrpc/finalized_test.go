package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// finalized selects calls for the finalized block of a node with 100 blocks, 10 of which are not
// final.
func finalized(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To == 90 }

// TestFinalized_Refused reads the head of a node that refuses the tag: in whatever words, it has
// no tag. What passes, or follows an answer to the tag, is a failure.
func TestFinalized_Refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault chaintest.Fault
		fails bool
	}{
		"rootstock":     {chaintest.Fault{Code: -32603, Message: "Internal server error, probably due to invalid parameter type"}, false},
		"iotex":         {chaintest.Fault{Code: -32603, Message: `strconv.ParseUint: parsing "finalized": invalid syntax`}, false},
		"no method":     {chaintest.Fault{Code: -32601, Message: "the method does not exist"}, false},
		"invalid":       {chaintest.Fault{Code: -32602, Message: "invalid argument 0: hex string without 0x prefix"}, false},
		"any words":     {chaintest.Fault{Code: 7, Message: "нет"}, false},
		"unavailable":   {chaintest.Fault{Code: -32000, Message: "finality is unavailable"}, false},
		"too large":     {chaintest.Fault{Code: -32602, Message: "number too large to fit in target type"}, false},
		"pruned":        {chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, false},
		"null":          {chaintest.Null(), false},
		"rate limit":    {chaintest.Fault{Code: 429, Message: "compute units exceeded"}, true},
		"per second":    {chaintest.Fault{Code: -32005, Message: "25 requests per second"}, true},
		"HTTP 503":      {chaintest.Fault{Status: 503}, true},
		"HTTP 500":      {chaintest.Fault{Status: 500}, true},
		"HTTP 520":      {chaintest.Fault{Status: 520}, true},
		"closed":        {chaintest.Fault{Close: true}, true},
		"another block": {chaintest.Edit(func(h map[string]any) { delete(h, "hash") }), true},
	} {
		for order, tagged := range map[string]bool{"from the start": false, "after an answer": true} {
			t.Run(name+", "+order, func(t *testing.T) {
				node := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
				o := lieOptions()
				o.Depth = 30
				c := dial(t, o, node.URL)
				if tagged {
					_, err := c.Head(t.Context())
					expect.NoError(t, err)
				}
				asked := 0
				node.Break(0, test.fault, func(c chaintest.Call) bool {
					if finalized(c) {
						asked++
					}
					return finalized(c)
				})
				head, err := c.Head(t.Context())
				if test.fails || tagged && name != "null" {
					if err == nil {
						t.Errorf("finalized block %d, no error", head.Finalized.Number)
					}
					return
				}
				if err != nil || head.Finalized.Number != 70 {
					t.Errorf("finalized block %d, error %v, want 70", head.Finalized.Number, err)
				}
				// The tag may exist later only if the answer was that there is no such block yet.
				before := asked
				_, err = c.Head(t.Context())
				expect.NoError(t, err)
				expect.Equal(t, "asked again", name == "null", asked > before)
			})
		}
	}
}

// TestFinalized_Passes checks that the tag is used again after a failure that passes.
func TestFinalized_Passes(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chaintest.Fault{
		"rate limit": {Code: 429, Message: "compute units exceeded"}, "HTTP 503": {Status: 503}, "HTTP 520": {Status: 520}, "closed": {Close: true},
		"cut": {Truncate: true},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
			node.Break(1, fault, finalized)
			head, err := dial(t, lieOptions(), node.URL).Head(t.Context())
			if err != nil || head.Finalized.Number != 90 {
				t.Errorf("finalized block %d, error %v, want 90", head.Finalized.Number, err)
			}
		})
	}
}

// TestFinalized_Ahead reads heads whose finalized block is above, at or beside the latest one.
func TestFinalized_Ahead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		latest, finalized uint64
	}{
		"one above": {99, 100}, "far above": {60, 100}, "the same": {100, 100}, "below": {100, 99}, "at the start": {0, 100},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
			tags := map[uint64]uint64{100: test.latest, 90: test.finalized}
			for tag, number := range tags {
				block := node.Recorded(number).Block
				node.Break(0, chaintest.Fault{Edit: func(json.RawMessage) json.RawMessage { return block }}, func(c chaintest.Call) bool {
					return c.Method == "eth_getBlockByNumber" && c.To == tag && c.Batch == 2
				})
			}
			head, err := dial(t, lieOptions(), node.URL).Head(t.Context())
			if err != nil || head.Finalized.Number != test.finalized || head.Latest.Number != max(test.latest, test.finalized) {
				t.Errorf("latest block %d, finalized block %d, error %v", head.Latest.Number, head.Finalized.Number, err)
			}
		})
	}
	// Two blocks of one number are no lag.
	node := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
	other := bytes.ReplaceAll(node.Recorded(100).Block, []byte(node.Blocks()[100].Header.Hash.String()), []byte(evm.Hash{1}.String()))
	node.Break(0, chaintest.Fault{Edit: func(json.RawMessage) json.RawMessage { return other }}, finalized)
	if head, err := dial(t, lieOptions(), node.URL).Head(t.Context()); !errors.Is(err, rpcerror.ErrInconsistent) {
		t.Errorf("finalized block %d, error %v", head.Finalized.Number, err)
	}
}
