package store_test

import (
	"math/rand/v2"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestClaim_MissingContract checks that tokens whose contract was lost keep no other token
// from being claimed.
func TestClaim_MissingContract(t *testing.T) {
	lost, other := collection(1), collection(2)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, other, 1, 2), drop(101, lost, 3, 3)})
		claimAll(t, q, 9)
		execute(t, dsn, "DELETE FROM contracts WHERE id = (SELECT max(contract_id) FROM mints)")
		c.now += lease + 1
		wantIDs(t, "claimed", claim(t, q, 3), 2, 1)
	})
}

// TestApply_MissingTree checks that blocks are stored after another program has removed the
// root of a counter tree, and that totals are correct.
func TestApply_MissingTree(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		rng := rand.New(rand.NewPCG(1, 30))
		h := newHistory(1, 100, 400)
		s := open(t, dsn, write.Options{})
		h.apply(t, s, rng, 0, 300)
		execute(t, dsn, "DELETE FROM counters WHERE id = (SELECT id FROM counters ORDER BY id LIMIT 1)")
		h.apply(t, s, rng, 300, 400)
		each(t, s, func(snap *store.Snapshot) { wantTotals(t, snap, h.known(), totalled(evm.Hash{})) })
	})
}

// TestRollback_DamagedAttributes checks that a document whose stored attributes are damaged
// can be replaced, and removed with its orphaned token.
func TestRollback_DamagedAttributes(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, a, 1, 1), drop(101, a, 2, 1)})
		c.fetchAll(t, q, "first")
		execute(t, dsn, "UPDATE tokens SET attributes = '[{'")
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{{TokenKey: nft.TokenKey{Contract: a, TokenID: evm.NewUint256(1)}, FetchedAt: c.now + 1, Raw: "second"}}))
		rollback(t, s, 100, nil)
		if m := metadataOf(t, s, a, 1); m == nil || m.Raw != "second" {
			t.Errorf("token 1: got %+v, want its second document", m)
		}
		expect.Equal(t, "token 2", (*nft.TokenMetadata)(nil), metadataOf(t, s, a, 2))
	})
}
