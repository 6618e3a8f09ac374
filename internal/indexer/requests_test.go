package indexer_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestRun_Requests counts the requests of a follower at the head. A poll without a new block
// costs one; a new block costs one for the head, which brings the block's header, and one for
// its receipts. Without finalized blocks, each new head costs one more.
func TestRun_Requests(t *testing.T) {
	for name, test := range map[string]struct {
		tag  bool
		want int
	}{"finalized blocks": {true, 2}, "none": {false, 3}} {
		t.Run(name, func(t *testing.T) {
			const blocks, polls = 10, 5
			node, random := chainOf(t, chaintest.NodeOptions{}, 100)
			r := follow(t, storetest.SQLite(t), jsonrpc.Options{Depth: 30}, node)
			r.From = 60
			if !test.tag {
				node.Break(0, chaintest.Fault{Code: -32602, Message: "invalid argument"}, func(c chaintest.Call) bool {
					return c.Method == "eth_getBlockByNumber" && c.To >= 36 && c.To <= 36+blocks
				})
			}
			r.settle(t)
			_, before := node.AllCalls()
			// Only pushes end a wait.
			r.Poll = time.Hour
			pushed, stored := make(chan evm.Header), make(chan uint64, blocks)
			r.Progress = func(p indexer.Progress) { stored <- p.Block }
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- r.Run(ctx, false, pushed) }()
			for range blocks {
				mine(node, random, 1)
				pushed <- evm.Header{}
				<-stored
			}
			for range polls {
				pushed <- evm.Header{}
			}
			stop()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				expect.NoError(t, err)
			}
			_, after := node.AllCalls()
			// The first poll, and perhaps the last, found nothing new.
			if got, most := after-before, 1+blocks*test.want+polls; got > most {
				t.Errorf("%d requests for %d new blocks and %d polls without one, want at most %d", got, blocks, polls+1, most)
			}
		})
	}
}

// TestRun_Limited checks that a follower polls less often once a node has refused a call,
// although the call succeeded later.
func TestRun_Limited(t *testing.T) {
	for name, fault := range map[string]chaintest.Fault{
		"one call": {Code: -32005, Message: "25 requests per second"}, "a request": {Status: http.StatusTooManyRequests}, "none": {},
	} {
		t.Run(name, func(t *testing.T) {
			r, node, _ := followed(t, chaintest.NodeOptions{}, 100)
			r.settle(t)
			before := r.LeastWait()
			node.Break(1, fault, nil)
			r.Limited = r.Source.(source).Limited
			ctx, stop := context.WithCancel(t.Context())
			pushed, ended := make(chan evm.Header), make(chan error)
			go func() { ended <- r.Run(ctx, false, pushed) }()
			pushed <- evm.Header{}
			pushed <- evm.Header{}
			stop()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				expect.NoError(t, err)
			}
			want := before
			if name != "none" {
				want *= 2
			}
			if got := r.LeastWait(); got != want || before == 0 {
				t.Errorf("the shortest wait is %s, want %s", got, want)
			}
		})
	}
}
