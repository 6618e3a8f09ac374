package indexer_test

import (
	"context"
	"errors"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// auditor returns an auditor of r's store, and the lines that it reports.
func auditor(t testing.TB, r *rig, repair bool) (*indexer.Auditor, *[]string) {
	t.Helper()
	var found []string
	v := &indexer.Verifier{
		Prover: r.Source.(source).Client, Records: proof.Of(r.store), Decoder: new(nft.Decoder), Workers: 3, Unprovable: unprovable,
		Report: func(difference string) { found = append(found, difference) },
	}
	if repair {
		v.Repair = proof.Of(r.store).Repair
	}
	return &indexer.Auditor{Verifier: v, Unverified: proof.Of(r.store).Unverified, Loop: discard}, &found
}

// unprovable is an [indexer.Verifier.Unprovable] function.
func unprovable(err error) (string, bool) {
	for _, reason := range []error{rpcerror.ErrNotProvable, rpcerror.ErrPruned} {
		if errors.Is(err, reason) {
			return reason.Error(), true
		}
	}
	return "", false
}

// verified returns the blocks that are marked as verified.
func (r *rig) verified(t testing.TB) []evm.Range {
	t.Helper()
	snap := store.NewSnapshot(r.store.Snapshot())
	defer snap.Close()
	c, err := snap.Chain(t.Context())
	expect.NoError(t, err)
	return c.Verified
}

// asksForRanges makes a rig read final blocks by ranges of logs, without proofs, and store
// the finalized block.
func asksForRanges(r *rig, headerDepth uint64) *rig {
	r.ReceiptsDepth, r.HeaderDepth = 1, headerDepth
	r.Head = func(ctx context.Context, _, final evm.Header) error { return r.store.SetFinalized(ctx, final) }
	return r
}

// TestAuditor_FindsDroppedLogs has a node leave logs out of every range, which only a
// proof finds.
func TestAuditor_FindsDroppedLogs(t *testing.T) {
	long(t)
	for name, database := range storetest.Databases() {
		for _, headerDepth := range []uint64{1, 1000} {
			t.Run(name, func(t *testing.T) {
				node, random := chainOf(t, chaintest.NodeOptions{Finality: 40}, 500)
				r := asksForRanges(follow(t, database(t), jsonrpc.Options{Samples: -1, Step: 50, MaxStep: 50}, node), headerDepth)
				node.Break(0, chaintest.DropLog(7), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.To-c.From > 10 })
				r.settle(t)
				a, found := auditor(t, r, true)
				expect.NoError(t, a.Run(t.Context(), true))
				if len(*found) < 5 {
					t.Errorf("%d differences: want at least one in each range", len(*found))
				}
				node.ClearFaults()
				if headerDepth > 500 {
					r.checkHead(t, node)
				}
				got := r.stored(t, 0, 0)
				want := canonical(t, node, 0, 500)
				expect.Equal(t, "records", want.Records, got.Records)
				expect.Equal(t, "rejected logs", want.Rejected, got.Rejected)
				r.checkTotals(t, want, 500)
				// Later blocks are proved once they are final.
				mine(node, random, 100)
				r.settle(t)
				expect.NoError(t, a.Run(t.Context(), true))
				if _, left, err := proof.Of(r.store).Unverified(t.Context(), nil); left || err != nil {
					t.Errorf("blocks are left to verify: %v, error %v", left, err)
				}
			})
		}
	}
}

// TestAuditor_EndsIfNothingIsProvable has only headers with unknown fields.
func TestAuditor_EndsIfNothingIsProvable(t *testing.T) {
	node, _ := chainOf(t, chaintest.NodeOptions{}, 100)
	node.Break(0, chaintest.Edit(func(h map[string]any) { h["extDataHash"], h["gasUsed"] = "0x1", "0x123" }), chaintest.Method("eth_getBlockByNumber"))
	r := asksForRanges(follow(t, storetest.SQLite(t), jsonrpc.Options{}, node), 1000)
	r.ReceiptsDepth = 1000
	r.settleAt(t, node)
	a, _ := auditor(t, r, true)
	expect.NoError(t, a.Run(t.Context(), true))
	if left, found, err := proof.Of(r.store).Unverified(t.Context(), nil); !found || err != nil || left != (evm.Range{To: 36}) {
		t.Errorf("left to verify: %v, %v, error %v; want all 37 final blocks", left, found, err)
	}
}

// TestStep_ProvesFullBlocks checks that blocks read from receipts count as verified.
func TestStep_ProvesFullBlocks(t *testing.T) {
	node, random := chainOf(t, chaintest.NodeOptions{}, 300)
	r := asksForRanges(follow(t, storetest.SQLite(t), jsonrpc.Options{}, node), 1000)
	r.ReceiptsDepth = 250
	r.settle(t)
	expect.Equal(t, "verified", []evm.Range{{From: 0, To: 300}}, r.verified(t))
	node.Reorg(10, randomBlocks(random, 12)...)
	r.settle(t)
	expect.Equal(t, "verified after a reorg", []evm.Range{{From: 0, To: 302}}, r.verified(t))
	a, found := auditor(t, r, false)
	if n, err := a.Verifier.Verify(t.Context(), evm.Range{To: 302}); n.Differences != 0 || err != nil {
		t.Errorf("%d differences, error %v: %v", n.Differences, err, *found)
	}
}

// TestStep_StoredRangeOfAnotherBranch has the follower reach a separate range further up,
// which was orphaned while no follower ran.
func TestStep_StoredRangeOfAnotherBranch(t *testing.T) {
	for _, from := range []uint64{0, 50} {
		node, random := chainOf(t, chaintest.NodeOptions{Finality: 10}, 100)
		apart := follow(t, storetest.SQLite(t), jsonrpc.Options{}, node)
		apart.From = 90
		apart.settle(t)
		node.Reorg(8, randomBlocks(random, 30)...)
		r := follow(t, apart.dsn, jsonrpc.Options{}, node)
		r.From = from
		r.settleAt(t, node)
	}
}
