package indexer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// between returns a condition for a node's fault: calls of a method for blocks from to to.
func between(method string, from, to uint64) func(chaintest.Call) bool {
	return func(c chaintest.Call) bool { return c.Method == method && from <= c.To && c.To <= to }
}

// prune makes a node refuse the receipts of blocks.
func prune(node *chaintest.Node, from, to uint64) {
	for _, method := range []string{"eth_getBlockReceipts", "eth_getTransactionReceipt"} {
		node.Break(0, chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, between(method, from, to))
	}
}

// foreign returns a rig with every block indexed and none proved. Afterwards its two
// nodes agree on headers with unknown fields for blocks 20 to 29, and have pruned the
// receipts of blocks 30 to 34, of which 30 and 34 have no transactions.
func foreign(t *testing.T, dsn string) (*rig, []*chaintest.Node) {
	t.Helper()
	var nodes []*chaintest.Node
	for range 2 {
		node, _ := chainOf(t, chaintest.NodeOptions{Finality: 10}, 100)
		nodes = append(nodes, node)
	}
	r := asksForRanges(follow(t, dsn, jsonrpc.Options{Samples: -1, Attempts: 1}, nodes...), 1000)
	r.ReceiptsDepth = 0
	r.settle(t)
	for _, node := range nodes {
		node.Break(0, chaintest.Edit(func(h map[string]any) { h["extDataHash"], h["gasUsed"] = "0x1", "0x123" }), between("eth_getBlockByNumber", 20, 29))
		prune(node, 30, 34)
	}
	return r, nodes
}

// TestVerify_Unprovable checks that the blocks below and above unprovable ones are proved,
// and that the unprovable ones are reported by range and reason.
func TestVerify_Unprovable(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		r, nodes := foreign(t, dsn)
		db := raw(t, dsn)
		defer db.Close()
		var spoilt []uint64
		for _, span := range []evm.Range{{From: 1, To: 19}, {From: 20, To: 34}, {From: 35, To: 100}} {
			for _, block := range decoded(t, nodes[0], span.From, span.To) {
				if len(block.Mints) > 0 {
					spoilt = append(spoilt, block.Header.Number)
					break
				}
			}
		}
		for _, number := range spoilt {
			if _, err := db.Exec(fmt.Sprintf("UPDATE mints SET log_index = log_index + 500 WHERE id >= %d AND id < %d", number<<30, (number+1)<<30)); err != nil {
				t.Fatal(err)
			}
		}
		a, lines := auditor(t, r, false)
		v := a.Verifier
		found, err := v.Verify(t.Context(), evm.Range{To: 100})
		unprovable := []evm.Range{{From: 20, To: 29}, {From: 31, To: 33}}
		want := indexer.Outcome{Proved: 86, Differing: 2, Unprovable: unprovable, Differences: found.Differences, Next: 101}
		if diff := cmp.Diff(want, found); diff != "" || err != nil || found.Differences == 0 {
			t.Errorf("error %v, %d differences (-want +got):\n%s", err, found.Differences, diff)
		}
		expect.Equal(t, "verified", []evm.Range{{To: spoilt[0] - 1}, {From: spoilt[0] + 1, To: 19}, {From: 30, To: 30}, {From: 34, To: spoilt[2] - 1}, {From: spoilt[2] + 1, To: 100}}, r.verified(t))
		wantNamed(t, *lines, "blocks 20 to 29 are not proved: proving block 20: not provable", "blocks 31 to 33 are not proved: proving block 31: "+nodes[1].URL+": eth_getBlockReceipts: error 4444: pruned")

		v.Repair = proof.Of(r.store).Repair
		*lines = nil
		found, err = v.Verify(t.Context(), evm.Range{To: 100})
		want = indexer.Outcome{Proved: 88, Unprovable: unprovable, Differences: want.Differences, Repaired: want.Differences, Next: 101}
		if diff := cmp.Diff(want, found); diff != "" || err != nil {
			t.Errorf("with repair: error %v (-want +got):\n%s", err, diff)
		}
		expect.Equal(t, "verified after the repair", []evm.Range{{To: 19}, {From: 30, To: 30}, {From: 34, To: 100}}, r.verified(t))
		// The range may end at an unprovable block.
		*lines = nil
		found, err = v.Verify(t.Context(), evm.Range{From: 15, To: 25})
		want = indexer.Outcome{Proved: 5, Unprovable: []evm.Range{{From: 20, To: 25}}, Next: 26}
		if diff := cmp.Diff(want, found); diff != "" || err != nil {
			t.Errorf("to block 25: error %v (-want +got):\n%s", err, diff)
		}
		wantNamed(t, *lines, "blocks 20 to 25 are not proved")
		for _, node := range nodes {
			node.ClearFaults()
		}
		if found, err = v.Verify(t.Context(), evm.Range{To: 100}); err != nil || found.Proved != 101 || found.Repaired == 0 {
			t.Errorf("from complete nodes: found %+v, error %v", found, err)
		}
		r.checkHead(t, nodes[0])
	})
}

