package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/ent/setting"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// A new database is loaded without the indexes of its largest tables and
// without counters, which are made at the end: an index that is sorted once
// takes a quarter of the time that its entries take one by one, and does not
// slow down as it grows.
//
// The database itself says so, in the setting postponed: while it is there, no
// writer of any process keeps counters. Its value is what remains to be done,
// and each step of [Store.FinishLoad] takes itself off in the transaction that
// does it: whoever comes next, after a crash as well, goes on from there.
//
// Readers need not know. Without an index the database looks through the table,
// without a counter it counts: slowly, and with the same answer.

// BeginLoad postpones the indexes of a database that holds no blocks yet, until
// [Store.FinishLoad], which must follow. It leaves any other database as it is.
func (s *Store) BeginLoad(ctx context.Context) error {
	loading := false
	_, err := s.write(ctx, func(ctx context.Context, w *writer) (err error) {
		if loading = w.loading; loading {
			return nil
		}
		if loading, err = w.fresh(ctx); err != nil || !loading {
			return err
		}
		return w.postpone(ctx)
	})
	if err == nil && loading && s.dialect == dialect.SQLite {
		// Tables that grow at their ends need no large cache; and what is sorted
		// in one go is as large as the cache: small parts are sorted faster.
		_, err = s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA cache_size = %d", smallCache))
	}
	if err != nil {
		return fmt.Errorf("beginning to load: %w", err)
	}
	return nil
}

// fresh reports whether no blocks were ever stored.
func (w *writer) fresh(ctx context.Context) (bool, error) {
	client := w.store.client(w.tx)
	for _, exist := range []func(context.Context) (bool, error){client.Block.Query().Exist, client.Coverage.Query().Exist, client.Counter.Query().Exist} {
		found, err := exist(ctx)
		if err != nil || found {
			return false, err
		}
	}
	return true, nil
}

