package jsonrpc_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestDial_BadURL checks that errors about URLs contain no credentials.
func TestDial_BadURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "127.0.0.1:8545", "ftp://secret.example", "http://", "http://user:secret@host:port/secret", "ws:secret"} {
		_, err := jsonrpc.Dial([]string{url}, jsonrpc.Options{})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v", url, err)
		}
	}
	if _, err := jsonrpc.Dial(nil, jsonrpc.Options{}); err == nil {
		t.Error("no endpoint: no error")
	}
}

// TestClient_NoSecrets checks that errors and health contain no credentials, even if the
// server repeats them.
func TestClient_NoSecrets(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 1)
	host := strings.TrimPrefix(node.URL, "http://")
	for name, test := range map[string]struct {
		fault chaintest.Fault
		class string
	}{
		"RPC error":  {chaintest.Fault{Code: -32000, Message: "key SECRETSECRETSECRET of user PASSWORD is unknown, app SECR3T of project S3C, S%C3%A9CRET"}, "refused"},
		"status":     {chaintest.Fault{Status: 401, Body: "SECRETSECRETSECRET PASSWORD"}, "refused"},
		"connection": {chaintest.Fault{Close: true}, "unreachable"},
		"text":       {chaintest.Fault{Status: 403, Body: `{"error":"key SECRETSECRETSECRET of PASSWORD"}`}, "refused"},
		"rate":       {chaintest.Fault{Status: 429, Body: "SECRETSECRETSECRET PASSWORD"}, "rate limited"},
	} {
		fault := test.fault
		t.Run(name, func(t *testing.T) {
			defer node.ClearFaults()
			node.Break(0, fault, nil)
			clock := new(chaintest.Clock)
			c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, "http://user:PASSWORD@"+host+"/v3/S3C/SECRETSECRETSECRET/SéCRET?key=SECRETSECRETSECRET&app=SECR3T")
			_, err := c.ChainID(context.Background())
			h := c.Health()[0]
			if err == nil || h.LastError != test.class || h.LastFailure == "" || h.URL != "http://"+host+"/…" {
				t.Fatalf("error %v, health %+v, want class %s", err, h, test.class)
			}
			for _, secret := range []string{"SECRET", "PASSWORD", "S3C", "SECR3T", "CRET"} {
				if all := err.Error() + h.LastError + h.LastFailure; strings.Contains(all, secret) {
					t.Errorf("%s in %s", secret, all)
				}
			}
		})
	}
}

func TestClient_ChainID(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, b := filled(t, chaintest.NodeOptions{}, 1), filled(t, chaintest.NodeOptions{}, 1)
	other := filled(t, chaintest.NodeOptions{ChainID: 5}, 1)
	if id, err := dial(t, lieOptions(), a.URL, b.URL).ChainID(ctx); err != nil || id != 31337 {
		t.Errorf("two that agree: %d, %v", id, err)
	}
	_, err := dial(t, lieOptions(), a.URL, other.URL).ChainID(ctx)
	if !errors.Is(err, rpcerror.ErrWrongChain) || !strings.Contains(err.Error(), a.URL) || !strings.Contains(err.Error(), other.URL) {
		t.Errorf("two that differ: %v: want both named", err)
	}
	b.Break(0, chaintest.Fault{Status: 503}, nil)
	if id, err := dial(t, lieOptions(), b.URL, a.URL).ChainID(ctx); err != nil || id != 31337 {
		t.Errorf("one is down: %d, %v", id, err)
	}
	if _, err := dial(t, lieOptions(), b.URL).ChainID(ctx); !errors.Is(err, rpcerror.ErrTemporary) {
		t.Errorf("all are down: %v", err)
	}
	// No blocks are read from the other chain's endpoint, even if the first one fails.
	c := dial(t, lieOptions(), a.URL, other.URL)
	if _, err := c.Block(ctx, 1); err != nil {
		t.Fatal(err)
	}
	a.Break(0, chaintest.Fault{Status: 503}, nil)
	if _, err := c.Block(ctx, 1); err == nil {
		t.Error("got a block of another chain")
	}
}

