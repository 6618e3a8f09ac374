package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// tally adds up the records of a collection, or of one of its tokens, up to a block.
func (m model) tally(kind nft.Kind, c evm.Address, token *evm.Uint256, to uint64) (sum counter.Tally) {
	for r := range m.selected(store.Filter{Kind: kind, Address: &c, TokenID: token}) {
		if r.Block.Number <= to {
			sum = sum.Plus(counter.Tally{N: 1, Amount: counter.AmountOf(r.Amount)})
		}
	}
	return sum
}

// wantSums compares the sums of collections and tokens with the records.
func wantSums(t testing.TB, snap *store.Snapshot, known model, to uint64) {
	t.Helper()
	tokens := append(bigIDs(), evm.NewUint256(7), evm.NewUint256(12), evm.NewUint256(5_000))
	for c := range 7 {
		got, err := store.SumsOf(t.Context(), snap.Snapshot, collection(c), tokens, to)
		expect.NoError(t, err)
		if got == nil && known.tally(nft.Mint, collection(c), nil, to).N+known.tally(nft.Burn, collection(c), nil, to).N == 0 {
			continue
		}
		for i, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			for j := range 1 + len(tokens) {
				var token *evm.Uint256
				name := fmt.Sprintf("%ss of collection %d up to %d", kind, c, to)
				if j > 0 {
					token = &tokens[j-1]
					name += ", token " + token.String()
				}
				if want := known.tally(kind, collection(c), token, to); got[i*(1+len(tokens))+j] != want {
					t.Fatalf("%s: got %v, want %v", name, got[i*(1+len(tokens))+j], want)
				}
			}
		}
	}
}

// wantCounts compares the first record, and the numbers of records and tokens, of each
// collection with the records.
func wantCounts(t testing.TB, snap *store.Snapshot, known model) {
	t.Helper()
	for c := range 12 {
		var want store.Counts
		tokens := map[evm.Uint256]bool{}
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			for r := range known.selected(store.Filter{Kind: kind, Address: ptr(collection(c))}) {
				tokens[r.TokenID] = true
				want.Records[kind] = want.Records[kind].Plus(counter.Tally{N: 1, Amount: counter.AmountOf(r.Amount)})
				if log := int64(r.Block.Number<<30 | uint64(r.LogIndex)); want.First == nil || log < *want.First {
					want.First = &log
				}
			}
		}
		want.Tokens = int64(len(tokens))
		got, err := store.CountsOf(t.Context(), snap.Snapshot, collection(c))
		expect.NoError(t, err)
		got.Documents = want.Documents
		expect.Equal(t, fmt.Sprintf("counts of collection %d", c), want, got)
	}
}

// TestSums_AboveUint256 checks that sums above 2^256-1 can be written and read, and shrink
// again in a rollback.
func TestSums_AboveUint256(t *testing.T) {
	most, c := bigIDs()[7], collection(1)
	blocks := branch(1, 1, 100, evm.Hash{}, 4, func(_ *rand.Rand, i int) int { return 0 })
	for i := range blocks {
		for n := range 700 * (i % 2) {
			blocks[i].Mints = append(blocks[i].Mints, nft.Record{
				Kind: nft.Mint, Type: nft.ERC1155, Contract: c, TokenID: evm.NewUint256(3), Amount: most, To: account(n % 2), LogIndex: uint32(n),
			})
		}
	}
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		sums := func(want counter.Amount) {
			t.Helper()
			each(t, s, func(snap *store.Snapshot) {
				got, err := store.SumsOf(t.Context(), snap.Snapshot, c, []evm.Uint256{evm.NewUint256(3)}, counter.LastBlock)
				expect.NoError(t, err)
				expect.Equal(t, "minted", []counter.Amount{want, want}, []counter.Amount{got[0].Amount, got[1].Amount})
			})
		}
		apply(t, s, blocks)
		sums(counter.AmountOf(most).Times(1400))
		wantClean(t, "amounts above 2^256-1", s)
		rollback(t, s, 102, nil)
		sums(counter.AmountOf(most).Times(700))
		wantClean(t, "a rollback", s)
	})
}
