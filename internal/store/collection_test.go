package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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

// checkCollections compares all collections, and their lists, with the blocks.
func checkCollections(t *testing.T, snap *store.Snapshot, m model, whole bool, at evm.Long, atWhole bool) {
	t.Helper()
	byAddress := map[evm.Address][]nft.TokenKey{}
	for _, key := range m.keys() {
		byAddress[key.Contract] = append(byAddress[key.Contract], key)
	}
	addresses := slices.SortedFunc(maps.Keys(byAddress), func(a, b evm.Address) int { return cmp.Compare(m.firstLog(a), m.firstLog(b)) })
	asked := append(append([]evm.Address{collection(unknown)}, addresses...), addresses[0])
	collections, err := snap.Subjects().CollectionsOf(t.Context(), asked)
	expect.NoError(t, err)
	if len(collections) != len(asked) || collections[0] != nil || collections[len(asked)-1] == nil {
		t.Fatalf("got %v", collections)
	}
	collections = collections[1:]
	var subjects []*store.Subject
	for i, c := range collections {
		expect.Equal(t, "address", asked[1+i], c.Address)
		subjects = append(subjects, c.AsSubject())
	}
	types, err := snap.Subjects().TypesOf(t.Context(), collections)
	expect.NoError(t, err)
	got, then := make([]facts, len(collections)), make([]facts, len(collections))
	for i := range collections {
		got[i].Type = types[i]
	}
	got, then = factsOf(t, snap, subjects, got, nil), factsOf(t, snap, subjects, then, &at)
	for i, c := range collections {
		f, what := store.Filter{Address: &c.Address}, "collection "+c.Address.String()
		want := m.subjectOf(f, whole)
		want.State = ""
		expect.Equal(t, what, want, got[i])
		checkThen(t, what, m, f, at, atWhole, then[i])
		if i < 3 {
			var ids []evm.Uint256
			for _, key := range byAddress[c.Address] {
				ids = append(ids, key.TokenID)
			}
			checkBook(tokensBook(t, snap, c, ids))
		}
	}
	for _, order := range []store.Order{store.Asc, store.Desc} {
		checkBook(collectionsBook(t, snap, store.CollectionFilter{Order: order, Partial: true}, addresses))
		some := slices.Clone(addresses[2:7])
		checkBook(collectionsBook(t, snap, store.CollectionFilter{Order: order, Partial: true, Addresses: append(slices.Clone(some), collection(unknown), some[0])}, some))
		checkBook(collectionsBook(t, snap, store.CollectionFilter{Order: order, Partial: true, Addresses: []evm.Address{}}, nil))
	}
}

// firstLog returns the block and log index of the first record of a collection, as one
// number.
func (m model) firstLog(address evm.Address) uint64 {
	first := uint64(1) << 63
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for r := range m.selected(store.Filter{Kind: kind, Address: &address}) {
			first = min(first, r.Block.Number<<30|uint64(r.LogIndex))
		}
	}
	return first
}

// checkBook checks the pagination laws of a connection.
func checkBook[K comparable](b book[K]) {
	b.Helper()
	cursors := b.whole()
	for i := 0; i < len(cursors); i += 1 + len(cursors)/4 {
		b.around(cursors[i], i)
	}
	if last := len(cursors) - 1; last >= 0 {
		b.around(cursors[last], last)
		b.forwards(always(1 + len(b.want)/3))
		b.backwards(always(1 + len(b.want)/3))
	}
}

// bookOf returns the list of a connection; page reads one of its pages.
func bookOf[K comparable, P interface {
	pager
	Len() int
	Cursor(i int) string
}](t *testing.T, name string, want []K, listed func(page.Args) P, item func(p P, i int) K) book[K] {
	return book[K]{T: t, name: name, want: want, read: func(args page.Args) view[K] {
		t.Helper()
		p := listed(args)
		v := view[K]{about: describePage(t, p, args)}
		for i := range p.Len() {
			v.items, v.cursors = append(v.items, item(p, i)), append(v.cursors, p.Cursor(i))
		}
		return v
	}}
}

