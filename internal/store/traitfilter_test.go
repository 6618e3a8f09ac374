package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// stepTraits runs steps until the last one.
func stepTraits(t testing.TB, s *write.DB, step func(*facet.Changes, context.Context, *database.Tx, *ent.Client) (bool, error)) (steps int) {
	t.Helper()
	for done := false; !done; steps++ {
		var err error
		done, err = write.StepTraits(t.Context(), s, step)
		expect.NoError(t, err)
	}
	return steps
}

func indexTraits(t testing.TB, s *write.DB) int { return stepTraits(t, s, (*facet.Changes).Build) }

// hasAll reports whether a document has one of the values of each filter.
func hasAll(filters []store.TraitFilter, m *nft.TokenMetadata) bool {
	for _, f := range filters {
		if !slices.ContainsFunc(m.Attributes, func(a nft.Attribute) bool { return a.TraitType == f.TraitType && slices.Contains(f.Values, a.Value) }) {
			return false
		}
	}
	return true
}

// filteredPage reads a page of the metadata that filters select.
func filteredPage(t testing.TB, snap *store.Snapshot, c int, args page.Args, filters ...store.TraitFilter) *page.Page[*store.TokenMetadata] {
	t.Helper()
	p, err := snap.MetadataPage(collection(c), nil, args, read.TextOf(token.FieldName), filters...)
	expect.NoError(t, err)
	expect.NoError(t, p.Read(t.Context(), nil))
	return p
}

// idsOn returns the token ids on a page.
func idsOn(p *page.Page[*store.TokenMetadata]) (ids []string) {
	for _, m := range p.Items {
		ids = append(ids, m.TokenID.String())
	}
	return ids
}

// wantFiltered compares the pages of filters with a scan of the documents, in both directions.
func wantFiltered(t testing.TB, snap *store.Snapshot, c, size int, filters ...store.TraitFilter) {
	t.Helper()
	var want, forward, backward []string
	for _, m := range plainAll(t, tokensOf(t, snap, collection(c), nil, page.Args{First: ptr(1000)}).Items) {
		if hasAll(filters, m) {
			want = append(want, m.TokenID.String())
		}
	}
	what := fmt.Sprintf("collection %d, %v", c, filters)
	args := page.Args{First: &size}
	for next := new(string); next != nil; args.After = next {
		p := filteredPage(t, snap, c, args, filters...)
		forward = append(forward, idsOn(p)...)
		expect.Equal(t, what+": total", int64(len(want)), totalOf(t, p))
		before, err := p.HasPreviousPage(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, what+": a page before", args.After != nil && len(want) > 0, before)
		next, err = p.NextCursor(t.Context())
		expect.NoError(t, err)
	}
	expect.Equal(t, what+": forward", want, forward)
	args = page.Args{Last: &size}
	for more := true; more; {
		p := filteredPage(t, snap, c, args, filters...)
		backward = append(idsOn(p), backward...)
		after, err := p.HasNextPage(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, what+": a page after", args.Before != nil, after)
		more, err = p.HasPreviousPage(t.Context())
		expect.NoError(t, err)
		if more {
			args.Before = ptr(p.Cursor(0))
		}
	}
	expect.Equal(t, what+": backward", want, backward)
}

// TestTraitFilter_RandomHistories compares filtered pages with a scan while documents are
// imported, replaced and orphaned, and while the index is built, dropped and built again.
func TestTraitFilter_RandomHistories(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		for _, seed := range seeds(t, 1) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 39))
			apply(t, s, []nft.Block{drop(100, collection(0), 0, 150), drop(101, collection(1), 0, 150), drop(102, collection(0), 150, 150)})
			at := uint64(0)
			put := func(n int) {
				at++
				var items []nft.TokenMetadata
				for range n {
					var attributes []string
					for range rng.IntN(6) {
						attributes = append(attributes, odd[rng.IntN(4)], odd[rng.IntN(len(odd))])
					}
					m := traitsOf(rng.IntN(2), uint64(rng.IntN(300)), attributes...)
					m.FetchedAt = at
					items = append(items, m)
				}
				expect.NoError(t, s.PutMetadata(t.Context(), items))
			}
			put(500)
			for round := range 3 {
				for done := false; !done; put(30) {
					var err error
					done, err = write.StepTraits(t.Context(), s, (*facet.Changes).Build)
					expect.NoError(t, err)
					wantClean(t, "a step", s)
				}
				if round == 1 {
					rollback(t, s, 101, nil)
				}
				for i := range 12 {
					put(20)
					var filters []store.TraitFilter
					for range 1 + rng.IntN(3) {
						f := store.TraitFilter{TraitType: odd[rng.IntN(5)]}
						for range rng.IntN(4) {
							f.Values = append(f.Values, odd[rng.IntN(len(odd))])
						}
						filters = append(filters, f)
					}
					each(t, s, func(snap *store.Snapshot) { wantFiltered(t, snap, i%2, 1+rng.IntN(40), filters...) })
				}
				wantClean(t, fmt.Sprint("round ", round), s)
				expect.Equal(t, "steps of a complete index", 1, indexTraits(t, s))
				stepTraits(t, s, (*facet.Changes).Drop)
				expect.Equal(t, "entries", 0, countRows(t, dsn, facet.Index))
				wantClean(t, "without the index", s)
			}
		}
	})
}

