package database_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// numbers returns one statement for each number of list, which reads it into to.
func numbers(to *[]int64, list ...int64) (batch []database.Statement) {
	for _, n := range list {
		batch = append(batch, database.Statement{Text: "SELECT $1::bigint", Args: []any{n}, Read: func(row *database.Row) error {
			*to = append(*to, row.Int64())
			return row.Err()
		}})
	}
	return batch
}

// throughProxy opens a database with one reading connection, through a proxy.
func throughProxy(t *testing.T) (*pgtest.Proxy, *database.DB) {
	proxy := pgtest.NewProxy(t)
	db := open(t, proxy.DSN, database.Options{})
	// From the second use on, the statements that begin and end a snapshot are prepared.
	for range 2 {
		snapshot := db.Snapshot()
		expect.NoError(t, snapshot.Finish(t.Context(), 1, func(ctx context.Context, _ int) error {
			one := numbers(new([]int64), 1)
			one[0].Last = true
			return errors.Join(snapshot.RunAll(ctx, one...), snapshot.RunAll(ctx, one...))
		}))
		expect.NoError(t, snapshot.Close())
	}
	return proxy, db
}

// TestDB_PoolStats checks that a read is counted as waiting if all connections are in use.
func TestDB_PoolStats(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		db := open(t, dsn, database.Options{})
		read := func(snapshot *database.Snapshot) error {
			return snapshot.Run(t.Context(), "SELECT 1", nil, func(*database.Row) error { return nil })
		}
		first, second := db.Snapshot(), db.Snapshot()
		expect.NoError(t, read(first))
		before := db.PoolStats()
		expect.Equal(t, "connections", [3]int{1, 0, 1}, [3]int{before.Open, before.Idle, before.Max})
		ended := make(chan error)
		go func() { ended <- read(second) }()
		// pgx also counts the wait for a new connection.
		for db.PoolStats().Waits == 0 {
			runtime.Gosched()
		}
		expect.NoError(t, first.Close())
		expect.NoError(t, <-ended)
		expect.NoError(t, second.Close())
		if db.PoolStats().Waited == 0 {
			t.Error("got no waiting time")
		}
	})
}

// roundTrips returns the number of round trips of use with a new snapshot. The end of the
// snapshot counts as one.
func roundTrips(t *testing.T, proxy *pgtest.Proxy, db *database.DB, use func(*database.Snapshot)) int {
	t.Helper()
	// This query waits for the only connection, and so for the end of the last snapshot.
	await := func() {
		expect.NoError(t, db.Query(t.Context(), "SELECT 1", nil, func(*database.Row) error { return nil }))
	}
	await()
	before := proxy.RoundTrips()
	snapshot := db.Snapshot()
	use(snapshot)
	expect.NoError(t, snapshot.Close())
	await()
	return proxy.RoundTrips() - before - 1
}

// TestSnapshot_RoundTrips checks that a batch takes one round trip to PostgreSQL, which also
// begins the snapshot, and that the end of the snapshot takes another.
func TestSnapshot_RoundTrips(t *testing.T) {
	proxy, db := throughProxy(t)
	var got []int64
	read := func(snapshot *database.Snapshot) error {
		return snapshot.RunAll(t.Context(), numbers(&got, 1, 2, 3)...)
	}
	n := roundTrips(t, proxy, db, func(snapshot *database.Snapshot) {
		expect.NoError(t, errors.Join(read(snapshot), read(snapshot)))
	})
	expect.Equal(t, "round trips of two batches", 3, n)
	expect.Equal(t, "numbers", []int64{1, 2, 3, 1, 2, 3}, got)

	// A snapshot begins on a new connection if the pooled one is lost, but fails if it loses
	// its connection after it has begun.
	proxy.Drop()
	snapshot := db.Snapshot()
	expect.NoError(t, read(snapshot))
	proxy.Drop()
	for range 2 {
		if err := read(snapshot); !database.IsLost(err) {
			t.Errorf("without its connection: got error %v, want a lost database", err)
		}
	}
	expect.NoError(t, snapshot.Close())
	if err := read(snapshot); err == nil || database.IsLost(err) {
		t.Errorf("from a closed snapshot: got error %v", err)
	}
	last := db.Snapshot()
	expect.NoError(t, errors.Join(read(last), last.Close()))
}

