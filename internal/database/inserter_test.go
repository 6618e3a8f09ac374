package database_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// thing is a row with a column of each type.
type thing struct {
	id    int64
	small int64
	data  []byte
	text  *string
	flag  bool
}

var thingColumns = []string{"id", "small", "data", "text", "flag"}

// AppendValues implements [database.Entity].
func (t thing) AppendValues(args []any, _ []string) ([]any, error) {
	if t.id < 0 {
		return nil, errors.New("negative id")
	}
	args = append(args, t.id, t.small, t.data)
	if t.text == nil {
		return append(args, nil, t.flag), nil
	}
	return append(args, *t.text, t.flag), nil
}

func thingOf(i int) thing {
	t := thing{id: int64(i), small: int64(i % math.MaxInt16), data: []byte(fmt.Sprint("data", i)), flag: i%3 == 0}
	if i%2 == 0 {
		text := fmt.Sprintf("é\t\\N%d", i)
		t.text = &text
	}
	return t
}

// withThings opens a database and creates the table things.
func withThings(t *testing.T, dsn string) *database.DB {
	t.Helper()
	db, bytes := open(t, dsn, database.Options{}), "blob"
	if strings.HasPrefix(dsn, "postgres") {
		bytes = "bytea"
	}
	expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE things (id bigint PRIMARY KEY, small smallint NOT NULL, data "+bytes+" NOT NULL, text text, flag boolean NOT NULL)"))
	return db
}

// insertThings inserts things in one transaction.
func insertThings(t *testing.T, db *database.DB, from, to int) error {
	t.Helper()
	return db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		into := tx.Inserter("things", thingColumns)
		for i := from; i < to; i++ {
			if err := into.Add(ctx, thingOf(i)); err != nil {
				return err
			}
		}
		return into.Flush(ctx)
	})
}

// things returns the stored things in the format of describe.
func things(t *testing.T, db *database.DB) (list []string) {
	t.Helper()
	err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		return tx.Query(ctx, entsql.Raw("SELECT id, small, data, text, flag FROM things ORDER BY id"), func(row *database.Row) error {
			read := thing{id: row.Int64(), small: row.Int64(), data: row.Bytes()}
			if !row.Null() {
				text := row.Text()
				read.text = &text
			}
			read.flag = row.Bool()
			list = append(list, describe(read))
			return row.Err()
		})
	})
	expect.NoError(t, err)
	return list
}

func describe(t thing) string {
	text := "null"
	if t.text != nil {
		text = *t.text
	}
	return fmt.Sprintf("%d %d %q %q %t", t.id, t.small, t.data, text, t.flag)
}

// TestInserter_AnyNumberOfRows checks that each row is stored once and unchanged, whatever
// the number of rows.
func TestInserter_AnyNumberOfRows(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		db := withThings(t, dsn)
		var want []string
		for _, n := range []int{0, 1, 31, 32, 33, 2_047, 2_049, 5_000} {
			from := len(want)
			for i := from; i < from+n; i++ {
				want = append(want, describe(thingOf(i)))
			}
			expect.NoError(t, insertThings(t, db, from, from+n))
		}
		expect.Equal(t, "things", want, things(t, db))
	})
}

// TestInserter_Fails inserts few and many rows, one of which can't be written. Nothing may be
// stored, the error must not look like a lost connection, and the next transaction succeeds.
func TestInserter_Fails(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		db := withThings(t, dsn)
		expect.NoError(t, insertThings(t, db, 5_000, 5_001))
		for _, from := range []int{4_999, 4_900, 0, -1} {
			err := insertThings(t, db, from, 5_010)
			if err == nil || database.IsLost(err) || !strings.Contains(err.Error(), "writing things") {
				t.Errorf("from %d: got %v, want an error about things", from, err)
			}
			if found := things(t, db); len(found) != 1 {
				t.Fatalf("from %d: %d things are stored, want 1", from, len(found))
			}
		}
		expect.NoError(t, insertThings(t, db, 0, 5_000))
	})
}

