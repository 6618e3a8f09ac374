package write

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/tables"
)

// A new database is loaded without counters and without the indexes of its largest
// tables. Both are built at the end: building an index with one sort takes a quarter
// of the time of inserting its entries one by one, and does not slow down as the
// index grows.
//
// The setting pending_indexes marks such a database: while it exists, no writer of
// any process updates counters. Its value lists the remaining steps. Each step of
// [Load.Finish] removes itself from the list in its own transaction, so that any
// later call, even after a crash, continues from there.
//
// Readers are not affected. Without an index the database scans the table, and
// without counters it counts records: queries are slow, but correct.

// Load loads a new database.
type Load struct{ store *DB }

// LoadOf returns a [Load] of the database.
func LoadOf(s *DB) Load { return Load{s} }

// Begin drops the indexes of a database that has no blocks yet. [Load.Finish] must
// follow, and builds them again. Begin does not change any other database.
func (l Load) Begin(ctx context.Context) error {
	loading, db := false, l.store.Database
	begin := func(ctx context.Context, w *Tx) (err error) {
		empty, err := isNew(ctx, w)
		if loading = w.loading || empty; err != nil || !empty {
			return err
		}
		return dropIndexes(ctx, w)
	}
	err := l.store.Write(ctx, begin)
	for database.IsLocked(err) && ctx.Err() == nil {
		err = l.store.Write(ctx, begin)
	}
	if err == nil && loading && db.Dialect() == dialect.SQLite {
		// Tables that grow at their ends need no large cache. SQLite also sorts in
		// parts as large as the cache, and small parts are sorted faster.
		err = db.Exec(ctx, fmt.Sprintf("PRAGMA cache_size = %d", database.SmallCache))
	}
	return database.Wrap(err, "beginning to load")
}

// isNew reports whether no blocks are stored.
func isNew(ctx context.Context, w *Tx) (bool, error) {
	for _, exist := range []func(context.Context) (bool, error){w.client.Block.Query().Exist, w.client.Coverage.Query().Exist} {
		found, err := exist(ctx)
		if err != nil || found {
			return false, err
		}
	}
	return true, nil
}

// dropIndexes drops the indexes that are built at the end of the load, and stores
// the statements that create them. A stopped copy may have built some of them.
func dropIndexes(ctx context.Context, w *Tx) error {
	if w.Dialect() == dialect.Postgres {
		// A snapshot that reads one table may wait for another that is locked here. PostgreSQL
		// detects that deadlock after a second and aborts one of the transactions: this one
		// gives up before.
		lock := "SET LOCAL lock_timeout = '300ms'; LOCK TABLE " + strings.Join(largeTables, ", ") + " IN ACCESS EXCLUSIVE MODE; SET LOCAL lock_timeout = '30s'"
		if _, err := w.Exec(ctx, entsql.Raw(lock)); err != nil {
			return fmt.Errorf("locking tables: %w", err)
		}
	}
	// Not UNIQUE indexes: they are also constraints.
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
	if _, err := tables.Get(ctx, w.client, tables.PendingIndexes, &statements); err != nil {
		return err
	}
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
	if err := w.client.Contract.Update().ClearMintCount().ClearBurnCount().ClearTokenCount().SetRecordless(0).Exec(ctx); err != nil {
		return fmt.Errorf("beginning to count tokens: %w", err)
	}
	return tables.Set(ctx, w.client, tables.PendingIndexes, statements)
}

// Steps returns how many transactions [Load.Finish] has left: one for each index, and
// one for the counters; 0 if nothing is pending. If it is not 0, a load is running in
// this process or another, or was interrupted.
func (l Load) Steps(ctx context.Context) (n int, err error) {
	snapshot := l.store.Snapshot()
	defer snapshot.End(&err)
	var statements []string
	found, err := tables.Get(ctx, snapshot.Client(), tables.PendingIndexes, &statements)
	if err != nil || !found {
		return 0, err
	}
	return len(statements) + 1, nil
}

// Finish builds the indexes and counters that [Load.Begin] left out, in several
// transactions. It takes seconds for each million records, and does nothing if nothing
// is pending. When ctx ends it stops, and a later call continues from there.
func (l Load) Finish(ctx context.Context) error {
	for done := false; !done; {
		left, err := l.Steps(ctx)
		if err == nil && left == 1 {
			// Without the vacuum each count would read the rows instead of only the
			// index, which takes four times as long.
			err = l.store.Database.Vacuum(ctx, largeTables...)
		}
		if err == nil {
			err = l.store.Write(ctx, func(_ context.Context, w *Tx) (err error) {
				// Use the outer ctx: building an index takes so long that it must stop
				// with it, unlike other work in a transaction.
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

// largeTables are the tables whose indexes [Load.Begin] drops.
var largeTables = []string{mint.Table, burn.Table, block.Table}

// indexTime is how long PostgreSQL may take to build an index of all records.
const indexTime = 12 * time.Hour

// finishStep builds one index or, when none is left, the counters. It returns true
// when nothing is left.
func finishStep(ctx context.Context, w *Tx) (done bool, err error) {
	if !w.loading {
		return true, nil
	}
	if err := w.Allow(ctx, indexTime); err != nil {
		return false, err
	}
	if w.Dialect() == dialect.Postgres {
		// If the server's default is off, this commit also flushes those of the load, which
		// the vacuum requires.
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
		// Autovacuum would do it minutes later. Before that, PostgreSQL plans for empty
		// tables.
		if _, err := w.Exec(ctx, entsql.Raw("ANALYZE "+strings.Join(largeTables, ", "))); err != nil {
			return false, fmt.Errorf("gathering statistics: %w", err)
		}
		// Find the largest scopes in index order. By default PostgreSQL would read all rows
		// and build a hash of all tokens on disk, in twice the time.
		if _, err := w.Exec(ctx, entsql.Raw(database.OrderedPlans+"; SET LOCAL enable_hashagg = off")); err != nil {
			return false, fmt.Errorf("planning: %w", err)
		}
	}
	if err := createTrees(ctx, w, w.Counters); err != nil {
		return false, err
	}
	if err := derive.SetColumns(ctx, w.Tx, derive.Columns(w.Dialect())[:derive.RecordColumns], derive.All(contract.FieldID)); err != nil {
		return false, err
	}
	if err := derive.SetExcess(ctx, w.Tx, derive.All); err != nil {
		return false, err
	}
	if err := tables.Remove(ctx, w.client, tables.PendingIndexes); err != nil {
		return false, err
	}
	w.loading = false
	return true, nil
}
