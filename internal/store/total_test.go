package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// history is a chain of which some blocks are stored. A reorg changes the chain above a
// block.
type history struct {
	seed, salt uint64
	chain      []nft.Block
	stored     []bool
}

// historySizes gives the blocks of a history 13,000 records, half of them of one collection.
var historySizes = between(10, 400)

func newHistory(seed uint64, first uint64, blocks int) *history {
	return &history{seed: seed, salt: 1, chain: branch(seed, 1, first, blockHash(1, first-1), blocks, historySizes), stored: make([]bool, blocks)}
}

// apply stores a run of blocks in random order, some of them for the second time.
func (h *history) apply(t *testing.T, s *write.DB, rng *rand.Rand, from, to int) {
	t.Helper()
	run := slices.Clone(h.chain[from:to])
	rng.Shuffle(len(run), func(i, j int) { run[i], run[j] = run[j], run[i] })
	for len(run) > 0 {
		n := 1 + rng.IntN(min(len(run), 90))
		apply(t, s, run[:n])
		run = run[n:]
	}
	for i := from; i < to; i++ {
		h.stored[i] = true
	}
}

// reorg replaces the chain above block i, and stores n of the new blocks.
func (h *history) reorg(t *testing.T, s *write.DB, i, n int) {
	t.Helper()
	h.salt++
	top := h.chain[i].Header
	h.chain = append(h.chain[:i+1:i+1], branch(h.seed, h.salt, top.Number+1, top.Hash, len(h.chain)-i-1, historySizes)...)
	n = min(n, len(h.chain)-i-1)
	if err := s.ReplaceAbove(t.Context(), top.Number, h.chain[i+1:i+1+n], false); err != nil {
		t.Fatalf("rolling back to %d: %v", top.Number, err)
	}
	for j := i + 1; j < len(h.stored); j++ {
		h.stored[j] = j <= i+n
	}
}

// step replaces blocks, or stores at most most of them, at random.
func (h *history) step(t *testing.T, s *write.DB, rng *rand.Rand, most int) {
	t.Helper()
	if i := rng.IntN(len(h.chain)); h.stored[i] && rng.IntN(3) > 0 {
		h.reorg(t, s, i, rng.IntN(60))
	} else {
		h.apply(t, s, rng, i, min(i+1+rng.IntN(most), len(h.chain)))
	}
}

// known returns the stored blocks.
func (h *history) known() model {
	var m model
	for i, b := range h.chain {
		if h.stored[i] {
			m = append(m, b)
		}
	}
	return m
}

// randomRange returns a range of blocks that are all stored.
func (h *history) randomRange(rng *rand.Rand) (from, to *evm.Long) {
	i := rng.IntN(len(h.chain))
	for !h.stored[i] {
		i = rng.IntN(len(h.chain))
	}
	end := i
	for end+1 < len(h.chain) && h.stored[end+1] {
		end++
	}
	// Half of the ranges are short.
	j := i + rng.IntN(end-i+1)
	if rng.IntN(2) == 0 {
		j = min(j, i+rng.IntN(80))
	}
	return ptr(evm.Long(h.chain[i].Header.Number)), ptr(evm.Long(h.chain[j].Header.Number))
}

// totalled returns filters of every sort, which select many and few records.
func totalled(tx evm.Hash) []store.Filter {
	list := []store.Filter{{}, {TransactionHash: &tx}}
	for _, c := range []int{0, 1, 4} {
		list = append(list, store.Filter{Address: ptr(collection(c))})
	}
	for _, id := range []uint64{7, 12} {
		list = append(list, store.Filter{Address: ptr(collection(0)), TokenID: ptr(evm.NewUint256(id))})
	}
	for _, a := range []int{0, 1, 5} {
		list = append(list, store.Filter{Account: ptr(account(a))},
			store.Filter{Account: ptr(account(a)), Address: ptr(collection(0))}, store.Filter{Account: ptr(account(a)), Address: ptr(collection(1))})
	}
	for i := range list {
		// Histories have holes.
		list[i].Partial = true
		burns := list[i]
		burns.Kind = nft.Burn
		list = append(list, burns)
	}
	return list
}

