package database_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
)

// sharing returns concurrent reads of a result that takes two statements, each of which then
// runs one of its own. The read fails with the error of fail.
func sharing(snapshot *database.Snapshot, reads *atomic.Int64, fail func() error) func(context.Context, int) error {
	return func(ctx context.Context, i int) error {
		n, err := database.Shared(ctx, snapshot, "key", func(ctx context.Context) (n int64, err error) {
			reads.Add(1)
			if err := fail(); err != nil {
				return 0, err
			}
			var got [2]int64
			err = snapshot.Together(ctx, 2, func(ctx context.Context, k int) error {
				var list []int64
				err := snapshot.RunAll(ctx, numbers(&list, int64(k+1))...)
				if err == nil {
					got[k] = list[0]
				}
				return err
			})
			return got[0] + got[1], err
		})
		var own []int64
		if err == nil && n != 3 {
			err = errors.New("another result")
		}
		return errors.Join(err, snapshot.RunAll(ctx, numbers(&own, int64(i))...))
	}
}

// TestShared checks that a result is read once for all readers, and that those that wait for
// it delay no round trip. A failed read fails those that wait, and the next one reads again.
func TestShared(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	none := func() error { return nil }
	proxy, db := throughProxy(t)
	n := roundTrips(t, proxy, db, func(snapshot *database.Snapshot) {
		expect.NoError(t, snapshot.Together(t.Context(), 4, sharing(snapshot, &reads, none)))
		expect.NoError(t, snapshot.Together(t.Context(), 4, sharing(snapshot, &reads, none)))
	})
	expect.Equal(t, "round trips", 2+1+1, n)
	expect.Equal(t, "reads", int64(1), reads.Load())
	// The last statement of the reader does not end a snapshot that another one still needs.
	snapshot := db.Snapshot()
	expect.NoError(t, snapshot.Run(t.Context(), "SELECT 1", nil, func(*database.Row) error { return nil }))
	expect.NoError(t, snapshot.Finish(t.Context(), 2, func(ctx context.Context, i int) error {
		_, err := database.Shared(ctx, snapshot, "last", func(ctx context.Context) (n int64, err error) {
			one := numbers(new([]int64), 1)
			one[0].Last = true
			return 0, snapshot.RunAll(ctx, one...)
		})
		if err == nil && i == 1 {
			err = snapshot.RunAll(ctx, numbers(new([]int64), 1)...)
		}
		return err
	}))
	expect.NoError(t, snapshot.Close())

	onEach(t, func(t *testing.T, dsn string) {
		snapshot := open(t, dsn, database.Options{}).Snapshot()
		defer func() { expect.NoError(t, snapshot.Close()) }()
		_, err := database.Shared(t.Context(), snapshot, "key", func(context.Context) (int64, error) { return 0, errRead })
		if !errors.Is(err, errRead) {
			t.Errorf("error %v, want errRead", err)
		}
		func() {
			defer func() { expect.Equal(t, "cause of a panic", any("a bug"), recover()) }()
			_ = snapshot.Together(t.Context(), 4, sharing(snapshot, new(atomic.Int64), func() error { panic("a bug") }))
		}()
		reads.Store(0)
		expect.NoError(t, snapshot.Together(t.Context(), 4, sharing(snapshot, &reads, none)))
		expect.Equal(t, "reads after failures", int64(1), reads.Load())
	})
}
