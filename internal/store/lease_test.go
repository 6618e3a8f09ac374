package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	leases "mintburn/internal/store/lease"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// take takes the lease, which must be free.
func take(t *testing.T, s *write.DB, opts leases.Options) *leases.Term {
	t.Helper()
	term, err := s.Lease().Take(t.Context(), opts)
	expect.NoError(t, err)
	return term
}

// takeLater takes the lease in the background once its holder releases it. It returns when
// it begins to wait for a holder.
func takeLater(t *testing.T, s *write.DB, opts leases.Options) (taken <-chan *leases.Term, holder string) {
	t.Helper()
	terms, holders := make(chan *leases.Term, 1), make(chan string, 1)
	opts.Waits = func(holder string) {
		select {
		case holders <- holder:
		default: // Only the first one counts.
		}
	}
	go func() {
		term, err := s.Lease().Take(t.Context(), opts)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		terms <- term
	}()
	return terms, <-holders
}

// leaseOf tries to change blocks, and returns the holder whose lease prevents that.
func leaseOf(t *testing.T, s *write.DB) (holder string) {
	t.Helper()
	err := s.SetFinalized(t.Context(), evm.Header{})
	if other := new(leases.Error); errors.As(err, &other) {
		return other.Holder
	}
	expect.NoError(t, err)
	return ""
}

// expire ends the holder's term, as if it had not renewed the lease.
func expire(t *testing.T, dsn string) {
	t.Helper()
	db := raw(t, dsn)
	defer db.Close()
	_, err := db.ExecContext(t.Context(), "UPDATE leases SET ends_at = 1")
	expect.NoError(t, err)
}

// EndOf returns the end of the term.
func endOf(t *testing.T, dsn string) (ms int64) {
	t.Helper()
	db := raw(t, dsn)
	defer db.Close()
	expect.NoError(t, db.QueryRowContext(t.Context(), "SELECT ends_at FROM leases").Scan(&ms))
	return ms
}

// TestLease_Fenced checks that a store that has lost the lease, or never had it, changes no
// blocks.
func TestLease_Fenced(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		first, second, third := open(t, dsn, write.Options{}), open(t, dsn, write.Options{}), open(t, dsn, write.Options{})
		expect.Equal(t, "holder that stops a store when nobody has the lease", "", leaseOf(t, third))
		term := take(t, first, leases.Options{Holder: "the first"})
		expect.Equal(t, "holder that stops the holder", "", leaseOf(t, first))
		expect.Equal(t, "holder that stops others", "the first", leaseOf(t, third))
		expire(t, dsn)
		take(t, second, leases.Options{Holder: "the second"})
		expect.Equal(t, "holder that stops the former holder", "the second", leaseOf(t, first))
		expect.Equal(t, "holder that stops the new holder", "", leaseOf(t, second))
		// The former holder notices within two seconds, and can only release its term.
		<-term.Asked()
		expect.NoError(t, term.Release())
		expect.Equal(t, "holder that stops the former holder after its release", "the second", leaseOf(t, first))
		expect.Equal(t, "held", [3]bool{false, true, false}, [3]bool{first.Lease().Held(), second.Lease().Held(), third.Lease().Held()})
		// Changes that are correct whoever has the lease do not need it.
		expect.NoError(t, third.Settings().BindChain(t.Context(), 1))
	})
}

// TestLease_Renewed checks that a holder renews its term, also after the term has ended,
// unless another process has taken the lease.
func TestLease_Renewed(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		take(t, s, leases.Options{Holder: "it"})
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		expire(t, dsn)
		expect.Equal(t, "holder that stops it after its term has ended", "", leaseOf(t, s))
		if !isPostgres(dsn) && endOf(t, dsn) == 1 {
			t.Error("a transaction of SQLite, which renewals wait for, has not renewed the lease")
		}
		expire(t, dsn)
		for endOf(t, dsn) == 1 {
			<-tick.C
		}
	})
}

// TestLease_ClockSetBack checks that a lease which seems to end in 2100 is free.
func TestLease_ClockSetBack(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		open(t, dsn, write.Options{})
		execute(t, dsn, "UPDATE leases SET holder = 'one of the future', ends_at = 4102444800000, wanted_until = 4102444800000")
		s := open(t, dsn, write.Options{})
		if holder := leaseOf(t, s); holder != "" {
			t.Fatalf("stopped by %s", holder)
		}
		take(t, s, leases.Options{Holder: "it", Yields: true})
	})
}

// TestLease_Wanted checks that a follower leaves a free lease to a command that waits, and
// reports that.
func TestLease_Wanted(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		execute(t, dsn, fmt.Sprintf("UPDATE leases SET holder = 'the follower itself', wanted_until = %d", time.Now().Add(2*time.Second).UnixMilli()))
		taken, holder := takeLater(t, s, leases.Options{Holder: "the follower itself", Yields: true})
		expect.Equal(t, "holder it waits for", "a command that waits for it", holder)
		<-taken
	})
}