// postpone drops the indexes that are built when all is loaded, and notes the
// statements that make them again.
func (w *writer) postpone(ctx context.Context) error {
	// Not those that are UNIQUE: they hold as well as find.
	of, name, definition := "sqlite_schema", "name", "sql"
	table, here := "tbl_name", entsql.EQ("type", "index")
	if w.store.dialect == dialect.Postgres {
		of, name, definition = "pg_indexes", "indexname", "indexdef"
		table, here = "tablename", entsql.ExprP("schemaname = current_schema()")
	}
	list := w.store.builder().Select(name, definition).From(entsql.Table(of)).
		Where(entsql.And(here, entsql.In(table, mint.Table, burn.Table, block.Table), entsql.HasPrefix(definition, "CREATE INDEX ")))
	var names, statements []string
	err := w.query(ctx, list, func(scan func(...any) error) error {
		var name, statement string
		err := scan(&name, &statement)
		names, statements = append(names, name), append(statements, statement)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	for _, name := range names {
		if _, err := w.exec(ctx, entsql.Raw("DROP INDEX "+name)); err != nil {
			return fmt.Errorf("dropping index %s: %w", name, err)
		}
	}
	return w.setJSON(ctx, settingPostponed, statements)
}

// Loading reports whether [Store.FinishLoad] has something to do: a load goes
// on, in this process or another, or one was broken off.
func (s *Store) Loading(ctx context.Context) (loading bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return snapshot.client().Setting.Query().Where(setting.ID(settingPostponed)).Exist(ctx)
}

// FinishLoad makes what [Store.BeginLoad] postponed, in several transactions:
// seconds for each million records. It does nothing when nothing is postponed.
// When ctx ends it stops where it is, and a later call goes on from there.
func (s *Store) FinishLoad(ctx context.Context) error {
	loaded := false
	for done := false; !done; {
		_, err := s.write(ctx, func(_ context.Context, w *writer) (err error) {
			loaded = loaded || w.loading
			// An index takes long enough to watch the context, unlike all else
			// that a transaction does.
			done, err = w.finishStep(ctx)
			return err
		})
		if err != nil {
			return fmt.Errorf("building indexes: %w", err)
		}
	}
	if loaded && s.dialect == dialect.Postgres {
		// Autovacuum does it minutes later; until then the plans are those for empty
		// tables.
		if _, err := s.writer.ExecContext(ctx, "ANALYZE "+strings.Join([]string{mint.Table, burn.Table, block.Table}, ", ")); err != nil {
			return fmt.Errorf("gathering statistics: %w", err)
		}
	}
	return nil
}

// finishStep builds one index or, when none is left, the counters. It reports
// whether that was all.
func (w *writer) finishStep(ctx context.Context) (done bool, err error) {
	if !w.loading {
		return true, nil
	}
	var statements []string
	if err := w.get(ctx, map[string]any{settingPostponed: &statements}); err != nil {
		return false, err
	}
	if len(statements) > 0 {
		if _, err := w.exec(ctx, entsql.Raw(statements[0])); err != nil {
			return false, err
		}
		return false, w.setJSON(ctx, settingPostponed, statements[1:])
	}
	if err := w.counters.createTrees(ctx); err != nil {
		return false, err
	}
	if err := w.store.client(w.tx).Setting.DeleteOneID(settingPostponed).Exec(ctx); err != nil {
		return false, fmt.Errorf("ending the load: %w", err)
	}
	w.loading = false
	return true, nil
}

// createTrees gives a tree to every scope of more than leafSize records.
func (c *counters) createTrees(ctx context.Context) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		overFull, err := c.overFullScopes(ctx, kind)
		if err != nil {
			return fmt.Errorf("counting %ss: %w", kind, err)
		}
		for _, name := range slices.Sorted(maps.Keys(overFull)) {
			if err := c.saveLeaf(ctx, scope(name).query(), node{n: overFull[name]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// overFullScopes counts the records of each scope of a kind that has more than
// leafSize, on indexes that yield a scope's records next to each other.
func (c *counters) overFullScopes(ctx context.Context, kind nft.Kind) (map[string]int64, error) {
	names, overFull := scopes{kind: kind}, map[string]int64{}
	note := func(s scope, n int64) {
		if n > leafSize {
			overFull[string(s)] = n
		}
	}
	var contract, head, n int64
	var token evm.Uint256
	var tail []byte
	number := entsql.Count("*")
	by := func(columns ...string) *entsql.Selector {
		table := c.store.builder().Table((&query{kind: kind}).table())
		return c.store.builder().Select(columns...).From(table).GroupBy(columns...)
	}
	many := entsql.GT(number, leafSize)
	err := c.query(ctx, by().AppendSelect(number), func(scan func(...any) error) error {
		err := scan(&n)
		note(names.all(), n)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = c.query(ctx, by(mint.FieldContractID).AppendSelect(number).Having(many), func(scan func(...any) error) error {
		err := scan(&contract, &n)
		note(names.contract(contract), n)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = c.query(ctx, by(mint.FieldContractID, mint.FieldTokenID).AppendSelect(number).Having(many), func(scan func(...any) error) error {
		err := scan(&contract, &token, &n)
		note(names.token(contract, token), n)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Only rows have the whole of an account: those are read whose part in the
	// index is overFull.
	heads := by(mint.FieldAccountHead).Having(many)
	accounts := map[evm.Address]int64{}
	err = c.query(ctx, by(mint.FieldAccountHead, mint.FieldAccountTail, mint.FieldContractID).AppendSelect(number).
		Where(entsql.In(mint.FieldAccountHead, heads)), func(scan func(...any) error) error {
		if err := scan(&head, &tail, &contract, &n); err != nil {
			return err
		}
		account, err := evm.JoinAddress(head, tail)
		accounts[account] += n
		note(names.accountContract(account, contract), n)
		return err
	})
	for account, n := range accounts {
		note(names.account(account), n)
	}
	return overFull, err
}