// wantNamed fails the test unless the lines about unproved blocks have these prefixes, in
// order.
func wantNamed(t *testing.T, lines []string, want ...string) {
	t.Helper()
	var named []string
	for _, line := range lines {
		if strings.Contains(line, "not proved") {
			named = append(named, line)
		}
	}
	for i, line := range named {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("named are %q, want %q", named, want)
			return
		}
	}
	if len(named) != len(want) {
		t.Errorf("named are %q, want %q", named, want)
	}
}

// TestVerify_LinksAfterUnprovable has blocks of another branch above unprovable ones. They
// are compared with the stored blocks, but not linked to the block below the unprovable
// ones.
func TestVerify_LinksAfterUnprovable(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		r, nodes := foreign(t, dsn)
		a, _ := auditor(t, r, true)
		a.Verifier.Workers = 1
		prover := a.Verifier.Prover
		a.Verifier.Prover = proving(func(ctx context.Context, number uint64) (evm.Block, error) {
			for _, node := range nodes {
				if number == 25 {
					node.Reorg(60, randomBlocks(rand.New(rand.NewPCG(7, 8)), 60)...)
				}
			}
			return prover.Proven(ctx, number)
		})
		found, err := a.Verifier.Verify(t.Context(), evm.Range{To: 100})
		if err != nil || found.Proved != 28 || found.Differing != 60 || found.Repaired > 0 {
			t.Errorf("found %+v, error %v; want 60 blocks of another branch", found, err)
		}
		r.wantVerified(t, 40)
	})
}

// TestAuditor_Unprovable checks that the auditor proves all provable final blocks once,
// and continues with blocks that become final later.
func TestAuditor_Unprovable(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		r, nodes := foreign(t, dsn)
		a, lines := auditor(t, r, true)
		audit := func(want ...evm.Range) {
			t.Helper()
			expect.NoError(t, a.Run(t.Context(), true))
			expect.Equal(t, "verified", want, r.verified(t))
			wantNamed(t, *lines, "blocks 20 to 29 are not proved", "blocks 31 to 33 are not proved")
		}
		audit(evm.Range{To: 19}, evm.Range{From: 30, To: 30}, evm.Range{From: 34, To: 90})
		for _, node := range nodes {
			mine(node, rand.New(rand.NewPCG(7, 8)), 20)
		}
		r.settle(t)
		// The second node's finalized block is compared later.
		expect.NoError(t, r.store.SetFinalized(t.Context(), nodes[0].Blocks()[110].Header))
		audit(evm.Range{To: 19}, evm.Range{From: 30, To: 30}, evm.Range{From: 34, To: 110})
	})
}

// TestSpotAuditor_Unprovable checks that the blocks above and below unprovable ones are
// proved, and that the auditor tries fewer and fewer blocks of a long unprovable range.
func TestSpotAuditor_Unprovable(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 10})
	for id := range uint64(60) {
		node.Mine([]evm.Log{mint(id)})
		node.MineEmpty(19)
	}
	r := asksForRanges(follow(t, storetest.SQLite(t), jsonrpc.Options{Samples: -1, Attempts: 1}, node), 1)
	r.ReceiptsDepth = 0
	r.settle(t)
	// A single block far below is unprovable too.
	for _, r := range []evm.Range{{From: 601, To: 1000}, {From: 301, To: 301}} {
		prune(node, r.From, r.To)
	}
	level := true
	a := spots(r, &level)
	prover, tried := a.Verifier.Prover, map[uint64]int{}
	a.Verifier.Prover = proving(func(ctx context.Context, number uint64) (evm.Block, error) {
		tried[number]++
		return prover.Proven(ctx, number)
	})
	for range 200 {
		err := a.Step(t.Context())
		if err == indexer.ErrIdle {
			break
		}
		expect.NoError(t, err)
	}
	unprovable := 0
	for id := range uint64(60) {
		// The block with a mint.
		number := 1 + 20*id
		switch times := tried[number]; {
		case 600 < number && number <= 1000:
			unprovable += times
		case times != 1:
			t.Errorf("block %d was tried %d times, want 1", number, times)
		}
	}
	if unprovable != 17 {
		t.Errorf("%d unprovable blocks were tried, want 16, and one for the 64 blocks below it", unprovable)
	}
}
