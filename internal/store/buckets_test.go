package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// startOf returns the first second of the calendar interval that contains a time.
func startOf(interval page.Interval, seconds uint64) uint64 {
	t := time.Unix(int64(seconds), 0).UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	switch interval {
	case page.Hour:
		t = t.Truncate(time.Hour)
	case page.Day:
		t = day
	case page.Week:
		for t = day; t.Weekday() != time.Monday; {
			t = t.AddDate(0, 0, -1)
		}
	case page.Month:
		t = time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return uint64(max(t.Unix(), 0))
}

// grouped computes the buckets between two times by comparing each record.
func grouped(interval page.Interval, rows []row, from, to uint64) (list []page.Bucket) {
	for at := startOf(interval, from); at <= to; {
		end := at + 3600
		for startOf(interval, end) == at || startOf(interval, end) != end && end%3600 != 0 {
			end += 3600
		}
		end = startOf(interval, end)
		b := page.Bucket{FromTime: evm.Long(at), ToTime: evm.Long(end)}
		for _, r := range rows {
			if r.Time < at || r.Time >= end {
				continue
			}
			number := evm.Long(r.Block.Number)
			if b.TotalItems++; b.FromBlock == nil || number < *b.FromBlock {
				b.FromBlock = &number
			}
			if b.ToBlock == nil || number > *b.ToBlock {
				b.ToBlock = &number
			}
		}
		list = append(list, b)
		at = end
	}
	return list
}

// endsOf returns the times that the buckets of a filter cover.
func endsOf(f store.Filter, blocks []nft.Block, rows []row) (from, to uint64, ok bool) {
	in := func(h evm.Header) bool { return inBlock(f, h) }
	bounded := func(t, number *evm.Long) bool { return t != nil || number != nil || f.Block != nil }
	hasFrom, hasTo := bounded(f.FromTime, f.FromBlock), bounded(f.ToTime, f.ToBlock)
	if (!hasFrom || !hasTo) && len(rows) == 0 {
		return 0, 0, false
	}
	for _, r := range rows {
		if from == 0 || r.Time < from {
			from = r.Time
		}
		to = max(to, r.Time)
	}
	if f.FromTime != nil {
		from = uint64(*f.FromTime)
	}
	if f.ToTime != nil {
		to = uint64(*f.ToTime)
	}
	first, last := uint64(0), uint64(0)
	for _, b := range blocks {
		if in(b.Header) {
			if first == 0 {
				first = b.Header.Time
			}
			last = b.Header.Time
		}
	}
	if f.FromBlock != nil || f.Block != nil {
		if first == 0 && f.FromTime == nil {
			return 0, 0, false
		}
		from = max(from, first)
		if f.FromTime == nil {
			from = first
		}
	}
	if f.ToBlock != nil || f.Block != nil {
		switch {
		case last == 0 && f.ToTime == nil:
			return 0, 0, false
		case last != 0:
			to = last
		}
	}
	return from, to, from <= to
}

// TestBuckets_AreAGroupBy compares the buckets of random filters with a GROUP BY of the
// records, on a chain with counter trees, equal times and hours without blocks.
func TestBuckets_AreAGroupBy(t *testing.T) {
	blocks := branch(1, 1, 0, evm.Hash{}, 400, between(14, 900))
	rng := rand.New(rand.NewPCG(5, 6))
	now := uint64(1_600_000_000)
	for i := range blocks {
		now += []uint64{0, 0, 1, 600, 7200, 90_000}[rng.IntN(6)]
		blocks[i].Header.Time = now
	}
	filters := selections(blocks)
	n := 200
	if testing.Short() {
		n = 60
	}
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, blocks)
		snap, rng := snapshot(t, s), rand.New(rand.NewPCG(7, 8))
		refused := 0
		for range n {
			f := filters[rng.IntN(len(filters))]
			f.Kind, f.Order = []nft.Kind{nft.Mint, nft.Burn}[rng.IntN(2)], []store.Order{store.Asc, store.Desc}[rng.IntN(2)]
			if i := rng.IntN(len(blocks)); f.Block == nil {
				h, g := blocks[i].Header, blocks[i+rng.IntN(len(blocks)-i)].Header
				for way, set := range []func(){
					func() { f.FromTime = ptr(evm.Long(h.Time)) }, func() { f.ToTime = ptr(evm.Long(g.Time + uint64(rng.IntN(90_000)))) },
					func() { f.FromBlock = ptr(evm.Long(h.Number)) }, func() { f.ToBlock = ptr(evm.Long(g.Number)) },
				} {
					if rng.IntN(2+way/2) == 0 {
						set()
					}
				}
			}
			interval := []page.Interval{page.Hour, page.Day, page.Week, page.Month}[rng.IntN(4)]
			what := fmt.Sprint(describe(f), " by ", interval)
			p := pageOf(t, snap, f, page.Args{First: ptr(rng.IntN(3))})
			rows := model(blocks).match(f)
			var want []page.Bucket
			if from, to, ok := endsOf(f, blocks, rows); ok {
				want = grouped(interval, rows, from, to)
			}
			got, err := p.Buckets(t.Context(), interval, true)
			most := apierror.MaxBuckets
			if f.FromTime != nil && f.ToTime != nil {
				most = apierror.MaxTimedBuckets
			}
			if values := max(1, valuesOf(f)); len(want)*values > most {
				refused++
				wantCode(t, what, err, apierror.BadUserInput)
				continue
			}
			expect.NoError(t, err)
			if len(want)+len(got) > 0 {
				expect.Equal(t, what, want, got)
			}
			counted, err := pageOf(t, snap, f, page.Args{First: ptr(0)}).Buckets(t.Context(), interval, false)
			expect.NoError(t, err)
			var sum int64
			for i, b := range got {
				sum += int64(b.TotalItems)
				b.FromBlock, b.ToBlock = nil, nil
				expect.Equal(t, what+": without ends", b, counted[i])
			}
			expect.Equal(t, what+": sum", totalOf(t, p), sum)
		}
		if refused == 0 || refused > n/2 {
			t.Errorf("%d of %d are refused", refused, n)
		}
	})
}

