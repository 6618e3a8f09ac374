package database_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/testing/pgtest"
)

// onEach runs a test on an empty database of SQLite and one of PostgreSQL.
func onEach(t *testing.T, test func(t *testing.T, dsn string)) {
	for name, dsn := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": pgtest.DSN(t)} {
		t.Run(name, func(t *testing.T) { test(t, dsn) })
	}
}

// onBoth is onEach with an open database.
func onBoth(t *testing.T, test func(t *testing.T, db *database.DB)) {
	onEach(t, func(t *testing.T, dsn string) { test(t, open(t, dsn, database.Options{})) })
}

func TestRow_ReadsEveryType(t *testing.T) {
	text := `SELECT -5 AS a, 7 AS b, 'x' AS c, NULL AS d, TRUE AS e`
	read := func(row *database.Row) error {
		row.Begin("things", []string{"a", "b", "c", "d", "e"})
		a, b, c := row.Int64(), row.Unsigned(7), row.Text()
		if row.Null() {
			row.Skip(0)
		} else {
			return errors.New("got a value, want null")
		}
		if e := row.Bool(); a != -5 || b != 7 || c != "x" || !e {
			return fmt.Errorf("got %d, %d, %q, %t", a, b, c, e)
		}
		return row.Err()
	}
	onBoth(t, func(t *testing.T, db *database.DB) {
		if err := db.Query(t.Context(), text, nil, read); err != nil {
			t.Error(err)
		}
	})
}

// TestRow_RejectsWrongValues checks that errors name the table and column, and that the
// first one is kept.
func TestRow_RejectsWrongValues(t *testing.T) {
	for name, test := range map[string]struct {
		value string
		read  func(*database.Row)
		want  string
	}{
		"negative":       {"-1", func(r *database.Row) { r.Unsigned(math.MaxInt64) }, "got -1, want 0 to 9223372036854775807"},
		"too large":      {"4294967296", func(r *database.Row) { r.Unsigned(math.MaxUint32) }, "got 4294967296, want 0 to 4294967295"},
		"above int8":     {"128", func(r *database.Row) { r.Signed(math.MaxInt8) }, "got 128, want -128 to 127"},
		"below int8":     {"-129", func(r *database.Row) { r.Signed(math.MaxInt8) }, "got -129, want -128 to 127"},
		"null integer":   {"NULL", func(r *database.Row) { r.Int64() }, "got null, want an integer"},
		"null text":      {"NULL", func(r *database.Row) { r.Text() }, "got null, want text"},
		"null bytes":     {"NULL", func(r *database.Row) { r.Bytes() }, "got null, want bytes"},
		"null boolean":   {"NULL", func(r *database.Row) { r.Bool() }, "got null, want a boolean"},
		"null address":   {"NULL", func(r *database.Row) { r.Scan(new(evm.Address)) }, "got null, want a value"},
		"text":           {"'x'", func(r *database.Row) { r.Int64() }, "got string, want an integer"},
		"short address":  {"x'0102'", func(r *database.Row) { r.Scan(new(evm.Address)) }, "stored address: got 2 bytes, want 20"},
		"beyond the row": {"1", func(r *database.Row) { r.Skip(1); r.Int64() }, "the row has 2 values"},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, filepath.Join(t.TempDir(), "test.db"), database.Options{})
			err := db.Query(t.Context(), "SELECT 5, "+test.value, nil, func(row *database.Row) error {
				row.Int64()
				row.Begin("things", []string{"size", "more"})
				test.read(row)
				first := row.Err()
				row.Fail(errors.New("a later one"))
				if row.Err() != first {
					return fmt.Errorf("the first error, %w, became %w", first, row.Err())
				}
				return row.Err()
			})
			column := "things.size"
			if name == "beyond the row" {
				column = "things.more"
			}
			if err == nil || err.Error() != column+": "+test.want {
				t.Errorf("got error %v, want %s: %s", err, column, test.want)
			}
		})
	}
}

func TestRow_Values(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		var a int64
		var b string
		read := func(row *database.Row) error { return row.Values(&a, &b) }
		if err := db.Query(t.Context(), "SELECT 5 AS a, 'x' AS b", nil, read); err != nil || a != 5 || b != "x" {
			t.Errorf("got %d, %q and error %v", a, b, err)
		}
		err := db.Query(t.Context(), "SELECT 5 AS a", nil, read)
		if err == nil || !strings.Contains(err.Error(), "got 1 values, want 2") {
			t.Errorf("a row with one value: got error %v", err)
		}
		err = db.Query(t.Context(), "SELECT 'x' AS a, 'x' AS b", nil, read)
		if err == nil || !strings.Contains(err.Error(), "value 1: got string, want an integer") {
			t.Errorf("a value of the wrong type: got error %v", err)
		}
	})
}

// TestQuery_StopsAtTheFirstError checks that the only connection can be used again after the
// reader fails.
func TestQuery_StopsAtTheFirstError(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		enough, rows := errors.New("enough"), 0
		for range 2 {
			err := db.Query(t.Context(), "SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3", nil, func(*database.Row) error {
				rows++
				return enough
			})
			if !errors.Is(err, enough) {
				t.Errorf("got error %v, want the reader's error", err)
			}
		}
		if rows != 2 {
			t.Errorf("got %d rows, want one for each query", rows)
		}
	})
}

func TestEqualPointers(t *testing.T) {
	one, same, two := 1, 1, 2
	for _, test := range []struct {
		a, b *int
		want bool
	}{{nil, nil, true}, {&one, nil, false}, {nil, &one, false}, {&one, &same, true}, {&one, &two, false}} {
		if got := database.EqualPointers(test.a, test.b); got != test.want {
			t.Errorf("%v and %v: got %t", test.a, test.b, got)
		}
	}
}
