package store_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// facets are the traits of a collection with their values.
type facets struct {
	Name             string
	Tokens, Distinct int64
	Values           []store.TraitValue
}

// collectionOf returns a collection.
func collectionOf(t testing.TB, snap *store.Snapshot, c int) *store.Collection {
	t.Helper()
	found, err := snap.Subjects().CollectionsOf(t.Context(), []evm.Address{collection(c)})
	expect.NoError(t, err)
	return found[0]
}

// traitPage reads a page of traits.
func traitPage(t testing.TB, snap *store.Snapshot, of *store.Collection, args page.Args) *page.Page[*store.Trait] {
	t.Helper()
	p, err := snap.Traits(of, args)
	expect.NoError(t, err)
	expect.NoError(t, p.Read(t.Context(), nil))
	return p
}

// facetsOf reads all traits of a collection, some at a time, with at most limit values each.
func facetsOf(t testing.TB, snap *store.Snapshot, of *store.Collection, atOnce, limit int) (all []facets) {
	t.Helper()
	args := page.Args{First: &atOnce}
	for {
		p := traitPage(t, snap, of, args)
		values, err := snap.TraitValues(t.Context(), p.Items, limit)
		expect.NoError(t, err)
		for i, trait := range p.Items {
			all = append(all, facets{trait.Name, trait.Tokens, trait.DistinctValues, values[i]})
		}
		before, err := p.HasPreviousPage(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, "a page before", args.After != nil, before)
		total := totalOf(t, p)
		next, err := p.NextCursor(t.Context())
		expect.NoError(t, err)
		if next == nil {
			expect.Equal(t, "total", int64(len(all)), total)
			return all
		}
		args.After = next
	}
}

// groupBy returns the traits of documents.
func groupBy(documents []*nft.TokenMetadata, limit int) (all []facets) {
	tokens := map[string]map[string]map[int]bool{}
	for i, m := range documents {
		for _, a := range m.Attributes {
			if tokens[a.TraitType] == nil {
				tokens[a.TraitType] = map[string]map[int]bool{}
			}
			if tokens[a.TraitType][a.Value] == nil {
				tokens[a.TraitType][a.Value] = map[int]bool{}
			}
			tokens[a.TraitType][a.Value][i] = true
		}
	}
	for name, values := range tokens {
		of, list := map[int]bool{}, []store.TraitValue{}
		for value, with := range values {
			maps.Copy(of, with)
			list = append(list, store.TraitValue{Text: facet.Cut(value), Tokens: int64(len(with))})
		}
		slices.SortFunc(list, func(a, b store.TraitValue) int {
			return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), strings.Compare(a.Text, b.Text))
		})
		all = append(all, facets{name, int64(len(of)), int64(len(list)), list[:min(len(list), limit)]})
	}
	hash := func(of facets) string { return facet.ValueOf(0, nft.Attribute{TraitType: of.Name}).Trait }
	slices.SortFunc(all, func(a, b facets) int {
		return cmp.Or(strings.Compare(facet.Cut(a.Name), facet.Cut(b.Name)), strings.Compare(hash(a), hash(b)))
	})
	for i := range all {
		all[i].Name = facet.Cut(all[i].Name)
	}
	return all
}

// wantFacets compares the traits of a collection with its documents.
func wantFacets(t testing.TB, s *write.DB, c int) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) {
		documents := plainAll(t, tokensOf(t, snap, collection(c), nil, page.Args{First: ptr(1000)}).Items)
		for _, limit := range []int{3, 1000} {
			expect.Equal(t, fmt.Sprint("traits of collection ", c), groupBy(documents, limit), facetsOf(t, snap, collectionOf(t, snap, c), limit, limit))
		}
	})
}

// odd are texts of traits and values: some differ only beyond the kept bytes.
var odd = []string{"", "a", "B", "é", "\U0001f600", "\uffff", "7", "<b>", `"`, strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("x", 300), strings.Repeat("ö", 128) + "1"}

// TestTraits_RandomHistories compares traits with the documents while these are imported,
// replaced and orphaned.
func TestTraits_RandomHistories(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for _, seed := range seeds(t, 1) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 38))
			apply(t, s, []nft.Block{drop(100, collection(0), 0, 30), drop(101, collection(1), 0, 30), drop(102, collection(0), 30, 30)})
			for at := range uint64(30) {
				var items []nft.TokenMetadata
				for range 1 + rng.IntN(20) {
					var attributes []string
					for range rng.IntN(6) {
						attributes = append(attributes, odd[rng.IntN(len(odd))], odd[rng.IntN(len(odd))])
					}
					m := traitsOf(rng.IntN(2), uint64(rng.IntN(60)), attributes...)
					m.FetchedAt = at
					items = append(items, m)
				}
				expect.NoError(t, s.PutMetadata(t.Context(), items))
				if at == 20 {
					// The tokens of the last block are orphaned.
					rollback(t, s, 101, nil)
				}
				if at%5 == 0 {
					wantFacets(t, s, 0)
					wantFacets(t, s, 1)
				}
			}
			wantClean(t, "the end", s)
		}
	})
}

