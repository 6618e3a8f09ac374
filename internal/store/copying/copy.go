package copying

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/change"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/resolution"
	"mintburn/ent/setting"
	"mintburn/ent/token"
	"mintburn/ent/version"
	"mintburn/internal/database"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

const (
	// derivedAtOnce is how many collections one transaction derives the rows of.
	derivedAtOnce = 100
	// longest is how long PostgreSQL may take for one statement.
	longest = 12 * time.Hour
)

// Begin marks a target and empties it. It fails for a database that has rows, unless it is an unfinished copy.
// The target must be open with [write.Options.Copies].
func Begin(ctx context.Context, to *write.DB) error {
	return to.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		_, rest, err := tables.Setting(ctx, w.Client(), tables.Copying)
		if err != nil {
			return err
		}
		names := slices.Clone(derived)
		for _, t := range copied() {
			if t.name == setting.Table {
				continue
			}
			names = append(names, t.name)
			// A migration stores a row of changes.
			if rest || t.name == change.Table {
				continue
			}
			found := false
			some := entsql.Raw("SELECT EXISTS (SELECT 1 FROM " + t.name + ")")
			if err := w.Query(ctx, some, func(row *database.Row) error { return row.Values(&found) }); err != nil {
				return fmt.Errorf("reading %s: %w", t.name, err)
			}
			if found {
				return fmt.Errorf("the database has %s: want an empty one", strings.ReplaceAll(t.name, "_", " "))
			}
		}
		empty := "TRUNCATE " + strings.Join(names, ", ")
		if w.Dialect() == dialect.SQLite {
			empty = "DELETE FROM " + strings.Join(names, "; DELETE FROM ")
		}
		settings := w.Builder().Delete(setting.Table).Where(entsql.NotIn(setting.FieldID, own...))
		for _, statement := range []entsql.Querier{entsql.Raw(empty), settings} {
			if _, err := w.Exec(ctx, statement); err != nil {
				return fmt.Errorf("emptying the target: %w", err)
			}
		}
		return tables.Set(ctx, w.Client(), tables.Copying, true)
	})
}

// Rows copies the rows of a snapshot in the order of their keys, and calls done with each number of rows that the
// target has committed.
func Rows(ctx context.Context, from tables.Querier, to *write.DB, done func(rows int)) error {
	for _, t := range copied() {
		for above, more := int64(math.MinInt64), true; more; {
			var p part
			err := to.Write(ctx, func(ctx context.Context, w *write.Tx) error {
				// The transaction runs again if the target was lost.
				p = part{entity: t.entity, key: above, more: true}
				into := w.Inserter(t.name, t.columns)
				return database.InsertAll(ctx, func() error { return p.read(ctx, t, from, into) }, into)
			})
			if err != nil {
				return fmt.Errorf("copying %s: %w", t.name, err)
			}
			done(p.rows)
			above, more = p.key, p.more
		}
	}
	return nil
}

// Derive lets the ids of later rows go on after the copied ones, and derives what does not follow from records:
// [write.Load.Finish], which must follow, derives that. It calls done with each number of collections.
func Derive(ctx context.Context, to *write.DB, done func(collections int)) error {
	var last int64
	err := to.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		if w.Dialect() == dialect.Postgres {
			if err := prepare(ctx, w); err != nil {
				return err
			}
		}
		return w.Query(ctx, entsql.Raw("SELECT COALESCE(max(id), 0) FROM "+contract.Table), func(row *database.Row) error { return row.Values(&last) })
	})
	for above := int64(0); err == nil && above < last; above += derivedAtOnce {
		err = to.Write(ctx, func(ctx context.Context, w *write.Tx) error {
			if err := w.Allow(ctx, longest); err != nil {
				return err
			}
			state, err := derive.StateOf(ctx, w.Tx)
			if err != nil {
				return err
			}
			return state.Replace(ctx, w.Tx, derive.Collections{Above: above, Last: above + derivedAtOnce})
		})
		done(derivedAtOnce)
	}
	return database.Wrap(err, "deriving rows")
}

// prepare sets the next ids of PostgreSQL's tables, unless they have no sequence, and gathers the statistics that
// [write.Load.Finish] does not.
func prepare(ctx context.Context, w *write.Tx) error {
	statements := []string{"ANALYZE " + strings.Join([]string{contract.Table, contractmetadata.Table, token.Table, version.Table, resolution.Table}, ", ")}
	for _, t := range copied() {
		if t.name != setting.Table {
			statements = append(statements, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', 'id'), COALESCE(max(id), 0) + 1, false) FROM %[1]s", t.name))
		}
	}
	for _, text := range statements {
		if _, err := w.Exec(ctx, entsql.Raw(text)); err != nil {
			return err
		}
	}
	return nil
}

// End counts the rows of a copy and computes its digests. If they are as wanted, it ends the copy: every program opens
// the database. It fails if only digests differ.
func End(ctx context.Context, to *write.DB, want []Count, digests []digest.Digested) (got []Count, err error) {
	err = to.Write(ctx, func(ctx context.Context, w *write.Tx) error {
		err := w.Allow(ctx, longest)
		if err == nil {
			got, err = Counts(ctx, w)
		}
		if err != nil || !slices.Equal(want, got) {
			return err
		}
		copied, err := digest.Of(w.Tx, w.Client()).Indexed(ctx)
		if err != nil {
			return err
		}
		if !slices.Equal(digests, copied) {
			return fmt.Errorf("the source has the digests %v, the copy %v", digests, copied)
		}
		return tables.Remove(ctx, w.Client(), tables.Copying)
	})
	return got, err
}