// TestInserter_Conflict checks that existing rows are updated as Inserter.Conflict says.
func TestInserter_Conflict(t *testing.T) {
	onEach(t, func(t *testing.T, dsn string) {
		db := withThings(t, dsn)
		expect.NoError(t, insertThings(t, db, 0, 50))
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			into := tx.Inserter("things", thingColumns)
			into.Conflict = []entsql.ConflictOption{entsql.ConflictColumns("id"), entsql.ResolveWith(func(u *entsql.UpdateSet) { u.SetExcluded("small") })}
			for i := range 100 {
				one := thingOf(i)
				one.small = 7
				if err := into.Add(ctx, one); err != nil {
					return err
				}
			}
			return into.Flush(ctx)
		})
		expect.NoError(t, err)
		var want []string
		for i := range 100 {
			one := thingOf(i)
			one.small = 7
			want = append(want, describe(one))
		}
		expect.Equal(t, "things", want, things(t, db))
	})
}

// TestInserter_Lost drops the connection before and during a COPY. The error must be a lost
// connection, and the next transaction gets a new one.
func TestInserter_Lost(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t)
	db := withThings(t, proxy.DSN)
	for _, lose := range []func(){proxy.Drop, func() { proxy.DropAfter(1) }, func() { proxy.DropAfter(2) }} {
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			into := tx.Inserter("things", thingColumns)
			for i := range 2_000 {
				expect.NoError(t, into.Add(ctx, thingOf(i)))
			}
			lose()
			return into.Flush(ctx)
		})
		if !database.IsLost(err) {
			t.Errorf("got %v, want a lost connection", err)
		}
		proxy.DropAfter(0)
		if found := things(t, db); len(found) != 0 {
			t.Fatalf("%d things are stored, want none", len(found))
		}
	}
	expect.NoError(t, insertThings(t, db, 0, 2_000))
}

// TestInserter_Refused checks that COPY reports a server that is not the primary, and a
// statement_timeout, like other statements do.
func TestInserter_Refused(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	db := withThings(t, dsn)
	err := insertThings(t, open(t, withOptions(t, dsn, "-c default_transaction_read_only=on"), database.Options{}), 0, 2_000)
	if !database.IsLost(err) {
		t.Errorf("got %v, want a lost database", err)
	}
	expect.NoError(t, db.Exec(t.Context(), "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END'"))
	expect.NoError(t, db.Exec(t.Context(), "CREATE TRIGGER slow BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION slow()"))
	err = db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		expect.NoError(t, tx.Allow(ctx, 300*time.Millisecond))
		into := tx.Inserter("things", thingColumns)
		for i := range 100 {
			expect.NoError(t, into.Add(ctx, thingOf(i)))
		}
		return into.Flush(ctx)
	})
	if err == nil || !strings.Contains(err.Error(), "57014") || !database.IsCancelled(err) {
		t.Errorf("got %v, want a statement timeout (57014)", err)
	}
	if found := things(t, db); len(found) != 0 {
		t.Errorf("%d things are stored, want none", len(found))
	}
}

// TestInsertAll inserts rows into two tables while they are generated.
func TestInsertAll(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, dsn string) {
		db := withThings(t, dsn)
		expect.NoError(t, db.Exec(t.Context(), "CREATE TABLE others AS SELECT * FROM things"))
		failed := errors.New("failed")
		for _, want := range []error{failed, nil} {
			err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				one, other := tx.Inserter("things", thingColumns), tx.Inserter("others", thingColumns)
				return database.InsertAll(ctx, func() error {
					for i := range 10_000 {
						if err := errors.Join(one.Add(ctx, thingOf(i)), other.Add(ctx, thingOf(i))); err != nil {
							return err
						}
					}
					return want
				}, one, other)
			})
			if !errors.Is(err, want) {
				t.Fatalf("got %v, want %v", err, want)
			}
		}
		expect.Equal(t, "things", 10_000, len(things(t, db)))
	})
}
