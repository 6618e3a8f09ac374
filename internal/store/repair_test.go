package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestRepair_LeavesNoTraceOfTheDamage damages rows without package store, stores blocks
// from a node that left out some of their logs, and repairs both.
func TestRepair_LeavesNoTraceOfTheDamage(t *testing.T) {
	skipShort(t)
	blocks := branch(1, 1, 100, evm.Hash{}, 60, between(5, 400))
	filters := accepted(blocks)
	onBoth(t, func(t *testing.T, dsn string) {
		want := open(t, storetest.SQLite(t), write.Options{MaxPageSize: 5000})
		apply(t, want, blocks)
		expect.NoError(t, proof.Of(want).MarkVerified(t.Context(), headersOf(blocks)))
		s, rng := open(t, dsn, write.Options{MaxPageSize: 5000}), rand.New(rand.NewPCG(1, 1))
		lossy := append([]nft.Block(nil), blocks...)
		for i := 0; i < len(lossy); i += 3 {
			lossy[i].Mints, lossy[i].Rejected = lossy[i].Mints[:len(lossy[i].Mints)/2], nil
		}
		apply(t, s, lossy)
		execute(t, dsn,
			"DELETE FROM mints WHERE id % 7 = 0",
			"UPDATE burns SET account_prefix = 5 WHERE id % 5 = 0",
			"INSERT INTO burns SELECT id + 900, contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index + 900, sub_index, operator, NULL, tx_index FROM mints WHERE id % 3 = 0",
			"UPDATE blocks SET hash_prefix = 7 WHERE id = 110",
			"DELETE FROM blocks WHERE id = 120",
		)
		for _, i := range rng.Perm(len(blocks)) {
			expect.NoError(t, proof.Of(s).Repair(t.Context(), blocks[i:i+1]))
		}
		expect.Equal(t, "result", everything(t, want, filters), everything(t, s, filters))
		if err := proof.Of(s).Repair(t.Context(), []nft.Block{{Header: evm.Header{BlockRef: evm.BlockRef{Number: 99}}}}); err == nil {
			t.Error("a block that is not indexed was repaired")
		}
	})
}

// TestRepair_CounterTrees damages rows of scopes with counter trees, in blocks for which a
// node had left out records, and repairs them. Totals of any range must then be correct.
func TestRepair_CounterTrees(t *testing.T) {
	a := collection(1)
	var blocks, lossy []nft.Block
	for i := range uint64(30) {
		b := drop(1000+i, a, 100*i, 60)
		blocks = append(blocks, b)
		if i%4 == 0 {
			b.Mints = b.Mints[:50]
		}
		lossy = append(lossy, b)
	}
	var filters []store.Filter
	for _, f := range []store.Filter{{}, {Address: &a}, {Account: ptr(account(0))}, {Address: &a, Account: ptr(account(0))}} {
		ranged := f
		ranged.FromBlock, ranged.ToBlock = ptr(evm.Long(1003)), ptr(evm.Long(1021))
		filters = append(filters, f, ranged)
	}
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, lossy)
		if trees := len(roots(t, dsn)); trees < 4 {
			t.Fatalf("%d counter trees, want 4", trees)
		}
		execute(t, dsn, "DELETE FROM mints WHERE id % 7 = 0")
		for _, b := range blocks {
			expect.NoError(t, proof.Of(s).Repair(t.Context(), []nft.Block{b}))
		}
		each(t, s, func(snap *store.Snapshot) { wantTotals(t, snap, blocks, filters) })
	})
}

// TestBindContracts_IsRemembered restricts a database to some collections.
func TestBindContracts_IsRemembered(t *testing.T) {
	a, b, c := evm.Address{1}, evm.Address{2}, evm.Address{3}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for _, step := range []struct {
			given, want []evm.Address
			refused     bool
		}{
			{given: nil, want: nil},
			{given: []evm.Address{b, a, b}, want: []evm.Address{a, b}},
			{given: nil, want: []evm.Address{a, b}},
			{given: []evm.Address{a, b}, want: []evm.Address{a, b}},
			{given: []evm.Address{a}, refused: true},
		} {
			got, err := s.Settings().BindContracts(t.Context(), step.given)
			if step.refused != (err != nil) || err == nil && !cmp.Equal(step.want, got) {
				t.Errorf("%v: got %v, error %v; want %v", step.given, got, err, step.want)
			}
		}
		apply(t, s, branch(1, 1, 0, evm.Hash{}, 3, between(2, 0)))
		each(t, s, func(snap *store.Snapshot) {
			if _, err := readPage(t.Context(), snap, store.Filter{Address: &b}, page.Args{}); err != nil {
				t.Errorf("an indexed collection without records: %v", err)
			}
			_, err := readPage(t.Context(), snap, store.Filter{Address: &c}, page.Args{})
			wantCode(t, "a collection that is not indexed", err, apierror.NotFound)
			_, err = readMetadata(t.Context(), snap, c, nil, page.Args{})
			wantCode(t, "its tokens", err, apierror.NotFound)
		})
	})
	t.Run("a database with all collections", func(t *testing.T) {
		s := open(t, storetest.SQLite(t), write.Options{})
		apply(t, s, branch(1, 1, 0, evm.Hash{}, 3, between(2, 0)))
		if _, err := s.Settings().BindContracts(t.Context(), []evm.Address{a}); err == nil {
			t.Error("it was restricted")
		}
	})
}

// TestRepair_Queue checks that tokens without a mint lose their document and leave the
// queue, that new tokens are entered, and that others are not fetched again.
func TestRepair_Queue(t *testing.T) {
	a, b := collection(1), collection(2)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 3), drop(101, b, 1, 2), drop(102, a, 3, 1)})
		c.fetchAll(t, q, "x")
		// Collection a loses tokens 1 and 2, while 3 is also minted in block 102; b gets 3 and 4.
		expect.NoError(t, proof.Of(s).Repair(t.Context(), []nft.Block{drop(100, a, 1, 0), drop(101, b, 1, 4)}))
		for id, want := range map[uint64]bool{1: false, 2: false, 3: true} {
			expect.Equal(t, fmt.Sprintf("token %d has a document", id), want, metadataOf(t, s, a, id) != nil)
		}
		wantIDs(t, "the new tokens", claimAll(t, q, 10), 4, 3)
		wantClean(t, "the database", s)
	})
}
