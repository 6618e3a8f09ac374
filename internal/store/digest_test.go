package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/digesttest"
	"mintburn/internal/testing/expect"
)

// fillDigests adds all missing digests.
func fillDigests(t testing.TB, s *write.DB) {
	t.Helper()
	for done := false; !done; {
		var err error
		_, done, err = write.FillDigests(t.Context(), s)
		expect.NoError(t, err)
	}
}

// digestOf returns the digests of blocks.
func digestOf(t testing.TB, s *write.DB, r evm.Range) (d digest.Digests) {
	t.Helper()
	snapshot := s.Snapshot()
	defer snapshot.End(new(error))
	d, err := digest.Of(snapshot.Tx, snapshot.Client()).Range(t.Context(), r, -1)
	expect.NoError(t, err)
	return d
}

// blockDigests returns the digests of blocks by kind.
func blockDigests(blocks []nft.Block) (all [2]digesttest.Blocks) {
	for kind := range all {
		var lines []string
		for _, b := range blocks {
			for _, r := range [][]nft.Record{b.Mints, b.Burns}[kind] {
				operator := ""
				if r.Type == nft.ERC1155 {
					operator = r.Operator.String()
				}
				lines = append(lines, strings.Join([]string{
					r.Contract.String(), string(r.Type), r.TokenID.String(), b.Header.Hash.String(), fmt.Sprint(b.Header.Number), r.TxHash.String(),
					fmt.Sprint(r.LogIndex), r.From.String(), r.To.String(), r.Amount.String(), operator, fmt.Sprint(b.Header.Time), fmt.Sprint(b.Header.Time), fmt.Sprint(r.SubIndex),
				}, ","))
			}
		}
		all[kind] = digesttest.Of(lines)
	}
	return all
}

// digestBlocks are blocks across groups of 64 and of 4,096, with empty ones, full ones, and one with more records
// than a transaction of [write.FillDigests] reads.
func digestBlocks() []nft.Block {
	return branch(7, 1, 4000, blockHash(1, 3999), 300, func(rng *rand.Rand, i int) int {
		switch {
		case i == 150:
			return 12_000
		case i > 200 && i < 270:
			return 0
		}
		return rng.IntN(6)
	})
}

// wantDigests fails the test unless the digests of the whole and of random ranges are those of the blocks.
func wantDigests(t testing.TB, when string, s *write.DB, in evm.Range, of [2]digesttest.Blocks) {
	t.Helper()
	first, last := in.From, in.To
	rng := rand.New(rand.NewPCG(1, 2))
	ranges := []evm.Range{{From: first, To: last}}
	for range 20 {
		a, b := first+rng.Uint64N(last-first+1), first+rng.Uint64N(last-first+1)
		ranges = append(ranges, evm.Range{From: min(a, b), To: max(a, b)})
	}
	for _, r := range ranges {
		d := digestOf(t, s, r)
		expect.Equal(t, fmt.Sprintf("%s: digests of blocks %d to %d", when, r.From, r.To),
			[]string{of[0].Range(r.From, r.To), of[1].Range(r.From, r.To)}, []string{d.Mints.String(), d.Burns.String()})
	}
}

// TestDigests compares the digests of databases that got the same blocks in different ways with those by the
// definition: before they are filled, while they are, and after.
func TestDigests(t *testing.T) {
	blocks := digestBlocks()
	in, of := evm.Range{From: 4000, To: 4299}, blockDigests(blocks)
	ways := map[string]func(t *testing.T, s *write.DB){
		"at once":  func(t *testing.T, s *write.DB) { apply(t, s, blocks) },
		"in parts": func(t *testing.T, s *write.DB) { parts(t, s, blocks, 7) },
		"downwards": func(t *testing.T, s *write.DB) {
			for end := len(blocks); end > 0; end -= 50 {
				apply(t, s, blocks[end-50:end])
			}
		},
		"filled holes": func(t *testing.T, s *write.DB) {
			apply(t, s, blocks[:100])
			apply(t, s, blocks[120:])
			fillDigests(t, s)
			apply(t, s, blocks[100:120])
		},
		"logs that were left out": func(t *testing.T, s *write.DB) {
			expect.NoError(t, s.Extend(t.Context(), slices.Concat(blocks[:90], blocks[95:]), evm.Range{From: 4000, To: 4299}, false))
			fillDigests(t, s)
			apply(t, s, blocks[90:95])
		},
		"a reorg there and back": func(t *testing.T, s *write.DB) {
			apply(t, s, blocks)
			other := branch(8, 2, 4101, blocks[100].Header.Hash, 120, func(rng *rand.Rand, i int) int { return 3 })
			expect.NoError(t, s.ReplaceAbove(t.Context(), 4100, other, false))
			fillDigests(t, s)
			expect.NoError(t, s.ReplaceAbove(t.Context(), 4100, blocks[101:], false))
		},
		"repaired": func(t *testing.T, s *write.DB) {
			damaged := slices.Clone(blocks)
			damaged[40].Mints, damaged[41].Burns = nil, blocks[40].Burns
			apply(t, s, damaged)
			expect.NoError(t, s.SetFinalized(t.Context(), blocks[200].Header))
			expect.NoError(t, proof.Of(s).Repair(t.Context(), blocks[38:44]))
		},
	}
	for name, store := range ways {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				s := open(t, dsn, write.Options{})
				store(t, s)
				wantDigests(t, "before they are filled", s, in, of)
				_, _, err := write.FillDigests(t.Context(), s)
				expect.NoError(t, err)
				wantDigests(t, "while they are filled", s, in, of)
				fillDigests(t, s)
				wantDigests(t, "after", s, in, of)
				wantClean(t, "after", s)
				expect.Equal(t, "rows", 4, countRows(t, dsn, "digests"))
			})
		})
	}
}

