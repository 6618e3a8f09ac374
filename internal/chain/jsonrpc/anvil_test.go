package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/recording"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
)

// chainA starts anvil with the chain of the shared data.
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

// key is a row of the shared data's answers, as far as it is compared.
type key struct {
	Token     string `json:"token_address"`
	Type      string `json:"contract_type"`
	ID        string `json:"token_id"`
	BlockHash string `json:"block_hash"`
	Block     uint64 `json:"block_number"`
	Tx        string `json:"transaction_hash"`
	Log       uint32 `json:"log_index"`
	From      string `json:"from"`
	To        string `json:"to"`
	Amount    string `json:"amount"`
	Time      uint64 `json:"block_time"`
	Sub       uint32 `json:"_batch"`
	Reason    string `json:"reason"`
}

func keys(t testing.TB, data []byte) (all []key) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var k key
		chaintest.Parse(t, line, &k)
		all = append(all, k)
	}
	return all
}

// decoded returns mints, burns and rejected logs of blocks.
func decoded(t testing.TB, blocks []evm.Block) (mints, burns, rejected []key) {
	t.Helper()
	for _, b := range blocks {
		d, err := new(nft.Decoder).Decode(b.Header, b.Logs)
		expect.NoError(t, err)
		row := func(r nft.Record) key {
			return key{r.Contract.String(), string(r.Type), r.TokenID.String(), b.Header.Hash.String(), b.Header.Number,
				r.TxHash.String(), r.LogIndex, r.From.String(), r.To.String(), r.Amount.String(), b.Header.Time, r.SubIndex, ""}
		}
		for _, r := range d.Mints {
			mints = append(mints, row(r))
		}
		for _, r := range d.Burns {
			burns = append(burns, row(r))
		}
		for _, r := range d.Rejected {
			rejected = append(rejected, key{Block: b.Header.Number, Log: r.Log.Index, Reason: r.Reason})
		}
	}
	return mints, burns, rejected
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
	address := chainA(t)
	rejected, err := os.ReadFile(chaintest.Data(t, "chain-a/all-rejected.ndjson"))
	expect.NoError(t, err)
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
			blocks := mustRange(t, c, 0, 360)
			mints, burns, set := decoded(t, blocks)
			for what, diff := range map[string]string{
				"mints":    cmp.Diff(keys(t, chaintest.Unpacked(t, "chain-a/all-mints.ndjson.gz")), mints),
				"burns":    cmp.Diff(keys(t, chaintest.Unpacked(t, "chain-a/all-burns.ndjson.gz")), burns),
				"rejected": cmp.Diff(keys(t, rejected), set),
			} {
				if diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

func TestProven_Anvil(t *testing.T) {
	c := dial(t, jsonrpc.Options{}, "http://"+chainA(t))
	for _, want := range bundle(t) {
		got, err := c.Proven(context.Background(), want.Header.Number)
		expect.NoError(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("block %d (-want +got):\n%s", want.Header.Number, diff)
		}
	}
}

func TestBlock_Anvil(t *testing.T) {
	c := dial(t, jsonrpc.Options{}, "http://"+chainA(t))
	head, err := c.Head(context.Background())
	if err != nil || head.Latest.Number != 360 || head.Finalized.Number != 296 {
		t.Fatalf("head %+v, %v: want 360, finalized 296", head, err)
	}
	want := bundle(t)
	var got []evm.Block
	for i := range want {
		at := evm.BlockNumberOrHash{Number: evm.Long(i)}
		if i%2 == 1 {
			at.Hash = &want[i].Header.Hash
		}
		b, err := c.Block(context.Background(), at)
		expect.NoError(t, err)
		if diff := cmp.Diff(want[i].Header, b.Header); diff != "" {
			t.Fatalf("header (-want +got):\n%s", diff)
		}
		got = append(got, b)
	}
	wantMints, wantBurns, wantRejected := decoded(t, want)
	mints, burns, rejected := decoded(t, got)
	expect.Equal(t, "records", [][]key{wantMints, wantBurns, wantRejected}, [][]key{mints, burns, rejected})
	headers, err := c.Headers(context.Background(), 1, 360)
	expect.NoError(t, err)
	for i, h := range headers {
		if h != want[i+1].Header {
			t.Fatalf("header %d is %+v, want %+v", i+1, h, want[i+1].Header)
		}
	}
}

// TestClient_AnvilBeyondHead asks for what the node does not have.
func TestClient_AnvilBeyondHead(t *testing.T) {
	c := dial(t, jsonrpc.Options{}, "http://"+chainA(t))
	ctx := context.Background()
	if _, err := c.Block(ctx, evm.BlockNumberOrHash{Number: 361}); !errors.Is(err, jsonrpc.ErrLagging) {
		t.Errorf("block 361: %v, want ErrLagging", err)
	}
	if _, err := c.Block(ctx, evm.BlockNumberOrHash{Hash: &evm.Hash{1}}); !errors.Is(err, jsonrpc.ErrGone) {
		t.Errorf("unknown hash: %v, want ErrGone", err)
	}
	// anvil answers this range without an error, with the logs up to its head.
	if _, err := c.Range(ctx, 300, 361); !errors.Is(err, jsonrpc.ErrLagging) {
		t.Errorf("range to 361: %v, want ErrLagging", err)
	}
	if _, err := c.Range(ctx, 362, 370); !errors.Is(err, jsonrpc.ErrLagging) {
		t.Errorf("range from 362: %v, want ErrLagging", err)
	}
	if _, err := c.Headers(ctx, 355, 361); !errors.Is(err, jsonrpc.ErrLagging) {
		t.Errorf("headers to 361: %v, want ErrLagging", err)
	}
	if _, err := c.Proven(ctx, 361); !errors.Is(err, jsonrpc.ErrLagging) {
		t.Errorf("proof of 361: %v, want ErrLagging", err)
	}
}

func TestNewHeads_Anvil(t *testing.T) {
	address := chainA(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c := dial(t, jsonrpc.Options{}, "ws://"+address)
	heads, ended := make(chan uint64, 1000), make(chan error)
	go func() { ended <- c.NewHeads(ctx, func(h evm.Header) { heads <- h.Number }) }()
	node, err := rpc.Dial("http://" + address)
	expect.NoError(t, err)
	defer node.Close()
	mine := func() {
		expect.NoError(t, node.Call(new(json.RawMessage), "evm_mine"))
	}
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
		t.Errorf("after the end: %v", err)
	}
	if err := dial(t, jsonrpc.Options{}, "http://"+address).NewHeads(ctx, nil); !errors.Is(err, jsonrpc.ErrNoSubscription) {
		t.Errorf("over HTTP: %v, want ErrNoSubscription", err)
	}
	if got := c.Health()[0].Head; got < last {
		t.Errorf("head in health: %d, want %d", got, last)
	}
}
