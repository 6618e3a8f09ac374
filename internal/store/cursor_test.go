package store_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// cursorOf returns a cursor of a page with several items.
func cursorOf(t *testing.T, snap *store.Snapshot, f store.Filter) string {
	t.Helper()
	p := pageOf(t, snap, f, page.Args{First: ptr(3)})
	return p.Cursor(1)
}

// altered returns small alterations of a cursor by name.
func altered(cursor string) map[string]string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	list := map[string]string{
		"empty": "", "one character": "A", "padded": cursor + "=", "padded twice": cursor + "==",
		"extended": cursor + "A", "extended by a byte": cursor + "AAAA", "twice": cursor + cursor,
		"huge": strings.Repeat("A", 1<<20), "with a line end": cursor[:8] + "\n" + cursor[8:], "with a space": " " + cursor,
		"standard alphabet": strings.NewReplacer("-", "+", "_", "/").Replace(cursor) + "+",
		"not ASCII":         cursor[:4] + "é" + cursor[5:], "upper case": strings.ToUpper(cursor),
	}
	for i := range cursor {
		list[fmt.Sprintf("cut at %d", i)] = cursor[:i]
		for _, c := range alphabet {
			if changed := cursor[:i] + string(c) + cursor[i+1:]; changed != cursor {
				list[fmt.Sprintf("character %d is %c", i, c)] = changed
			}
		}
	}
	bytes, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		panic(err)
	}
	for i := range bytes {
		for bit := range 8 {
			bytes[i] ^= 1 << bit
			list[fmt.Sprintf("bit %d of byte %d", bit, i)] = base64.RawURLEncoding.EncodeToString(bytes)
			bytes[i] ^= 1 << bit
		}
	}
	return list
}

func TestCursor_AlteredIsRefused(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 20, between(20, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		putTokens(t, s)
		snap := snapshot(t, s)
		for how, text := range altered(cursorOf(t, snap, store.Filter{})) {
			for _, args := range []page.Args{{After: &text}, {Before: &text}} {
				_, err := readPage(t.Context(), snap, store.Filter{}, args)
				wantCode(t, how, err, apierror.InvalidCursor)
			}
		}
		tokens := tokensOf(t, snap, collection(0), nil, page.Args{})
		for how, text := range altered(tokens.Cursor(5)) {
			_, err := readMetadata(t.Context(), snap, collection(0), nil, page.Args{After: &text})
			wantCode(t, how, err, apierror.InvalidCursor)
		}
	})
}

func TestCursor_OfAnotherListIsRefused(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 60, between(20, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		putTokens(t, s)
		snap := snapshot(t, s)
		// A block's number and its hash select the same list.
		name := func(f store.Filter) string {
			if f.Block != nil && f.Block.Hash != nil {
				for _, b := range blocks {
					if b.Header.Hash == *f.Block.Hash {
						f.Block = &evm.BlockNumberOrHash{Number: evm.Long(b.Header.Number)}
					}
				}
			}
			return fmt.Sprint(describe(f), f.TransactionHash)
		}
		filters := accepted(blocks)
		for i, given := range filters {
			if len(model(blocks).match(given)) < 2 {
				continue
			}
			cursor := cursorOf(t, snap, given)
			for n := range 12 {
				other := filters[(i+n*(n+1)/2)%len(filters)]
				_, err := readPage(t.Context(), snap, other, page.Args{After: &cursor})
				if name(given) == name(other) {
					if err != nil {
						t.Fatalf("%s: %v", describe(given), err)
					}
					continue
				}
				wantCode(t, "a cursor of "+describe(given)+" for "+describe(other), err, apierror.InvalidCursor)
			}
			_, err := readMetadata(t.Context(), snap, collection(0), nil, page.Args{After: &cursor})
			wantCode(t, "a cursor of "+describe(given)+" for tokens", err, apierror.InvalidCursor)
		}
		tokens := tokensOf(t, snap, collection(0), nil, page.Args{})
		cursor := tokens.Cursor(3)
		for _, f := range filters {
			_, err := readPage(t.Context(), snap, f, page.Args{After: &cursor})
			wantCode(t, "a cursor of tokens for "+describe(f), err, apierror.InvalidCursor)
		}
		_, err := readMetadata(t.Context(), snap, collection(1), nil, page.Args{After: &cursor})
		wantCode(t, "another collection", err, apierror.InvalidCursor)
		_, err = readMetadata(t.Context(), snap, collection(0), &tokens.Items[3].TokenID, page.Args{After: &cursor})
		wantCode(t, "a single token", err, apierror.InvalidCursor)
	})
}

func TestPage_ArgumentsAreChecked(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 20, between(20, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{MaxPageSize: 50})
		apply(t, s, blocks)
		snap := snapshot(t, s)
		cursor := cursorOf(t, snap, store.Filter{})
		for name, args := range map[string]page.Args{
			"first and last":       {First: ptr(1), Last: ptr(1)},
			"first and last of 0":  {First: ptr(0), Last: ptr(0)},
			"after and before":     {After: &cursor, Before: &cursor},
			"first negative":       {First: ptr(-1)},
			"last negative":        {Last: ptr(-1)},
			"first above the most": {First: ptr(51)},
			"last above the most":  {Last: ptr(1 << 40)},
		} {
			_, err := readPage(t.Context(), snap, store.Filter{}, args)
			wantCode(t, name, err, apierror.BadUserInput)
			_, err = readMetadata(t.Context(), snap, collection(0), nil, args)
			wantCode(t, "tokens: "+name, err, apierror.BadUserInput)
		}
		p, err := readPage(t.Context(), snap, store.Filter{}, page.Args{First: ptr(50)})
		if err != nil || len(p.Items) != 50 {
			t.Errorf("first 50: got %v, want 50 items", err)
		}
	})
}

