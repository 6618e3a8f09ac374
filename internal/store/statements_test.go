package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

func TestPage_DoesNotCountOrOverread(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 120, between(8, 300))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, blocks)
		snap := snapshot(t, s)
		sent.take()
		for _, f := range accepted(blocks) {
			for _, args := range []page.Args{{}, {First: ptr(0)}, {Last: ptr(5)}} {
				p := pageOf(t, snap, f, args)
				for _, ask := range []func() error{
					func() error { _, err := p.HasNextPage(t.Context()); return err },
					func() error { _, err := p.HasPreviousPage(t.Context()); return err },
					func() error { _, err := p.NextCursor(t.Context()); return err },
				} {
					expect.NoError(t, ask())
				}
			}
			for _, st := range sent.take() {
				// This OFFSET finds the range of blocks before the last one, and skips no records.
				text := strings.ReplaceAll(st.query, "DESC LIMIT 1 OFFSET 1)", ")")
				if strings.Contains(text, "COUNT") || strings.Contains(text, "counters") || strings.Contains(text, "OFFSET") {
					t.Fatalf("%s: %s", describe(f), st.query)
				}
				if _, records := filtered(st.query, f); records && !strings.Contains(st.query, "LIMIT") {
					t.Fatalf("%s: no limit: %s", describe(f), st.query)
				}
			}
		}
	})
}

// manyCollections returns a block of n mints, each of another collection, and the metadata
// of every second one, each with a different trait.
func manyCollections(n int) (nft.Block, []nft.TokenMetadata) {
	b := branch(1, 1, 10, blockHash(1, 9), 1, func(*rand.Rand, int) int { return 0 })[0]
	var items []nft.TokenMetadata
	for i := range n {
		r := nft.Record{Contract: collection(1000 + i), Type: nft.ERC721, TokenID: evm.NewUint256(uint64(i)), Amount: evm.NewUint256(1), To: account(0), LogIndex: uint32(i)}
		b.Mints = append(b.Mints, r)
		if i%2 == 0 {
			items = append(items, nft.TokenMetadata{
				TokenKey: nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}, FetchedAt: 5, URI: "u", Raw: "{}",
				Metadata: nft.Metadata{Attributes: []nft.Attribute{{TraitType: fmt.Sprint("trait", i), Value: "v", Order: 1}}},
			})
		}
	}
	return b, items
}

// TestWrites_LookUpManyAtOnce checks that blocks and documents of 1,000 collections are
// stored with few reads, whether the collections are known or not.
func TestWrites_LookUpManyAtOnce(t *testing.T) {
	first, items := manyCollections(1000)
	second := branch(1, 1, first.Header.Number+1, first.Header.Hash, 1, func(*rand.Rand, int) int { return 0 })[0]
	second.Mints = first.Mints
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		for _, write := range []func(){
			func() { apply(t, s, []nft.Block{first}) },
			func() { apply(t, s, []nft.Block{second}) },
			func() { expect.NoError(t, s.PutMetadata(t.Context(), items)) },
		} {
			sent.take()
			write()
			if n := len(sent.take()); n > 100 {
				t.Errorf("got %d statements", n)
			}
		}
	})
}

func TestPage_MetadataTakesAConstantNumberOfStatements(t *testing.T) {
	block, items := manyCollections(1000)
	onBoth(t, func(t *testing.T, dsn string) {
		writer := open(t, dsn, write.Options{})
		apply(t, writer, []nft.Block{block})
		expect.NoError(t, writer.PutMetadata(t.Context(), items))
		counts := map[string]bool{}
		for _, first := range []int{2, 20, 1000} {
			// A store that was just opened has no contracts in its cache.
			sent := &statements{}
			snap := snapshot(t, openNoting(t, dsn, sent))
			var got []int
			for range 2 {
				p := pageOf(t, snap, store.Filter{}, page.Args{First: &first})
				metadata, err := p.Metadata(t.Context(), allTexts)
				expect.NoError(t, err)
				if want := (first + 1) / 2; len(p.Items) != first || len(metadata) != want {
					t.Fatalf("got %d items with %d documents, want %d with %d", len(p.Items), len(metadata), first, want)
				}
				got = append(got, len(sent.take()))
			}
			counts[fmt.Sprintf("%d, and %d with known contracts", got[0], got[1])] = true
		}
		if len(counts) != 1 {
			t.Errorf("statements for 2, 20 and 1000 items: got %v, want the same for all", counts)
		}
	})
}

// TestPage_MoreTraitsThanParameters has more distinct traits on one page than a statement
// may have parameters.
func TestPage_MoreTraitsThanParameters(t *testing.T) {
	skipShort(t)
	const tokens, traits = 24, 700
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		tokens := tokens // 35,000 parameters
		if isPostgres(dsn) {
			tokens = 10 // more rows than it takes in a list
		}
		var items []nft.TokenMetadata
		for i := range tokens {
			m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(1), TokenID: evm.NewUint256(uint64(i))}, FetchedAt: 5, Raw: "{}"}
			for n := range traits {
				m.Attributes = append(m.Attributes, nft.Attribute{TraitType: fmt.Sprint(i, "/", n), Value: "v", Order: 1})
			}
			items = append(items, m)
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		p := tokensOf(t, snapshot(t, s), collection(1), nil, page.Args{First: ptr(100)})
		for _, m := range p.Items {
			for _, a := range m.Attributes {
				if a.TraitCount != "1" {
					t.Fatalf("token %s trait %s: got count %v, want 1", m.TokenID, a.TraitType, a.TraitCount)
				}
			}
		}
	})
}
