package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestItems_RealBlocks reads real blocks in all forms of lines, and compares the result
// with encoding/json.
func TestItems_RealBlocks(t *testing.T) {
	var lines bytes.Buffer
	var want []*evm.Block
	add := func(s chaintest.RealBlock, line string, args ...any) {
		lines.Write(fmt.Appendf(nil, line+"\n", args...))
		block := &evm.Block{Header: wantHeader(t, s.Block), Logs: chaintest.ParseLogs(t, s.Logs)}
		want = append(want, block)
	}
	for _, s := range chaintest.RealBlocks(t) {
		inner := bytes.TrimSuffix(bytes.TrimSpace(s.Block), []byte("}"))
		add(s, `{"block":%s,"logs":%s}`, s.Block, s.Logs)
		add(s, `{"logs":%s,"block":%s}`, s.Logs, s.Block)
		add(s, `%s,"logs":%s}`, inner, s.Logs)
		if s.Receipts != nil {
			receipts, err := json.Marshal(s.Receipts)
			expect.NoError(t, err)
			add(s, `{"block":%s,"receipts":%s}`, s.Block, receipts)
			add(s, `%s,"receipts":%s}`, inner, receipts)
		}
	}
	var got []*evm.Block
	for item, err := range open(t, &lines, "-").Items(context.Background()) {
		expect.NoError(t, err)
		got = append(got, item.Block)
	}
	expect.Equal(t, "blocks", want, got, cmpopts.EquateComparable(evm.Hash{}, evm.Address{}), cmp.Comparer(bytes.Equal))
	expect.Equal(t, "logs in block 18500000", 408, len(got[0].Logs))
}

func wantHeader(t testing.TB, block []byte) evm.Header {
	t.Helper()
	var h struct {
		Number, Timestamp evm.Long
		Hash, ParentHash  evm.Hash
	}
	chaintest.Parse(t, block, &h)
	return evm.Header{BlockRef: evm.BlockRef{Number: uint64(h.Number), Hash: h.Hash}, ParentHash: h.ParentHash, Time: uint64(h.Timestamp)}
}

// TestItems_ChainA compares the logs of the bundle with the chain's eth_getLogs answer.
func TestItems_ChainA(t *testing.T) {
	var want, got []evm.Log
	for line := range bytes.Lines(chaintest.Unpacked(t, "chain-a/logs.ndjson.gz")) {
		want = append(want, chaintest.ParseLogs(t, slices.Concat([]byte("["), line, []byte("]")))...)
	}
	r := open(t, nil, chaintest.Data(t, "chain-a/bundle.ndjson.gz"))
	parent, next := evm.Hash{}, uint64(0)
	for item, err := range r.Items(context.Background()) {
		expect.NoError(t, err)
		h := item.Block.Header
		if h.ParentHash != parent || h.Number != next {
			t.Fatalf("block %d with parent %s follows block %s", h.Number, h.ParentHash, parent)
		}
		parent, next = h.Hash, next+1
		got = append(got, item.Block.Logs...)
	}
	expect.Equal(t, "logs", want, got, cmpopts.EquateComparable(evm.Hash{}, evm.Address{}), cmp.Comparer(bytes.Equal))
	if next != 361 {
		t.Errorf("%d blocks, want 361", next)
	}
}