// TestSnapshot_Together checks that concurrent reads share round trips, even if some of them
// end before the others.
func TestSnapshot_Together(t *testing.T) {
	proxy, db := throughProxy(t)
	// tree returns a read that runs some batches and then, above depth 0, three reads of the
	// next level together.
	var tree func(snapshot *database.Snapshot, depth int) func(context.Context, int) error
	var sum atomic.Int64
	tree = func(snapshot *database.Snapshot, depth int) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			for range i + 1 {
				var got []int64
				if err := snapshot.RunAll(ctx, numbers(&got, int64(i), 1)...); err != nil {
					return err
				}
				sum.Add(got[0] + got[1])
			}
			if depth == 0 {
				return nil
			}
			return snapshot.Together(ctx, 3, tree(snapshot, depth-1))
		}
	}
	for _, c := range []struct{ depth, want int }{{0, 2*3 + 1}, {1, 2*6 + 1}, {2, 2*9 + 1}} {
		n := roundTrips(t, proxy, db, func(snapshot *database.Snapshot) {
			expect.NoError(t, snapshot.Together(t.Context(), 3, tree(snapshot, c.depth)))
			expect.NoError(t, snapshot.Together(t.Context(), 3, tree(snapshot, c.depth)))
		})
		expect.Equal(t, fmt.Sprint("round trips at depth ", c.depth), c.want, n)
	}
	// A level adds 1*(0+1) + 2*(1+1) + 3*(2+1), and runs three times as often as the one above.
	expect.Equal(t, "sum", 2*int64(14*1+14*(1+3)+14*(1+3+9)), sum.Load())
}

// TestSnapshot_Finish checks that the snapshot ends in the round trip of the last batches if
// all of them are marked as last.
func TestSnapshot_Finish(t *testing.T) {
	proxy, db := throughProxy(t)
	// reads returns reads of counts[i] statements, the last of which is marked as last.
	reads := func(snapshot *database.Snapshot, counts ...int) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			for n := range counts[i] {
				var got []int64
				one := numbers(&got, int64(i))
				one[0].Last = n == counts[i]-1
				if err := snapshot.RunAll(ctx, one...); err != nil {
					return err
				}
			}
			return nil
		}
	}
	ended := func(snapshot *database.Snapshot) bool {
		return snapshot.RunAll(t.Context(), numbers(new([]int64), 1)...) != nil
	}
	for _, c := range []struct {
		counts []int
		trips  int
		ended  bool
	}{
		{[]int{2, 2}, 2, true}, {[]int{1, 3, 0}, 3, true}, {[]int{2}, 2, true},
		// The round trip that begins the snapshot does not end it.
		{[]int{1, 1}, 2, false},
	} {
		n := roundTrips(t, proxy, db, func(snapshot *database.Snapshot) {
			expect.NoError(t, snapshot.Finish(t.Context(), len(c.counts), reads(snapshot, c.counts...)))
		})
		expect.Equal(t, fmt.Sprint("round trips of ", c.counts), c.trips, n)
		snapshot := db.Snapshot()
		expect.NoError(t, snapshot.Finish(t.Context(), len(c.counts), reads(snapshot, c.counts...)))
		expect.Equal(t, fmt.Sprint("ended after ", c.counts), c.ended, ended(snapshot))
		expect.NoError(t, errors.Join(snapshot.RunAll(t.Context()), snapshot.Close()))
	}
	// Together does not end the snapshot.
	snapshot := db.Snapshot()
	expect.NoError(t, snapshot.Finish(t.Context(), 2, reads(snapshot, 1, 1)))
	expect.NoError(t, snapshot.Together(t.Context(), 2, reads(snapshot, 2, 2)))
	expect.Equal(t, "ended by Together", false, ended(snapshot))
	expect.NoError(t, snapshot.Close())
}

