package database_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/expect"
	"mintburn/internal/pgtest"
)

// TestSnapshot_RoundTrips: what a snapshot of PostgreSQL reads at once takes one
// round trip, its beginning included, and its end another.
func TestSnapshot_RoundTrips(t *testing.T) {
	proxy := pgtest.NewProxy(t)
	db, err := database.Open(t.Context(), proxy.DSN, database.Options{Readers: 1})
	expect.NoError(t, err)
	defer func() { expect.NoError(t, db.Close()) }()
	numbers := func(snapshot *database.Snapshot) {
		t.Helper()
		var got []int64
		add := func(row *database.Row) error {
			got = append(got, row.Int64())
			return row.Err()
		}
		expect.NoError(t, snapshot.RunAll(t.Context(),
			database.Statement{Text: "SELECT generate_series(1, $1::bigint)", Args: []any{3}, Read: add},
			database.Statement{Text: "SELECT $1::bigint", Args: []any{7}, Read: add}))
		expect.Equal(t, "numbers", []int64{1, 2, 3, 7}, got)
	}
	for turn := range 4 {
		snapshot, before := db.Snapshot(), proxy.RoundTrips()
		numbers(snapshot)
		// At first statements are prepared, and at second pgx asks whether the connection
		// still lives.
		if n := proxy.RoundTrips() - before; n != 1 && turn > 1 {
			t.Errorf("%d: two statements of a new snapshot: %d round trips, want 1", turn, n)
		}
		before = proxy.RoundTrips()
		numbers(snapshot)
		if n := proxy.RoundTrips() - before; n != 1 {
			t.Errorf("two more: %d round trips, want 1", n)
		}
		before = proxy.RoundTrips()
		expect.NoError(t, snapshot.Close())
		if n := proxy.RoundTrips() - before; n != 1 {
			t.Errorf("the end: %d round trips, want 1", n)
		}
	}
	isLost := func(snapshot *database.Snapshot) {
		t.Helper()
		if err := snapshot.Run(t.Context(), "SELECT 1", nil, func(*database.Row) error { return nil }); !database.IsLost(err) {
			t.Errorf("without a connection: got error %v, want a lost database", err)
		}
	}
	proxy.Drop()
	snapshot := db.Snapshot()
	isLost(snapshot)
	numbers(snapshot)
	proxy.Drop()
	isLost(snapshot)
	isLost(snapshot)
	expect.NoError(t, snapshot.Close())
	numbers(db.Snapshot())
}

// TestSnapshot_PostgreSQL reads every type, and ends at the first error, in each of
// pgx's ways to run a statement, which the address may name.
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
