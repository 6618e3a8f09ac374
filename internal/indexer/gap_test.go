package indexer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// patient returns a follower that leaves a block out after an hour, and a function that
// advances its clock.
func patient(t testing.TB, dsn string, nodes ...*chaintest.Node) (r *rig, pass func(time.Duration)) {
	t.Helper()
	clock := new(chaintest.Clock)
	r = follow(t, dsn, jsonrpc.Options{Attempts: 2, Clock: clock.Random(0.5)}, nodes...)
	r.Gaps, r.GiveUpAfter, r.Now = r.store, time.Hour, clock.Now
	r.Refused = func(err error) (string, bool) { return rpcerror.Class(err), rpcerror.Refuses(err) }
	r.Pruned = rpcerror.FirstBlock
	return r, clock.Pass
}

// stuck steps until a step fails, and returns the error. It fails the test if the
// follower reaches the head.
func (r *rig) stuck(t testing.TB) (waiting error) {
	t.Helper()
	for range 100 {
		switch err := r.Step(t.Context()); {
		case errors.Is(err, indexer.ErrIdle):
			t.Fatal("the follower reached the head")
		case err != nil:
			return err
		}
	}
	t.Fatal("no end after 100 steps")
	return nil
}

// lack makes a node return the last receipt of a block by no method, nor its logs.
func lack(node *chaintest.Node, number uint64) {
	node.Break(0, chaintest.DropLog(-1), between("eth_getBlockReceipts", number, number))
	node.Break(0, chaintest.Null(), between("eth_getTransactionReceipt", number, number))
	node.Break(0, chaintest.HideLogs(number), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.From <= number && number <= c.To })
}

// incomplete returns a node with a genesis and 100 blocks of three transactions. It lacks
// block number.
func incomplete(t testing.TB, number uint64, o chaintest.NodeOptions) *chaintest.Node {
	t.Helper()
	node := chaintest.NewNode(t, o)
	for id := range uint64(100) {
		node.Mine([]evm.Log{mint(id)}, nil, []evm.Log{mint(1000 + id), mint(2000 + id)})
	}
	lack(node, number)
	return node
}

func (r *rig) wantRanges(t testing.TB, want ...evm.Range) {
	t.Helper()
	got, err := r.store.Indexed(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("indexed, error %v (-want +got):\n%s", err, diff)
	}
}

func (r *rig) gaps(t testing.TB) []evm.Gap {
	t.Helper()
	gaps, err := r.store.Gaps(t.Context())
	expect.NoError(t, err)
	return gaps
}

// TestStep_Gap checks that a final block about which every endpoint contradicts itself
// for an hour is left out, that the blocks above it are indexed, and that the block is
// retried at growing intervals until the gap is filled.
func TestStep_Gap(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		nodes := []*chaintest.Node{incomplete(t, 40, chaintest.NodeOptions{Finality: 10}), incomplete(t, 40, chaintest.NodeOptions{Finality: 10})}
		r, pass := patient(t, dsn, nodes...)
		for range 3 {
			if err := r.stuck(t); !errors.Is(err, rpcerror.ErrInconsistent) || !strings.Contains(err.Error(), "waiting for block 40") {
				t.Fatalf("got %v, want an error that waits for block 40", err)
			}
			r.wantRanges(t, evm.Range{To: 39})
			pass(10 * time.Minute)
		}
		began := r.Now().Add(-30 * time.Minute)
		pass(time.Hour)
		r.settle(t)
		r.wantRanges(t, evm.Range{To: 39}, evm.Range{From: 41, To: 100})
		gaps := r.gaps(t)
		if len(gaps) != 1 {
			t.Fatalf("gaps %+v, want one", gaps)
		}
		given := gaps[0]
		since, next := time.Unix(int64(given.Since), 0), time.Unix(int64(given.NextTry), 0)
		if given.Range() != (evm.Range{From: 40, To: 40}) || given.Tries != 4 || given.Reason != "inconsistent" ||
			since.After(began) || next.Before(r.Now()) {
			t.Errorf("gap %+v, began %s, now %s", given, began, r.Now())
		}
		for tries := uint64(5); tries < 8; tries++ {
			r.wantStep(t, indexer.ErrIdle)
			pass(next.Sub(r.Now()) + time.Second)
			r.wantStep(t, indexer.ErrIdle)
			again := r.gaps(t)[0]
			if after := time.Unix(int64(again.NextTry), 0); again.Tries != tries || again.Since != given.Since || after.Sub(r.Now()) < 10*time.Minute<<(tries-1) {
				t.Fatalf("gap %+v at %s", again, r.Now())
			}
			next = time.Unix(int64(again.NextTry), 0)
		}
		for _, n := range nodes {
			n.ClearFaults()
		}
		r.wantStep(t, indexer.ErrIdle)
		// Turn the clock back: NextTry is now too far ahead, and ignored.
		pass(-30 * 24 * time.Hour)
		r.settle(t)
		if gaps := r.gaps(t); len(gaps) > 0 {
			t.Errorf("gaps %+v, want none", gaps)
		}
		r.checkHead(t, nodes[0])
	})
}