// TestLease_Taken checks that nobody waits for a command once it has taken and released the
// lease that it asked for.
func TestLease_Taken(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		command, follower := open(t, dsn, write.Options{}), open(t, dsn, write.Options{})
		execute(t, dsn, fmt.Sprintf("UPDATE leases SET wanted_until = %d", time.Now().Add(2*time.Second).UnixMilli()))
		expect.NoError(t, take(t, command, leases.Options{Holder: "the command"}).Release())
		take(t, follower, leases.Options{Holder: "the follower", Yields: true, Waits: func(holder string) { t.Errorf("it waits for %s", holder) }})
	})
}

// TestLease_HandedOver checks that a follower gives the lease to a command rather than to
// another follower that has waited longer.
func TestLease_HandedOver(t *testing.T) {
	skipShort(t)
	onBoth(t, func(t *testing.T, dsn string) {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		follower, standby, command := open(t, dsn, write.Options{}), open(t, dsn, write.Options{}), open(t, dsn, write.Options{})
		term := take(t, follower, leases.Options{Holder: "the follower", Yields: true})
		waiting, holder := takeLater(t, standby, leases.Options{Holder: "the standby", Yields: true})
		expect.Equal(t, "holder the standby waits for", "the follower", holder)
		next, _ := takeLater(t, command, leases.Options{Holder: "the command"})
		<-term.Asked()
		expect.Equal(t, "holder that stops the follower before its release", "", leaseOf(t, follower))
		expect.NoError(t, term.Release())
		var own *leases.Term
		select {
		case own = <-next:
		case <-waiting:
			t.Fatal("a follower took the lease that was given to a command")
		}
		// A command keeps the lease, whoever waits.
		other, holder := takeLater(t, follower, leases.Options{Holder: "another command"})
		expect.Equal(t, "holder another command waits for", "the command", holder)
		for end := endOf(t, dsn); endOf(t, dsn) == end; {
			<-tick.C
		}
		select {
		case <-own.Asked():
			t.Fatal("a command should release the lease")
		case <-other:
			t.Fatal("a command lost the lease")
		default:
		}
		expect.NoError(t, own.Release())
		expect.NoError(t, (<-other).Release())
		expect.NoError(t, (<-waiting).Release())
	})
}

// TestLease_StoppedWithinATransaction checks that the open transaction of a stopped process
// blocks the next holder only until the term has ended, and is not committed.
func TestLease_StoppedWithinATransaction(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a term to end")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	dsn := pgtest.DSN(t)
	next := open(t, dsn, write.Options{})
	db, err := database.Open(t.Context(), dsn, database.Options{Readers: 1})
	expect.NoError(t, err)
	defer db.Close()
	own := leases.New(db, latest)
	_, err = own.Take(t.Context(), leases.Options{Holder: "the stopped one"})
	expect.NoError(t, err)
	err = db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := own.Require(ctx, tx)
		expect.NoError(t, err)
		taken, _ := takeLater(t, next, leases.Options{Holder: "the next"})
		for {
			// The holder still renews the lease in this test.
			expire(t, dsn)
			select {
			case <-taken:
				return nil
			case <-tick.C:
			}
		}
	})
	if err == nil {
		t.Error("the stopped process has committed")
	}
	expect.Equal(t, "holder that stops the next", "", leaseOf(t, next))
	expect.NoError(t, own.Close())
	expect.Equal(t, "holder that stops the next after the end of the stopped one", "", leaseOf(t, next))
}

// TestChain_Following checks that the chain is followed while a process has the lease.
func TestChain_Following(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		following := func(want bool) {
			t.Helper()
			each(t, s, func(snap *store.Snapshot) {
				got, err := read.Following(t.Context(), snap.Snapshot)
				expect.NoError(t, err)
				expect.Equal(t, "following", want, got)
			})
		}
		following(false)
		other := open(t, dsn, write.Options{})
		term := take(t, other, leases.Options{Holder: "a follower", Yields: true})
		following(true)
		expire(t, dsn)
		following(false)
		expect.NoError(t, term.Release())
		take(t, s, leases.Options{Holder: "a command"})
		following(true)
	})
}

// TestEndpoint_Current checks which reports say something about their nodes.
func TestEndpoint_Current(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for age, want := range map[int64]bool{0: true, 10: true, 30: true, 31: false, 86_400: false, -30: true, -31: false, 1_700_000_000: false} {
		expect.Equal(t, fmt.Sprint("a report of ", age, " s ago"), want, read.Endpoint{SeenAt: uint64(now.Unix() - age)}.Current(now))
	}
}
