package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/pgtest"
	"mintburn/internal/store"
)

// TestIsLost: whatever a broken connection interrupts, the error says so.
func TestIsLost(t *testing.T) {
	db := pgtest.NewProxy(t)
	s, err := store.Open(t.Context(), db.DSN, store.Options{})
	expect.NoError(t, err)
	defer s.Close()
	reopen := func(ctx context.Context) error {
		again, err := store.Open(ctx, db.DSN, store.Options{})
		if err != nil {
			return err
		}
		return again.Close()
	}
	for name, work := range map[string]func(context.Context) error{
		"opening": reopen,
		"reading": func(ctx context.Context) error { _, err := s.Indexed(ctx); return err },
		"writing": func(ctx context.Context) error { return s.Settings().BindChain(ctx, 1) },
		"storing": func(ctx context.Context) error { return s.SetFinalized(ctx, evm.Header{}) },
	} {
		t.Run(name, func(t *testing.T) {
			lost := 0
			for n := range 60 {
				db.DropAfter(n/2 + 1)
				if err := work(t.Context()); err != nil && !store.IsLost(err) {
					t.Errorf("not lost: %v", err)
				} else if err != nil {
					lost++
				}
			}
			db.DropAfter(0)
			if lost == 0 {
				t.Error("no connection broke in the middle")
			}
		})
	}
	db.Cut()
	for range 2 {
		if err := s.Ping(t.Context()); !store.IsLost(err) {
			t.Errorf("cut: error %v", err)
		}
	}
	if err := reopen(t.Context()); !store.IsLost(err) {
		t.Errorf("opening while cut: error %v", err)
	}
	for _, err := range []error{nil, errors.New("other"), context.DeadlineExceeded, context.Canceled, store.ErrNoDatabase} {
		if store.IsLost(err) {
			t.Errorf("lost: %v", err)
		}
	}
	// PostgreSQL, appendix A.
	for code, want := range map[string]bool{"08006": true, "53300": true, "57P01": true, "57P03": true, "28P01": false, "53100": false, "57014": false} {
		if err := fmt.Errorf("reading: %w", &pgconn.PgError{Code: code}); store.IsLost(err) != want {
			t.Errorf("%s: lost is not %t", code, want)
		}
	}
}
