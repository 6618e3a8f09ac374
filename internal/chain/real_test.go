package chain_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
)

// TestItems_RealBlocks reads real blocks in all shapes and compares them with
// what encoding/json reads.
func TestItems_RealBlocks(t *testing.T) {
	var lines bytes.Buffer
	var want []*evm.Block
	add := func(s sample, line string, args ...any) {
		lines.Write(fmt.Appendf(nil, line+"\n", args...))
		block := &evm.Block{Header: wantHeader(t, s), Logs: wantLogs(t, s.logs)}
		want = append(want, block)
	}
	for _, s := range samples(t) {
		inner := bytes.TrimSuffix(bytes.TrimSpace(s.block), []byte("}"))
		add(s, `{"block":%s,"logs":%s}`, s.block, s.logs)
		add(s, `{"logs":%s,"block":%s}`, s.logs, s.block)
		add(s, `%s,"logs":%s}`, inner, s.logs)
		if s.receipts != nil {
			add(s, `{"block":%s,"receipts":%s}`, s.block, s.receipts)
			add(s, `%s,"receipts":%s}`, inner, s.receipts)
		}
	}
	var got []*evm.Block
	for item, err := range open(t, &lines, "-").Items(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item.Block)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(evm.Hash{}, evm.Address{}), cmp.Comparer(bytes.Equal)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if len(got[0].Logs) != 408 {
		t.Errorf("%d logs in block 18500000, want 408 (source.json)", len(got[0].Logs))
	}
}

func wantHeader(t testing.TB, s sample) (h evm.Header) {
	t.Helper()
	var number, time evm.Long
	for name, to := range map[string]any{"number": &number, "hash": &h.Hash, "parentHash": &h.ParentHash, "timestamp": &time} {
		parse(t, s.header[name], to)
	}
	h.Number, h.Time = uint64(number), uint64(time)
	return h
}

// TestItems_ChainA compares the bundle with the chain's eth_getLogs answer.
func TestItems_ChainA(t *testing.T) {
	var want, got []evm.Log
	for line := range bytes.Lines(shared(t, "chain-a/logs.ndjson.gz")) {
		want = append(want, wantLogs(t, slices.Concat([]byte("["), line, []byte("]")))...)
	}
	r := open(t, nil, chaintest.Data(t, "chain-a/bundle.ndjson.gz"))
	parent, next := evm.Hash{}, uint64(0)
	for item, err := range r.Items(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		h := item.Block.Header
		if h.ParentHash != parent || h.Number != next {
			t.Fatalf("block %d with parent %s follows block %s", h.Number, h.ParentHash, parent)
		}
		parent, next = h.Hash, next+1
		got = append(got, item.Block.Logs...)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(evm.Hash{}, evm.Address{}), cmp.Comparer(bytes.Equal)); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
	if next != 361 {
		t.Errorf("%d blocks, want 361", next)
	}
}
