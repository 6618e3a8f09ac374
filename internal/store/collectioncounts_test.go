package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/total"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// burn returns a burn of a token that may never have been minted.
func (h *queueHistory) burn(number uint64, log uint32) nft.Record {
	r := drop(number, collection(100*int(h.seed)+h.rng.IntN(2)), uint64(h.rng.IntN(40)), 1).Mints[0]
	r.Kind, r.From, r.To, r.LogIndex = nft.Burn, r.To, evm.Address{}, log
	return r
}

// wildStep imports documents, also of tokens without a record, or repairs blocks, also to other
// records.
func (h *queueHistory) wildStep() {
	switch i := h.rng.IntN(len(h.chain)); h.rng.IntN(5) {
	case 0, 1:
		var items []nft.TokenMetadata
		for range 1 + h.rng.IntN(4) {
			m := *h.clock.fetched(nft.Task{}, fmt.Sprint("imported ", h.rng.IntN(9))).Document
			m.TokenKey = nft.TokenKey{Contract: collection(100*int(h.seed) + h.rng.IntN(2)), TokenID: evm.NewUint256(uint64(h.rng.IntN(45)))}
			m.FetchedAt = h.clock.now - uint64(h.rng.IntN(40))
			items = append(items, m)
		}
		expect.NoError(h, h.s.PutMetadata(h.Context(), items))
	case 2:
		expect.NoError(h, proof.Of(h.s).Repair(h.Context(), h.chain[i:i+1]))
	case 3:
		_, err := h.clock.queue(h.s).RetryFailed(h.Context())
		expect.NoError(h, err)
	default:
		// A node may have left out burns, or mints.
		b := &h.chain[i]
		b.Burns = nil
		for n := range h.rng.IntN(3) {
			b.Burns = append(b.Burns, h.burn(b.Header.Number, uint32(8+n)))
		}
		if h.rng.IntN(2) == 0 {
			b.Mints = nil
		}
		expect.NoError(h, proof.Of(h.s).Repair(h.Context(), []nft.Block{*b}))
	}
}

// wantCounts compares all counts with the records, and with the states that the API returns.
func (h *queueHistory) wantCounts() {
	h.Helper()
	for c := range 2 {
		address := collection(100*int(h.seed) + c)
		var want store.Counts
		recorded := map[evm.Uint256]bool{}
		for _, b := range h.chain {
			for _, r := range append(append([]nft.Record{}, b.Mints...), b.Burns...) {
				if r.Contract != address {
					continue
				}
				recorded[r.TokenID] = true
				want.Records[r.Kind] = want.Records[r.Kind].Plus(counter.Tally{N: 1, Amount: counter.AmountOf(r.Amount)})
				if log := int64(b.Header.Number<<30 | uint64(r.LogIndex)); want.First == nil || log < *want.First {
					want.First = &log
				}
			}
		}
		var keys []nft.TokenKey
		for id := range uint64(50) {
			keys = append(keys, nft.TokenKey{Contract: address, TokenID: evm.NewUint256(id)})
		}
		each(h, h.s, func(snap *store.Snapshot) {
			found, err := snap.MetadataOf(h.Context(), keys, read.FetchState)
			expect.NoError(h, err)
			for _, key := range keys {
				switch m := found[key]; {
				case m == nil && recorded[key.TokenID]:
					want.Documents.Untried++
				case m == nil:
				case m.State == nft.Resolved:
					want.Documents.Resolved++
				case m.State == nft.Pending:
					want.Documents.Pending++
				default:
					want.Documents.Failed++
				}
			}
			want.Tokens = int64(len(recorded))
			got, err := store.CountsOf(h.Context(), snap.Snapshot, address)
			expect.NoError(h, err)
			expect.Equal(h, "counts", want, got)
		})
	}
}

// TestCounts_RandomHistories checks that the counts of collections match their rows after
// workers, imports, reorgs and repairs in any order.
func TestCounts_RandomHistories(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		bind(t, s, nft.Decoding{})
		n := 3
		if isPostgres(dsn) {
			n = 1
		}
		for _, seed := range seeds(t, n) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			h := queueHistory{T: t, rng: rand.New(rand.NewPCG(seed, 31)), clock: newClock(), s: s, seed: seed, wild: true}
			h.apply(1000, 20)
			states := map[total.DocumentCounts]bool{}
			for range 300 {
				if h.step(); h.rng.IntN(2) == 0 {
					h.wildStep()
				}
				h.wantCounts()
				each(t, h.s, func(snap *store.Snapshot) {
					of, err := store.CountsOf(t.Context(), snap.Snapshot, collection(100*int(seed)))
					expect.NoError(t, err)
					counts := of.Documents
					states[total.DocumentCounts{Resolved: min(counts.Resolved, 1), Pending: min(counts.Pending, 1), Failed: min(counts.Failed, 1), Untried: min(counts.Untried, 1)}] = true
				})
			}
			wantClean(t, "the end", h.s)
			if !states[total.DocumentCounts{Resolved: 1, Pending: 1, Failed: 1, Untried: 1}] {
				t.Errorf("tokens were never in all states at once: %v", states)
			}
			expect.NoError(t, h.s.DeepReplaceAbove(t.Context(), 0, nil, false))
			expect.NoError(t, h.s.SetFinalized(t.Context(), evm.Header{}))
		}
	})
}
