package jsonrpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
)

// byRange selects calls for the logs of more than one block.
func byRange(c chaintest.Call) bool { return c.Method == "eth_getLogs" && !c.ByHash && c.From < c.To }

// TestSpan_CaughtOnce checks that once one sample lacks logs, its range and all later
// ranges of the endpoint are read from receipts. The earlier ranges are doubtful.
func TestSpan_CaughtOnce(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 300)
	node.Break(0, chaintest.CutLogs(10), func(c chaintest.Call) bool { return byRange(c) && c.From > 100 })
	o, told := lieOptions(), 0
	o.OnLeftOut = func(_ context.Context, url string, evidence error) error {
		if told++; url != node.URL || !errors.Is(evidence, rpcerror.ErrInconsistent) {
			t.Errorf("caught %s: %v", url, evidence)
		}
		return nil
	}
	c := dial(t, o, node.URL)
	span, err := c.Span(context.Background(), 1, 100)
	if err != nil || span.Proven {
		t.Fatalf("error %v, proven %t", err, span.Proven)
	}
	if len(c.Doubtful()) > 0 {
		t.Errorf("doubtful before anything was found: %v", c.Doubtful())
	}
	blocks, proven, err := c.Sparse(context.Background(), 101, 300)
	if err != nil || !proven {
		t.Fatalf("error %v, proven %t", err, proven)
	}
	checkBlocks(t, node.Blocks()[101:], onlyFull(blocks))
	asked := node.Calls("eth_getLogs")
	if blocks, proven, err = c.Blocks(context.Background(), 1, 100); err != nil || !proven {
		t.Fatalf("error %v, proven %t", err, proven)
	}
	checkBlocks(t, node.Blocks()[1:101], onlyFull(blocks))
	if more := node.Calls("eth_getLogs") - asked; more > 0 {
		t.Errorf("%d calls for logs after the endpoint was caught", more)
	}
	if diff := cmp.Diff([]evm.Range{{From: 1, To: 100}}, c.Doubtful()); diff != "" || told != 1 {
		t.Errorf("caught %d times, doubtful (-want +got):\n%s", told, diff)
	}
}

// TestSpan_CaughtByOne checks that a range that one endpoint left logs out of is read from
// receipts of every endpoint, and that other ranges of the honest endpoint are not.
func TestSpan_CaughtByOne(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]struct {
		fault chaintest.Fault
		when  func(chaintest.Call) bool
	}{
		"of ranges":        {chaintest.CutLogs(10), byRange},
		"of single blocks": {chaintest.CutLogs(1), chaintest.Method("eth_getLogs")},
	} {
		t.Run(name, func(t *testing.T) {
			liar, honest := filled(t, chaintest.NodeOptions{}, 200), filled(t, chaintest.NodeOptions{}, 200)
			liar.Break(0, lie.fault, lie.when)
			c := dial(t, lieOptions(), liar.URL, honest.URL)
			if _, err := c.Span(context.Background(), 51, 100); err != nil {
				t.Fatal(err)
			}
			before := honest.Calls("eth_getLogs")
			span, err := c.Span(context.Background(), 61, 90)
			if err != nil || !span.Proven || honest.Calls("eth_getLogs") > before || honest.Calls("eth_getBlockReceipts") == 0 {
				t.Errorf("the range itself: error %v, proven %t, %d calls for logs", err, span.Proven, honest.Calls("eth_getLogs")-before)
			}
			span, err = c.Span(context.Background(), 1, 200)
			if err != nil || span.Proven || span.To != 50 {
				t.Errorf("before it: error %v, proven %t, up to %d", err, span.Proven, span.To)
			}
			span, err = c.Span(context.Background(), 101, 200)
			if err != nil || span.Proven || span.To != 200 {
				t.Errorf("after it: error %v, proven %t, up to %d", err, span.Proven, span.To)
			}
		})
	}
}

// TestSpan_KnownToLeaveOut checks that LeavesOut endpoints are read from receipts from the
// start.
func TestSpan_KnownToLeaveOut(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 200)
	node.Break(0, chaintest.CutLogs(10), byRange)
	o := lieOptions()
	o.LeavesOut = []string{node.URL}
	c := dial(t, o, node.URL)
	checkBlocks(t, node.Blocks()[1:], mustRange(t, c, 1, 200))
	if n := node.Calls("eth_getLogs"); n > 0 || len(c.Doubtful()) > 0 {
		t.Errorf("%d calls for logs, doubtful are %v", n, c.Doubtful())
	}
}

// TestSpan_CaughtFails checks that an error of OnLeftOut is returned without blocks.
func TestSpan_CaughtFails(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 200)
	node.Break(0, chaintest.CutLogs(10), byRange)
	full := errors.New("the disk is full")
	o := lieOptions()
	o.OnLeftOut = func(context.Context, string, error) error { return full }
	c := dial(t, o, node.URL)
	if _, err := c.Span(context.Background(), 1, 200); !errors.Is(err, full) || c.Health()[0].LeavesOut {
		t.Errorf("error %v, want %v; health %+v", err, full, c.Health()[0])
	}
}

// TestFull_CaughtUnprovable reads from receipts on a chain without provable headers.
func TestFull_CaughtUnprovable(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 20)
	node.Break(0, chaintest.Edit(func(h map[string]any) { h["extDataHash"], h["gasUsed"] = "0x1", "0x123" }), chaintest.Method("eth_getBlockByNumber"))
	node.Break(0, chaintest.CutLogs(1), chaintest.Method("eth_getLogs"))
	c := dial(t, lieOptions(), node.URL)
	got, proven, err := c.Full(context.Background(), 1, 20)
	if err != nil || proven {
		t.Fatalf("error %v, proven %t", err, proven)
	}
	checkBlocks(t, node.Blocks()[1:], onlyFull(got))
}
