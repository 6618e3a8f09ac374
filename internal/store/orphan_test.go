package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestRollback_TokensOfOrphanedMints checks that tokens of orphaned mints are removed with
// their documents, and fetched again when another branch mints them.
func TestRollback_TokensOfOrphanedMints(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		// Token 2 is minted in either block, and 9 has a document without a mint.
		apply(t, s, []nft.Block{drop(100, a, 1, 2), drop(101, a, 2, 4)})
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{{TokenKey: nft.TokenKey{Contract: a, TokenID: evm.NewUint256(9)}, FetchedAt: 1, Raw: "imported"}}))
		tasks := claimAll(t, q, 9)
		wantIDs(t, "minted", tasks, 5, 4, 3, 2, 1)
		late := c.fetched(tasks[1], "late")
		finish(t, q, c.fetched(tasks[0], "five"), c.fetched(tasks[3], "two"), c.fetched(tasks[4], "one"))
		other := drop(101, a, 3, 1)
		other.Header.Hash = blockHash(2, 101)
		rollback(t, s, 100, []nft.Block{other})
		for id, want := range map[uint64]string{1: "one", 2: "two", 9: "imported"} {
			m := metadataOf(t, s, a, id)
			if m == nil || m.Raw != want {
				t.Errorf("token %d: got %+v, want %q", id, m, want)
			} else if id != 9 && *m.Attributes[0].TraitCount != 2 {
				t.Errorf("token %d: got %d values of its trait, want 2", id, *m.Attributes[0].TraitCount)
			}
		}
		expect.Equal(t, "a token that was orphaned", (*nft.TokenMetadata)(nil), metadataOf(t, s, a, 5))
		each(t, s, func(snap *store.Snapshot) {
			p := tokensOf(t, snap, a, nil, page.Args{})
			if total, err := p.Total(t.Context()); err != nil || total != 3 || len(p.Items) != 3 {
				t.Errorf("got %d items, total %d and error %v, want 3", len(p.Items), total, err)
			}
		})
		// Documents of the orphaned branch arrive too late: one token is removed, the
		// other is minted again but not entered yet.
		finish(t, q, late, c.fetched(tasks[2], "late"))
		wantIDs(t, "minted again", claimAll(t, q, 9), 3)
		for _, id := range []uint64{3, 4} {
			expect.Equal(t, fmt.Sprint("token ", id), (*nft.TokenMetadata)(nil), metadataOf(t, s, a, id))
		}
	})
}

// TestRollback_FirstMintAbove orphans a token whose only mint is the first record above
// the common ancestor, at the first position that is removed. Its document is removed, and
// workers get the token when it is minted again.
func TestRollback_FirstMintAbove(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 1), drop(101, a, 2, 1)})
		for _, task := range claimAll(t, q, 9) {
			finish(t, q, c.fetched(task, task.TokenID.String()))
		}
		other := drop(101, a, 2, 1)
		other.Header.Hash = blockHash(2, 101)
		rollback(t, s, 100, []nft.Block{other})
		if m := metadataOf(t, s, a, 1); m == nil || m.Raw != "1" {
			t.Errorf("token 1: got %+v, want its document", m)
		}
		expect.Equal(t, "token 2", (*nft.TokenMetadata)(nil), metadataOf(t, s, a, 2))
		wantIDs(t, "minted again", claimAll(t, q, 9), 2)
	})
}

// chainModel is the state of a random chain after its canonical blocks, as its nodes would
// return it.
type chainModel []nft.Block

// document returns the current document of a token, which is named after the last block
// that changed it. It is empty for a token that is not minted.
func (w chainModel) document(key nft.TokenKey) (raw string) {
	for _, b := range w {
		for _, r := range b.Mints {
			if raw == "" && r.Contract == key.Contract && r.TokenID == key.TokenID {
				raw = b.Header.Hash.String()
			}
		}
		for _, r := range b.Refreshes {
			if raw != "" && r.Contract == key.Contract && r.First.Cmp(key.TokenID) <= 0 && key.TokenID.Cmp(r.Last) <= 0 {
				raw = b.Header.Hash.String()
			}
		}
	}
	return raw
}

// TestQueue_RandomHistories mints, refreshes, replaces, claims, fetches, fails and crashes
// at random. In the end each minted token must have the document of the chain's state, and
// no other token may have one.
func TestQueue_RandomHistories(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		for _, seed := range seeds(t, 3) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 11))
			h := queueHistory{T: t, rng: rng, clock: newClock(), s: open(t, dsn, write.Options{}), seed: seed}
			h.apply(1000, 20)
			for range 300 {
				h.step()
			}
			h.drain()
			h.check()
			// The next seed starts on an empty chain.
			expect.NoError(t, h.s.DeepReplaceAbove(t.Context(), 0, nil, false))
			expect.NoError(t, h.s.SetFinalized(t.Context(), evm.Header{}))
		}
	})
}

// queueHistory is a database, the chain that it follows, and its workers.
type queueHistory struct {
	*testing.T
	rng   *rand.Rand
	clock *clock
	s     *write.DB
	seed  uint64
	salt  uint64
	// chain is the canonical branch, of which stored blocks are indexed.
	chain chainModel
	out   []nft.Resolution
	// wild adds burns, of tokens without a mint too, and imports.
	wild bool
}