// TestSnapshot_Alone checks that an Alone statement runs without a transaction if it is the
// only one in Finish. The first read after it fails, and later reads share one transaction.
// With a second reader, or in Together, the statement runs like any other.
func TestSnapshot_Alone(t *testing.T) {
	proxy, db := throughProxy(t)
	expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE changed AS SELECT 0::bigint AS n"))
	read := func(ctx context.Context, snapshot *database.Snapshot, alone bool) (n int64, err error) {
		err = snapshot.RunAll(ctx, database.Statement{Text: "SELECT n FROM changed", Alone: alone, Read: func(row *database.Row) error {
			n = row.Int64()
			return row.Err()
		}})
		return n, err
	}
	change := func() { expect.NoError(t, db.Exec(t.Context(), "UPDATE changed SET n = n + 1")) }
	for _, c := range []struct {
		name    string
		readers int
		run     func(*database.Snapshot, context.Context, int, func(context.Context, int) error) error
		alone   bool
	}{
		{"one reader", 1, (*database.Snapshot).Finish, true}, {"two readers", 2, (*database.Snapshot).Finish, false}, {"Together", 1, (*database.Snapshot).Together, false},
	} {
		// The last reader reads nothing.
		each := func(snapshot *database.Snapshot, read func(context.Context, int) error) error {
			return c.run(snapshot, t.Context(), c.readers+1, func(ctx context.Context, i int) error {
				if i == c.readers {
					return nil
				}
				return read(ctx, i)
			})
		}
		trips := 0
		for range 2 { // The first pass prepares the statement.
			trips = roundTrips(t, proxy, db, func(snapshot *database.Snapshot) {
				expect.NoError(t, each(snapshot, func(ctx context.Context, _ int) error {
					_, err := read(ctx, snapshot, true)
					return err
				}))
				expect.NoError(t, snapshot.Close())
				if _, err := read(t.Context(), snapshot, false); err == nil || errors.Is(err, database.ErrNotAlone) {
					t.Errorf("%s: a read after Close: %v", c.name, err)
				}
			})
		}
		expect.Equal(t, c.name+": has no transaction", c.alone, trips == 1)
		snapshot := db.Snapshot()
		expect.NoError(t, each(snapshot, func(ctx context.Context, i int) error {
			if _, err := read(ctx, snapshot, true); err != nil || i > 0 {
				return err
			}
			change()
			n, err := read(ctx, snapshot, false)
			expect.Equal(t, c.name+": fails", c.alone, errors.Is(err, database.ErrNotAlone))
			if c.alone {
				n, err = read(ctx, snapshot, false)
				change()
			}
			expect.NoError(t, err)
			again, err := read(ctx, snapshot, false)
			expect.Equal(t, c.name+": one state", n, again)
			return err
		}))
		expect.NoError(t, snapshot.Close())
	}
}

// TestSnapshot_TogetherFails checks that the error of a row reader does not affect the other
// reads, but that a failed statement fails them all, because it ends the transaction.
func TestSnapshot_TogetherFails(t *testing.T) {
	db := open(t, pgtest.DSN(t), database.Options{})
	together := func(fail database.Statement) (err error, got [4]int64, panicked any) {
		snapshot := db.Snapshot()
		defer func() { expect.NoError(t, snapshot.Close()) }()
		defer func() { panicked = recover() }()
		err = snapshot.Together(t.Context(), 4, func(ctx context.Context, i int) error {
			if i == 2 {
				return snapshot.RunAll(ctx, fail, fail)
			}
			var list []int64
			err := snapshot.RunAll(ctx, numbers(&list, int64(i), 9)...)
			if err == nil {
				err = snapshot.RunAll(ctx, numbers(&list, int64(i))...)
			}
			if len(list) == 3 {
				got[i] = list[2] + 1
			}
			return err
		})
		return err, got, nil
	}
	all := [4]int64{1, 2, 0, 4}
	err, got, _ := together(database.Statement{Text: "SELECT 1", Read: func(*database.Row) error { return errRead }})
	expect.Equal(t, "read next to a reader that fails", all, got)
	if !errors.Is(err, errRead) {
		t.Errorf("a reader that fails: got error %v", err)
	}
	_, _, cause := together(database.Statement{Text: "SELECT 1", Read: func(*database.Row) error { panic("why") }})
	expect.Equal(t, "cause of a panic", any("why"), cause)
	_, got, cause = together(database.Statement{Text: "SELECT 1 / 0", Read: func(*database.Row) error { return nil }})
	expect.Equal(t, "panic after a failed statement", nil, cause)
	if got[3] != 0 {
		t.Errorf("read after a statement that fails: %v", got)
	}
	// The connection can be used again.
	_, got, _ = together(numbers(new([]int64), 7)[0])
	expect.Equal(t, "read when nothing fails", all, got)
}

