package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// holdings are the stored blocks of a generation.
type holdings struct {
	generation string
	blocks     map[uint64]nft.Block
}

// indexedOf returns the current holdings.
func indexedOf(t *testing.T, s *write.DB) holdings {
	t.Helper()
	now, err := s.Generation(t.Context())
	expect.NoError(t, err)
	each(t, s, func(snap *store.Snapshot) {
		if within, err := snap.Generation(t.Context()); err != nil || within != now {
			t.Errorf("a snapshot sees the generation %q, error %v: want %q", within, err, now)
		}
	})
	ranges, err := s.Indexed(t.Context())
	expect.NoError(t, err)
	st := holdings{now, map[uint64]nft.Block{}}
	for _, r := range ranges {
		for n := r.From; n <= r.To; n++ {
			if st.blocks[n], err = store.Block(t.Context(), s, n); err != nil {
				t.Fatal(err)
			}
		}
	}
	return st
}

// changed returns a block of before that after lacks or has changed.
func (before holdings) changed(after holdings) (uint64, bool) {
	for n, b := range before.blocks {
		if now, ok := after.blocks[n]; !ok || !reflect.DeepEqual(b, now) {
			return n, true
		}
	}
	return 0, false
}

// TestGeneration_EachChange checks that each change of an indexed block begins a new
// generation, which another process sees, and that adding blocks does not.
func TestGeneration_EachChange(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{}, 40, between(5, 0))
	other := branch(2, 2, 110, blocks[9].Header.Hash, 40, between(5, 0))
	gap := branch(3, 3, 60, evm.Hash{}, 10, between(5, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s, process := open(t, dsn, write.Options{}), open(t, dsn, write.Options{})
		before := indexedOf(t, process)
		expect.Equal(t, "generation of an empty database", "", before.generation)
		finalize := func(number uint64) error {
			return s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: number}})
		}
		extend := func(blocks []nft.Block, from, to uint64) error {
			return s.Extend(t.Context(), blocks, evm.Range{From: from, To: to}, false)
		}
		for _, step := range []struct {
			name string
			do   func() error
			want bool
		}{
			{"the first finalized block", func() error { return finalize(105) }, true},
			{"another one", func() error { return finalize(120) }, false},
			{"blocks", func() error { return extend(blocks[:20], 100, 119) }, false},
			{"blocks that are there", func() error { return extend(blocks[10:20], 110, 119) }, false},
			{"blocks after them", func() error { return extend(blocks[20:30], 120, 129) }, false},
			{"a range without blocks", func() error { return extend(nil, 50, 99) }, false},
			{"proof of them", func() error { return proof.Of(s).MarkVerified(t.Context(), headersOf(blocks[:20])) }, false},
			{"a document", func() error {
				return s.PutMetadata(t.Context(), []nft.TokenMetadata{{TokenKey: nft.TokenKey{Contract: collection(0)}, FetchedAt: 1}})
			}, false},
			{"a refused rollback", func() error {
				if err := s.ReplaceAbove(t.Context(), 109, append(other[:1:1], blocks[11]), false); err == nil {
					return errors.New("it was not refused")
				}
				return nil
			}, false},
			{"blocks within that range", func() error { return extend(gap[5:], 60, 69) }, true},
			{"a rollback to the last block", func() error { return s.ReplaceAbove(t.Context(), 129, nil, false) }, true},
			{"a deep rollback", func() error { return s.DeepReplaceAbove(t.Context(), 109, other[:20], false) }, true},
			{"a repair", func() error { return proof.Of(s).Repair(t.Context(), blocks[5:6]) }, true},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			after := indexedOf(t, process)
			expect.Equal(t, step.name+": a new generation", step.want, after.generation != before.generation)
			before = after
		}
	})
}

// TestGeneration_Random checks that no operation changes an indexed block without beginning
// a new generation.
func TestGeneration_Random(t *testing.T) {
	const first, last = 100, 160
	onBoth(t, func(t *testing.T, dsn string) {
		for _, seed := range seeds(t, 1) {
			rng := rand.New(rand.NewPCG(seed, seed))
			s := open(t, dsn, write.Options{})
			expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: last}}))
			// Blocks without a parent hash can be stored anywhere.
			some := func(from, to, salt uint64) (list []nft.Block) {
				for n := from; n <= to; n++ {
					if rng.IntN(2) == 0 {
						list = append(list, branch(seed, salt, n, evm.Hash{}, 1, between(4, 0))...)
					}
				}
				return list
			}
			before, kept, renewed := indexedOf(t, s), 0, 0
			for i := range 120 {
				from := first + rng.Uint64N(last-first)
				to := min(last, from+rng.Uint64N(8))
				salt := 1 + rng.Uint64N(3)
				var what string
				var err error
				switch rng.IntN(6) {
				case 0:
					what = fmt.Sprintf("rolling back to %d", from)
					err = s.ReplaceAbove(t.Context(), from, some(from+1, to, salt), false)
				case 1:
					what = fmt.Sprintf("repairing %d", from)
					err = proof.Of(s).Repair(t.Context(), branch(seed, salt, from, evm.Hash{}, 1, between(4, 0)))
				case 2:
					what = fmt.Sprintf("applying %d to %d", from, to)
					_, err = s.Apply(t.Context(), some(from, to, salt))
				default:
					what = fmt.Sprintf("extending by %d to %d", from, to)
					err = s.Extend(t.Context(), some(from, to, salt), evm.Range{From: from, To: to}, rng.IntN(2) == 0)
				}
				after := indexedOf(t, s)
				if n, changed := before.changed(after); changed && after.generation == before.generation {
					t.Fatalf("seed %d, step %d: %s (error %v) changed block %d but not the generation", seed, i, what, err, n)
				}
				if after.generation == before.generation {
					kept++
				} else {
					renewed++
				}
				before = after
			}
			if kept < 20 || renewed < 20 {
				t.Errorf("seed %d: the generation stayed %d times and changed %d times", seed, kept, renewed)
			}
		}
	})
}

// TestFinal_IsIndexed checks that a range is final only if it is indexed as well, and
// verified only if each of its blocks is.
func TestFinal_IsIndexed(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, branch(1, 1, 100, evm.Hash{}, 20, between(3, 0)))
		apply(t, s, branch(1, 1, 130, evm.Hash{}, 20, between(3, 0)))
		expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: 140}}))
		expect.NoError(t, proof.Of(s).MarkVerified(t.Context(), headersOf(branch(1, 1, 100, evm.Hash{}, 20, between(3, 0))[4:11])))
		for r, want := range map[evm.Range]bool{
			{From: 104, To: 110}: true, {From: 103, To: 110}: true, {From: 104, To: 111}: true, {From: 105, To: 105}: true,

			{From: 100, To: 119}: true, {From: 100, To: 120}: false, {From: 99, To: 110}: false, {From: 110, To: 135}: false,
			{From: 130, To: 140}: true, {From: 130, To: 141}: false, {From: 100, To: 1_000}: false, {From: 130, To: 1_000}: false,
		} {
			from, to := evm.Long(r.From), evm.Long(r.To)
			each(t, s, func(snap *store.Snapshot) {
				final, verified, err := snap.Final(t.Context(), store.Filter{FromBlock: &from, ToBlock: &to})
				if err != nil || final != want || verified != (r.From >= 104 && r.To <= 110) {
					t.Errorf("blocks %d to %d: final is %v, verified %v, error %v: want final %v", r.From, r.To, final, verified, err, want)
				}
			})
		}
	})
}
