package indexer_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestRun_Stalled checks that a follower that runs once ends, with the last cause, once it made
// no progress for as long as it may, whatever is refused, and that it first stores what it can.
func TestRun_Stalled(t *testing.T) {
	all := func(f chaintest.Fault) func(*chaintest.Node) {
		return func(node *chaintest.Node) { node.Break(0, f, nil) }
	}
	for name, test := range map[string]struct {
		fault func(*chaintest.Node)
		want  error
		to    uint64
	}{
		"unavailable": {all(chaintest.Fault{Status: http.StatusServiceUnavailable}), rpcerror.ErrTemporary, 0},
		"closed":      {all(chaintest.Fault{Close: true}), rpcerror.ErrTemporary, 0},
		"refused":     {all(chaintest.Fault{Code: -32000, Message: "that went wrong"}), indexer.ErrStalled, 0},
		"credentials": {all(chaintest.Fault{Status: http.StatusUnauthorized}), indexer.ErrStalled, 0},
		"all but heads": {func(node *chaintest.Node) {
			node.Break(0, chaintest.Fault{Status: http.StatusTooManyRequests}, func(c chaintest.Call) bool { return c.Method == "eth_getLogs" || c.Method == "eth_getBlockReceipts" })
		}, rpcerror.ErrTemporary, 0},
		"a new block": {func(node *chaintest.Node) { lack(node, 95) }, rpcerror.ErrInconsistent, 94},
	} {
		t.Run(name, func(t *testing.T) {
			node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 10})
			for id := range uint64(100) {
				node.Mine([]evm.Log{mint(id)}, nil, []evm.Log{mint(1000 + id), mint(2000 + id)})
			}
			test.fault(node)
			r, pass := patient(t, storetest.SQLite(t), node)
			r.MaxStall = 2 * time.Minute
			r.Lost = func(error) bool { pass(50 * time.Second); return true }
			if err := r.Run(t.Context(), true, woken()); !errors.Is(err, indexer.ErrStalled) || !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v and %v", err, indexer.ErrStalled, test.want)
			}
			if test.to > 0 {
				r.wantRanges(t, evm.Range{To: test.to})
			}
		})
	}
}

// TestRun_StalledGap checks that a follower that runs once waits for a final block until it
// leaves that block out.
func TestRun_StalledGap(t *testing.T) {
	node := incomplete(t, 40, chaintest.NodeOptions{Finality: 10})
	r, pass := patient(t, storetest.SQLite(t), node)
	r.MaxStall = 2 * time.Minute
	r.Lost = func(error) bool { pass(10 * time.Minute); return true }
	expect.NoError(t, r.Run(t.Context(), true, woken()))
	r.wantRanges(t, evm.Range{To: 39}, evm.Range{From: 41, To: 100})
}

// woken returns heads that end the first pauses of a loop.
func woken() <-chan evm.Header {
	heads := make(chan evm.Header, 100)
	for range cap(heads) {
		heads <- evm.Header{}
	}
	return heads
}
