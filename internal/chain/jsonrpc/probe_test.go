package jsonrpc_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// outages returns faults of a node that does not answer.
func outages() map[string]chaintest.Fault {
	return map[string]chaintest.Fault{
		"429":         {Status: http.StatusTooManyRequests},
		"503":         {Status: http.StatusServiceUnavailable},
		"520":         {Status: 520, Body: "<html>"},
		"reset":       {Close: true},
		"cut":         {Truncate: true},
		"starting":    {Code: -32000, Message: "the node is starting"},
		"asked pause": {Status: http.StatusTooManyRequests, Header: []string{"Retry-After", "20"}},
	}
}

// TestClient_ChainIDAgain checks that a temporary failure at the start is repeated.
func TestClient_ChainIDAgain(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 1)
	for name, fault := range outages() {
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(2, fault, nil)
			clock := new(chaintest.Clock)
			c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, node.URL)
			if id, err := c.ChainID(context.Background()); err != nil || id != 31337 {
				t.Errorf("chain id %d, error %v", id, err)
			}
			if waited := clock.Now().Sub(new(chaintest.Clock).Now()); len(fault.Header) > 0 && waited < 20*time.Second {
				t.Errorf("waited %s, want the pause that the node requested", waited)
			}
		})
	}
	node.Break(0, chaintest.Fault{Status: http.StatusUnauthorized}, nil)
	before := node.Calls("eth_chainId")
	if _, err := dial(t, lieOptions(), node.URL).ChainID(context.Background()); err == nil || node.Calls("eth_chainId") != before+1 {
		t.Errorf("rejected: error %v after %d calls, want one", err, node.Calls("eth_chainId")-before)
	}
}

// TestClient_Probe checks that an endpoint that does not answer is down until it answers, and
// is meanwhile probed at intervals of at most 5 seconds by its head's number alone.
func TestClient_Probe(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, fault := range outages() {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 10)
			clock := new(chaintest.Clock)
			c := dial(t, jsonrpc.Options{Clock: clock.Random(0.99)}, node.URL)
			down := func() bool { return c.Health()[0].Down }
			if _, err := c.Head(ctx); err != nil || down() {
				t.Fatalf("error %v, down %v", err, down())
			}
			node.Break(0, fault, nil)
			for range 3 {
				if _, err := c.Head(ctx); err == nil || !down() {
					t.Fatalf("without an answer: error %v, down %v", err, down())
				}
			}
			waits := clock.Waits()
			last := waits[len(waits)-1]
			if most := 5 * time.Second; len(fault.Header) == 0 && (last > most || last < most/2) || len(fault.Header) > 0 && last < 19*time.Second {
				t.Errorf("waits %v", waits)
			}
			asked, probes := node.Calls("eth_getBlockByNumber"), node.Calls("eth_blockNumber")
			if _, err := c.Head(ctx); err == nil {
				t.Error("no error")
			}
			if more := node.Calls("eth_getBlockByNumber") - asked; fault.Message == "" && more > 0 || node.Calls("eth_blockNumber") == probes {
				t.Errorf("%d blocks were requested, and %d probes", more, node.Calls("eth_blockNumber")-probes)
			}
			node.ClearFaults()
			clock.Pass(time.Minute)
			if !down() {
				t.Error("up without an answer")
			}
			_, err := c.Head(ctx)
			expect.NoError(t, err)
			if down() {
				t.Error("down after an answer")
			}
		})
	}
}

// TestClient_ProbeHang checks that an endpoint that hangs is down after one call, and delays
// the others by a probe.
func TestClient_ProbeHang(t *testing.T) {
	ctx := context.Background()
	node, other := filled(t, chaintest.NodeOptions{}, 10), filled(t, chaintest.NodeOptions{}, 10)
	clock := new(chaintest.Clock)
	c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5), Timeout: 50 * time.Millisecond}, node.URL, other.URL)
	_, err := c.Head(ctx)
	expect.NoError(t, err)
	node.Break(0, chaintest.Fault{Hang: make(chan struct{})}, nil)
	head := func() (down bool) {
		_, err := c.Head(ctx)
		expect.NoError(t, err)
		clock.Pass(time.Minute)
		return c.Health()[0].Down
	}
	if !head() {
		t.Error("up after a call without an answer")
	}
	asked := node.Calls("eth_getBlockByNumber")
	if !head() || node.Calls("eth_getBlockByNumber") != asked {
		t.Errorf("%d more calls for blocks", node.Calls("eth_getBlockByNumber")-asked)
	}
	node.ClearFaults()
	if head() {
		t.Error("down after an answer")
	}
}

// TestClient_OneError checks that an endpoint that rejects one call is not down.
func TestClient_OneError(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 10)
	c := dial(t, lieOptions(), node.URL)
	_, err := c.Head(context.Background())
	expect.NoError(t, err)
	node.Break(0, chaintest.Fault{Code: -32000, Message: "that went wrong"}, chaintest.Method("eth_getBlockByNumber"))
	if _, err := c.Headers(context.Background(), 1, 1); err == nil || c.Health()[0].Down {
		t.Errorf("error %v, health %+v", err, c.Health()[0])
	}
	if _, err := c.Headers(context.Background(), 1, 1); err == nil || !c.Health()[0].Down {
		t.Errorf("again: error %v, health %+v", err, c.Health()[0])
	}
}