// block returns the next block, with a few mints and events of two collections.
func (h *queueHistory) block(number uint64, parent evm.Hash) nft.Block {
	b := branch(h.seed, 100*h.seed+h.salt, number, parent, 1, func(*rand.Rand, int) int { return 0 })[0]
	b.Rejected = nil
	for i := range h.rng.IntN(4) {
		r := drop(number, collection(100*int(h.seed)+h.rng.IntN(2)), uint64(h.rng.IntN(30)), 1).Mints[0]
		r.LogIndex = uint32(i)
		b.Mints = append(b.Mints, r)
	}
	for i := range h.rng.IntN(3) {
		if h.wild {
			b.Burns = append(b.Burns, h.burn(number, uint32(8+i)))
		}
	}
	for range h.rng.IntN(8) - 5 {
		first := uint64(h.rng.IntN(30))
		b = with(b, collection(100*int(h.seed)+h.rng.IntN(2)), first, first+uint64(h.rng.IntN(4)*h.rng.IntN(4)))
	}
	return b
}

// grow adds n blocks on top of the chain.
func (h *queueHistory) grow(first uint64, n int) []nft.Block {
	parent := blockHash(1, 0)
	if len(h.chain) > 0 {
		top := h.chain[len(h.chain)-1].Header
		first, parent = top.Number+1, top.Hash
	}
	for i := range uint64(n) {
		b := h.block(first+i, parent)
		parent, h.chain = b.Header.Hash, append(h.chain, b)
	}
	return h.chain[len(h.chain)-n:]
}

func (h *queueHistory) apply(first uint64, n int) { apply(h, h.s, h.grow(first, n)) }

func (h *queueHistory) step() {
	h.clock.now += uint64(h.rng.IntN(10))
	queue := h.clock.queue(h.s)
	switch h.rng.IntN(10) {
	case 0, 1:
		h.apply(0, 1+h.rng.IntN(2))
	case 2:
		// Never below the finalized block.
		depth := h.rng.IntN(6)
		h.salt++
		h.chain = slices.Clone(h.chain[:len(h.chain)-depth])
		top := h.chain[len(h.chain)-1].Header.Number
		rollback(h.T, h.s, top, h.grow(0, h.rng.IntN(depth+2)))
	case 3:
		if h.rng.IntN(2) == 0 {
			final := h.chain[len(h.chain)-1-5-h.rng.IntN(10)].Header
			if err := h.s.SetFinalized(h.Context(), final); err != nil {
				h.Fatal(err)
			}
			// A branch never orphans a finalized block.
			h.apply(0, 6)
		}
	case 4, 5, 6:
		for _, task := range claim(h, queue, 1+h.rng.IntN(20)) {
			h.out = append(h.out, h.fetch(task))
		}
	case 7, 8:
		// In any order, some of them late or never.
		h.rng.Shuffle(len(h.out), func(i, j int) { h.out[i], h.out[j] = h.out[j], h.out[i] })
		n := h.rng.IntN(len(h.out) + 1)
		finish(h, queue, h.out[:n]...)
		h.out = h.out[n:]
		if h.rng.IntN(8) == 0 {
			h.out = nil
		}
	default:
		h.clock.now += uint64(h.rng.IntN(2 * lease))
	}
}

// fetch returns the result of a worker that reads the current chain, or sometimes a failure.
func (h *queueHistory) fetch(task nft.Task) nft.Resolution {
	raw := h.chain.document(task.TokenKey)
	if raw == "" {
		return h.clock.failed(task, "not minted", 0)
	}
	if h.rng.IntN(6) == 0 {
		return h.clock.failed(task, "busy", 1+uint64(h.rng.IntN(50)))
	}
	r := h.clock.fetched(task, raw)
	if h.wild && h.rng.IntN(3) == 0 {
		r.NextAt = h.clock.now + uint64(h.rng.IntN(50))
	}
	return r
}

// drain lets the workers finish all tokens, including those that failed.
func (h *queueHistory) drain() {
	queue := h.clock.queue(h.s)
	finish(h, queue, h.out...)
	h.out = nil
	for range 100 {
		h.clock.now += lease
		var results []nft.Resolution
		for _, task := range claimAll(h, queue, 50) {
			results = append(results, h.fetch(task))
		}
		finish(h, queue, results...)
	}
}

func (h *queueHistory) check() {
	for c := range 2 {
		contract, want := collection(100*int(h.seed)+c), tokenModel{}
		for key := range maps.Keys(newest(h.chain)) {
			if key.Contract == contract {
				raw := h.chain.document(key)
				m := *h.clock.fetched(nft.Task{}, raw).Document
				m.TokenKey, m.URI = key, "u"
				want.put(m)
			}
		}
		list := want.sorted(contract)
		each(h, h.s, func(snap *store.Snapshot) {
			p, err := readMetadata(h.Context(), snap, contract, nil, page.Args{First: ptr(1000)})
			if err != nil {
				h.Fatal(err)
			}
			if len(p.Items) != len(list) {
				h.Errorf("collection %d has %d documents, want %d", c, len(p.Items), len(list))
			}
			for i, m := range plainAll(h, p.Items) {
				if w := list[min(i, len(list)-1)]; m.TokenKey != w.TokenKey || m.Raw != w.Raw || m.State != nft.Resolved || *m.Attributes[0].TraitCount != *w.Attributes[0].TraitCount {
					h.Fatalf("collection %d, document %d: got %s %q %s with %d values, want %s %q with %d", c, i, m.TokenID, m.Raw, m.State, *m.Attributes[0].TraitCount, w.TokenID, w.Raw, *w.Attributes[0].TraitCount)
				}
			}
			if total, err := p.Total(h.Context()); err != nil || total != int64(len(list)) {
				h.Errorf("collection %d: got the total %d and error %v, want %d", c, total, err, len(list))
			}
		})
	}
}
