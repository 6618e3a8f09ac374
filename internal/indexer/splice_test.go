package indexer_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// onEach runs a test on a fresh database of each kind.
func onEach(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	for name, database := range storetest.Databases() {
		t.Run(name, func(t *testing.T) { test(t, database(t)) })
	}
}

// audited returns a rig that stores the finalized block, as the followers of the command
// line do.
func audited(t *testing.T, dsn string, o jsonrpc.Options, nodes ...*chaintest.Node) *rig {
	t.Helper()
	r := follow(t, dsn, o, nodes...)
	r.Head = func(ctx context.Context, _, final evm.Header) error { return r.store.SetFinalized(ctx, final) }
	return r
}

// wantVerified fails the test if a block above to is verified.
func (r *rig) wantVerified(t *testing.T, to uint64) {
	t.Helper()
	for _, v := range r.verified(t) {
		if v.To > to {
			t.Errorf("verified are %v, want no block above %d", v, to)
		}
	}
}

// TestVerify_AfterAReorgToALowerHead checks that nothing is repaired while the node's
// chain is shorter than the stored one. The follower then follows the reorg.
func TestVerify_AfterAReorgToALowerHead(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		for _, known := range []bool{true, false} {
			node, random := chainOf(t, chaintest.NodeOptions{}, 120)
			r := audited(t, dsn, jsonrpc.Options{}, node)
			if !known {
				r = follow(t, storetest.SQLite(t), jsonrpc.Options{}, node)
			}
			r.settle(t)
			node.Reorg(11, randomBlocks(random, 7)...)
			before := r.stored(t, 0, 120)
			a, _ := auditor(t, r, true)
			found, err := a.Verifier.Verify(t.Context(), evm.Range{To: 120})
			if err == nil || found.Repaired > 0 {
				t.Errorf("repaired %+v, error %v; want an error at block 117, which the node lacks", found, err)
			}
			if found, err = a.Verifier.Verify(t.Context(), evm.Range{To: 116}); err != nil || found.Repaired > 0 || found.Differences == 0 {
				t.Errorf("repaired %+v, error %v; want differences, none repaired", found, err)
			}
			if after := r.stored(t, 0, 120); !sameContent(before, after) {
				t.Error("the repair changed the store")
			}
			// The blocks that the node lacks were not compared, and keep their marks.
			for _, v := range r.verified(t) {
				if v.To > 109 && v.From < 117 {
					t.Errorf("verified are %v, want none of 110 to 116", v)
				}
			}
			r.settleAt(t, node)
		}
	})
}

// TestVerify_ReorgWhileProofsAreInFlight has the follower follow a reorg after blocks of
// the old branch were proved, and before they are compared.
func TestVerify_ReorgWhileProofsAreInFlight(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		for _, known := range []bool{true, false} {
			node, random := chainOf(t, chaintest.NodeOptions{}, 120)
			r := audited(t, dsn, jsonrpc.Options{}, node)
			if !known {
				r = follow(t, storetest.SQLite(t), jsonrpc.Options{}, node)
			}
			r.settle(t)
			a, _ := auditor(t, r, true)
			a.Verifier.Workers = 41
			prover := a.Verifier.Prover
			var others sync.WaitGroup
			others.Add(40)
			a.Verifier.Prover = proving(func(ctx context.Context, number uint64) (evm.Block, error) {
				b, err := prover.Proven(ctx, number)
				if number != 80 {
					others.Done()
					return b, err
				}
				others.Wait()
				node.Reorg(20, randomBlocks(random, 25)...)
				r.settle(t)
				return b, err
			})
			if found, err := a.Verifier.Verify(t.Context(), evm.Range{From: 80, To: 120}); err != nil || found.Repaired > 0 || found.Differences == 0 {
				t.Errorf("found %+v, error %v; want differences, none repaired", found, err)
			}
			r.checkHead(t, node)
			a.Verifier.Prover = prover
			if found, err := a.Verifier.Verify(t.Context(), evm.Range{To: 125}); err != nil || found.Differences > 0 {
				t.Errorf("found %+v, error %v; want no difference", found, err)
			}
		}
	})
}

// TestVerify_AgainstAStaleBackend verifies with a node that is stuck on another branch,
// from below the finalized block to above it.
func TestVerify_AgainstAStaleBackend(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		node, random := chainOf(t, chaintest.NodeOptions{}, 120)
		stale, _ := chainOf(t, chaintest.NodeOptions{}, 120)
		stale.Reorg(100, randomBlocks(random, 100)...)
		r := audited(t, dsn, jsonrpc.Options{}, node)
		r.settle(t)
		client, err := jsonrpc.Dial([]string{stale.URL}, jsonrpc.Options{})
		expect.NoError(t, err)
		defer client.Close()
		a, lines := auditor(t, r, true)
		a.Verifier.Prover = client
		found, err := a.Verifier.Verify(t.Context(), evm.Range{To: 120})
		if err != nil || found.Repaired > 0 || found.Differences == 0 {
			t.Errorf("found %+v, error %v; want differences, none repaired", found, err)
		}
		if last := (*lines)[len(*lines)-1]; !strings.Contains(last, "blocks 21 to 120 are not repaired") {
			t.Errorf("the last line is %q", last)
		}
		r.checkHead(t, node)
		r.wantVerified(t, 20)
	})
}

// TestVerify_RepairsAStaleRun stores a run of blocks of another branch among final ones,
// as an earlier version did. The run must be replaced as a whole.
func TestVerify_RepairsAStaleRun(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		node, random := chainOf(t, chaintest.NodeOptions{}, 120)
		other, _ := chainOf(t, chaintest.NodeOptions{}, 120)
		other.Reorg(100, randomBlocks(random, 100)...)
		r := audited(t, dsn, jsonrpc.Options{}, node)
		blocks := decoded(t, node, 0, 120)
		copy(blocks[30:], decoded(t, other, 30, 44))
		// The store accepts such a run only if the parent hashes at its ends are unknown.
		for _, i := range []int{30, 45} {
			blocks[i].Header.ParentHash = evm.Hash{}
		}
		if _, err := r.store.Apply(t.Context(), blocks); err != nil {
			t.Fatal(err)
		}
		expect.NoError(t, r.store.SetFinalized(t.Context(), blocks[56].Header))
		a, lines := auditor(t, r, true)
		if found, err := a.Verifier.Verify(t.Context(), evm.Range{To: 120}); err != nil || found.Repaired < 15 || found.Repaired != found.Differences {
			t.Errorf("found %+v, error %v: %q; want all repaired", found, err, *lines)
		}
		r.checkHead(t, node)
		if found, err := a.Verifier.Verify(t.Context(), evm.Range{To: 120}); err != nil || found.Differences > 0 {
			t.Errorf("found %+v, error %v; want no difference", found, err)
		}
	})
}
