package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// A new database is loaded without the indexes of its largest tables and
// without counters, which are made at the end: an index that is sorted once
// takes a quarter of the time that its entries take one by one, and does not
// slow down as it grows.
//
// The database itself says so, in the setting pending_indexes: while it is there, no
// writer of any process keeps counters. Its value is what remains to be done,
// and each step of [Load.Finish] takes itself off in the transaction that
// does it: whoever comes next, after a crash as well, goes on from there.
//
// Readers need not know. Without an index the database looks through the table,
// without a counter it counts: slowly, and with the same answer.

// Load is the load of a new database.
type Load struct{ store *Store }

// Load returns the load of the database.
func (s *Store) Load() Load { return Load{s} }

// Begin drops the indexes of a database that holds no blocks yet, until
// [Load.Finish], which must follow. It leaves any other database as it is.
func (l Load) Begin(ctx context.Context) error {
	loading, db := false, l.store.db
	begin := func(ctx context.Context, w *writer) (err error) {
		if loading = w.loading; loading {
			return nil
		}
		if loading, err = isNew(ctx, w); err != nil || !loading {
			return err
		}
		return dropIndexes(ctx, w)
	}
	err := l.store.write(ctx, begin)
	for database.IsLocked(err) && ctx.Err() == nil {
		err = l.store.write(ctx, begin)
	}
	if err == nil && loading && db.Dialect() == dialect.SQLite {
		// Tables that grow at their ends need no large cache; and what is sorted
		// in one go is as large as the cache: small parts are sorted faster.
		err = db.Exec(ctx, fmt.Sprintf("PRAGMA cache_size = %d", database.SmallCache))
	}
	return database.Wrap(err, "beginning to load")
}

// isNew reports whether no blocks were ever stored.
func isNew(ctx context.Context, w *writer) (bool, error) {
	for _, exist := range []func(context.Context) (bool, error){w.client.Block.Query().Exist, w.client.Coverage.Query().Exist, w.client.Counter.Query().Exist} {
		found, err := exist(ctx)
		if err != nil || found {
			return false, err
		}
	}
	return true, nil
}

