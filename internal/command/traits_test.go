package command_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mintburn/ent/token"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// siteDocuments returns the documents of the recorded site.
func siteDocuments(t *testing.T) (raw []string) {
	t.Helper()
	type answer struct{ Body string }
	for _, a := range chaintest.Values[answer](t, "metadata/site.ndjson.gz") {
		if _, err := metadata.Normalise(a.Body, nft.ERC721, evm.Uint256{}); err == nil {
			raw = append(raw, a.Body)
		}
	}
	if len(raw) < 150 {
		t.Fatalf("%d documents", len(raw))
	}
	return raw
}

// siteCollections are an ERC-721 collection, and an ERC-1155 collection whose tokens have one
// document.
var siteCollections = []evm.Address{{0x21}, {0x55}}

// siteBlock returns a block that mints or burns tokens of both collections.
func siteBlock(number uint64, salt byte, burns bool, first, n uint64) nft.Block {
	b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: number, Hash: evm.Hash{salt, byte(number)}}, ParentHash: evm.Hash{1, byte(number - 1)}, Time: number}}
	for i := range 2 * n {
		r := nft.Record{Contract: siteCollections[i%2], Type: nft.ERC721, TokenID: evm.NewUint256(first + i/2), Amount: evm.NewUint256(1), LogIndex: uint32(i)}
		if i%2 == 1 {
			r.Type, r.Operator = nft.ERC1155, evm.Address{9}
		}
		if burns {
			r.Kind, r.From = nft.Burn, evm.Address{7}
			b.Burns = append(b.Burns, r)
		} else {
			r.To = evm.Address{7}
			b.Mints = append(b.Mints, r)
		}
	}
	return b
}

// TestTraits_RecordedSite compares the traits of 500 documents with a group-by over the
// stored documents, before and after refreshes, burns and reorgs.
func TestTraits_RecordedSite(t *testing.T) {
	skipShort(t, "reads the recorded site")
	raw := siteDocuments(t)
	storetest.Each(t, func(t *testing.T, dsn string) {
		s, err := write.Open(t.Context(), dsn, write.Options{})
		expect.NoError(t, err)
		defer func() { expect.NoError(t, s.Close()) }()
		put := func(at uint64, from, to uint64, document func(id uint64) string) {
			t.Helper()
			var items []nft.TokenMetadata
			for id := from; id < to; id++ {
				for c, standard := range []nft.ContractType{nft.ERC721, nft.ERC1155} {
					m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: siteCollections[c], TokenID: evm.NewUint256(id)}, FetchedAt: at, URI: "u", Raw: document(id)}
					if c == 1 {
						m.URI, m.Raw = "u/{id}", document(0)
					}
					m.Metadata, err = metadata.Normalise(m.Raw, standard, m.TokenID)
					expect.NoError(t, err)
					items = append(items, m)
				}
			}
			expect.NoError(t, s.PutMetadata(t.Context(), items))
		}
		check := func(when string, documents int) {
			t.Helper()
			for _, address := range siteCollections {
				checkSite(t, s, when, address, documents)
			}
		}
		_, err = s.Apply(t.Context(), []nft.Block{siteBlock(1, 1, false, 0, 200), siteBlock(2, 1, false, 200, 50)})
		expect.NoError(t, err)
		put(1, 0, 250, func(id uint64) string { return raw[id%uint64(len(raw))] })
		check("fetched", 250)
		for done := false; !done; {
			done, err = write.StepTraits(t.Context(), s, (*facet.Changes).Build)
			expect.NoError(t, err)
		}
		put(2, 10, 60, func(id uint64) string { return raw[(id*7)%uint64(len(raw))] })
		put(3, 60, 70, func(uint64) string { return `{"name":"no attributes"}` })
		check("refreshed", 250)
		_, err = s.Apply(t.Context(), []nft.Block{siteBlock(3, 1, true, 0, 30)})
		expect.NoError(t, err)
		check("burned", 250)
		expect.NoError(t, s.ReplaceAbove(t.Context(), 1, []nft.Block{siteBlock(2, 2, false, 240, 5)}, false))
		check("after a reorg", 200)
	})
}

