package demo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/mint"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/chain/recording"
	"mintburn/internal/demo"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/check"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestLive runs the live chain for two minutes of a fake clock, in which two reorgs happen.
func TestLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, dsn string) {
		s, err := write.Open(t.Context(), dsn, write.Options{})
		expect.NoError(t, err)
		defer s.Close()
		head := recordedHead(t)
		_, err = s.Apply(t.Context(), []nft.Block{{Header: head}})
		expect.NoError(t, err)
		expect.NoError(t, s.SetFinalized(t.Context(), head))
		live(t, s, head, 2*time.Minute)

		snapshot := s.Snapshot()
		defer snapshot.Close()
		client := snapshot.Client()
		rows, err := client.Block.Query().Order(block.ByID()).All(t.Context())
		expect.NoError(t, err)
		if len(rows) != 61 {
			t.Fatalf("%d blocks are stored, want one every 2s", len(rows))
		}
		var last evm.Header
		for i, row := range rows {
			h, err := tables.HeaderOf(row)
			expect.NoError(t, err)
			if i > 0 && (h.Number != last.Number+1 || h.ParentHash != last.Hash || h.Time < last.Time) {
				t.Errorf("block %d does not follow block %d: %+v, %+v", h.Number, last.Number, h, last)
			}
			last = h
		}
		orphaned, err := client.OrphanedBlock.Query().Order(orphanedblock.ByNumber()).All(t.Context())
		expect.NoError(t, err)
		var numbers []int64
		for _, row := range orphaned {
			numbers = append(numbers, row.Number)
		}
		expect.Equal(t, "orphaned blocks", []int64{851, 852, 853, 882, 883}, numbers)
		finalized, _, err := tables.FinalizedBlock(t.Context(), client)
		expect.NoError(t, err)
		expect.Equal(t, "finalized block", last.Number-8, finalized.Number)
		checkTokens(t, client)
		result, err := check.Run(t.Context(), s, check.Options{Report: func(line string) { t.Error(line) }})
		expect.NoError(t, err)
		expect.Equal(t, "differences", 0, result.Differences)
	})
}

// checkTokens checks that only minted tokens are burned, by their owner, and that each minted
// token has a document.
func checkTokens(t *testing.T, client *ent.Client) {
	t.Helper()
	mints, err := client.Mint.Query().Order(mint.ByID()).All(t.Context())
	expect.NoError(t, err)
	burns, err := client.Burn.Query().All(t.Context())
	expect.NoError(t, err)
	documents, err := client.Token.Query().Count(t.Context())
	expect.NoError(t, err)
	if len(mints) < 60 || len(burns) < 10 || documents != len(mints) {
		t.Errorf("got %d mints, %d burns and %d documents", len(mints), len(burns), documents)
	}
	for i, m := range mints {
		if m.TokenID != evm.NewUint256(uint64(demo.Flowers+1+i)) {
			t.Errorf("mint %d has the id %s, want those after the recorded ones", i, m.TokenID)
		}
	}
	transactions, err := client.Transaction.Query().Count(t.Context())
	expect.NoError(t, err)
	if transactions != 60+len(burns) {
		t.Errorf("got %d transactions, want one of each block and one of each burn", transactions)
	}
	for _, burn := range burns {
		if !slices.ContainsFunc(mints, func(m *ent.Mint) bool {
			return m.TokenID == burn.TokenID && m.AccountPrefix == burn.AccountPrefix && m.ID < burn.ID
		}) {
			t.Errorf("token %s was not minted before to the account that burned it", burn.TokenID)
		}
	}
}

// TestLive_Deterministic checks that two runs add the same blocks.
func TestLive_Deterministic(t *testing.T) {
	t.Parallel()
	var runs [2]recorder
	for i := range runs {
		live(t, &runs[i], evm.Header{BlockRef: evm.BlockRef{Number: 360}}, 70*time.Second)
	}
	expect.Equal(t, "blocks", runs[0], runs[1])
}

// recorder is a store that only records the blocks.
type recorder struct{ Blocks []nft.Block }

func (r *recorder) Extend(_ context.Context, blocks []nft.Block, _ evm.Range, _ bool) error {
	r.Blocks = append(r.Blocks, blocks...)
	return nil
}

func (r *recorder) ReplaceAbove(_ context.Context, _ uint64, blocks []nft.Block, _ bool) error {
	r.Blocks = append(r.Blocks, blocks...)
	return nil
}

func (*recorder) SetFinalized(context.Context, evm.Header) error { return nil }

func (*recorder) PutMetadata(context.Context, []nft.TokenMetadata) error { return nil }

// live adds blocks above a block for a time of a fake clock.
func live(t *testing.T, s demo.Store, head evm.Header, run time.Duration) {
	t.Helper()
	var clock chaintest.Clock
	clock.Pass(24 * time.Hour)
	ended, end := errors.New("ended"), clock.Now().Add(run)
	retrying := clock.Random(0)
	retrying.Sleep = func(ctx context.Context, d time.Duration) error {
		if clock.Now().Equal(end) {
			return ended
		}
		return clock.Sleep(ctx, d)
	}
	if err := demo.Live(t.Context(), s, retrying, head); !errors.Is(err, ended) {
		t.Fatal(err)
	}
}

// recordedHead returns the last recorded block.
func recordedHead(t *testing.T) (head evm.Header) {
	t.Helper()
	recording, err := recording.Open([]string{"-"}, demo.Open())
	expect.NoError(t, err)
	for item, err := range recording.Items(t.Context()) {
		expect.NoError(t, err)
		if item.Block != nil {
			head = item.Block.Header
		}
	}
	return head
}
