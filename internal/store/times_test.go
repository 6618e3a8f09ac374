package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// timedChain is a partly indexed chain, for filters by time.
type timedChain struct {
	// stored are the blocks with headers, indexed the covered ranges.
	stored  []nft.Block
	indexed []evm.Range
	// finalized is the number of the finalized block, nil if none is known.
	finalized *uint64
}

// timed generates blocks whose times do not fall and are often equal. Some headers are not
// stored, and some ranges are holes.
func timed(rng *rand.Rand) (c timedChain) {
	first, now := uint64(rng.IntN(2)*1000), uint64(1_600_000_000)
	blocks := branch(rng.Uint64(), 1, first, blockHash(1, first), 120, between(12, 60))
	for i := range blocks {
		now += []uint64{0, 0, 0, 1, 5, 3600}[rng.IntN(6)]
		blocks[i].Header.Time = now
	}
	for at := 0; at < len(blocks); {
		end := min(at+1+rng.IntN(50), len(blocks))
		r := evm.Range{From: first + uint64(at), To: first + uint64(end) - 1}
		c.indexed = r.Join(c.indexed)
		sparse := rng.IntN(2) == 0
		for _, b := range blocks[at:end] {
			if sparse && rng.IntN(3) > 0 && len(c.stored) > 0 {
				continue
			}
			if sparse {
				b.Header.ParentHash = evm.Hash{}
			}
			c.stored = append(c.stored, b)
		}
		at = end + rng.IntN(3)*rng.IntN(5)
	}
	return c
}

// store writes the chain into a database.
func (c timedChain) store(t *testing.T, s *write.DB) {
	t.Helper()
	for _, r := range c.indexed {
		var within []nft.Block
		for _, b := range c.stored {
			if r.From <= b.Header.Number && b.Header.Number <= r.To {
				within = append(within, b)
			}
		}
		expect.NoError(t, s.Extend(t.Context(), within, r, false))
	}
	if c.finalized != nil {
		expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: *c.finalized, Hash: evm.Hash{1}}}))
	}
}

func (c timedChain) isIndexed(number uint64) bool {
	return slices.ContainsFunc(c.indexed, func(r evm.Range) bool { return r.From <= number && number <= r.To })
}

// mayHave reports whether a block may match the filter's times. Its time is that of its
// header, or any between the times of its stored neighbours.
func (c timedChain) mayHave(f store.Filter, number uint64) bool {
	earliest, latest := uint64(0), uint64(math.MaxUint64)
	for _, b := range c.stored {
		if b.Header.Number <= number {
			earliest = b.Header.Time
		}
		if b.Header.Number >= number {
			latest = min(latest, b.Header.Time)
		}
	}
	return (f.FromTime == nil || latest >= uint64(*f.FromTime)) && (f.ToTime == nil || earliest <= uint64(*f.ToTime)) &&
		(f.FromBlock == nil || number >= uint64(*f.FromBlock)) && (f.ToBlock == nil || number <= uint64(*f.ToBlock))
}

// answer looks at each block, and returns whether a filter with a range is answered, and
// the indexed blocks of its range.
func (c timedChain) answer(f store.Filter) (answered bool, indexed []uint64) {
	head, lastTime := c.indexed[len(c.indexed)-1].To, c.stored[len(c.stored)-1].Header.Time
	open := f.FromBlock == nil && f.FromTime == nil
	var possible, known, missing []uint64
	numbers := []uint64{uint64(evm.MaxLong)}
	for number := range head + 50 {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		if !c.mayHave(f, number) {
			continue
		}
		possible = append(possible, number)
		if f.Finality == store.Finalized && (c.finalized == nil || number > *c.finalized) {
			continue
		}
		known = append(known, number)
		switch {
		case c.isIndexed(number):
			indexed = append(indexed, number)
		case number < head && (!open || number > c.indexed[0].From):
			missing = append(missing, number)
		}
	}
	switch {
	case len(possible) == 0:
		return true, nil
	case f.Finality == store.Finalized && c.finalized == nil:
		return false, nil
	case f.Partial:
		return true, indexed
	case f.FromTime != nil && uint64(*f.FromTime) > lastTime:
		return false, nil
	}
	return len(known) > 0 && known[0] <= head && (!open || known[len(known)-1] >= c.indexed[0].From) && len(missing) == 0, indexed
}

// TestTimes_EqualTheOracle compares random filters by time, block and finality, on random
// chains with holes, with a look at every block.
func TestTimes_EqualTheOracle(t *testing.T) {
	for _, seed := range seeds(t, 4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			c := timed(rng)
			if rng.IntN(4) > 0 {
				number := c.indexed[0].From + uint64(rng.IntN(int(10+c.indexed[len(c.indexed)-1].To-c.indexed[0].From)))
				c.finalized = &number
			}
			filters := c.questions(rng, 300)
			onStores(t, func(t *testing.T, s *write.DB, _ string) {
				c.store(t, s)
				wantClean(t, "stored", s)
				snap := snapshot(t, s)
				tally := map[bool]int{}
				for i, f := range filters {
					answered, indexed := c.answer(f)
					tally[answered]++
					p, err := readPage(t.Context(), snap, f, page.Args{})
					if !answered {
						wantCode(t, describe(f), err, apierror.BlockNotIndexed)
						continue
					}
					if err != nil {
						t.Fatalf("%s partial=%t: %v", describe(f), f.Partial, err)
					}
					got, err := p.Indexed(t.Context())
					expect.NoError(t, err)
					expect.Equal(t, describe(f)+": indexed", asRanges(indexed), got)
					asked := f
					if f.Finality == store.Finalized && c.finalized != nil && (f.ToBlock == nil || uint64(*f.ToBlock) > *c.finalized) {
						asked.ToBlock = ptr(evm.Long(*c.finalized))
					}
					b := recordBook(t, snap, nil, f)
					b.want = model(c.stored).match(asked)
					b.whole()
					if i%10 == 0 {
						b.forwards(always(1 + len(b.want)/3))
						b.backwards(always(1 + len(b.want)/3))
					}
				}
				if tally[true] < 20 || tally[false] < 20 {
					t.Errorf("%d filters are answered, %d are not", tally[true], tally[false])
				}
			})
		})
	}
}

