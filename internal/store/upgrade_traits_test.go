package store_test

import (
	"fmt"
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

// countTraits counts the tokens of traits after an upgrade.
func countTraits(t *testing.T, s *write.DB) (steps int) {
	t.Helper()
	for done := false; !done; steps++ {
		var err error
		done, err = write.CountTraits(t.Context(), s)
		expect.NoError(t, err)
	}
	return steps
}

// traitsOf returns a document of a token of a collection with these attributes, alternating
// names and values.
func traitsOf(c int, id uint64, attributes ...string) nft.TokenMetadata {
	m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(c), TokenID: evm.NewUint256(id)}, FetchedAt: 1, URI: "u", Raw: "{}"}
	for i := 0; i < len(attributes); i += 2 {
		m.Attributes = append(m.Attributes, nft.Attribute{TraitType: attributes[i], Value: attributes[i+1], Order: evm.Long(i/2 + 1)})
	}
	return m
}

// TestUpgrade_Traits checks that the tokens of an earlier version are counted by trait in
// several steps, while documents before and after the last step change.
func TestUpgrade_Traits(t *testing.T) {
	skipShort(t)
	onEmpty(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		var blocks []nft.Block
		for c := range 5 {
			blocks = append(blocks, drop(100+uint64(c), collection(c), 0, 1))
		}
		apply(t, s, blocks[:3])
		var items []nft.TokenMetadata
		for c := range 3 {
			for id := range uint64(350) {
				items = append(items, traitsOf(c, id, "Serial", fmt.Sprint(id), "Hat", fmt.Sprint(id%3), "Hat", fmt.Sprint(id%2), "é"+strings.Repeat("ö", 200), "x"))
			}
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		wantClean(t, "a new database", s)
		expect.NoError(t, s.Close())
		revert(t, dsn, 14)

		s = open(t, dsn, write.Options{})
		wantClean(t, "the migration", s)
		apply(t, s, blocks[3:])
		// A server reads the database meanwhile.
		reader := open(t, dsn, write.Options{NoMigrate: true})
		counted := func() (n int) {
			t.Helper()
			for c := range 5 {
				each(t, reader, func(snap *store.Snapshot) {
					p, err := snap.Traits(collectionOf(t, snap, c), page.Args{})
					expect.NoError(t, err)
					if err := p.Read(t.Context(), nil); err != nil {
						wantCode(t, "a collection that is not counted", err, "UNAVAILABLE")
						return
					}
					wantFacets(t, reader, c)
					n++
				})
			}
			return n
		}
		expect.Equal(t, "counted after the migration", 0, counted())
		changed := func(id uint64) {
			t.Helper()
			for c := range 5 {
				// Collections 3 and 4 are new.
				m := traitsOf(c, id, "Hat", "0", "Hat", "0", "Shoe", fmt.Sprint("left ", id))
				m.FetchedAt = 2 + id
				expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
			}
		}
		for i, done := uint64(0), false; !done; i++ {
			var err error
			done, err = write.CountTraits(t.Context(), s)
			expect.NoError(t, err)
			changed(100 * i)
			wantClean(t, fmt.Sprint("step ", i), s)
			if n := counted(); done && n < 5 || i == 0 && n > 0 {
				t.Fatalf("%d collections are counted after step %d", n, i)
			}
			if i == 2 {
				// A repair counts the tokens that are counted so far, of each large collection alone.
				execute(t, dsn, "UPDATE trait_values SET n = n + 1", "UPDATE contracts SET tokens = 200000")
				checkAll(t, s, true)
				wantClean(t, "a repair", s)
			}
			if i == 1 {
				// Another process continues.
				expect.NoError(t, s.Close())
				s = open(t, dsn, write.Options{})
			}
			if i < 5 && done {
				t.Fatalf("done after %d steps", i+1)
			}
		}
		changed(999)
		wantClean(t, "the end", s)
		if n := listOf[int64](t, dsn, "SELECT count(*) FROM contracts WHERE traits IS NULL")[0]; n > 0 {
			t.Errorf("%d collections are not counted", n)
		}
		names := listOf[string](t, dsn, "SELECT name FROM traits WHERE contract_id = 1 AND tokens > 0 ORDER BY name")
		expect.Equal(t, "names", []string{"Hat", "Serial", "Shoe", facet.Cut("é" + strings.Repeat("ö", 200))}, names)
		expect.Equal(t, "steps of a counted database", 1, countTraits(t, s))
	})
}

// TestUpgrade_LargeTraits checks that a step counts fewer documents if these are large.
func TestUpgrade_LargeTraits(t *testing.T) {
	skipShort(t)
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		var items []nft.TokenMetadata
		for id := range uint64(5) {
			items = append(items, traitsOf(0, id, "large", strings.Repeat("x", 3<<20)))
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		execute(t, dsn, "UPDATE traits SET tokens = 0", "UPDATE trait_values SET tokens = 0", "UPDATE contracts SET traits = NULL",
			"INSERT INTO settings (id, value) VALUES ('traits_counted', '{}')")
		expect.Equal(t, "steps", 3, countTraits(t, s))
		wantClean(t, "the end", s)
	})
}

func TestCut(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("a", 256), strings.Repeat("é", 128)} {
		expect.Equal(t, "cut", text, facet.Cut(text))
	}
	expect.Equal(t, "cut", strings.Repeat("é", 126)+"…", facet.Cut(strings.Repeat("é", 129)))
	expect.Equal(t, "cut", strings.Repeat("a", 253)+"…", facet.Cut(strings.Repeat("a", 257)))
}