// TestTraits_Serials reads the most frequent of 10,000 values.
func TestTraits_Serials(t *testing.T) {
	skipShort(t)
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, []nft.Block{drop(100, collection(0), 0, 1)})
		var items []nft.TokenMetadata
		for id := range uint64(10_000) {
			items = append(items, traitsOf(0, id, "Serial", fmt.Sprint(9999-id), "Odd", fmt.Sprint(id%2)))
		}
		items = append(items, traitsOf(0, 10_001, "Serial", "7", "Serial", "7", "Odd", "1"))
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		each(t, s, func(snap *store.Snapshot) {
			got := facetsOf(t, snap, collectionOf(t, snap, 0), 20, 3)
			expect.Equal(t, "traits", []facets{
				{"Odd", 10_001, 2, []store.TraitValue{{Text: "1", Tokens: 5001}, {Text: "0", Tokens: 5000}}},
				{"Serial", 10_001, 10_000, []store.TraitValue{{Text: "7", Tokens: 2}, {Text: "0", Tokens: 1}, {Text: "1", Tokens: 1}}},
			}, got)
		})
	})
}

// TestTraits_Errors checks the errors of pages of traits.
func TestTraits_Errors(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		apply(t, s, []nft.Block{drop(100, collection(0), 0, 1), drop(101, collection(1), 0, 1)})
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{traitsOf(0, 0, "a", "1", "b", "2")}))
		each(t, s, func(snap *store.Snapshot) {
			of, other := collectionOf(t, snap, 0), collectionOf(t, snap, 1)
			cursor := traitPage(t, snap, of, page.Args{First: ptr(1)}).Cursor(0)
			_, err := snap.Traits(other, page.Args{After: &cursor})
			wantCode(t, "a cursor of another collection", err, "INVALID_CURSOR")
			_, err = snap.Traits(of, page.Args{First: ptr(-1)})
			wantCode(t, "a negative size", err, "BAD_USER_INPUT")
			expect.Equal(t, "traits without documents", 0, traitPage(t, snap, other, page.Args{}).Len())
			// A page without items continues where it began.
			empty := traitPage(t, snap, of, page.Args{First: ptr(0)})
			next, err := empty.NextCursor(t.Context())
			expect.NoError(t, err)
			expect.Equal(t, "traits after no traits", 2, traitPage(t, snap, of, page.Args{After: next}).Len())
			empty = traitPage(t, snap, of, page.Args{First: ptr(0), After: &cursor})
			next, err = empty.NextCursor(t.Context())
			expect.NoError(t, err)
			expect.Equal(t, "traits after one trait", 1, traitPage(t, snap, of, page.Args{After: next}).Len())
		})
		execute(t, dsn, "UPDATE contracts SET traits = NULL", "INSERT INTO settings (id, value) VALUES ('traits_counted', '{}')")
		each(t, s, func(snap *store.Snapshot) {
			p, err := snap.Traits(collectionOf(t, snap, 0), page.Args{})
			expect.NoError(t, err)
			wantCode(t, "traits that are not counted", p.Read(t.Context(), nil), "UNAVAILABLE")
		})
	})
}

// TestDisplayTypes checks that display types are kept, and only where documents have them.
func TestDisplayTypes(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		with, without := traitsOf(0, 1, "a", "1", "b", "2"), traitsOf(0, 2, "a", "1")
		with.Attributes[1].DisplayType = "\u2028\"date\" \x00"
		for range 2 {
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{with, without}))
			stored := listOf[*string](t, dsn, "SELECT display_types FROM tokens ORDER BY token_id")
			var types []string
			expect.NoError(t, json.Unmarshal([]byte(*stored[0]), &types))
			expect.Equal(t, "stored", []string{"", "\u2028\"date\" \uFFFD"}, types)
			if stored[1] != nil {
				t.Errorf("got %q, want null", *stored[1])
			}
			expect.Equal(t, "read", types[1], metadataOf(t, s, collection(0), 1).Attributes[1].DisplayType)
			wantClean(t, "display types", s)
		}
		with.Attributes[1].DisplayType = ""
		with.FetchedAt++
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{with}))
		expect.Equal(t, "after another fetch", "", metadataOf(t, s, collection(0), 1).Attributes[1].DisplayType)
		wantClean(t, "the end", s)
	})
}

// walkTraits is walkRecords for traits.
func walkTraits(t *testing.T, snap *store.Snapshot, note func(string)) {
	t.Helper()
	of := collectionOf(t, snap, 0)
	note("collections: by their addresses")
	p := traitPage(t, snap, of, page.Args{})
	note("traits of a collection: page")
	cursor := p.Cursor(0)
	next := traitPage(t, snap, of, page.Args{After: &cursor})
	note("traits of a collection: page after a cursor")
	_, err := next.HasPreviousPage(t.Context())
	expect.NoError(t, err)
	note("traits of a collection: what precedes page after a cursor")
	values, err := snap.TraitValues(t.Context(), p.Items, 100)
	expect.NoError(t, err)
	note("traits of a collection: values")
	var filters []store.TraitFilter
	for i := range 3 {
		f := store.TraitFilter{TraitType: p.Items[i].Name}
		for _, v := range values[i] {
			if len(f.Values) < 2 {
				f.Values = append(f.Values, v.Text)
			}
		}
		filters = append(filters, f)
		what := fmt.Sprintf("tokens with %d traits", i+1)
		all := filteredPage(t, snap, 0, page.Args{}, filters...)
		note(what + ": page")
		totalOf(t, all)
		note(what + ": total")
		cursor := all.Cursor(all.Len() - 1) // Without items, that of the beginning.
		walkPages(t, what, cursor, func(args page.Args) pager { return filteredPage(t, snap, 0, args, filters...) }, note)
	}
}