// TestSnapshot_PostgreSQL checks that reads return every type and stop at the first error, in
// each of pgx's query execution modes, which an address may choose.
func TestSnapshot_PostgreSQL(t *testing.T) {
	dsn := pgtest.DSN(t)
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			at, err := url.Parse(dsn)
			expect.NoError(t, err)
			parameters := at.Query()
			parameters.Set("default_query_exec_mode", mode)
			at.RawQuery = parameters.Encode()
			db, err := database.Open(t.Context(), at.String(), database.Options{Readers: 1})
			expect.NoError(t, err)
			defer func() { expect.NoError(t, db.Close()) }()
			readTypes(t, db)
		})
	}
}

func readTypes(t *testing.T, db *database.DB) {
	t.Helper()
	run := func(texts ...string) (got []any, err error) {
		snapshot := db.Snapshot()
		defer func() { expect.NoError(t, snapshot.Close()) }()
		var batch []database.Statement
		for _, text := range texts {
			batch = append(batch, database.Statement{Text: text, Read: func(row *database.Row) error {
				switch {
				case row.Null():
					got = append(got, nil)
				case strings.Contains(text, "text"):
					got = append(got, row.Text())
				case strings.Contains(text, "bytea"):
					got = append(got, slices.Clone(row.Bytes()))
				case strings.Contains(text, "bool"):
					got = append(got, row.Bool())
				case strings.Contains(text, "-1"):
					return errRead
				default:
					got = append(got, row.Int64())
				}
				return row.Err()
			}})
		}
		return got, errors.Join(snapshot.RunAll(t.Context(), batch...))
	}
	got, err := run("SELECT (-7)::int2", "SELECT (-8)::int4", "SELECT (-9)::int8", "SELECT true::bool", "SELECT false::bool",
		"SELECT 'x'::text", "SELECT ''::text", `SELECT '\x0102'::bytea`, "SELECT ''::bytea", "SELECT NULL::int8", "SELECT 5 WHERE false")
	expect.NoError(t, err)
	expect.Equal(t, "values", []any{int64(-7), int64(-8), int64(-9), true, false, "x", "", []byte{1, 2}, []byte{}, nil}, got)
	for text, want := range map[string]string{
		"SELECT 1 / 0":                           "division by zero",
		"SELECT 1.5::numeric":                    "internal error: column numeric has the type 1700",
		"SELECT 1 / (3 - generate_series(1, 3))": "division by zero",
		"SELECT nothing":                         "does not exist",
		"SELECT -1 FROM (VALUES (1), (2)) v":     errRead.Error(),
	} {
		if got, err := run("SELECT 1::int4", text, "SELECT 2::int4"); err == nil || !strings.Contains(err.Error(), want) || slices.Contains(got, any(int64(2))) {
			t.Errorf("%s: got error %v after %v, want %q", text, err, got, want)
		}
		if got, err := run(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s alone: got error %v after %v, want %q", text, err, got, want)
		}
		if got, err := run("SELECT 3::int4"); err != nil || len(got) != 1 {
			t.Errorf("after %s: got %v, error %v", text, got, err)
		}
	}
}

var errRead = errors.New("not read")