// TestTraitFilter_Errors checks the errors of filters by traits.
func TestTraitFilter_Errors(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, []nft.Block{drop(100, collection(0), 0, 1)})
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{traitsOf(0, 0, "a", "1", "b", "2"), traitsOf(0, 1, "a", "2", "b", "2")}))
		a, b := store.TraitFilter{TraitType: "a", Values: []string{"1", "1"}}, store.TraitFilter{TraitType: "b", Values: []string{"2"}}
		fails := func(what string, code apierror.Code, total bool, filters ...store.TraitFilter) {
			t.Helper()
			each(t, s, func(snap *store.Snapshot) {
				p, err := snap.MetadataPage(collection(0), nil, page.Args{}, read.TextOf(token.FieldName), filters...)
				expect.NoError(t, err)
				if err = p.Read(t.Context(), nil); total && err == nil {
					_, err = p.Total(t.Context())
				}
				wantCode(t, what, err, code)
			})
		}
		fails("no index", "BAD_USER_INPUT", false, a)
		execute(t, dsn, `INSERT INTO settings (id, value) VALUES ('trait_index', '{"contract":1}')`)
		fails("an incomplete index", "BAD_USER_INPUT", false, a)
		indexTraits(t, s)
		each(t, s, func(snap *store.Snapshot) {
			wantFiltered(t, snap, 0, 1, a, b)
			many := make([]string, 21)
			for what, filters := range map[string][]store.TraitFilter{"values": {{TraitType: "a", Values: many}}, "filters": {a, b, a, b, a, b}} {
				_, err := snap.MetadataPage(collection(0), nil, page.Args{}, 0, filters...)
				wantCode(t, "too many "+what, err, "BAD_USER_INPUT")
			}
			_, err := snap.MetadataPage(collection(0), ptr(evm.NewUint256(1)), page.Args{}, 0, a)
			wantCode(t, "tokenId and traits", err, "BAD_USER_INPUT")
			cursor := filteredPage(t, snap, 0, page.Args{First: ptr(1)}, a).Cursor(0)
			_, err = snap.MetadataPage(collection(0), nil, page.Args{After: &cursor}, 0, b)
			wantCode(t, "a cursor of another filter", err, "INVALID_CURSOR")
			expect.Equal(t, "of an unknown collection", 0, filteredPage(t, snap, 9, page.Args{}, a).Len())
		})
		execute(t, dsn, "UPDATE trait_values SET tokens = 100001")
		fails("two large filters", "QUERY_TOO_COSTLY", false, a, b)
		two := store.TraitFilter{TraitType: "a", Values: []string{"1", "2"}}
		fails("the total of a filter with two values", "QUERY_TOO_COSTLY", true, two)
		each(t, s, func(snap *store.Snapshot) {
			expect.Equal(t, "a page of two values", []string{"0", "1"}, idsOn(filteredPage(t, snap, 0, page.Args{}, two)))
			expect.Equal(t, "the total of one value", int64(100_001), totalOf(t, filteredPage(t, snap, 0, page.Args{}, a)))
		})
	})
}

// TestCheck_TraitIndex damages the index of tokens by trait, and repairs it.
func TestCheck_TraitIndex(t *testing.T) {
	skipShort(t)
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		var items []nft.TokenMetadata
		for id := range uint64(1200) {
			items = append(items, traitsOf(int(id%2), id, "a", fmt.Sprint(id%5), "a", fmt.Sprint(id%3), "serial", fmt.Sprint(id)))
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		indexTraits(t, s)
		wantClean(t, "the index", s)
		entries := "SELECT CAST(contract_id AS text) || ' ' || CAST(trait AS text) || CAST(value AS text) || ' ' || CAST(token_id AS text) FROM trait_tokens JOIN trait_values ON id = value_id ORDER BY 1"
		want := listOf[string](t, dsn, entries)
		for damage, line := range map[string]string{
			"DELETE FROM trait_tokens WHERE value_id = (SELECT max(value_id) FROM trait_tokens)":                                                                                       "): the row is missing",
			"INSERT INTO trait_tokens SELECT (SELECT id FROM trait_values WHERE text = '5'), token_id FROM tokens WHERE contract_id = 1 AND id < 50 AND attributes NOT LIKE '%\"5\"%'": "): nothing gives the row",
			"INSERT INTO trait_tokens SELECT 1000000, token_id FROM tokens WHERE id = 7":                                                                                               "trait_tokens: 1 entries are of value number 1000000, which is missing",
		} {
			execute(t, dsn, damage)
			lines, found := checkAll(t, s, false)
			if found.Left == 0 || !slices.ContainsFunc(lines, contains(line)) {
				t.Errorf("%s: %+v %q", damage, found, lines)
			}
			checkAll(t, s, true)
			expect.Equal(t, damage, want, listOf[string](t, dsn, entries))
			wantClean(t, damage, s)
		}
	})
}