// TestCursor_OfTheLastPageContinues polls for later records.
func TestCursor_OfTheLastPageContinues(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 60, between(20, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks[:30])
		for _, f := range []store.Filter{
			{}, {Kind: nft.Burn}, {Address: ptr(collection(0))}, {Account: ptr(account(0))}, {FromBlock: ptr(evm.Long(1003))}, {Account: ptr(account(0)), ToBlock: ptr(evm.Long(5000))},
		} {
			var end string
			have := model(blocks[:30]).match(f)
			each(t, s, func(snap *store.Snapshot) {
				p, err := readPage(t.Context(), snap, f, page.Args{First: ptr(len(have))})
				if err != nil || len(p.Items) != len(have) {
					t.Fatalf("%s: got error %v", describe(f), err)
				}
				end = p.Cursor(len(have) - 1)
				p, err = readPage(t.Context(), snap, f, page.Args{After: &end})
				if err != nil || len(p.Items) != 0 {
					t.Fatalf("%s: got error %v, want an empty page", describe(f), err)
				}
			})
			apply(t, s, blocks[30:])
			each(t, s, func(snap *store.Snapshot) {
				recordBook(t, snap, blocks, f).follows(end, len(have), 2)
			})
			expect.NoError(t, s.ReplaceAbove(t.Context(), blocks[29].Header.Number, nil, false))
		}
	})
}

// TestCursor_NeverExpires checks that cursors of earlier versions still work, because
// clients keep them.
func TestCursor_NeverExpires(t *testing.T) {
	blocks := branch(1, 1, 1000, blockHash(1, 999), 20, between(20, 0))
	busy := blocks[7].Burns[0]
	number := blocks[7].Header.Number
	s := open(t, storetest.SQLite(t), write.Options{})
	apply(t, s, blocks)
	snap := snapshot(t, s)
	for want, f := range map[string]store.Filter{
		"AQEBCAAAAPoAAAAAwPKmb4P0vKaraI6x7Il1lw": {Kind: nft.Mint},
		"AQEBCAAAAPvAAAAAeoHFxGpN2I3Z-0zQlYVm_w": {Kind: nft.Burn, Block: &evm.BlockNumberOrHash{Number: evm.Long(number)}},
		"AQEBCAAAAPvAAAAAXMTXG1tQ-1DZ-0zQdACKhQ": {Kind: nft.Burn, Address: &busy.Contract, TokenID: &busy.TokenID, Order: store.Desc},
		"AQEBCAAAAPvAAAAAR0fdYp9D6TPZ-0zQaPv9HA": {Kind: nft.Burn, TransactionHash: &busy.TxHash, Address: &busy.Contract},
		"AQEBCAAAAPvAAAAAmDLfpNUB-JXZ-0zQ7Wpr9A": {Kind: nft.Burn, Account: &busy.From, FromBlock: ptr(evm.Long(number)), ToBlock: ptr(evm.Long(number + 3))},
	} {
		p := pageOf(t, snap, f, page.Args{First: ptr(1)})
		expect.Equal(t, describe(f), want, p.Cursor(0))
	}
}

// FuzzParseCursor checks that no text panics, that each error has its code, and that a
// cursor has only one text. Half of the inputs are turned into cursors with a correct
// checksum first, because mutations would not find one.
func FuzzParseCursor(f *testing.F) {
	f.Add("", uint64(1), []byte{}, uint64(0), false, uint32(0))
	f.Add("", uint64(0), []byte{}, uint64(0), false, uint32(0))
	f.Add("AQEB", uint64(3), make([]byte, 8), uint64(1<<60), true, uint32(7))
	f.Add("!", uint64(1<<54), make([]byte, 33), uint64(5), true, uint32(1))
	f.Fuzz(func(t *testing.T, text string, page uint64, key []byte, fingerprint uint64, anchored bool, anchor uint32) {
		made := (&cursor.Cursor{Page: page, Key: key, Fingerprint: fingerprint, Anchored: anchored, Anchor: anchor}).String()
		for _, text := range []string{text, made} {
			again, err := cursor.Parse(&text)
			var refused *apierror.Error
			switch {
			case err == nil && again.String() != text:
				t.Errorf("%q is read, but written as %q", text, again)
			case err != nil && (!errors.As(err, &refused) || refused.Code != apierror.InvalidCursor):
				t.Errorf("%q: got %v, want the code INVALID_CURSOR", text, err)
			}
		}
		_, err := cursor.Parse(&made)
		if numbered := page >= 1 && page <= 1<<53; err == nil && !numbered || err != nil && numbered && len(key) <= 33 {
			t.Errorf("cursor of page %d with a key of %d bytes: %v", page, len(key), err)
		}
	})
}
