package store_test

import (
	"database/sql"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/check"
	leases "mintburn/internal/store/lease"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// checks fails the test if a check of the database finds a difference.
func checks(t *testing.T, s *write.DB) {
	t.Helper()
	_, err := check.Run(t.Context(), s, check.Options{Report: func(line string) { t.Error(line) }})
	expect.NoError(t, err)
}

// TestPatient_ConnectionLost loses the connection at each answer of a transaction, that of
// COMMIT included, and checks that a patient store stores each block exactly once.
func TestPatient_ConnectionLost(t *testing.T) {
	skipShort(t)
	t.Parallel()
	db := pgtest.NewProxy(t)
	s := open(t, db.DSN, write.Options{Options: database.Options{Patient: true}})
	take(t, s, leases.Options{Holder: "it"})
	blocks := branch(1, 1, 100, blockHash(1, 99), 90, between(5, 9))
	n := 0
	for b := range slices.Values(blocks) {
		n++
		db.DropAfter(n)
		expect.Equal(t, "stored blocks", 1, apply(t, s, []nft.Block{b}).Blocks)
	}
	db.DropAfter(0)
	checks(t, s)
}

// TestPatient_Interrupted interrupts transactions in their middle, and checks that a patient
// store repeats them, and that another one fails with a lost database.
func TestPatient_Interrupted(t *testing.T) {
	skipShort(t)
	t.Parallel()
	const of = " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	for name, interrupt := range map[string]func(t *testing.T, admin *sql.DB) (done func()){
		"terminated": func(t *testing.T, admin *sql.DB) func() {
			_, err := admin.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid, 10000)"+of+" AND state = 'idle in transaction'")
			expect.NoError(t, err)
			return func() {}
		},
		"cancelled": func(t *testing.T, admin *sql.DB) func() {
			// The statement that follows waits for this lock.
			lock, err := admin.BeginTx(t.Context(), nil)
			expect.NoError(t, err)
			_, err = lock.ExecContext(t.Context(), "LOCK TABLE contracts")
			expect.NoError(t, err)
			cancelled := make(chan struct{})
			go func() {
				defer close(cancelled)
				for found := 0; found == 0; {
					if err := admin.QueryRowContext(t.Context(), "SELECT count(pg_cancel_backend(pid))"+of+" AND wait_event_type = 'Lock'").Scan(&found); err != nil {
						t.Error(err)
						return
					}
				}
				if err := lock.Rollback(); err != nil {
					t.Error(err)
				}
			}()
			return func() { <-cancelled }
		},
	} {
		for _, patient := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dsn := pgtest.DSN(t)
				admin := raw(t, dsn)
				var armed atomic.Bool
				done := func() {}
				s := open(t, dsn, write.Options{Options: database.Options{Patient: patient, OnStatement: func(text string, _ []any) {
					if strings.Contains(text, `FROM "contracts"`) && armed.CompareAndSwap(true, false) {
						done = interrupt(t, admin)
					}
				}}})
				apply(t, s, few()[:10])
				armed.Store(true)
				applied, err := s.Apply(t.Context(), few()[10:])
				done()
				switch {
				case armed.Load():
					t.Fatal("nothing was interrupted")
				case patient:
					expect.NoError(t, err)
					expect.Equal(t, "stored blocks", write.Applied{Blocks: 10}, write.Applied{Blocks: applied.Blocks, Known: applied.Known})
				case !read.IsLost(err) || read.IsCancelled(err) != (name == "cancelled"):
					t.Errorf("got %v, want a lost database", err)
				}
				checks(t, s)
			})
		}
	}
}

// TestPatient_Superseded takes the lease from a patient store, as a follower does from an
// import that stands still, and checks that the store takes it again and continues.
func TestPatient_Superseded(t *testing.T) {
	skipShort(t)
	t.Parallel()
	dsn := pgtest.DSN(t)
	s, other := open(t, dsn, write.Options{Options: database.Options{Patient: true}}), open(t, dsn, write.Options{})
	take(t, s, leases.Options{Holder: "the import"})
	apply(t, s, few()[:10])
	expire(t, dsn)
	term := take(t, other, leases.Options{Holder: "the follower", Yields: true})
	released := make(chan error)
	go func() {
		<-term.Asked()
		released <- term.Release()
	}()
	expect.Equal(t, "stored blocks", 10, apply(t, s, few()[10:]).Blocks)
	expect.NoError(t, <-released)
	expect.Equal(t, "holder that stops the other", "the import", leaseOf(t, other))
	checks(t, s)
}