// valuesOf returns the number of distinct values in a filter's lists.
func valuesOf(f store.Filter) int {
	return len(unrepeated(f.Addresses)) + len(unrepeated(f.Accounts)) + len(unrepeated(f.TransactionHashes)) + len(unrepeated(f.Tokens))
}

// TestBuckets_Limit checks the largest number of buckets, up to the largest times, and the
// error above it.
func TestBuckets_Limit(t *testing.T) {
	blocks := branch(1, 1, 0, evm.Hash{}, 20, between(6, 0))
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, blocks)
		snap := snapshot(t, s)
		begin := evm.Long(blocks[0].Header.Time / 86400 * 86400)
		list := []evm.Address{collection(0), collection(1), collection(1), collection(unknown)}
		for _, c := range []struct {
			to       evm.Long
			interval page.Interval
			list     []evm.Address
			want     string
		}{
			{begin + 10_000*3600 - 1, page.Hour, nil, ""},
			{begin + 10_000*3600, page.Hour, nil, "buckets: it would be 10001: want at most 10000: a shorter range of times or a longer interval"},
			{begin + 3333*3600 - 1, page.Hour, list, ""},
			{begin + 3333*3600, page.Hour, list, "buckets: it would be 3334 for each of 3 values: want at most 3333: a shorter range of times, a longer interval or a shorter list"},
			{evm.MaxLong, page.Month, nil, "buckets: it would be 3425120775:"},
			{evm.MaxLong, page.Hour, nil, "buckets: it would be 2501999348552:"},
		} {
			p := pageOf(t, snap, store.Filter{FromTime: &begin, ToTime: &c.to, Addresses: c.list, Partial: true}, page.Args{})
			got, err := p.Buckets(t.Context(), c.interval, true)
			if c.want == "" {
				expect.NoError(t, err)
				expect.Equal(t, "end", c.to+1, got[len(got)-1].ToTime)
				continue
			}
			if refused := wantCode(t, c.want, err, apierror.BadUserInput); len(refused.Message) < len(c.want) || refused.Message[:len(c.want)] != c.want {
				t.Errorf("%q, want %q", refused.Message, c.want)
			}
		}
		last := evm.Long(evm.MaxLong)
		p := pageOf(t, snap, store.Filter{FromTime: &last, ToTime: &last, Partial: true}, page.Args{})
		for _, interval := range []page.Interval{page.Hour, page.Day, page.Week, page.Month} {
			got, err := p.Buckets(t.Context(), interval, true)
			expect.NoError(t, err)
			if len(got) != 1 || got[0].FromTime > last || got[0].ToTime != last {
				t.Errorf("%s: the last: %+v", interval, got)
			}
		}
	})
}
