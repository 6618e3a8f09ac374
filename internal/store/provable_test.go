package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestSetUnprovable joins what has one reason, and takes the word of nodes only
// where no block is verified.
func TestSetUnprovable(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		set := func(from, to uint64, reason string, operator, want bool) {
			t.Helper()
			noted, err := s.Proofs().SetUnprovable(t.Context(), evm.Range{From: from, To: to}, reason, operator)
			if noted != want || err != nil {
				t.Fatalf("noted %t, error %v, want %t", noted, err, want)
			}
		}
		check := func(provable string, want ...store.Unprovable) {
			t.Helper()
			read(t, s, func(snap *store.Snapshot) {
				c, err := snap.Chain(t.Context())
				expect.NoError(t, err)
				got := map[bool]string{true: "true", false: "false"}
				said := "unknown"
				if p := c.Provable(); p != nil {
					said = got[*p]
				}
				if diff := cmp.Diff(want, c.Unprovable); diff != "" || said != provable {
					t.Fatalf("provable: %s, want %s (-want +got):\n%s", said, provable, diff)
				}
			})
		}
		check("unknown")
		set(5, 9, "a", false, true)
		set(1, 2, "a", false, true)
		set(3, 4, "a", false, true)
		set(10, 20, "b", false, true)
		before := []store.Unprovable{{FromBlock: 1, ToBlock: 9, Reason: "a"}, {FromBlock: 10, ToBlock: 20, Reason: "b"}}
		check("false", before...)
		h := evm.Header{BlockRef: evm.BlockRef{Number: 21, Hash: evm.Hash{21}}}
		expect.NoError(t, s.Extend(t.Context(), []nft.Block{{Header: h}}, evm.Range{From: 21, To: 21}, true))
		set(22, 22, "a", false, false)
		check("true", before...)
		set(22, 22, "a", true, true)
		check("false", append(before, store.Unprovable{FromBlock: 22, ToBlock: 22, Reason: "a"})...)
	})
}

// TestSetGap lists gaps until they are indexed, and passes over them.
func TestSetGap(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
		header := func(number uint64) evm.Header {
			return evm.Header{BlockRef: evm.BlockRef{Number: number, Hash: evm.Hash{byte(number)}}, ParentHash: evm.Hash{byte(number - 1)}}
		}
		index := func(from, to uint64) {
			t.Helper()
			expect.NoError(t, s.Extend(t.Context(), []nft.Block{{Header: header(to)}}, evm.Range{From: from, To: to}, false))
		}
		gap := func(number, tries uint64) evm.Gap {
			return evm.Gap{FromBlock: number, ToBlock: number, Reason: "inconsistent", Since: 7, NextTry: 8, Tries: tries}
		}
		check := func(tip, first uint64, found bool, want ...evm.Gap) {
			t.Helper()
			h, at, got, err := s.Tip(t.Context(), 10)
			if h.Number != tip || at != first || got != found || err != nil {
				t.Fatalf("tip %d of the range from %d, %t, error %v: want %d, %d, %t", h.Number, at, got, err, tip, first, found)
			}
			gaps, err := s.Gaps(t.Context())
			if diff := cmp.Diff(want, gaps); diff != "" || err != nil {
				t.Fatalf("gaps, error %v (-want +got):\n%s", err, diff)
			}
		}
		set := func(g evm.Gap) {
			t.Helper()
			expect.NoError(t, s.SetGap(t.Context(), g))
		}
		check(0, 10, false)
		set(gap(10, 1))
		check(0, 11, false, gap(10, 1))
		index(11, 19)
		check(19, 11, true, gap(10, 1))
		set(gap(20, 1))
		set(gap(21, 1))
		set(gap(20, 2))
		check(0, 22, false, gap(10, 1), gap(20, 2), gap(21, 1))
		index(22, 30)
		check(30, 22, true, gap(10, 1), gap(20, 2), gap(21, 1))
		index(20, 20)
		check(30, 22, true, gap(10, 1), gap(21, 1))
		index(21, 21)
		check(30, 11, true, gap(10, 1))
	})
}

// TestNextSpot_Length: a spot stands for 64 blocks at most.
func TestNextSpot_Length(t *testing.T) {
	for last, want := range map[uint64]store.Range{62: {From: 0, To: 62}, 63: {From: 0, To: 63}, 64: {From: 1, To: 64}, 200: {From: 137, To: 200}} {
		s := open(t, sqliteDSN(t), store.Options{})
		expect.NoError(t, s.Extend(t.Context(), nil, store.Range{To: last}, false))
		expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: last}}))
		if got, found, err := s.Proofs().NextSpot(t.Context(), nil); err != nil || !found || got != want {
			t.Errorf("up to block %d: %v, %t, error %v, want %v", last, got, found, err, want)
		}
	}
}
