package store_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/listing"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// tokenText returns a row as a text.
func tokenText(t *listing.Token) string {
	or := func(n *evm.Uint256) string {
		if n == nil {
			return "-"
		}
		return n.String()
	}
	at := func(r *store.Transfer) string {
		if r == nil {
			return "-"
		}
		return fmt.Sprint(r.Block.Number, "/", r.LogIndex, "/", r.SubIndex)
	}
	metadata := "-"
	if m := t.Metadata; m != nil {
		metadata = string(m.State) + m.Error
	}
	return fmt.Sprint(t.Contract, " ", t.TokenID, " ", t.Type, " ", t.State, " ", or(t.Minted), " ", or(t.Burned), " ", or(t.Supply), " ",
		at(t.FirstMint), " ", at(t.LastMint), " ", at(t.LastBurn), " ", metadata)
}

// expectedTokens returns the rows of the tokens of blocks, by collection and token id, without
// their metadata.
func expectedTokens(blocks []nft.Block) map[evm.Address][]*listing.Token {
	type sums struct {
		*listing.Token
		amounts [2]*big.Int
		last    *nft.Record
	}
	byKey := map[nft.TokenKey]*sums{}
	for _, b := range blocks {
		records := slices.Concat(b.Mints, b.Burns)
		slices.SortStableFunc(records, func(x, y nft.Record) int {
			return cmp.Or(cmp.Compare(x.LogIndex, y.LogIndex), cmp.Compare(x.SubIndex, y.SubIndex))
		})
		for _, r := range records {
			key := nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}
			s := byKey[key]
			if s == nil {
				s = &sums{Token: &listing.Token{Token: &store.Token{TokenKey: key}}, amounts: [2]*big.Int{new(big.Int), new(big.Int)}}
				byKey[key] = s
			}
			word := r.Amount.Word()
			s.amounts[r.Kind].Add(s.amounts[r.Kind], new(big.Int).SetBytes(word[:]))
			transfer := &store.Transfer{Record: r, Block: b.Header.BlockRef}
			switch {
			case r.Kind == nft.Burn:
				s.LastBurn = transfer
			case s.FirstMint == nil:
				s.FirstMint = transfer
				fallthrough
			default:
				s.LastMint = transfer
			}
			s.last, s.Type = &r, r.Type
		}
	}
	of := map[evm.Address][]*listing.Token{}
	amount := func(n *big.Int) *evm.Uint256 {
		if v, err := evm.ParseUint256(n.String()); err == nil {
			return &v
		}
		return nil
	}
	for _, s := range byKey {
		supply := new(big.Int).Sub(s.amounts[0], s.amounts[1])
		s.Minted, s.Burned, s.Supply, s.State = amount(s.amounts[0]), amount(s.amounts[1]), amount(supply), store.TokenBurned
		switch {
		case s.Type == nft.ERC721 && s.last.Kind == nft.Mint, s.Type == nft.ERC1155 && supply.Sign() > 0:
			s.State = store.TokenExists
		case s.Type == nft.ERC1155 && supply.Sign() < 0:
			s.State = store.TokenUnknown
		}
		of[s.Contract] = append(of[s.Contract], s.Token)
	}
	for _, list := range of {
		slices.SortFunc(list, func(a, b *listing.Token) int { return a.TokenID.Cmp(b.TokenID) })
	}
	return of
}

// TestListings_Tokens compares the tokens with sums over the records, by pages of all sizes, of
// one, several and all collections.
func TestListings_Tokens(t *testing.T) {
	blocks := branch(1, 1, 0, evm.Hash{}, 60, between(20, 200))
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, blocks)
		want := map[evm.Address][]string{}
		failed := map[nft.TokenKey]string{}
		for i, task := range claimAll(t, q, 1000) {
			if i%3 == 0 && !task.OfCollection {
				failed[task.TokenKey] = fmt.Sprint("no ", i)
				finish(t, q, c.failed(task, failed[task.TokenKey], 1000))
			}
		}
		total := 0
		for address, list := range expectedTokens(blocks) {
			for _, token := range list {
				text := tokenText(token)
				if reason, ok := failed[token.TokenKey]; ok {
					text = text[:len(text)-1] + "FAILED" + reason
				}
				want[address] = append(want[address], text)
				total++
			}
		}
		if total < 50 || len(failed) < 5 {
			t.Fatalf("%d tokens, %d failed, want more", total, len(failed))
		}
		each(t, s, func(snap *store.Snapshot) {
			walk := func(f listing.TokenFilter, limit int) map[evm.Address][]string {
				got, order := map[evm.Address][]string{}, []evm.Address{}
				for rows := (&listing.Rows[*listing.Token]{More: true}); rows.More; {
					var err error
					rows, err = listing.Of(snap.Snapshot).Tokens(t.Context(), f, rows.Cursor, limit)
					expect.NoError(t, err)
					if len(rows.Items) > limit || rows.More && len(rows.Items) == 0 {
						t.Fatalf("%d rows of at most %d, more: %v", len(rows.Items), limit, rows.More)
					}
					for _, token := range rows.Items {
						if got[token.Contract] = append(got[token.Contract], tokenText(token)); len(got[token.Contract]) == 1 {
							order = append(order, token.Contract)
						}
					}
				}
				expect.Equal(t, "collections", len(order), len(got))
				return got
			}
			for _, limit := range []int{1, 7, 1000} {
				expect.Equal(t, fmt.Sprint("all tokens by ", limit), want, walk(listing.TokenFilter{}, limit))
				one, two := collection(1), collection(3)
				expect.Equal(t, "of a collection", map[evm.Address][]string{one: want[one]}, walk(listing.TokenFilter{Address: &one}, limit))
				some := listing.TokenFilter{Addresses: []evm.Address{two, collection(unknown), one, two}}
				expect.Equal(t, "of collections", map[evm.Address][]string{one: want[one], two: want[two]}, walk(some, limit))
			}
			one, two := collection(1), collection(3)
			rows, err := listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{Address: &one}, nil, 1)
			expect.NoError(t, err)
			_, err = listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{Address: &two}, rows.Cursor, 1)
			wantCode(t, "a cursor of another collection", err, apierror.InvalidCursor)
			_, err = listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{Address: &one, Addresses: []evm.Address{two}}, nil, 1)
			wantCode(t, "an address and addresses", err, apierror.BadUserInput)
		})
	})
}

// TestListings_TokensOverHole checks that tokens need all blocks, unless the filter is partial.
func TestListings_TokensOverHole(t *testing.T) {
	blocks := branch(1, 1, 4, blockHash(1, 3), 20, between(4, 30))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, blocks[:5])
		apply(t, s, blocks[10:])
		each(t, s, func(snap *store.Snapshot) {
			_, err := listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{}, nil, 10)
			wantCode(t, "tokens over a hole", err, apierror.BlockNotIndexed)
			rows, err := listing.Of(snap.Snapshot).Tokens(t.Context(), listing.TokenFilter{Partial: true}, nil, 10)
			expect.NoError(t, err)
			if len(rows.Items) != 10 || rows.Items[0].Minted != nil || len(rows.Indexed) != 2 {
				t.Errorf("got %d tokens, minted %v, of the blocks %v", len(rows.Items), rows.Items[0].Minted, rows.Indexed)
			}
		})
	})
}
