package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestRanges_Bounds checks that invalid ranges fail without a call, and that the largest
// block number is accepted.
func TestRanges_Bounds(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 5)
	c := dial(t, lieOptions(), node.URL)
	for name, read := range map[string]func(from, to uint64) error{
		"Headers": func(from, to uint64) error { _, err := c.Headers(t.Context(), from, to); return err },
		"Span":    func(from, to uint64) error { _, err := c.Span(t.Context(), from, to); return err },
		"Full":    func(from, to uint64) error { _, _, err := c.Full(t.Context(), from, to); return err },
	} {
		for _, r := range []evm.Range{{From: 5, To: 4}, {From: 4, To: wire.MaxBlockNumber + 1}} {
			if err := read(r.From, r.To); err == nil || !strings.Contains(err.Error(), "not a range") {
				t.Errorf("%s %v: error %v, want not a range", name, r, err)
			}
		}
		if err := read(5, 5); err != nil {
			t.Errorf("%s of one block: %v", name, err)
		}
		if err := read(wire.MaxBlockNumber, wire.MaxBlockNumber); !errors.Is(err, rpcerror.ErrLagging) {
			t.Errorf("%s of the last block: %v, want %v", name, err, rpcerror.ErrLagging)
		}
	}
}

// TestSpan_LogBounds checks that a log just outside the range makes the client read the range
// from receipts, and that logs of blocks inside are accepted.
func TestSpan_LogBounds(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 12)
	o := lieOptions()
	o.Samples = -1
	blocks := node.Blocks()
	for at, caught := range map[int]bool{4: true, 5: false, 9: false, 11: true} {
		outside := blocks[at]
		log := fmt.Sprintf(`{"address":%q,"topics":[%q,%q,%q,%q],"data":"0x","blockNumber":"%#x","blockHash":%q,"transactionHash":%q,"transactionIndex":"0x0","logIndex":"0x4000"}`,
			outside.Logs[0].Address, evm.TopicTransfer.Hash(), evm.Hash{}, evm.Hash{1}, evm.Hash{2}, at, outside.Header.Hash, outside.Logs[0].TxHash)
		added := chaintest.Fault{Edit: func(list json.RawMessage) json.RawMessage {
			return append(bytes.TrimSuffix(list, []byte("]")), ","+log+"]"...)
		}}
		if caught {
			checkCaught(t, node, o, added, chaintest.Method("eth_getLogs"), 5, 10)
		} else {
			checkRefused(t, node, o, added, chaintest.Method("eth_getLogs"), nil, readRange(5, 10))
		}
	}
}

// TestSpan_Times checks that a block may have the same time as the one before, or an earlier
// one, if the header says so.
func TestSpan_Times(t *testing.T) {
	t.Parallel()
	for time := range uint64(2) {
		for _, noTimes := range []bool{false, true} {
			node := filled(t, chaintest.NodeOptions{NoTimes: noTimes}, 8)
			blocks := node.Blocks()
			old, changed := fmt.Sprintf("%#x", blocks[6].Header.Time), fmt.Sprintf("%#x", blocks[5].Header.Time-time)
			checkRefused(t, node, unsampled(), chaintest.Replace(old, changed), nil, nil, readRange(1, 8))
		}
	}
}

// TestSpan_Repeated checks that a log that is repeated in the answers to filters is dropped.
// If all logs of a block contain it twice, or another log has its index, the client reads the
// range from receipts.
func TestSpan_Repeated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit   func(log map[string]any)
		when   func(chaintest.Call) bool
		caught bool
	}{
		"the same log":             {func(map[string]any) {}, byRange, false},
		"the same log, everywhere": {func(map[string]any) {}, chaintest.Method("eth_getLogs"), false},
		"other data":               {func(log map[string]any) { log["data"] = "0x07" }, byRange, true},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 5)
			repeated := chaintest.Fault{Edit: func(list json.RawMessage) json.RawMessage {
				var logs []map[string]any
				chaintest.Parse(t, list, &logs)
				again := map[string]any{}
				for field, value := range logs[0] {
					again[field] = value
				}
				test.edit(again)
				text, _ := json.Marshal(append(logs, again))
				return text
			}}
			if test.caught {
				checkCaught(t, node, unsampled(), repeated, test.when, 1, 5)
				return
			}
			node.Break(0, repeated, test.when)
			c := dial(t, unsampled(), node.URL)
			checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 5))
			if c.Health()[0].LeavesOut {
				t.Errorf("health %+v", c.Health()[0])
			}
		})
	}
}

// TestSpan_Differs checks that each field of a log is compared with the block's own logs. A
// different log marks the endpoint, but does not count as left out.
func TestSpan_Differs(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 10)
	other := evm.Hash{1}.String()
	for name, edit := range map[string]func(log map[string]any){
		"address":     func(log map[string]any) { log["address"] = other[:42] },
		"topics":      func(log map[string]any) { log["topics"].([]any)[3] = other },
		"data":        func(log map[string]any) { log["data"] = "0x07" },
		"transaction": func(log map[string]any) { log["transactionHash"] = other },
		"log index":   func(log map[string]any) { log["logIndex"] = "0x4000" },
	} {
		t.Run(name, func(t *testing.T) {
			o := lieOptions()
			o.Samples = 10
			checkCaught(t, node, o, chaintest.EditLog(-1, edit), byRange, 1, 10)
			defer node.ClearFaults()
			node.Break(0, chaintest.EditLog(-1, edit), byRange)
			c := dial(t, o, node.URL)
			mustRange(t, c, 1, 10)
			expect.Equal(t, "class", "inconsistent", c.Health()[0].LastError)
		})
	}
}

// TestSpan_HeaderOfLogs checks that a header requested because logs have no time is rejected
// if its hash differs from the logs' block hash.
func TestSpan_HeaderOfLogs(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{NoTimes: true}, 10)
	for _, block := range []uint64{5, 10} {
		other := chaintest.Edit(func(h map[string]any) { h["hash"] = evm.Hash{1}.String() })
		header := func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To == block }
		checkRefused(t, node, unsampled(), other, header, rpcerror.ErrInconsistent, readRange(1, 10))
	}
}
