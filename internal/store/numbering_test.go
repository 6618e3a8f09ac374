package store_test

import (
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/store"
)

// TestBindNumbering notes the first numbering and keeps it.
func TestBindNumbering(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, store.Options{})
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
