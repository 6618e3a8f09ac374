package indexer_test

import (
	"context"
	"errors"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store/proof"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// spots returns an auditor of single blocks in r's store.
func spots(r *rig, level *bool) *indexer.SpotAuditor {
	return &indexer.SpotAuditor{
		Verifier: &indexer.Verifier{
			Prover: r.Source.(source).Client, Records: proof.Of(r.store), Decoder: new(nft.Decoder), Report: func(string) {}, Repair: proof.Of(r.store).Repair, Unprovable: unprovable,
		},
		Level: func(context.Context) (bool, error) { return *level, nil },
		Next:  proof.Of(r.store).NextSpot, Done: proof.Of(r.store).Spotted, Loop: discard,
	}
}

// TestSpotAuditor checks that blocks with records are proved and repaired, newest first
// and each once, and so is at least one of every 64 other blocks. A second auditor
// continues after the first.
func TestSpotAuditor(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 10})
		full := map[uint64]bool{}
		for id := range uint64(20) {
			node.MineEmpty(int(id * 10))
			full[node.Mine([]evm.Log{mint(id), mint(100 + id)}).Header.Number] = true
		}
		node.MineEmpty(10)
		r := asksForRanges(follow(t, dsn, jsonrpc.Options{Samples: -1}, node), 1)
		node.Break(0, chaintest.DropLog(-1), func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && c.To-c.From > 10 })
		r.settle(t)
		node.ClearFaults()
		// A range between two blocks with records.
		verified := evm.Range{From: 1750, To: 1850}
		var evidence []evm.Header
		for _, b := range node.Blocks()[verified.From : verified.To+1] {
			evidence = append(evidence, b.Header)
		}
		expect.NoError(t, proof.Of(r.store).MarkVerified(t.Context(), evidence))
		level := false
		a := spots(r, &level)
		if err := a.Step(t.Context()); !errors.Is(err, indexer.ErrIdle) {
			t.Fatalf("below the head: %v, want ErrIdle", err)
		}
		level = true
		left, err := proof.Of(r.store).SpotsLeft(t.Context())
		if err != nil || left < 1800 || left > 1850 {
			t.Fatalf("%d blocks left, error %v", left, err)
		}
		var proved []uint64
		for i := 0; ; i++ {
			spot, found, err := proof.Of(r.store).NextSpot(t.Context(), nil)
			expect.NoError(t, err)
			if found {
				proved = append(proved, spot.From)
			}
			if i == 10 {
				a = spots(r, &level)
			}
			if err := a.Step(t.Context()); errors.Is(err, indexer.ErrIdle) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for i, number := range proved {
			if verified.From <= number && number <= verified.To {
				t.Errorf("block %d was verified already", number)
			}
			if proved[max(i-1, 0)] > verified.To && number < verified.From {
				proved[i-1] = verified.From
			}
			if delete(full, number); i > 0 && (number >= proved[i-1] || proved[i-1]-number > 64) {
				t.Errorf("block %d after block %d", number, proved[i-1])
			}
		}
		if len(full) > 0 || len(proved) > 80 {
			t.Errorf("%d blocks were proved; not among them: %v", len(proved), full)
		}
		got, want := r.stored(t, 0, 0), canonical(t, node, 0, uint64(len(node.Blocks())-1))
		expect.Equal(t, "records", want.Records, got.Records)
		if left, err := proof.Of(r.store).SpotsLeft(t.Context()); left > 0 || err != nil {
			t.Errorf("%d blocks left, error %v", left, err)
		}
	})
}