// TestStep_GapBounds checks which blocks are left out, after how long, and when they are
// retried.
func TestStep_GapBounds(t *testing.T) {
	const last = 39
	for name, test := range map[string]struct {
		finality uint64
		waited   time.Duration
		givenUp  bool
	}{
		"at the limit":                  {60, time.Hour, false},
		"beyond the limit":              {60, time.Hour + 1, true},
		"above the finalized block":     {61, 100 * time.Hour, false},
		"far below the finalized block": {10, time.Hour + 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := patient(t, storetest.SQLite(t), incomplete(t, last+1, chaintest.NodeOptions{Finality: test.finality}))
			began := time.Unix(1_700_000_000, 0)
			now, reason := began, "one reason"
			r.Now = func() time.Time { return now }
			r.Refused = func(err error) (string, bool) { return reason, rpcerror.Refuses(err) }
			_ = r.stuck(t)
			now = began.Add(test.waited)
			err := r.Step(t.Context())
			if gaps := r.gaps(t); (len(gaps) == 1) != test.givenUp || (err == nil) != test.givenUp {
				t.Fatalf("gaps %+v, error %v", gaps, err)
			}
			if !test.givenUp {
				return
			}
			r.settle(t)
			reason = "another reason"
			for i, wait := range []time.Duration{10 * time.Minute, 80 * time.Minute, 160 * time.Minute, 320 * time.Minute, 640 * time.Minute, 1280 * time.Minute, 24 * time.Hour, 24 * time.Hour} {
				now = now.Add(wait).Truncate(time.Second)
				due := now
				now = due.Add(-time.Second)
				r.wantStep(t, indexer.ErrIdle)
				now = due
				r.wantStep(t, indexer.ErrIdle)
				if gap := r.gaps(t)[0]; gap.Tries != uint64(3+i) || gap.Reason != reason || gap.Since != uint64(began.Unix()) {
					t.Fatalf("try %d: gap %+v", i, gap)
				}
			}
		})
	}
}

// TestStep_GapOfAnotherBlock checks that the wait starts anew for each contradicted
// block.
func TestStep_GapOfAnotherBlock(t *testing.T) {
	node := incomplete(t, 20, chaintest.NodeOptions{Finality: 10})
	r, _ := patient(t, storetest.SQLite(t), node)
	now := time.Unix(1_700_000_000, 0)
	r.Now = func() time.Time { return now }
	_ = r.stuck(t)
	now = now.Add(50 * time.Minute)
	node.ClearFaults()
	lack(node, 60)
	for range 3 {
		if err := r.stuck(t); !strings.Contains(err.Error(), "waiting for block 60") {
			t.Fatalf("got %v, want an error that waits for block 60", err)
		}
		now = now.Add(20 * time.Minute)
	}
}

// TestStep_GapAtTheEnd checks that the follower is done if block To is left out.
func TestStep_GapAtTheEnd(t *testing.T) {
	r, pass := patient(t, storetest.SQLite(t), incomplete(t, 40, chaintest.NodeOptions{Finality: 10}))
	r.To = ptr(uint64(40))
	_ = r.stuck(t)
	pass(2 * time.Hour)
	for range 10 {
		if err := r.Step(t.Context()); errors.Is(err, indexer.ErrDone) {
			r.wantRanges(t, evm.Range{To: 39})
			return
		}
	}
	t.Fatal("the follower is not done after 10 steps")
}

// TestStep_ContradictedHead checks that a block that is not final is never left out.
func TestStep_ContradictedHead(t *testing.T) {
	node := incomplete(t, 95, chaintest.NodeOptions{Finality: 10})
	r, pass := patient(t, storetest.SQLite(t), node)
	for range 5 {
		if err := r.stuck(t); !strings.Contains(err.Error(), "waiting for block 95") {
			t.Fatalf("got %v, want an error that waits for block 95", err)
		}
		r.wantRanges(t, evm.Range{To: 94})
		pass(time.Hour)
	}
	node.ClearFaults()
	r.settleAt(t, node)
}

// TestStep_OneOfTwoContradicts reads a block from the only endpoint that has all its
// receipts.
func TestStep_OneOfTwoContradicts(t *testing.T) {
	bad, good := incomplete(t, 40, chaintest.NodeOptions{Finality: 10}), incomplete(t, 101, chaintest.NodeOptions{Finality: 10})
	r, _ := patient(t, storetest.SQLite(t), bad, good)
	r.settleAt(t, good)
}

// TestStep_RecordedGap indexes the first of two recorded Cronos blocks. The node lacks a
// receipt of the second.
func TestStep_RecordedGap(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 25})
	play(t, node, []chaintest.Recorded{chaintest.RecordedBlock(t, "cronos-68215"), chaintest.RecordedBlock(t, "cronos-68216")})
	r, _ := patient(t, storetest.SQLite(t), node)
	r.From = 68_215
	if err := r.stuck(t); !strings.Contains(err.Error(), "waiting for block 68216") {
		t.Errorf("got %v, want an error that waits for block 68216", err)
	}
	r.wantRanges(t, evm.Range{From: 68_215, To: 68_215})
}
