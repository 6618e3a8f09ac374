package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// calendar is a chain that is partly indexed, with the times that a client may ask for.
type calendar struct {
	// stored are the blocks with headers, indexed the ranges that are covered.
	stored  []nft.Block
	indexed []store.Range
	// finalized is the number of the finalized block, nil where none is known.
	finalized *uint64
}

// timed generates blocks whose times do not fall and are often equal. Some have no
// header stored, and some ranges are holes.
func timed(rng *rand.Rand) (c calendar) {
	first, now := uint64(rng.IntN(2)*1000), uint64(1_600_000_000)
	blocks := branch(rng.Uint64(), 1, first, blockHash(1, first), 120, between(12, 60))
	for i := range blocks {
		now += []uint64{0, 0, 0, 1, 5, 3600}[rng.IntN(6)]
		blocks[i].Header.Time = now
	}
	for at := 0; at < len(blocks); {
		end := min(at+1+rng.IntN(50), len(blocks))
		r := store.Range{From: first + uint64(at), To: first + uint64(end) - 1}
		c.indexed = r.Join(c.indexed)
		sparse := rng.IntN(2) == 0
		for i, b := range blocks[at:end] {
			if sparse && i < end-at-1 && rng.IntN(3) > 0 {
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
func (c calendar) store(t *testing.T, s *store.Store) {
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

func (c calendar) isIndexed(number uint64) bool {
	return slices.ContainsFunc(c.indexed, func(r store.Range) bool { return r.From <= number && number <= r.To })
}

// mayHave reports whether a block may have a time within the filter's: that of its
// header, or any between those of its stored neighbours.
func (c calendar) mayHave(f store.Filter, number uint64) bool {
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

// answer returns whether a filter with a range is answered, block by block, and the
// indexed blocks of its range.
func (c calendar) answer(f store.Filter) (answered bool, indexed []uint64) {
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

// TestTimes_EqualTheOracle asks random questions by time, block and finality of random
// chains with holes, and compares them with a look at every block.
func TestTimes_EqualTheOracle(t *testing.T) {
	for _, seed := range seeds(t, 12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			c := timed(rng)
			if rng.IntN(4) > 0 {
				number := c.indexed[0].From + uint64(rng.IntN(int(10+c.indexed[len(c.indexed)-1].To-c.indexed[0].From)))
				c.finalized = &number
			}
			filters := c.questions(rng, 300)
			onStores(t, func(t *testing.T, s *store.Store, _ string) {
				c.store(t, s)
				wantClean(t, "stored", s)
				snap := snapshot(t, s)
				tally := map[bool]int{}
				for i, f := range filters {
					answered, indexed := c.answer(f)
					tally[answered]++
					p, err := readPage(t.Context(), snap, f, store.PageArgs{})
					if !answered {
						wantCode(t, describe(f), err, nft.BlockNotIndexed)
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
					t.Errorf("%d questions are answered, %d not", tally[true], tally[false])
				}
			})
		})
	}
}

// questions returns random filters with a range.
func (c calendar) questions(rng *rand.Rand, n int) (list []store.Filter) {
	times := []uint64{0, 1, uint64(evm.MaxLong)}
	for _, b := range c.stored {
		times = append(times, b.Header.Time-1, b.Header.Time, b.Header.Time, b.Header.Time, b.Header.Time+1)
	}
	numbers := []uint64{0, 1, 1 << 33, uint64(evm.MaxLong)}
	for _, r := range c.indexed {
		numbers = append(numbers, r.From, r.From+1, r.To, r.To+1, (r.From+r.To)/2)
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

// asRanges returns numbers in order as ranges.
func asRanges(numbers []uint64) []store.Range {
	list := []store.Range{}
	for _, number := range numbers {
		if n := len(list); n > 0 && list[n-1].To+1 == number {
			list[n-1].To = number
		} else {
			list = append(list, store.Range{From: number, To: number})
		}
	}
	return list
}

// TestTimes_Fall stores, replaces and repairs blocks whose times fall now and then, in
// any order: questions by time are refused while they do, with the lowest block that is
// earlier than one before it, and everything else is answered.
func TestTimes_Fall(t *testing.T) {
	for _, seed := range seeds(t, 6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			onStores(t, func(t *testing.T, s *store.Store, dsn string) {
				rng := rand.New(rand.NewPCG(seed, 4))
				salt := uint64(1)
				stored := map[uint64]nft.Block{}
				chain := fallen(rng, salt, 0, evm.Hash{}, 60)
				refused := 0
				for range 60 {
					switch n := rng.IntN(10); {
					case n < 6:
						at := rng.IntN(len(chain))
						part := chain[at:min(at+1+rng.IntN(8), len(chain))]
						apply(t, s, part)
						for _, b := range part {
							stored[b.Header.Number] = b
						}
					case n < 8:
						above := uint64(rng.IntN(len(chain) - 1))
						salt++
						next := fallen(rng, salt, above+1, chain[above].Header.Hash, len(chain)-int(above)-1)
						chain = append(slices.Clone(chain[:above+1]), next...)
						part := next[:rng.IntN(len(next)+1)]
						rollback(t, s, above, part)
						for number := range stored {
							if number > above {
								delete(stored, number)
							}
						}
						for _, b := range part {
							stored[b.Header.Number] = b
						}
					default:
						number := uint64(rng.IntN(len(chain)))
						if _, ok := stored[number]; !ok {
							continue
						}
						chain[number].Header.Time = 1_600_000_000 + uint64(rng.IntN(700))
						stored[number] = chain[number]
						expect.NoError(t, s.Repair(t.Context(), chain[number:number+1]))
					}
					fall, found := lowestFall(stored)
					f := store.Filter{ToTime: ptr(evm.Long(1_700_000_000)), Partial: true}
					read(t, s, func(snap *store.Snapshot) {
						_, err := readPage(t.Context(), snap, f, store.PageArgs{})
						switch {
						case found:
							refused++
							if got := wantCode(t, describe(f), err, nft.BadUserInput); !strings.Contains(got.Message, fmt.Sprintf(": block %d is earlier", fall)) {
								t.Fatalf("%q, want block %d", got.Message, fall)
							}
						case len(stored) > 0 && err != nil:
							t.Fatal(err)
						}
						if len(stored) > 0 {
							pageOf(t, snap, store.Filter{Partial: true}, store.PageArgs{})
						}
					})
				}
				wantClean(t, "after all", s)
				if refused == 0 || refused == 60 {
					t.Errorf("%d questions are refused", refused)
				}
			})
		})
	}
}

// fallen is a branch whose times fall now and then.
func fallen(rng *rand.Rand, salt, first uint64, parent evm.Hash, count int) []nft.Block {
	blocks := branch(rng.Uint64(), salt, first, parent, count, between(2, 0))
	for i := range blocks {
		blocks[i].Header.Time = 1_600_000_000 + 10*blocks[i].Header.Number
		if rng.IntN(20) == 0 {
			blocks[i].Header.Time -= uint64(rng.IntN(30))
		}
	}
	return blocks
}

func lowestFall(stored map[uint64]nft.Block) (uint64, bool) {
	for number := range uint64(100) {
		b, ok := stored[number]
		for before := range number {
			if earlier, known := stored[before]; ok && known && earlier.Header.Time > b.Header.Time {
				return number, true
			}
		}
	}
	return 0, false
}

// TestTimes_CheckFindsFalls: a check finds a fall that is not noted, and one that is not
// there, and notes what is right.
func TestTimes_CheckFindsFalls(t *testing.T) {
	onStores(t, func(t *testing.T, s *store.Store, dsn string) {
		apply(t, s, branch(1, 1, 100, blockHash(1, 99), 20, between(3, 0)))
		for _, step := range []struct{ change, want string }{
			{"UPDATE blocks SET time = 5 WHERE id = 110", "times: block 110 is earlier than a block before it, which is not noted"},
			{"UPDATE blocks SET time = 6 WHERE id = 107", "times: block 107 is earlier than a block before it, which is not noted"},
			{"UPDATE settings SET value = '109' WHERE id = 'times_fall'", "times: block 107 is earlier than a block before it, which is not noted"},
			{"UPDATE blocks SET time = 1600000000 + 12 * id WHERE id IN (107, 110)", "times: block 107 is noted to be earlier than a block before it, and is not"},
		} {
			execute(t, dsn, step.change)
			lines, _ := check(t, s, false)
			if !slices.Contains(lines, step.want) {
				t.Errorf("%s: %q, want %q", step.change, lines, step.want)
			}
			check(t, s, true)
			wantClean(t, step.change, s)
		}
	})
}

// TestTimes_FinalizedWalk follows the finalized records by cursors while blocks are added,
// become final and are replaced: it returns each record of the final chain once.
func TestTimes_FinalizedWalk(t *testing.T) {
	onStores(t, func(t *testing.T, s *store.Store, _ string) {
		rng := rand.New(rand.NewPCG(9, 9))
		chain := branch(1, 1, 0, evm.Hash{}, 40, between(6, 0))
		apply(t, s, chain)
		final, salt := 0, uint64(1)
		args := store.PageArgs{First: ptr(7)}
		f := store.Filter{Finality: store.Finalized}
		var got []row
		for final < 100 {
			final = min(final+rng.IntN(12), len(chain)-1)
			expect.NoError(t, s.SetFinalized(t.Context(), chain[final].Header))
			// What is not final is replaced.
			above := final + rng.IntN(len(chain)-final)
			salt++
			next := branch(1, salt, uint64(above)+1, chain[above].Header.Hash, len(chain)-above+10, between(6, 0))
			rollback(t, s, uint64(above), next)
			chain = append(slices.Clone(chain[:above+1]), next...)
			read(t, s, func(snap *store.Snapshot) {
				for more := true; more; {
					p := pageOf(t, snap, f, args)
					got = append(got, rowsOf(p)...)
					var err error
					more, err = p.HasNextPage(t.Context())
					expect.NoError(t, err)
					if n := p.Len(); n > 0 {
						args.After = ptr(p.Cursor(&p.Items[n-1]))
					}
				}
				until := store.Filter{ToBlock: ptr(evm.Long(final))}
				if want := model(chain).match(until); !slices.Equal(want, got) {
					t.Fatalf("up to block %d: %s", final, difference(want, got))
				}
				expect.Equal(t, "total", int64(len(got)), totalOf(t, pageOf(t, snap, f, store.PageArgs{})))
				_, err := readPage(t.Context(), snap, until, store.PageArgs{After: args.After})
				wantCode(t, "the cursor with the block", err, nft.InvalidCursor)
				for _, other := range []store.Filter{{}, {Finality: store.Finalized, FromTime: ptr(evm.Long(1))}, {Finality: store.Finalized, ToTime: ptr(evm.Long(1 << 40))}} {
					_, err = readPage(t.Context(), snap, other, store.PageArgs{After: args.After})
					wantCode(t, "the cursor with "+describe(other), err, nft.InvalidCursor)
				}
			})
		}
	})
}