// questions returns random filters with a range.
func (c timedChain) questions(rng *rand.Rand, n int) (list []store.Filter) {
	times := []uint64{0, 1, uint64(evm.MaxLong)}
	for _, b := range c.stored {
		times = append(times, b.Header.Time-1, b.Header.Time, b.Header.Time, b.Header.Time, b.Header.Time+1)
	}
	numbers := []uint64{0, 1, 1 << 33, uint64(evm.MaxLong)}
	for _, r := range c.indexed {
		numbers = append(numbers, r.From, r.From+1, r.To, r.To+1, (r.From+r.To)/2)
	}
	if n := c.finalized; n != nil {
		numbers = append(numbers, max(*n, 1)-1, *n, *n, *n, *n, *n+1)
	}
	pick := func(from []uint64) *evm.Long { return ptr(evm.Long(from[rng.IntN(len(from))])) }
	selected := selections(c.stored)
	for len(list) < n {
		f := selected[rng.IntN(len(selected))]
		if f.Block != nil || selectsNothing(f) {
			continue
		}
		f.Kind, f.Order, f.Partial = []nft.Kind{nft.Mint, nft.Burn}[rng.IntN(2)], []store.Order{store.Asc, store.Desc}[rng.IntN(2)], rng.IntN(4) == 0
		if rng.IntN(3) > 0 {
			f.FromTime = pick(times)
		}
		if rng.IntN(3) > 0 {
			f.ToTime = pick(times)
		}
		if rng.IntN(4) == 0 {
			f.FromBlock = pick(numbers)
		}
		if rng.IntN(4) == 0 {
			f.ToBlock = pick(numbers)
		}
		if rng.IntN(3) == 0 {
			f.Finality = store.Finalized
		}
		fall := func(from, to *evm.Long) bool { return from != nil && to != nil && *from > *to }
		if fall(f.FromTime, f.ToTime) || fall(f.FromBlock, f.ToBlock) || f.FromTime == nil && f.ToTime == nil && f.FromBlock == nil && f.ToBlock == nil && f.Finality == "" {
			continue
		}
		list = append(list, f)
	}
	return list
}

// asRanges converts sorted numbers to ranges.
func asRanges(numbers []uint64) []evm.Range {
	list := []evm.Range{}
	for _, number := range numbers {
		if n := len(list); n > 0 && list[n-1].To+1 == number {
			list[n-1].To = number
		} else {
			list = append(list, evm.Range{From: number, To: number})
		}
	}
	return list
}

// TestTimes_FinalizedWalk follows the finalized records by cursors while blocks are added,
// become final and are replaced. It must see each record of the final chain once.
func TestTimes_FinalizedWalk(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		rng := rand.New(rand.NewPCG(9, 9))
		chain := branch(1, 1, 0, evm.Hash{}, 40, between(6, 0))
		apply(t, s, chain)
		final, salt := 0, uint64(1)
		args := page.Args{First: ptr(7)}
		f := store.Filter{Finality: store.Finalized}
		var got []row
		for final < 100 {
			final = min(final+rng.IntN(12), len(chain)-1)
			expect.NoError(t, s.SetFinalized(t.Context(), chain[final].Header))
			// Replace blocks that are not final.
			above := final + rng.IntN(len(chain)-final)
			salt++
			next := branch(1, salt, uint64(above)+1, chain[above].Header.Hash, len(chain)-above+10, between(6, 0))
			rollback(t, s, uint64(above), next)
			chain = append(slices.Clone(chain[:above+1]), next...)
			each(t, s, func(snap *store.Snapshot) {
				for more := true; more; {
					p := pageOf(t, snap, f, args)
					got = append(got, rowsOf(p)...)
					var err error
					more, err = p.HasNextPage(t.Context())
					expect.NoError(t, err)
					if n := p.Len(); n > 0 {
						args.After = ptr(p.Cursor(n - 1))
					}
				}
				until := store.Filter{ToBlock: ptr(evm.Long(final))}
				if want := model(chain).match(until); !slices.Equal(want, got) {
					t.Fatalf("up to block %d: %s", final, difference(want, got))
				}
				expect.Equal(t, "total", int64(len(got)), totalOf(t, pageOf(t, snap, f, page.Args{})))
				_, err := readPage(t.Context(), snap, until, page.Args{After: args.After})
				wantCode(t, "the cursor with the block", err, apierror.InvalidCursor)
				for _, other := range []store.Filter{{}, {Finality: store.Finalized, FromTime: ptr(evm.Long(1))}, {Finality: store.Finalized, ToTime: ptr(evm.Long(1 << 40))}} {
					_, err = readPage(t.Context(), snap, other, page.Args{After: args.After})
					wantCode(t, "the cursor with "+describe(other), err, apierror.InvalidCursor)
				}
			})
		}
	})
}
