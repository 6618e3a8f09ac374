package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// rangesOf returns the ranges of the numbers that are marked.
func rangesOf(marked []bool) (list []store.Range) {
	for i, ok := range marked {
		switch {
		case !ok:
		case i > 0 && marked[i-1]:
			list[len(list)-1].To = uint64(i)
		default:
			list = append(list, store.Range{From: uint64(i), To: uint64(i)})
		}
	}
	return list
}

// TestVerified_RandomRanges marks and clears ranges, and rolls back now and
// then, which takes the proof back as well.
func TestVerified_RandomRanges(t *testing.T) {
	const blocks = 40
	chain := branch(1, 1, 0, evm.Hash{}, blocks, between(2, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		for _, seed := range seeds(t, 2) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 9))
			s, marked := open(t, dsn, store.Options{}), make([]bool, blocks)
			apply(t, s, chain)
			expect.NoError(t, s.Proofs().ClearVerified(t.Context(), store.Range{From: 0, To: blocks}))
			for range 60 {
				from := rng.IntN(blocks)
				r := store.Range{From: uint64(from), To: uint64(from + rng.IntN(min(9, blocks-from)))}
				mark, err := rng.IntN(2) == 0, error(nil)
				switch {
				case rng.IntN(20) == 0:
					rollback(t, s, r.From, chain[from+1:])
					r, mark = store.Range{From: r.From + 1, To: blocks - 1}, false
				case mark:
					err = s.Proofs().MarkVerified(t.Context(), headersOf(chain[r.From:r.To+1]))
				default:
					err = s.Proofs().ClearVerified(t.Context(), r)
				}
				if err != nil {
					t.Fatalf("%v: %v", r, err)
				}
				for i := r.From; i <= r.To; i++ {
					marked[i] = mark
				}
				read(t, s, func(snap *store.Snapshot) {
					c, err := snap.Chain(t.Context())
					expect.NoError(t, err)
					if want := rangesOf(marked); !slices.Equal(c.Verified, want) {
						t.Fatalf("after %v, marked %v: got %v, want %v", r, mark, c.Verified, want)
					}
				})
			}
			indexed, err := s.Indexed(t.Context())
			if err != nil || !slices.Equal(indexed, []store.Range{{From: 0, To: blocks - 1}}) {
				t.Errorf("indexed: got %v and error %v, want all", indexed, err)
			}
		}
	})
}

func TestBlock_IsWhatWasStored(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 60, between(12, 300))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		apply(t, s, blocks)
		for _, want := range blocks {
			got, err := s.Block(t.Context(), want.Header.Number)
			expect.NoError(t, err)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("block %d (-want +got):\n%s", want.Header.Number, diff)
			}
		}
		got, err := s.Block(t.Context(), 7)
		if diff := cmp.Diff(nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: 7}}}, got); err != nil || diff != "" {
			t.Errorf("a block that is not stored: error %v (-want +got):\n%s", err, diff)
		}
	})
}