// parts applies blocks n at a time.
func parts(t testing.TB, s *write.DB, blocks []nft.Block, n int) {
	t.Helper()
	for part := range slices.Chunk(blocks, n) {
		apply(t, s, part)
	}
}

// TestDigests_Known applies blocks that are stored and no longer indexed, because of damage: their records are not
// those of the transaction.
func TestDigests_Known(t *testing.T) {
	blocks := digestBlocks()
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, blocks)
		execute(t, dsn, "UPDATE coverage SET to_block = 4040")
		apply(t, s, blocks)
		wantDigests(t, "again", s, evm.Range{From: 4000, To: 4299}, blockDigests(blocks))
	})
}

// TestDigests_Levels has few blocks with records among 50 million, so that each stored level has rows, and changes
// blocks of them.
func TestDigests_Levels(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		var blocks []nft.Block
		for i := range uint64(40) {
			number := []uint64{0, 60, 4090, 1<<18 - 3, 1<<24 - 2, 2<<24 + 5<<18, 3<<24 - 1, 3<<24 + 70}[i%8] + i
			blocks = append(blocks, branch(i, 1, number, evm.Hash{}, 1, func(*rand.Rand, int) int { return 3 })...)
		}
		slices.SortFunc(blocks, func(a, b nft.Block) int { return int(a.Header.Number) - int(b.Header.Number) })
		in, some := evm.Range{To: 3<<24 + 1000}, slices.Concat(blocks[:10], blocks[11:])
		s := open(t, dsn, write.Options{})
		expect.NoError(t, s.Extend(t.Context(), some[:20], evm.Range{To: some[19].Header.Number}, false))
		expect.NoError(t, s.Extend(t.Context(), some[20:], evm.Range{From: some[19].Header.Number + 1, To: in.To}, false))
		wantDigests(t, "added whole", s, in, blockDigests(some))
		fillDigests(t, s)
		wantDigests(t, "filled", s, in, blockDigests(some))
		for _, blocks := range [][]nft.Block{blocks[10:11], blocks[30:]} {
			apply(t, s, blocks)
		}
		wantDigests(t, "with a block more", s, in, blockDigests(blocks))
		fillDigests(t, s)
		wantDigests(t, "filled again", s, in, blockDigests(blocks))
		wantClean(t, "filled again", s)
		for level := range int64(4) {
			if n := countRows(t, dsn, fmt.Sprintf("digests WHERE level = %d", level+1)); n == 0 {
				t.Errorf("level %d has no rows", level+1)
			}
		}
	})
}

// TestDigests_Check damages records, a contract, a header, and digests. A check finds each, repairs none, and finds
// nothing once a node has proved the blocks.
func TestDigests_Check(t *testing.T) {
	blocks := branch(7, 1, 0, evm.Hash{}, 4200, func(rng *rand.Rand, i int) int { return i % 3 })
	for name, damage := range map[string]string{
		"a record":                "UPDATE mints SET log_index = log_index + 1 WHERE id = (SELECT max(id) FROM mints WHERE id < 107374182400)",
		"a record that is gone":   "DELETE FROM burns WHERE id = (SELECT max(id) FROM burns WHERE id < 107374182400)",
		"a time":                  "UPDATE blocks SET time = time + 1 WHERE id = 98",
		"a digest of 64 blocks":   "UPDATE digests SET burns = mints WHERE level = 1 AND bucket = 1",
		"a digest of 4096 blocks": "UPDATE digests SET mints = NULL WHERE level = 2",
		"a level":                 "UPDATE digests SET level = 3 WHERE level = 1 AND bucket = 1",
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				s := open(t, dsn, write.Options{})
				apply(t, s, blocks)
				expect.NoError(t, s.SetFinalized(t.Context(), blocks[4199].Header))
				fillDigests(t, s)
				wantClean(t, "before", s)
				execute(t, dsn, damage)
				lines, _ := checkAll(t, s, true)
				want := "differ from their digest; verify --repair --from-block 64 --to-block 127 restores them"
				if strings.Contains(damage, "level = 2") {
					want = "blocks 0 to 4095: mints differ from their digest"
				}
				if !slices.ContainsFunc(lines, contains(want)) {
					t.Fatalf("got %q, want a line with %q", lines, want)
				}
				// What a node's blocks show is repaired, the others are proved.
				expect.NoError(t, proof.Of(s).Repair(t.Context(), blocks[97:101]))
				proofs := proof.Of(s)
				proofs.Repairs = true
				expect.NoError(t, proofs.MarkVerified(t.Context(), headersOf(blocks[:97])))
				expect.NoError(t, proofs.MarkVerified(t.Context(), headersOf(blocks[101:])))
				fillDigests(t, s)
				_, _ = checkAll(t, s, true)
				wantClean(t, "after", s)
			})
		})
	}
}
