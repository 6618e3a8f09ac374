package database_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// onNumbers opens a database of each kind with a table of one number.
func onNumbers(t *testing.T, test func(t *testing.T, db *database.DB, set func(n int))) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE numbers (n bigint)"))
		expect.NoError(t, db.Exec(t.Context(), "INSERT INTO numbers VALUES (1)"))
		test(t, db, func(n int) {
			expect.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, entsql.Raw("UPDATE numbers SET n = "+string(rune('0'+n))))
				return err
			}))
		})
	})
}

const number = "SELECT n FROM numbers"

// into returns a function that appends the number of a row.
func into(list *[]int64) func(*database.Row) error {
	return func(row *database.Row) error {
		*list = append(*list, row.Int64())
		return row.Err()
	}
}

// TestSnapshotFrom checks that the opening statement and all others of a snapshot read one
// state, and that the next snapshot reads the next state.
func TestSnapshotFrom(t *testing.T) {
	onNumbers(t, func(t *testing.T, db *database.DB, set func(n int)) {
		for n := range 2 {
			var opening, read []int64
			s := db.SnapshotFrom(database.Statement{Text: number, Read: into(&opening)}, nil)
			expect.NoError(t, s.Run(t.Context(), number, nil, into(&read)))
			set(n + 2)
			expect.NoError(t, s.Run(t.Context(), number, nil, into(&read)))
			expect.NoError(t, s.Close())
			expect.Equal(t, "read", []int64{int64(n + 1), int64(n + 1), int64(n + 1)}, append(opening, read...))
		}
	})
}

// TestSnapshotFrom_Fails checks that a snapshot whose opening statement fails is confirmed by
// its first read, that each read fails until then, and that the connection is used again.
func TestSnapshotFrom_Fails(t *testing.T) {
	refused := errors.New("refused")
	onNumbers(t, func(t *testing.T, db *database.DB, _ func(int)) {
		for i := range 100 {
			var s *database.Snapshot
			confirms := 0
			s = db.SnapshotFrom(database.Statement{Text: number, Read: func(*database.Row) error { return refused }}, func(ctx context.Context, failed error) error {
				if confirms++; confirms < 3 {
					return failed
				}
				var read []int64
				err := s.RunApart(ctx, database.Statement{Text: number, Read: into(&read)})
				expect.Equal(t, "read", []int64{1}, read)
				return err
			})
			// The last of these reads ends the snapshot on PostgreSQL.
			for n := range 3 {
				err := s.Finish(t.Context(), 2, func(ctx context.Context, _ int) error {
					return s.RunAll(ctx, database.Statement{Text: number, Read: func(*database.Row) error { return nil }, Last: n == 2 && i%2 == 0})
				})
				if n == 0 && !errors.Is(err, refused) || n == 2 && err != nil {
					t.Fatalf("read %d: got %v", n, err)
				}
			}
			expect.Equal(t, "calls", 3, confirms)
			expect.NoError(t, s.Close())
		}
	})
}

// TestSnapshotFrom_Alone checks that a statement without a transaction reads the same state
// as the opening statement, even if another process commits between the two.
func TestSnapshotFrom_Alone(t *testing.T) {
	dsn := pgtest.Direct(t)
	db, other := open(t, dsn, database.Options{}), open(t, dsn, database.Options{})
	expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE numbers (n bigint); INSERT INTO numbers VALUES (1)"))
	var opening, read []int64
	err := other.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, entsql.Raw("SELECT pg_advisory_xact_lock(1); UPDATE numbers SET n = 2"))
		expect.NoError(t, err)
		ended := make(chan error)
		go func() {
			s := db.SnapshotFrom(database.Statement{Text: number, Read: into(&opening)}, nil)
			one := database.Statement{Text: "SELECT n FROM numbers, (SELECT pg_advisory_xact_lock(1) OFFSET 0) AS locked", Alone: true, Read: into(&read)}
			ended <- errors.Join(s.Finish(t.Context(), 1, func(ctx context.Context, _ int) error { return s.RunAll(ctx, one) }), s.Close())
		}()
		for waits := false; !waits; {
			err := tx.Query(ctx, entsql.Raw("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"),
				func(row *database.Row) error { return row.Values(&waits) })
			expect.NoError(t, err)
		}
		tx.OnCommit(func() { expect.NoError(t, <-ended) })
		return nil
	})
	expect.NoError(t, err)
	expect.Equal(t, "read", []int64{1, 1}, slices.Concat(opening, read))
}
