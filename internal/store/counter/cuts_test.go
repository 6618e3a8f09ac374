package counter_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/store/counter"
	"mintburn/internal/testing/expect"
)

// TestCuts_RandomRanges totals many ranges at once and compares each with the records.
func TestCuts_RandomRanges(t *testing.T) {
	rng, m, known := rand.New(rand.NewPCG(3, 4)), newMemory(), map[string]struct{}{}
	var added []record
	for i := range 9000 {
		added = append(added, random(rng, int64(i)))
	}
	write(t, m, known, added, nil)
	times := 60
	if testing.Short() {
		times = 10
	}
	for range times {
		var ends []uint64
		for range 1 + rng.IntN(40) {
			ends = append(ends, first-50+uint64(rng.IntN(blocks+100)))
		}
		ends = append(ends, 0, counter.LastBlock+1)
		slices.Sort(ends)
		ends = slices.Compact(ends)[rng.IntN(2):]
		ranges := make([]evm.Range, len(ends)-1)
		for i := range ranges {
			ranges[i] = evm.Range{From: ends[i], To: ends[i+1] - 1}
		}
		for _, f := range scopes(record{}) {
			wantCuts(t, m, f.Scope(), ranges)
		}
	}
}

// wantCuts compares the totals of ranges with the records, and checks that they read few
// parts and leave few records uncounted.
func wantCuts(t *testing.T, m *memory, s counter.Scope, ranges []evm.Range) {
	t.Helper()
	c := counter.NewCuts(ranges)
	levels := 0
	for ; len(c.Parts()) > 0; levels++ {
		parts := c.Parts()
		if len(parts) > 4*len(ranges) {
			t.Fatalf("%d parts for %d ranges", len(parts), len(ranges))
		}
		sums := make([]int64, len(parts))
		for i, p := range parts {
			nodes, err := m.Nodes(t.Context(), s, p.Level, p.Buckets)
			expect.NoError(t, err)
			for _, n := range nodes {
				sums[i] += n.N
			}
		}
		c.Add(sums)
	}
	if levels > counter.Levels {
		t.Fatalf("%d levels", levels)
	}
	uncounted := make([]int, len(ranges))
	for _, p := range c.Uncounted {
		c.N[p.Range] += int64(len(m.of(s, p.Blocks)))
		if uncounted[p.Range]++; uncounted[p.Range] > 2 || len(m.of(s, p.Blocks)) > counter.LeafSize {
			t.Fatalf("range %d: %d pieces, of which one has %d records", p.Range, uncounted[p.Range], len(m.of(s, p.Blocks)))
		}
	}
	for i, r := range ranges {
		if want := int64(len(m.of(s, r))); c.N[i] != want {
			t.Fatalf("scope %q, blocks %d to %d: %d, want %d", s, r.From, r.To, c.N[i], want)
		}
	}
}