// dropIndexes drops the indexes that are built when all is loaded, and notes
// the statements that make them again.
func dropIndexes(ctx context.Context, w *writer) error {
	if w.Dialect() == dialect.Postgres {
		// A snapshot that reads one table may wait for another that is locked here: this
		// transaction gives up before PostgreSQL sees a deadlock, after a second, and ends one.
		lock := "SET LOCAL lock_timeout = '300ms'; LOCK TABLE " + strings.Join(largeTables, ", ") + " IN ACCESS EXCLUSIVE MODE; SET LOCAL lock_timeout = '30s'"
		if _, err := w.Exec(ctx, entsql.Raw(lock)); err != nil {
			return fmt.Errorf("locking tables: %w", err)
		}
	}
	// Not those that are UNIQUE: they hold as well as find.
	of, name, definition := "sqlite_schema", "name", "sql"
	table, here := "tbl_name", entsql.EQ("type", "index")
	if w.Dialect() == dialect.Postgres {
		of, name, definition = "pg_indexes", "indexname", "indexdef"
		table, here = "tablename", entsql.ExprP("schemaname = current_schema()")
	}
	list := w.Builder().Select(name, definition).From(entsql.Table(of)).
		Where(entsql.And(here, entsql.HasPrefix(definition, "CREATE INDEX ")))
	entsql.FieldIn(table, largeTables...)(list)
	var names, statements []string
	err := w.Query(ctx, list, func(row *database.Row) error {
		var name, statement string
		err := row.Values(&name, &statement)
		names, statements = append(names, name), append(statements, statement)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	for _, name := range names {
		if _, err := w.Exec(ctx, entsql.Raw("DROP INDEX "+name)); err != nil {
			return fmt.Errorf("dropping index %s: %w", name, err)
		}
	}
	if err := w.client.Contract.Update().ClearTokenCount().SetRecordless(0).Exec(ctx); err != nil {
		return fmt.Errorf("beginning to count tokens: %w", err)
	}
	return tables.Set(ctx, w.client, tables.PendingIndexes, statements)
}

// Steps returns how many transactions [Load.Finish] has left: one for each index,
// and one for the counters; 0 if nothing is pending. While it is not 0, a load goes on, in this
// process or another, or one was broken off.
func (l Load) Steps(ctx context.Context) (n int, err error) {
	snapshot := l.store.Snapshot()
	defer snapshot.end(&err)
	var statements []string
	found, err := tables.Get(ctx, snapshot.client(), tables.PendingIndexes, &statements)
	if err != nil || !found {
		return 0, err
	}
	return len(statements) + 1, nil
}

// Finish builds the indexes and counters that [Load.Begin] left out, in several transactions: seconds for
// each million records. It does nothing when nothing is pending. When ctx ends
// it stops where it is, and a later call goes on from there.
func (l Load) Finish(ctx context.Context) error {
	for done := false; !done; {
		left, err := l.Steps(ctx)
		if err == nil && left == 1 {
			// Without it each count would visit the rows, not the index alone: four
			// times as long.
			err = l.store.db.Vacuum(ctx, largeTables...)
		}
		if err == nil {
			err = l.store.write(ctx, func(_ context.Context, w *writer) (err error) {
				// An index takes long enough to watch the context, unlike all else
				// that a transaction does.
				done, err = finishStep(ctx, w)
				return err
			})
		}
		if err != nil {
			return fmt.Errorf("building indexes: %w", err)
		}
	}
	return nil
}

// largeTables are those whose indexes [Load.Begin] drops.
var largeTables = []string{mint.Table, burn.Table, block.Table}

// indexTime is how long PostgreSQL may take to build an index of all records.
const indexTime = 12 * time.Hour

// finishStep builds one index or, when none is left, the counters. It reports
// whether that was all.
func finishStep(ctx context.Context, w *writer) (done bool, err error) {
	if !w.loading {
		return true, nil
	}
	if err := w.Allow(ctx, indexTime); err != nil {
		return false, err
	}
	if w.Dialect() == dialect.Postgres {
		// Where the server's default is off, the commits of the load are flushed with
		// this one, as the vacuum needs them.
		if _, err := w.Exec(ctx, entsql.Raw("SET LOCAL synchronous_commit = on")); err != nil {
			return false, err
		}
	}
	var statements []string
	if _, err := tables.Get(ctx, w.client, tables.PendingIndexes, &statements); err != nil {
		return false, err
	}
	if len(statements) > 0 {
		if _, err := w.Exec(ctx, entsql.Raw(statements[0])); err != nil {
			return false, err
		}
		return false, tables.Set(ctx, w.client, tables.PendingIndexes, statements[1:])
	}
	if w.Dialect() == dialect.Postgres {
		// Autovacuum does it minutes later; until then the plans are those for empty
		// tables.
		if _, err := w.Exec(ctx, entsql.Raw("ANALYZE "+strings.Join(largeTables, ", "))); err != nil {
			return false, fmt.Errorf("gathering statistics: %w", err)
		}
		// The largest scopes are found in the indexes, which have their order. PostgreSQL
		// would read all rows and keep a hash of all tokens, on disk, in twice the time.
		if _, err := w.Exec(ctx, entsql.Raw(database.OrderedPlans+"; SET LOCAL enable_hashagg = off")); err != nil {
			return false, fmt.Errorf("planning: %w", err)
		}
	}
	if err := createTrees(ctx, w); err != nil {
		return false, err
	}
	if err := derive(ctx, w.Tx, derivedColumns(w.Dialect())[:ofRecords], "true"); err != nil {
		return false, err
	}
	if err := tables.Remove(ctx, w.client, tables.PendingIndexes); err != nil {
		return false, err
	}
	w.loading = false
	return true, nil
}

// createTrees gives a tree to every scope of more than [counter.LeafSize] records.
func createTrees(ctx context.Context, w *writer) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		large, err := largeScopes(ctx, w, kind, counter.LeafSize, everything)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(large)) {
			if err := w.counters.Create(ctx, counter.Scope(name), counter.Ones(large[name])); err != nil {
				return err
			}
		}
	}
	return addAmounts(ctx, w, w.counters)
}
