package store_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/tables"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/foldtest"
)

// TestCheck_LogsRepairs checks that a repair which adds blocks to coverage, or removes records of blocks that
// are not indexed, is in the log of changes, from which feeds and folders of files learn of it.
func TestCheck_LogsRepairs(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s := checked(t, dsn)
		touched := func(after *string) (ranges []evm.Range, now string) {
			each(t, s, func(snap *store.Snapshot) {
				var err error
				ranges, now, err = feed.Touched(t.Context(), snap, after)
				expect.NoError(t, err)
			})
			return ranges, now
		}
		for name, want := range map[string]evm.Range{
			"a hole in coverage":                           {From: 1060, To: 1069},
			"records of a block that is not indexed":       {From: 1210, To: 1210},
			"a burn of a block that is not indexed":        {From: 7, To: 7},
			"coverage that ends too early":                 {From: 1181, To: 1199},
			"a transaction of a block that is not indexed": {From: 1221, To: 1221},
		} {
			_, before := touched(nil)
			for _, p := range damages() {
				if p.name == name {
					makeDamage(t, dsn, p)
				}
			}
			if _, found := checkAll(t, s, true); found.Differences == 0 || found.Left > 0 {
				t.Fatalf("%s: %+v", name, found)
			}
			ranges, _ := touched(&before)
			expect.Equal(t, name, []evm.Range{want}, tables.Common(ranges, want))
		}
	})
}

// TestCheck_LogsTypes repairs the standards of collections, of which the types of documents follow: a copy that
// began before the repair learns of it.
func TestCheck_LogsTypes(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s := checked(t, dsn)
		for _, p := range damages() {
			if !strings.Contains(p.name, "standard") {
				continue
			}
			makeDamage(t, dsn, p)
			copied := foldtest.NewReader(t, s.DB, feed.Filter{}, rand.New(rand.NewPCG(1, 1)))
			if _, found := checkAll(t, s, true); found.Differences == 0 || found.Left > 0 {
				t.Fatalf("%s: %+v", p.name, found)
			}
			copied.Compare(t, s.DB)
		}
	})
}