func tokensBook(t *testing.T, snap *store.Snapshot, c *store.Collection, want []evm.Uint256) book[evm.Uint256] {
	return bookOf(t, "tokens of "+c.Address.String(), want, func(args page.Args) *page.Page[*store.Token] {
		p, err := snap.Tokens(c, true, args)
		expect.NoError(t, err)
		expect.NoError(t, p.Read(t.Context(), nil))
		return p
	}, func(p *page.Page[*store.Token], i int) evm.Uint256 { return p.Items[i].TokenKey.TokenID })
}

func collectionsBook(t *testing.T, snap *store.Snapshot, f store.CollectionFilter, want []evm.Address) book[evm.Address] {
	want = slices.Clone(want)
	if f.Order == store.Desc {
		slices.Reverse(want)
	}
	return bookOf(t, fmt.Sprintf("collections %s %.30s", f.Order, fmt.Sprint(f.Addresses)), want, func(args page.Args) *page.Page[*store.Collection] {
		p, err := snap.Collections(f, args)
		expect.NoError(t, err)
		expect.NoError(t, p.Read(t.Context(), nil))
		return p
	}, func(p *page.Page[*store.Collection], i int) evm.Address { return p.Items[i].Address })
}

// TestCollection_EqualsOracle is [TestToken_EqualsOracle] for collections, and for the
// lists of collections and tokens.
func TestCollection_EqualsOracle(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			onStores(t, func(t *testing.T, s *write.DB, _ string) { tokensEqualOracle(t, s, seed, checkCollections) })
		})
	}
}

// walkSubjects is walkRecords for tokens and collections, and for their lists.
func walkSubjects(t *testing.T, snap *store.Snapshot, note func(string)) {
	t.Helper()
	collections, err := snap.Subjects().CollectionsOf(t.Context(), []evm.Address{collection(0), collection(3), collection(skewedSmall)})
	expect.NoError(t, err)
	note("collections by their addresses")
	collections = slices.DeleteFunc(collections, func(c *store.Collection) bool { return c == nil })
	store.Mix(collections[0])
	_, err = snap.Subjects().TypesOf(t.Context(), collections[:1])
	expect.NoError(t, err)
	note("latest records of collections")
	listed, err := snap.Tokens(collections[0], false, page.Args{})
	expect.NoError(t, err)
	expect.NoError(t, listed.Read(t.Context(), nil))
	note("tokens with records of a collection: page")
	var keys []nft.TokenKey
	for _, token := range listed.Items {
		keys = append(keys, token.TokenKey)
	}
	tokens, err := snap.Subjects().TokensOf(t.Context(), keys)
	expect.NoError(t, err)
	note("tokens by their keys")
	for _, key := range keys {
		_, err := snap.Subjects().TokensOf(t.Context(), []nft.TokenKey{key})
		expect.NoError(t, err)
	}
	note("tokens by their keys, some with many records")
	ofCollections, ofTokens := []*store.Subject{}, []*store.Subject{}
	for _, c := range collections {
		ofCollections = append(ofCollections, c.AsSubject())
	}
	for _, token := range tokens {
		ofTokens = append(ofTokens, token.AsSubject())
	}
	for _, order := range []store.Order{store.Asc, store.Desc} {
		var of [2][]store.Filter
		for _, key := range keys {
			f := store.Filter{Kind: nft.Mint, Address: &key.Contract, Order: order, Partial: order == store.Desc}
			of[0] = append(of[0], f)
			f.TokenID = &key.TokenID
			of[1] = append(of[1], f)
		}
		for _, filters := range of {
			pages, _ := snap.Pages(filters, page.Args{First: ptr(3)})
			for _, p := range pages {
				expect.NoError(t, p.Read(t.Context(), nil))
			}
			note("pages of collections or tokens")
		}
	}
	for i, subjects := range [][]*store.Subject{ofCollections, ofTokens} {
		of := [...]string{"collections", "tokens"}[i]
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			for _, last := range []bool{false, true} {
				_, _, err := snap.Subjects().RecordOf(t.Context(), kind, last, subjects)
				expect.NoError(t, err)
				note(fmt.Sprintf("one %s of each of %s", kind, of))
			}
		}
	}
	totalOf(t, listed)
	note("tokens with records of a collection: total")
	walkPages(t, "tokens with records of a collection", listed.Cursor(10), func(args page.Args) pager {
		p, err := snap.Tokens(collections[0], false, args)
		expect.NoError(t, err)
		expect.NoError(t, p.Read(t.Context(), nil))
		return p
	}, note)
	of := func(args page.Args) *page.Page[*store.Collection] {
		p, err := snap.Collections(store.CollectionFilter{Order: store.Desc}, args)
		expect.NoError(t, err)
		expect.NoError(t, p.Read(t.Context(), nil))
		return p
	}
	first := of(page.Args{})
	note("collections: page")
	walkPages(t, "collections", first.Cursor(first.Len()/2), func(args page.Args) pager { return of(args) }, note)
	_, err = snap.Subjects().NamesOf(t.Context(), collections)
	expect.NoError(t, err)
	note("names of collections")
	_, err = snap.Subjects().CollectionMetadataOf(t.Context(), collections, read.AllTexts)
	expect.NoError(t, err)
	note("metadata of collections")
	of = func(args page.Args) *page.Page[*store.Collection] {
		p, err := snap.Collections(store.CollectionFilter{Search: "na"}, args)
		expect.NoError(t, err)
		expect.NoError(t, p.Read(t.Context(), nil))
		return p
	}
	first = of(page.Args{})
	note("collections by name: page")
	totalOf(t, first)
	note("collections by name: total")
	walkPages(t, "collections by name", first.Cursor(first.Len()/2), func(args page.Args) pager { return of(args) }, note)
}

