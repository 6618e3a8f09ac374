package store_test

import (
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestTraits_CountedWhenTheyChange: the numbers of different values are read once
// for each version of a collection's traits, whoever changes them.
func TestTraits_CountedWhenTheyChange(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		writer := open(t, dsn, store.Options{})
		sent := &statements{}
		reader := open(t, dsn, store.Options{OnStatement: sent.add})
		put := func(id uint64, values ...string) {
			t.Helper()
			m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(id)}, Raw: strings.Join(values, " "), FetchedAt: id}
			for i, value := range values {
				m.Attributes = append(m.Attributes, nft.Attribute{TraitType: "trait", Value: value, Order: evm.Long(i)})
			}
			expect.NoError(t, writer.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
		}
		// want reads twice: the second time, everything is known.
		want := func(when, count string) {
			t.Helper()
			for i := range 2 {
				sent.take()
				read(t, reader, func(snap *store.Snapshot) {
					p := tokensOf(t, snap, collection(0), nil, store.PageArgs{First: ptr(1)})
					expect.Equal(t, when, string(p.Items[0].Attributes[0].TraitCount), count)
				})
				if n := len(sent.take()); i > 0 && n != 1 {
					t.Errorf("%s: read again with %d statements, want 1", when, n)
				}
			}
		}
		put(1, "a")
		want("one value", "1")
		put(2, "b", "c")
		want("three values", "3")
		put(2, "b")
		put(3, "b")
		want("two values", "2")

		_, err := raw(t, dsn).Exec("UPDATE traits SET distinct_values = 7")
		expect.NoError(t, err)
		reader = open(t, dsn, store.Options{OnStatement: sent.add})
		want("damaged", "7")
		if lines, _ := check(t, writer, true); len(lines) != 1 {
			t.Errorf("got %q, want one damaged count", lines)
		}
		want("repaired", "2")
	})
}
