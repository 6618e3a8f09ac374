package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestTimes_Fall stores, replaces and repairs blocks whose times sometimes fall, in any
// order. While times fall, filters by time are refused with the lowest block that is
// earlier than one before it; all other filters work.
func TestTimes_Fall(t *testing.T) {
	for _, seed := range seeds(t, 6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			onStores(t, func(t *testing.T, s *write.DB, dsn string) {
				rng := rand.New(rand.NewPCG(seed, 4))
				salt := uint64(1)
				stored := map[uint64]nft.Block{}
				chain := fallingBranch(rng, salt, 0, evm.Hash{}, 60)
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
						next := fallingBranch(rng, salt, above+1, chain[above].Header.Hash, len(chain)-int(above)-1)
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
						if fall, found := lowestFall(stored); found && rng.IntN(2) == 0 {
							number = fall
						}
						if _, ok := stored[number]; !ok {
							continue
						}
						chain[number].Header.Time = 1_600_000_000 + uint64(rng.IntN(700))
						stored[number] = chain[number]
						expect.NoError(t, proof.Of(s).Repair(t.Context(), chain[number:number+1]))
					}
					fall, found := lowestFall(stored)
					f := store.Filter{ToTime: ptr(evm.Long(1_700_000_000)), Partial: true}
					each(t, s, func(snap *store.Snapshot) {
						_, err := readPage(t.Context(), snap, f, page.Args{})
						switch {
						case found:
							refused++
							if got := wantCode(t, describe(f), err, apierror.BadUserInput); !strings.Contains(got.Message, fmt.Sprintf(": block %d is earlier", fall)) {
								t.Fatalf("%q, want block %d", got.Message, fall)
							}
						case len(stored) > 0 && err != nil:
							t.Fatal(err)
						}
						if len(stored) > 0 {
							pageOf(t, snap, store.Filter{Partial: true}, page.Args{})
						}
					})
				}
				wantClean(t, "after all", s)
				if refused == 0 || refused == 60 {
					t.Errorf("%d filters are refused", refused)
				}
			})
		})
	}
}

// fallingBranch returns a branch whose times sometimes fall.
func fallingBranch(rng *rand.Rand, salt, first uint64, parent evm.Hash, count int) []nft.Block {
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

// TestTimes_CheckFindsFalls checks that a check finds a fall that is not noted, and a noted
// fall that does not exist, and corrects the note.
func TestTimes_CheckFindsFalls(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, branch(1, 1, 100, blockHash(1, 99), 20, between(3, 0)))
		for _, step := range []struct{ change, want string }{
			{"UPDATE blocks SET time = 5 WHERE id = 110", "times: block 110 is earlier than a block before it, which is not noted"},
			{"UPDATE blocks SET time = 6 WHERE id = 107", "times: block 107 is earlier than a block before it, which is not noted"},
			{"UPDATE settings SET value = '109' WHERE id = 'times_fall'", "times: block 107 is earlier than a block before it, which is not noted"},
			{"UPDATE blocks SET time = 1600000000 + 12 * id WHERE id IN (107, 110)", "times: block 107 is noted to be earlier than a block before it, and is not"},
		} {
			execute(t, dsn, step.change)
			lines, _ := checkAll(t, s, false)
			if !slices.Contains(lines, step.want) {
				t.Errorf("%s: %q, want %q", step.change, lines, step.want)
			}
			checkAll(t, s, true)
			wantClean(t, step.change, s)
		}
	})
}