func TestClient_Head(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		fault *chaintest.Fault
		depth uint64
		want  uint64
	}{
		"tag":             {nil, 0, 90},
		"null":            {&chaintest.Fault{Edit: chaintest.Null().Edit}, 0, 36},
		"unknown block":   {&chaintest.Fault{Code: -39001, Message: "Unknown block"}, 0, 36},
		"not found":       {&chaintest.Fault{Code: -32000, Message: "finalized block not found"}, 30, 70},
		"invalid":         {&chaintest.Fault{Code: -32602, Message: "invalid argument 0: hex string without 0x prefix"}, 0, 36},
		"below the start": {&chaintest.Fault{Code: -39001, Message: "Unknown block"}, 1000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
			o := lieOptions()
			o.Depth = test.depth
			if test.fault != nil {
				node.Break(0, *test.fault, func(c chaintest.Call) bool { return c.Method == "eth_getBlockByNumber" && c.To == 90 })
			}
			c := dial(t, o, node.URL)
			for range 2 {
				head, err := c.Head(ctx)
				blocks := node.Blocks()
				want := jsonrpc.Head{Latest: blocks[100].Header, Finalized: blocks[test.want].Header}
				if diff := cmp.Diff(want, head); err != nil || diff != "" {
					t.Fatalf("error %v, head (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

// TestClient_Failover checks that the first endpoint is called while it is healthy, the
// second while the first rests, and then the first again.
func TestClient_Failover(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, b := filled(t, chaintest.NodeOptions{}, 10), filled(t, chaintest.NodeOptions{}, 10)
	clock := new(chaintest.Clock)
	c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, a.URL, b.URL)
	asks := func() (int, int) {
		if _, err := c.Block(ctx, 5); err != nil {
			t.Fatal(err)
		}
		return a.Calls("eth_getBlockByNumber"), b.Calls("eth_getBlockByNumber")
	}
	if first, second := asks(); first != 1 || second != 0 {
		t.Fatalf("healthy: %d and %d calls", first, second)
	}
	a.Break(0, chaintest.Fault{Status: 500}, nil)
	if first, second := asks(); first != 2 || second != 1 {
		t.Fatalf("the first fails: %d and %d calls", first, second)
	}
	if first, second := asks(); first != 2 || second != 2 {
		t.Fatalf("the first rests: %d and %d calls", first, second)
	}
	if h := c.Health()[0]; h.RestUntil.IsZero() || h.LastError == "" {
		t.Errorf("health of the first: %+v", h)
	}
	a.ClearFaults()
	clock.Pass(time.Second)
	if first, second := asks(); first != 3 || second != 2 {
		t.Fatalf("the first is healthy again: %d and %d calls", first, second)
	}
	if len(clock.Waits()) > 0 {
		t.Errorf("the client waited %v", clock.Waits())
	}
}

// TestClient_Lag checks that a node that has the block is called instead of one that lags.
func TestClient_Lag(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, b := filled(t, chaintest.NodeOptions{}, 40), filled(t, chaintest.NodeOptions{}, 40)
	a.Lag(15)
	c := dial(t, lieOptions(), a.URL, b.URL)
	got, err := c.Range(ctx, 1, 40)
	expect.NoError(t, err)
	checkBlocks(t, b.Blocks()[1:], got)
	whole := b.Blocks()
	block, err := c.Block(ctx, 30)
	expect.NoError(t, err)
	checkBlocks(t, whole[30:31], []evm.Block{block})
	b.Lag(20)
	for name, ask := range map[string]func(*jsonrpc.Client) error{
		"range":  readRange(1, 40),
		"block":  readBlock(30),
		"proof":  readProof(30),
		"header": readHeaders(20, 30),
	} {
		if err := ask(c); !errors.Is(err, rpcerror.ErrLagging) {
			t.Errorf("%s, both lag: %v, want ErrLagging", name, err)
		}
	}
	// Lagging is not a failure.
	if h := c.Health(); !h[0].RestUntil.IsZero() || !h[1].RestUntil.IsZero() {
		t.Errorf("health %+v", h)
	}
}

// TestBlock_Disagree has two nodes on two branches. Each block must come from one of them.
func TestBlock_Disagree(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, b := filled(t, chaintest.NodeOptions{}, 40), filled(t, chaintest.NodeOptions{}, 30)
	o := contents(10)
	o.Seed = 9
	b.Reorg(10)
	b.Generate(contents(10))
	b.Generate(o)
	ours, theirs := a.Blocks()[25], b.Blocks()[25]
	c := dial(t, lieOptions(), a.URL, b.URL)
	got, err := c.Block(ctx, 25)
	expect.NoError(t, err)
	checkBlocks(t, []evm.Block{ours}, []evm.Block{got})
	// A gateway's error says nothing about the method, so the other endpoint is called.
	a.Break(2, chaintest.Fault{Status: 503}, chaintest.Method("eth_getLogs"))
	got, err = c.Block(ctx, 25)
	expect.NoError(t, err)
	checkBlocks(t, []evm.Block{theirs}, []evm.Block{got})
}

// TestClient_RateLimit checks that the client waits as long as the node requests, or else
// longer each time, and then requests the same range.
func TestClient_RateLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault chaintest.Fault
		want  []time.Duration
	}{
		"no time named":      {chaintest.Fault{Status: http.StatusTooManyRequests}, []time.Duration{187500 * time.Microsecond, 375 * time.Millisecond, 750 * time.Millisecond}},
		"seconds":            {chaintest.Fault{Status: http.StatusTooManyRequests, Header: []string{"Retry-After", "7"}}, []time.Duration{7 * time.Second, 7 * time.Second, 7 * time.Second}},
		"in the answer":      {chaintest.Fault{Code: -32005, Message: "request rate exceeded, block range of 10000 blocks"}, []time.Duration{250 * time.Millisecond, 187500 * time.Microsecond, 250 * time.Millisecond}},
		"a date, then again": {chaintest.Fault{Status: 429, Header: []string{"Retry-After", "Tue, 14 Nov 2023 22:13:25 GMT"}}, []time.Duration{5 * time.Second, 375 * time.Millisecond, 750 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			node := filled(t, chaintest.NodeOptions{}, 40)
			// Three batches with two filters and a sample each.
			node.Break(9, test.fault, chaintest.Method("eth_getLogs"))
			clock := new(chaintest.Clock)
			c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, node.URL)
			mustRange(t, c, 1, 40)
			expect.Equal(t, "waits", test.want, clock.Waits())
			expect.Equal(t, "ranges", []chaintest.Asked{{From: 1, To: 40}}, node.Ranges())
		})
	}
}

// TestClient_LongRetryAfter checks that the client sends nothing during the longest pause that
// a node can request, and that a caller need not wait for its end.
func TestClient_LongRetryAfter(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 5)
	node.Break(1, chaintest.Fault{Status: 503, Header: []string{"Retry-After", "1000000"}}, chaintest.Method("eth_getBlockByNumber"))
	clock := new(chaintest.Clock)
	c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, node.URL)
	for range 3 {
		if _, err := c.Headers(t.Context(), 3, 3); !errors.Is(err, rpcerror.ErrTemporary) {
			t.Fatalf("error %v, want %v", err, rpcerror.ErrTemporary)
		}
	}
	_, err := c.Headers(t.Context(), 3, 3)
	expect.NoError(t, err)
	expect.Equal(t, "waits", slices.Repeat([]time.Duration{30 * time.Second}, 20), clock.Waits())
}

// TestClient_RestsAnew checks that the pauses start short again after an answer.
func TestClient_RestsAnew(t *testing.T) {
	t.Parallel()
	node := filled(t, chaintest.NodeOptions{}, 5)
	clock := new(chaintest.Clock)
	c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, node.URL)
	for range 2 {
		node.Break(2, chaintest.Fault{Status: 503}, chaintest.Method("eth_getBlockByNumber"))
		if _, err := c.Headers(context.Background(), 3, 3); err != nil {
			t.Fatal(err)
		}
	}
	short, long := 187500*time.Microsecond, 375*time.Millisecond
	expect.Equal(t, "waits", []time.Duration{short, long, short, long}, clock.Waits())
}