// check compares the totals of random ranges, and of the whole chain, with the blocks.
func (h *history) check(t *testing.T, s *write.DB, rng *rand.Rand, ranges int) {
	t.Helper()
	known := h.known()
	filters := totalled(txHash(h.salt, h.chain[rng.IntN(len(h.chain))].Header.Number, 0))
	each(t, s, func(snap *store.Snapshot) {
		wantTotals(t, snap, known, filters)
		wantSums(t, snap, known, counter.LastBlock)
		for range ranges {
			from, to := h.randomRange(rng)
			wantSums(t, snap, known, uint64(*to))
			for i := range filters {
				filters[i].FromBlock, filters[i].ToBlock = from, to
			}
			wantTotals(t, snap, known, filters)
		}
	})
}

// TestTotal_TakesFewStatementsAndCountsFewRows checks that totals take logarithmic time.
func TestTotal_TakesFewStatementsAndCountsFewRows(t *testing.T) {
	skipShort(t)
	const (
		// One statement for the root. Then, for each end of the range, at most a sum
		// and a node on each of five levels, and a count.
		mostStatements = 1 + 2*(5*2+1)
		// leafSize is 512; a scope without counters may be somewhat larger.
		mostRows = 4 * 512
	)
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s, rng := openNoting(t, dsn, sent), rand.New(rand.NewPCG(1, 7))
		h := newHistory(1, 3<<24-700, 1400)
		h.apply(t, s, rng, 0, len(h.chain))
		db, snap := raw(t, dsn), snapshot(t, s)
		for i := range 6 {
			from, to := h.randomRange(rng)
			if i == 0 {
				// All blocks but the first and the last.
				from, to = ptr(evm.Long(h.chain[1].Header.Number)), ptr(evm.Long(h.chain[len(h.chain)-2].Header.Number))
			}
			for _, f := range totalled(evm.Hash{}) {
				f.FromBlock, f.ToBlock = from, to
				p := pageOf(t, snap, f, page.Args{First: ptr(0)})
				sent.take()
				if _, err := p.Total(t.Context()); err != nil {
					t.Fatal(err)
				}
				list := sent.take()
				if len(list) > mostStatements {
					t.Errorf("%s: %d statements, want at most %d", describe(f), len(list), mostStatements)
				}
				for _, st := range list {
					if !strings.Contains(st.query, "COUNT(") {
						continue
					}
					var rows int
					expect.NoError(t, db.QueryRowContext(t.Context(), st.query, st.args...).Scan(&rows))
					if rows > mostRows {
						t.Errorf("%s: counts %d rows, want at most %d: %s", describe(f), rows, mostRows, st.query)
					}
				}
			}
		}
	})
}

// TestTotal_FirstAndLastPossibleBlocks has records at both ends of the range of positions.
func TestTotal_FirstAndLastPossibleBlocks(t *testing.T) {
	const last = 1<<33 - 2
	forty := func(*rand.Rand, int) int { return 40 }
	low := branch(1, 1, 0, evm.Hash{}, 40, forty)
	high := branch(1, 1, last-39, blockHash(1, last-40), 40, forty)
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, append(slices.Clone(high), low...))
		all := append(slices.Clone(low), high...)
		each(t, s, func(snap *store.Snapshot) {
			wantTotals(t, snap, all, totalled(evm.Hash{}))
			for _, r := range [][2]evm.Long{{0, 39}, {0, 0}, {3, 20}, {last - 39, last}, {last, last}, {last - 20, last + 100}, {last - 39, evm.MaxLong}} {
				filters := totalled(evm.Hash{})
				for i := range filters {
					filters[i].FromBlock, filters[i].ToBlock = &r[0], &r[1]
				}
				wantTotals(t, snap, all, filters)
			}
			for _, order := range []store.Order{store.Asc, store.Desc} {
				b := recordBook(t, snap, all, store.Filter{Order: order, Partial: true})
				b.forwards(always(700))
				b.backwards(always(700))
			}
		})
	})
}
