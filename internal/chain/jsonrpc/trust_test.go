package jsonrpc_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestClient_LowestFinality checks that Head returns the lowest finalized block of all
// healthy endpoints.
func TestClient_LowestFinality(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	hasty, slow := filled(t, chaintest.NodeOptions{Finality: 1}, 100), filled(t, chaintest.NodeOptions{Finality: 50}, 100)
	clock := new(chaintest.Clock)
	c := dial(t, jsonrpc.Options{Clock: clock.Random(0.5)}, hasty.URL, slow.URL)
	want := func(number uint64) {
		t.Helper()
		head, err := c.Head(ctx)
		if err != nil || head.Finalized.Number != number || head.Latest.Number != 100 {
			t.Errorf("got %+v, %v; want the finalized block %d", head, err, number)
		}
	}
	want(50)
	want(50)
	// An endpoint that fails has no vote.
	slow.Break(0, chaintest.Fault{Status: 503}, nil)
	clock.Pass(time.Minute)
	want(99)
	slow.ClearFaults()
	clock.Pass(time.Minute)
	want(50)
}

// TestClient_LosesVote has an endpoint replace a block that it called final.
func TestClient_LosesVote(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	node := filled(t, chaintest.NodeOptions{Finality: 1}, 100)
	c := dial(t, lieOptions(), node.URL)
	for range 5 {
		node.MineEmpty(1)
		if head, err := c.Head(ctx); err != nil || head.Retracted != (evm.BlockRef{}) {
			t.Fatalf("got %+v, %v; want nothing retracted", head, err)
		}
	}
	was := node.Blocks()[104].Header.BlockRef
	// The new head is lower.
	node.Reorg(4, make([][][]evm.Log, 2)...)
	for range 3 {
		head, err := c.Head(ctx)
		if err != nil || head.Retracted != was || head.RetractedTo != 105-64 {
			t.Errorf("got %+v, %v; want block 104 retracted, to 41", head, err)
		}
		if want := head.Latest.Number - 64; head.Finalized.Number != want {
			t.Errorf("the finalized block is %d, want %d", head.Finalized.Number, want)
		}
		node.MineEmpty(3)
	}
}

// TestClient_AvoidsAnotherChain has a URL serve another chain after a failure.
func TestClient_AvoidsAnotherChain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, b := filled(t, chaintest.NodeOptions{}, 10), filled(t, chaintest.NodeOptions{}, 20)
	clock := new(chaintest.Clock)
	c := dial(t, jsonrpc.Options{ChainID: new(uint64(31337)), Clock: clock.Random(0.5)}, a.URL, b.URL)
	number := func() uint64 {
		t.Helper()
		head, err := c.Head(ctx)
		expect.NoError(t, err)
		return head.Latest.Number
	}
	if got := number(); got != 10 {
		t.Fatalf("the head is %d, want that of the first endpoint", got)
	}
	a.Break(1, chaintest.Fault{Close: true}, nil)
	a.Break(0, chaintest.Replace("0x7a69", "0x5"), chaintest.Method("eth_chainId"))
	for range 3 {
		clock.Pass(time.Minute)
		if got := number(); got != 20 {
			t.Errorf("the head is %d, want that of the second endpoint", got)
		}
	}
	if h := c.Health(); !h[0].WrongChain || h[1].WrongChain {
		t.Errorf("health %+v: want the first left out", h)
	}
	if err := c.Recheck(ctx); err != nil {
		t.Errorf("one of two is right: %v", err)
	}
	a.ClearFaults()
	clock.Pass(time.Minute)
	if got := number(); got != 10 || c.Health()[0].WrongChain {
		t.Errorf("the head is %d, health %+v: want the first endpoint back", got, c.Health())
	}
	// Without a failure in between, only Recheck notices.
	for _, n := range []*chaintest.Node{a, b} {
		n.Break(0, chaintest.Replace("0x7a69", "0x5"), chaintest.Method("eth_chainId"))
	}
	if got := number(); got != 10 {
		t.Errorf("the head is %d", got)
	}
	if err := c.Recheck(ctx); !errors.Is(err, rpcerror.ErrWrongChain) {
		t.Errorf("all are of another chain: %v", err)
	}
}

// TestClient_AvoidsAnotherBranch has an endpoint whose blocks differ from the stored final
// ones, with its head above or below the last of these.
func TestClient_AvoidsAnotherBranch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	honest := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
	blocks := honest.Blocks()
	for name, height := range map[string]int{"above": 95, "below": 60} {
		t.Run(name, func(t *testing.T) {
			dead := filled(t, chaintest.NodeOptions{Finality: 10}, 100)
			dead.Reorg(80, make([][][]evm.Log, height-20)...)
			o := lieOptions()
			o.Final = func(_ context.Context, upTo uint64) (evm.BlockRef, bool, error) {
				return blocks[min(upTo, 90)].Header.BlockRef, true, nil
			}
			c := dial(t, o, dead.URL, honest.URL)
			head, err := c.Head(ctx)
			if err != nil || head.Latest.Number != 100 {
				t.Errorf("got %+v, %v; want the honest endpoint's", head, err)
			}
			if h := c.Health(); !h[0].Contradicts || h[1].Contradicts {
				t.Errorf("health %+v: want the first left out", h)
			}
			alone := dial(t, o, dead.URL)
			if _, err := alone.ChainID(ctx); err != nil {
				t.Errorf("its chain is the right one: %v", err)
			}
			if _, err := alone.Head(ctx); !errors.Is(err, rpcerror.ErrWrongBranch) {
				t.Errorf("alone: %v", err)
			}
		})
	}
}