// TestCollections_OrphanedCursor checks that a cursor of a collection whose first record
// was orphaned is an error, and that the error's rewindCursor continues at the fork in both
// directions.
func TestCollections_OrphanedCursor(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, []nft.Block{drop(100, collection(1), 0, 2), drop(101, collection(2), 0, 2), drop(102, collection(3), 0, 2), drop(103, collection(4), 0, 2)})
		listed := func(args page.Args) (p *page.Page[*store.Collection], err error) {
			each(t, s, func(snap *store.Snapshot) {
				if p, err = snap.Collections(store.CollectionFilter{Order: store.Asc, Partial: true}, args); err == nil {
					err = p.Read(t.Context(), nil)
				}
			})
			return p, err
		}
		p, err := listed(page.Args{})
		expect.NoError(t, err)
		var cursors []string
		for i := range p.Items {
			cursors = append(cursors, p.Cursor(i))
		}
		above := []nft.Block{drop(102, collection(5), 0, 2), drop(103, collection(6), 0, 2)}
		above[0].Header.Hash, above[1].Header.ParentHash, above[1].Header.Hash = blockHash(2, 102), blockHash(2, 102), blockHash(2, 103)
		rollback(t, s, 101, above)
		for i, cursor := range cursors {
			for _, backward := range []bool{false, true} {
				cursor := cursor
				args := func() page.Args {
					if backward {
						return page.Args{Last: ptr(9), Before: &cursor}
					}
					return page.Args{First: ptr(9), After: &cursor}
				}
				// Collections 1 and 2 are canonical; other cursors continue at the fork.
				want := map[bool][]int{false: {5, 6}, true: {1, 2}}[backward]
				switch {
				case i == 0 && backward:
					want = nil
				case i == 0:
					want = []int{2, 5, 6}
				case i == 1 && backward:
					want = []int{1}
				case i > 1:
					_, err := listed(args())
					gone := wantCode(t, "an orphaned cursor", err, apierror.CursorReorged)
					expect.Equal(t, "retracted", any(uint64(102)), gone.Details["retractedFromBlock"])
					cursor = gone.Details["rewindCursor"].(string)
				}
				p, err := listed(args())
				expect.NoError(t, err)
				var got []evm.Address
				for _, c := range p.Items {
					got = append(got, c.Address)
				}
				var addresses []evm.Address
				for _, n := range want {
					addresses = append(addresses, collection(n))
				}
				expect.Equal(t, fmt.Sprintf("cursor %d, backward %t", i, backward), addresses, got)
			}
		}
	})
}
