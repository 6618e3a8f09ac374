package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestDigests_Random plays random histories: blocks in any order, logs that were left out, reorgs, damage and its
// repair, proofs, and digests that are filled at random. After each step a check finds nothing, and the digests of
// random ranges are those by the definition. MINTBURN_SEED is the first seed, MINTBURN_STEPS the number of steps.
func TestDigests_Random(t *testing.T) {
	skipShort(t)
	steps, seed := expect.Variable(t, "MINTBURN_STEPS", 80), expect.Variable(t, "MINTBURN_SEED", 1)
	for ; steps > 0 && !t.Failed(); seed++ {
		n := min(steps, 40)
		steps -= n
		t.Run(fmt.Sprintf("MINTBURN_SEED=%d", seed), func(t *testing.T) {
			dsn := storetest.SQLite(t)
			if seed%3 == 0 {
				dsn = storetest.Postgres(t)
			}
			h := &digested{t: t, random: rand.New(rand.NewPCG(seed, 11)), store: open(t, dsn, write.Options{}), stored: map[uint64]nft.Block{}}
			h.mine(350)
			for range n {
				h.step()
				h.compare()
			}
		})
	}
}

// digested is a database and what it has to have.
type digested struct {
	t      *testing.T
	random *rand.Rand
	store  *write.DB
	salt   uint64
	// blocks are those of the chain, from block 4000 on; stored those of the database.
	blocks []nft.Block
	stored map[uint64]nft.Block
}

const digestedFirst = 4000

// mine adds blocks to the chain.
func (h *digested) mine(n int) {
	parent := blockHash(0, digestedFirst-1)
	if len(h.blocks) > 0 {
		parent = h.blocks[len(h.blocks)-1].Header.Hash
	}
	h.salt++
	h.blocks = append(h.blocks, branch(h.salt, h.salt, digestedFirst+uint64(len(h.blocks)), parent, n, func(random *rand.Rand, i int) int { return max(0, random.IntN(8)-4) })...)
}

// some returns a random range of the chain's blocks, by index.
func (h *digested) some() (from, to int) {
	from = h.random.IntN(len(h.blocks))
	return from, min(len(h.blocks), from+1+h.random.IntN(150))
}

func (h *digested) keep(blocks []nft.Block) {
	for _, b := range blocks {
		h.stored[b.Header.Number] = b
	}
}

func (h *digested) step() {
	ctx := h.t.Context()
	switch h.random.IntN(9) {
	case 0, 1:
		from, to := h.some()
		apply(h.t, h.store, h.blocks[from:to])
		h.keep(h.blocks[from:to])
	case 2:
		from, to := h.some()
		whole := evm.Range{From: h.blocks[from].Header.Number, To: h.blocks[to-1].Header.Number}
		lossy := slices.DeleteFunc(slices.Clone(h.blocks[from:to]), func(b nft.Block) bool { return b.Header.Number%5 == 0 && b.Header.Number != whole.To })
		expect.NoError(h.t, h.store.Extend(ctx, lossy, whole, false))
		for _, b := range h.blocks[from:to] {
			if _, known := h.stored[b.Header.Number]; !known {
				h.stored[b.Header.Number] = nft.Block{Header: b.Header}
			}
		}
		h.keep(lossy)
	case 3:
		above := len(h.blocks) - 1 - h.random.IntN(120)
		if _, known := h.stored[h.blocks[above].Header.Number]; !known {
			return
		}
		h.blocks = h.blocks[:above+1]
		h.mine(60 + h.random.IntN(100))
		n := h.random.IntN(len(h.blocks) - above)
		expect.NoError(h.t, h.store.ReplaceAbove(ctx, h.blocks[above].Header.Number, h.blocks[above+1:above+1+n], false))
		maps.DeleteFunc(h.stored, func(number uint64, _ nft.Block) bool { return number > h.blocks[above].Header.Number })
		h.keep(h.blocks[above+1 : above+1+n])
	case 4, 5:
		from, to := h.some()
		run := h.blocks[from:min(to, from+10)]
		for _, b := range run {
			if _, known := h.stored[b.Header.Number]; !known {
				return
			}
		}
		// Not by a connection of its own, which would keep the file's log open.
		expect.NoError(h.t, h.store.Database.Exec(ctx, fmt.Sprintf("DELETE FROM mints WHERE id >> 30 = %d", run[0].Header.Number)))
		expect.NoError(h.t, proof.Of(h.store).Repair(ctx, run))
		h.keep(run)
	case 6:
		_, _, err := write.FillDigests(ctx, h.store)
		expect.NoError(h.t, err)
	default:
		fillDigests(h.t, h.store)
	}
}

// compare compares the digests with the records, and those of random ranges with the definition.
func (h *digested) compare() {
	h.t.Helper()
	for level := 1; level <= digest.Levels; level++ {
		for from, more := uint64(0), true; more; {
			snapshot := h.store.Snapshot()
			var err error
			from, more, err = digest.Of(snapshot.Tx, snapshot.Client()).Compare(h.t.Context(), level, from, func(in evm.Range, kind nft.Kind) {
				h.t.Errorf("blocks %d to %d: %ss differ", in.From, in.To, kind)
			})
			snapshot.End(&err)
			expect.NoError(h.t, err)
		}
	}
	indexed, err := h.store.Indexed(h.t.Context())
	expect.NoError(h.t, err)
	var blocks []nft.Block
	for _, number := range slices.Sorted(maps.Keys(h.stored)) {
		blocks = append(blocks, h.stored[number])
	}
	of := blockDigests(blocks)
	for range min(4, len(indexed)*4) {
		r := indexed[h.random.IntN(len(indexed))]
		if h.random.IntN(2) == 0 {
			r.From += h.random.Uint64N(r.To - r.From + 1)
		}
		d := digestOf(h.t, h.store, r)
		expect.Equal(h.t, fmt.Sprintf("digests of blocks %d to %d", r.From, r.To), []string{of[0].Range(r.From, r.To), of[1].Range(r.From, r.To)}, []string{d.Mints.String(), d.Burns.String()})
	}
}