// checkSite compares the traits of a collection with a group-by over its raw documents.
func checkSite(t *testing.T, s *write.DB, when string, address evm.Address, documents int) {
	t.Helper()
	snap := store.NewSnapshot(s.Snapshot())
	defer snap.Close()
	all, err := snap.MetadataPage(address, nil, page.Args{First: new(1000)}, read.TextRaw)
	expect.NoError(t, err)
	expect.NoError(t, all.Read(t.Context(), nil))
	expect.Equal(t, "documents", documents, all.Len())
	tokens, distinct := map[string]int64{}, map[string]int64{}
	with := map[string][]string{}
	for _, m := range all.Items {
		parsed, err := metadata.Normalise(m.Raw, m.Type, m.TokenID)
		expect.NoError(t, err)
		seen := map[string]bool{}
		for _, a := range parsed.Attributes {
			value := a.TraitType + "\x00" + a.Value
			if !seen[a.TraitType] {
				tokens[a.TraitType]++
			}
			if !seen[value] {
				tokens[value]++
				with[value] = append(with[value], m.TokenID.String())
			}
			if tokens[value] == 1 && !seen[value] {
				distinct[a.TraitType]++
			}
			seen[a.TraitType], seen[value] = true, true
		}
	}
	var want, got []string
	for _, name := range slices.Sorted(maps.Keys(distinct)) {
		want = append(want, fmt.Sprintf("%q %d %d", name, tokens[name], distinct[name]))
		var values []string
		for key := range tokens {
			if of, _, found := strings.Cut(key, "\x00"); found && of == name {
				values = append(values, key)
			}
		}
		slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(tokens[b], tokens[a]), strings.Compare(a, b)) })
		for _, key := range values {
			want = append(want, fmt.Sprintf("- %q %d", strings.TrimPrefix(key, name+"\x00"), tokens[key]))
		}
	}
	found, err := snap.Subjects().CollectionsOf(t.Context(), []evm.Address{address})
	expect.NoError(t, err)
	page, err := snap.Traits(found[0], page.Args{First: new(1000)})
	expect.NoError(t, err)
	expect.NoError(t, page.Read(t.Context(), nil))
	lists, err := snap.TraitValues(t.Context(), page.Items, 1000)
	expect.NoError(t, err)
	for i, trait := range page.Items {
		got = append(got, fmt.Sprintf("%q %d %d", trait.Name, trait.Tokens, trait.DistinctValues))
		for _, v := range lists[i] {
			got = append(got, fmt.Sprintf("- %q %d", v.Text, v.Tokens))
		}
	}
	if len(want) < 3 {
		t.Errorf("%s: %d traits and values", when, len(want))
	}
	expect.Equal(t, when, want, got)
	if when != "fetched" {
		checkFilters(t, snap, when, address, with)
	}
}

// checkFilters compares the tokens that filters select with those that have the values.
func checkFilters(t *testing.T, snap *store.Snapshot, when string, address evm.Address, with map[string][]string) {
	t.Helper()
	filtered := func(filters ...store.TraitFilter) (ids []string) {
		t.Helper()
		page, err := snap.MetadataPage(address, nil, page.Args{First: new(1000)}, read.TextOf(token.FieldName), filters...)
		expect.NoError(t, err)
		expect.NoError(t, page.Read(t.Context(), nil))
		for _, m := range page.Items {
			ids = append(ids, m.TokenID.String())
		}
		total, err := page.Total(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, when+": total", int64(len(ids)), total)
		return ids
	}
	last := store.TraitFilter{}
	var before []string
	for _, key := range slices.Sorted(maps.Keys(with)) {
		name, value, _ := strings.Cut(key, "\x00")
		of := store.TraitFilter{TraitType: name, Values: []string{value}}
		expect.Equal(t, when+": "+key, with[key], filtered(of))
		if before != nil {
			var both []string
			for _, id := range with[key] {
				if slices.Contains(before, id) {
					both = append(both, id)
				}
			}
			expect.Equal(t, when+": "+key+" and another", both, filtered(of, last))
		}
		last, before = of, with[key]
	}
}
