package store_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// versionsOf returns a page of the documents of a token.
func versionsOf(t *testing.T, snap *store.Snapshot, key nft.TokenKey, args page.Args) *page.Page[*store.Version] {
	t.Helper()
	found, err := snap.MetadataOf(t.Context(), []nft.TokenKey{key}, read.AllTexts)
	expect.NoError(t, err)
	pages, errs, err := snap.VersionsOf(t.Context(), []*store.TokenMetadata{found[key]}, read.AllTexts, args)
	expect.NoError(t, err)
	expect.NoError(t, errs[0])
	expect.NoError(t, pages[0].Read(t.Context(), nil))
	return pages[0]
}

// wantVersions checks the documents of a token, each as its cause, its time after start and its
// text.
func wantVersions(t *testing.T, s *write.DB, when string, key nft.TokenKey, start uint64, want ...string) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) {
		p := versionsOf(t, snap, key, page.Args{})
		var got []string
		for _, v := range p.Items {
			got = append(got, fmt.Sprint(v.Cause, " ", v.FetchedAt-start, " ", v.Raw, " ", v.URI))
		}
		expect.Equal(t, when, want, got)
		total, err := p.Total(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, when+": total", int64(len(want)), total)
		// One page for each, until there is no next one.
		var walked []string
		for args := (page.Args{First: ptr(1)}); ; {
			p := versionsOf(t, snap, key, args)
			walked = append(walked, p.Items[0].Raw)
			before, err := p.HasPreviousPage(t.Context())
			expect.NoError(t, err)
			expect.Equal(t, when+": previous", len(walked) > 1, before)
			next, err := p.NextCursor(t.Context())
			expect.NoError(t, err)
			if next == nil {
				break
			}
			expect.Equal(t, when+": number", uint64(len(walked)), p.Number())
			args.After = next
		}
		expect.Equal(t, when+": pages", len(want), len(walked))
	})
}

// TestVersions takes a token through a reveal: each different document is kept with its cause, up
// to the number of documents to keep, until a reorg orphans the token.
func TestVersions(t *testing.T) {
	a := collection(2)
	key := nft.TokenKey{Contract: a, TokenID: evm.NewUint256(1)}
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		q := write.NewQueue(s, write.QueueOptions{Now: c.Now, Keep: 3})
		apply(t, s, []nft.Block{drop(100, a, 1, 1)})
		start, number := c.now, uint64(100)
		event := func() {
			number++
			b := with(drop(number, a, 0, 0), a, 1, 1)
			b.Header.Time = c.now
			apply(t, s, []nft.Block{b})
		}
		fetched := func(raw string, recheck uint64) {
			t.Helper()
			c.now++
			r := c.fetched(claimToken(t, q, key), raw)
			if recheck > 0 {
				r.NextAt = c.now + recheck
			}
			finish(t, q, r)
		}
		long := strings.Repeat("revealed ", 5_000)
		fetched("hidden", 0)
		wantVersions(t, s, "first", key, start, "FIRST 1 hidden u")
		event()
		task := claimToken(t, q, key)
		finish(t, q, c.failed(task, "gone", 5))
		c.now += 5
		fetched(long, 10)
		wantVersions(t, s, "after an event, though the first fetch failed", key, start, "EVENT 7 "+long+" u", "FIRST 1 hidden u")
		c.now += 10
		fetched(long, 10)
		wantVersions(t, s, "the same document", key, start, "EVENT 7 "+long+" u", "FIRST 1 hidden u")
		c.now += 10
		fetched("older", 10)
		wantVersions(t, s, "because of its age", key, start, "RECHECK 29 older u", "EVENT 7 "+long+" u", "FIRST 1 hidden u")
		c.now++
		m := nft.TokenMetadata{TokenKey: key, FetchedAt: c.now, URI: "i", Raw: "imported"}
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
		wantVersions(t, s, "imported", key, start, "IMPORT 30 imported i", "RECHECK 29 older u", "EVENT 7 "+long+" u", "FIRST 1 hidden u")
		event()
		fetched("last", 0)
		wantVersions(t, s, "only three are kept", key, start, "EVENT 31 last u", "IMPORT 30 imported i", "RECHECK 29 older u")
		wantClean(t, "versions", s)
		expect.NoError(t, s.ReplaceAbove(t.Context(), 99, nil, false))
		var left int
		expect.NoError(t, raw(t, dsn).QueryRowContext(t.Context(), "SELECT count(*) FROM versions").Scan(&left))
		expect.Equal(t, "versions of an orphaned token", 0, left)
		wantClean(t, "the reorg", s)
	})
}

// TestVersions_Bound checks that texts of earlier documents count against the bound of an answer.
func TestVersions_Bound(t *testing.T) {
	key := nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(1)}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for i := range 3 {
			m := nft.TokenMetadata{TokenKey: key, FetchedAt: uint64(i + 1), Raw: strings.Repeat(fmt.Sprint(i), 100_000)}
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
		}
		snap := snapshot(t, s)
		found, err := snap.MetadataOf(t.Context(), []nft.TokenKey{key}, read.Cause)
		expect.NoError(t, err)
		snap.Hold = func(n int64) (int64, error) { return max(0, n-150_000), nil }
		_, _, err = snap.VersionsOf(t.Context(), []*store.TokenMetadata{found[key]}, read.TextRaw, page.Args{})
		wantCode(t, "versions", err, apierror.QueryTooCostly)
	})
}
