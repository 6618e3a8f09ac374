package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/testing/expect"
)

// TestPages_EqualPage checks that pages that are read together are those that are read alone, and how
// many statements they take.
func TestPages_EqualPage(t *testing.T) {
	blocks := branch(3, 1, 0, evm.Hash{}, 30, between(12, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, blocks)
		keys, rng := model(blocks).keys(), rand.New(rand.NewPCG(1, 2))
		for range 60 {
			f := store.Filter{Kind: []nft.Kind{nft.Mint, nft.Burn}[rng.IntN(2)], Order: []store.Order{store.Asc, store.Desc}[rng.IntN(2)], Partial: rng.IntN(2) == 0}
			if rng.IntN(2) == 0 {
				f.FromBlock, f.ToBlock = ptr(evm.Long(blocks[rng.IntN(10)].Header.Number)), ptr(evm.Long(blocks[10+rng.IntN(20)].Header.Number))
			}
			ofTokens := rng.IntN(2) == 0
			var filters []store.Filter
			for range 1 + rng.IntN(6) {
				key := keys[rng.IntN(len(keys))]
				one := f
				if one.Address = &key.Contract; ofTokens {
					one.TokenID = &key.TokenID
				}
				filters = append(filters, one)
			}
			args := page.Args{First: ptr(rng.IntN(4))}
			if rng.IntN(2) == 0 {
				args = page.Args{Last: args.First}
			}
			each(t, s, func(snap *store.Snapshot) {
				sent.take()
				pages, errs := snap.Pages(filters, args)
				expect.NoError(t, snap.Tx.Together(t.Context(), len(pages), func(ctx context.Context, i int) error {
					expect.NoError(t, errs[i])
					return pages[i].Read(ctx, func(context.Context) page.Selected { return page.Selected{Total: true} })
				}))
				n := 0
				for _, st := range sent.take() {
					if strings.Contains(st.query, "hash_suffix") {
						n++
					}
				}
				if want := len(pages); n != 1 && (n != want || snap.Tx.Gathers()) {
					t.Errorf("%d statements for the items of %d pages", n, want)
				}
				for i, p := range pages {
					alone, what := pageOf(t, snap, filters[i], args), fmt.Sprint(i, describe(filters[i]))
					if len(alone.Items)+len(p.Items) > 0 && !reflect.DeepEqual(alone.Items, p.Items) {
						t.Errorf("%s: got %+v, want %+v", what, p.Items, alone.Items)
					}
					expect.Equal(t, what+": more", alone.More, p.More)
					expect.Equal(t, what+": total", totalOf(t, alone), totalOf(t, p))
				}
			})
		}
	})
}

// TestPages_OverHole checks that pages that are read together need the blocks that each needs alone.
func TestPages_OverHole(t *testing.T) {
	blocks := branch(1, 1, 4, blockHash(1, 3), 20, between(4, 30))
	onBoth(t, func(t *testing.T, dsn string) {
		s := openNoting(t, dsn, &statements{})
		apply(t, s, blocks[:5])
		apply(t, s, blocks[10:])
		each(t, s, func(snap *store.Snapshot) {
			keys := model(blocks[10:]).keys()
			for from, failing := range map[evm.Long]bool{evm.Long(blocks[2].Header.Number): true, evm.Long(blocks[12].Header.Number): false} {
				var filters []store.Filter
				for _, key := range keys {
					filters = append(filters, store.Filter{Kind: nft.Mint, Address: &key.Contract, FromBlock: &from})
				}
				pages, _ := snap.Pages(filters, page.Args{})
				for i, p := range pages {
					err := p.Read(t.Context(), nil)
					if _, alone := readPage(t.Context(), snap, filters[i], page.Args{}); (err != nil) != failing || (alone != nil) != failing {
						t.Errorf("from %d: got error %v, alone %v", from, err, alone)
					}
				}
			}
		})
	})
}
