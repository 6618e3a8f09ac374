package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// chainA starts anvil with the shared test chain.
func chainA(t testing.TB) string {
	t.Helper()
	return chaintest.Anvil(t, "--load-state", chaintest.Data(t, "chain-a/state.json"))
}

func dial(t testing.TB, o jsonrpc.Options, urls ...string) *jsonrpc.Client {
	t.Helper()
	c, err := jsonrpc.Dial(urls, o)
	expect.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// decoded returns the mints, burns and rejected logs of blocks.
func decoded(t testing.TB, blocks []evm.Block) (answers [3][]chaintest.Answer) {
	t.Helper()
	var all []nft.Block
	for _, b := range blocks {
		d, err := new(nft.Decoder).Decode(b.Header, b.Logs)
		expect.NoError(t, err)
		all = append(all, d)
	}
	return chaintest.Answers(all...)
}

// items returns all items of a recording.
func items(t testing.TB, stdin io.Reader, path string) (all []recording.Item) {
	t.Helper()
	r, err := recording.Open([]string{path}, stdin)
	expect.NoError(t, err)
	for item, err := range r.Items(t.Context()) {
		expect.NoError(t, err)
		all = append(all, item)
	}
	return all
}

// bundle returns the recorded blocks of chain-a.
func bundle(t testing.TB) (blocks []evm.Block) {
	t.Helper()
	for _, item := range items(t, nil, chaintest.Data(t, "chain-a/bundle.ndjson.gz")) {
		blocks = append(blocks, *item.Block)
	}
	return blocks
}

func TestRange_Anvil(t *testing.T) {
	t.Parallel()
	address := chainA(t)
	want := chaintest.WantAnswers(t)
	for name, test := range map[string]struct {
		url string
		o   jsonrpc.Options
	}{
		"one range":     {"http://" + address, jsonrpc.Options{}},
		"small ranges":  {"http://" + address, jsonrpc.Options{Step: 7, MaxStep: 7}},
		"single blocks": {"http://" + address, jsonrpc.Options{Step: 1, MaxStep: 1}},
		"no batches":    {"http://" + address, jsonrpc.Options{BatchSize: 1, MaxStep: 100}},
		"WebSocket":     {"ws://" + address, jsonrpc.Options{MaxStep: 50}},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, test.o, test.url)
			expect.Equal(t, "answers", want, decoded(t, mustRange(t, c, 0, 360)))
		})
	}
}

func TestProven_Anvil(t *testing.T) {
	t.Parallel()
	c := dial(t, jsonrpc.Options{}, "http://"+chainA(t))
	for i, want := range bundle(t) {
		if testing.Short() && i%10 > 0 {
			continue
		}
		got, err := c.Proven(context.Background(), want.Header.Number)
		expect.NoError(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("block %d (-want +got):\n%s", want.Header.Number, diff)
		}
	}
}

func TestBlock_Anvil(t *testing.T) {
	t.Parallel()
	c := dial(t, jsonrpc.Options{}, "http://"+chainA(t))
	head, err := c.Head(context.Background())
	if err != nil || head.Latest.Number != 360 || head.Finalized.Number != 296 {
		t.Fatalf("head %+v, %v: want 360, finalized 296", head, err)
	}
	want := bundle(t)
	var got []evm.Block
	for i := range want {
		b, err := c.Block(context.Background(), uint64(i))
		expect.NoError(t, err)
		expect.Equal(t, "header", want[i].Header, b.Header)
		got = append(got, b)
	}
	expect.Equal(t, "records", decoded(t, want), decoded(t, got))
	headers, err := c.Headers(context.Background(), 1, 360)
	expect.NoError(t, err)
	for i, h := range headers {
		if h != want[i+1].Header {
			t.Fatalf("header %d is %+v, want %+v", i+1, h, want[i+1].Header)
		}
	}
}

// TestClient_AnvilBeyondHead requests blocks that the node does not have.
func TestClient_AnvilBeyondHead(t *testing.T) {
	t.Parallel()
	c := dial(t, jsonrpc.Options{}, "http://"+chainA(t))
	for name, ask := range map[string]func(*jsonrpc.Client) error{
		"block 361": readBlock(361),
		// anvil returns the logs up to its head, without an error.
		"range to 361":   readRange(300, 361),
		"range from 362": readRange(362, 370),
		"headers to 361": readHeaders(355, 361),
		"proof of 361":   readProof(361),
	} {
		if err := ask(c); !errors.Is(err, rpcerror.ErrLagging) {
			t.Errorf("%s: %v, want ErrLagging", name, err)
		}
	}
}

func TestNewHeads_Anvil(t *testing.T) {
	t.Parallel()
	address := chainA(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c := dial(t, jsonrpc.Options{}, "ws://"+address)
	heads, ended := make(chan uint64, 1000), make(chan error)
	go func() { ended <- c.NewHeads(ctx, func(h evm.Header) { heads <- h.Number }) }()
	node, err := rpc.Dial("http://" + address)
	expect.NoError(t, err)
	defer node.Close()
	mine := func() { expect.NoError(t, node.Call(new(json.RawMessage), "evm_mine")) }
	// The first blocks may be mined before the subscription begins.
	last := uint64(0)
	for mined := 0; last == 0 && mined < 100_000; mined++ {
		mine()
		select {
		case last = <-heads:
		default:
		}
	}
	for range 3 {
		mine()
		if next := <-heads; next != last+1 {
			t.Errorf("head %d after %d", next, last)
		}
		last++
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("after ctx ended: %v", err)
	}
	if err := dial(t, jsonrpc.Options{}, "http://"+address).NewHeads(ctx, nil); !errors.Is(err, rpcerror.ErrNoSubscription) {
		t.Errorf("over HTTP: %v, want ErrNoSubscription", err)
	}
	if got := c.Health()[0].Head; got < last {
		t.Errorf("head in health: %d, want %d", got, last)
	}
}
