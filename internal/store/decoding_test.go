package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// bind binds s to decoder options.
func bind(t *testing.T, s *write.DB, given nft.Decoding) nft.Decoding {
	t.Helper()
	bound, _, err := s.Settings().BindDecoding(t.Context(), given)
	expect.NoError(t, err)
	return bound
}

// wantOther fails the test unless err reports other options, in one line that contains
// each of the parts.
func wantOther(t *testing.T, what string, err error, parts ...string) {
	t.Helper()
	var other *write.DecodingError
	if !errors.As(err, &other) {
		t.Errorf("%s: got %v, want an error about other options", what, err)
		return
	}
	for _, part := range append(parts, "new database") {
		if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, part) {
			t.Errorf("%s: %q: want one line with %q", what, text, part)
		}
	}
}

var dead, other = evm.Address{0xde, 0xad}, evm.Address{0xbe, 0xef}

// TestBindDecoding_IsRemembered checks that a database is bound to its options from its
// first block on.
func TestBindDecoding_IsRemembered(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		bind(t, s, nft.Decoding{BurnAddresses: []evm.Address{other}})
		want := nft.Decoding{BurnAddresses: []evm.Address{dead, other}, RangeCap: nft.DefaultRangeCap}
		slices.SortFunc(want.BurnAddresses, func(a, b evm.Address) int { return int(a[0]) - int(b[0]) })
		// No block was decoded with the first options yet.
		expect.Equal(t, "bound to", want, bind(t, s, nft.Decoding{BurnAddresses: []evm.Address{dead, other, dead}}))
		apply(t, s, branch(1, 1, 0, evm.Hash{}, 3, between(2, 0)))
		again := open(t, dsn, write.Options{})
		for _, given := range []nft.Decoding{
			{}, {RangeCap: nft.DefaultRangeCap}, {BurnAddresses: []evm.Address{other, dead}},
		} {
			got, adopted, err := again.Settings().BindDecoding(t.Context(), given)
			if err != nil || adopted || !cmp.Equal(got, want) {
				t.Errorf("%v: got %v, adopted %v, error %v; want %v", given, got, adopted, err, want)
			}
		}
		for _, given := range []nft.Decoding{
			{BurnAddresses: []evm.Address{dead}}, {Unindexed: []evm.Address{dead}}, {RangeCap: 5},
		} {
			_, _, err := again.Settings().BindDecoding(t.Context(), given)
			wantOther(t, given.String(), err, "decoded with "+want.String()+", given are --")
		}
		// The refused options changed nothing.
		apply(t, again, branch(1, 1, 10, evm.Hash{}, 3, between(2, 0)))
	})
}

// TestBindDecoding_InTheTransaction lets two processes bind an empty database to different
// options: the first to store blocks decides, and the other stores and verifies nothing.
func TestBindDecoding_InTheTransaction(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{}, 60, between(5, 40))
	filters := accepted(blocks)
	onBoth(t, func(t *testing.T, dsn string) {
		first, second := open(t, dsn, write.Options{MaxPageSize: 5000}), open(t, dsn, write.Options{})
		bind(t, first, nft.Decoding{})
		bind(t, second, nft.Decoding{BurnAddresses: []evm.Address{dead}})
		apply(t, first, blocks)
		before := everything(t, first, filters)
		next := branch(1, 1, 160, blocks[59].Header.Hash, 3, between(2, 4))
		_, err := second.Apply(t.Context(), next)
		wantOther(t, "Apply", err, "given are --burn-address "+dead.String())
		wantOther(t, "Extend", second.Extend(t.Context(), nil, evm.Range{From: 160, To: 170}, true))
		wantOther(t, "ReplaceAbove", second.ReplaceAbove(t.Context(), 115, nil, false))
		wantOther(t, "DeepReplaceAbove", second.DeepReplaceAbove(t.Context(), 115, nil, false))
		wantOther(t, "Repair", proof.Of(second).Repair(t.Context(), blocks[3:4]))
		wantOther(t, "MarkVerified", proof.Of(second).MarkVerified(t.Context(), headersOf(blocks)))
		expect.Equal(t, "the database after refused writes", before, everything(t, first, filters))
		apply(t, first, next)
	})
}

// TestBindDecoding_EarlierVersion has blocks of a version that did not store options.
func TestBindDecoding_EarlierVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		apply(t, open(t, dsn, write.Options{}), branch(1, 1, 0, evm.Hash{}, 3, between(2, 0)))
		s := open(t, dsn, write.Options{})
		for _, first := range []bool{true, false} {
			bound, adopted, err := s.Settings().BindDecoding(t.Context(), nft.Decoding{RangeCap: 7})
			if err != nil || adopted != first || bound.RangeCap != 7 {
				t.Errorf("got %v, adopted %v, error %v; want adopted %v", bound, adopted, err, first)
			}
		}
		_, _, err := s.Settings().BindDecoding(t.Context(), nft.Decoding{RangeCap: 8})
		wantOther(t, "other options", err)
	})
}

// TestBindNumbering checks that the first numbering is kept.
func TestBindNumbering(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		check := func(got evm.Numbering, err error, want evm.Numbering) {
			t.Helper()
			if got != want || err != nil {
				t.Fatalf("got %q and error %v, want %q", got, err, want)
			}
		}
		n, err := s.Settings().Numbering(t.Context())
		check(n, err, evm.NumberingUnknown)
		for _, shown := range []evm.Numbering{evm.NumberingTransaction, evm.NumberingBlock, evm.NumberingTransaction} {
			n, err = s.Settings().BindNumbering(t.Context(), shown)
			check(n, err, evm.NumberingTransaction)
		}
		n, err = s.Settings().Numbering(t.Context())
		check(n, err, evm.NumberingTransaction)
	})
}
