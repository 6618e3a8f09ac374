package check

import (
	"context"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	entcounter "mintburn/ent/counter"
	"mintburn/internal/database"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// checkCounters compares all counter trees with the records. A scope may have many records and no
// tree: its totals are correct but slow.
func checkCounters(ctx context.Context, c *checker) (err error) {
	trees := Counters{checker: c}
	for more := true; more && err == nil; {
		more, err = trees.step(ctx)
	}
	return err
}

// Counters compares the counter trees with those that a shadow derives, some at a time, in the
// order of their scopes.
type Counters struct {
	*checker
	// after is the last key that may belong to the last compared tree.
	after []byte
}

// NewCounters returns a check that repairs counters. It calls report with one line for
// each difference.
func NewCounters(s *write.DB, report func(line string)) *Counters {
	return &Counters{checker: newChecker(s, Options{Repair: true, Report: report})}
}

// Step compares the next trees, which count about 100,000 records, or one tree that counts more.
// After the last part it starts again.
func (t *Counters) Step(ctx context.Context) error {
	more, err := t.step(ctx)
	if err == nil && !more {
		*t = Counters{checker: newChecker(t.store, t.opts)}
	}
	return err
}

// wrongTree is a tree that differs from the derived one, or a key that belongs to none.
type wrongTree struct {
	scope counter.Scope
	of    derive.Table
	rows  []derive.Difference
	key   []byte
}

// step compares the next trees. It returns false if none is left.
func (t *Counters) step(ctx context.Context) (more bool, err error) {
	var wrong []wrongTree
	err = database.Shadow(ctx, t.store.Database, []string{entcounter.Table}, func(ctx context.Context, tx *database.Tx) error {
		state, err := derive.StateOf(ctx, tx)
		if err != nil || state.Loading {
			return err
		}
		rows := derive.NewCounterRows(tx, ent.NewClient(ent.Driver(tx.Driver())), t.store.Queries)
		for compared := int64(0); compared < shadowRows; {
			var one wrongTree
			var n int64
			if one, n, more, err = t.compare(ctx, tx, rows); err != nil || !more {
				return err
			}
			if compared += n; one.scope != nil || one.key != nil {
				wrong = append(wrong, one)
			}
		}
		return nil
	})
	for i := 0; i < len(wrong) && err == nil; i++ {
		err = t.restore(ctx, wrong[i])
	}
	return more, err
}

// compare compares the next tree, and returns the number of its records. more is false if there
// is none.
func (t *Counters) compare(ctx context.Context, tx *database.Tx, rows *derive.CounterRows) (wrong wrongTree, n int64, more bool, err error) {
	first := tx.Builder().Select(entcounter.FieldID, entcounter.FieldN).From(entsql.Table(tx.Stored(entcounter.Table)).Unquote()).
		Where(entsql.GT(entcounter.FieldID, append([]byte{}, t.after...))).OrderBy(entcounter.FieldID).Limit(1)
	var id []byte
	if err := tx.Query(ctx, first, func(row *database.Row) error { return row.Values(&id, &n) }); err != nil || id == nil {
		return wrong, 0, false, database.Wrap(err, "reading counters")
	}
	scope, _, _, ok := counter.ParseKey(id)
	if t.after = id; !ok {
		return wrongTree{key: id}, 1, true, nil
	}
	t.after = counter.Key(scope, counter.Levels-1, math.MaxUint64)
	trees := counter.New(rows, nil)
	if err := trees.Rebuild(ctx, scope); err != nil {
		return wrong, 0, false, err
	}
	if err := trees.Flush(ctx); err != nil {
		return wrong, 0, false, err
	}
	wrong.of = derive.Tree(tx, scope)
	err = wrong.of.Compare(ctx, tx, func(d derive.Difference) error {
		wrong.scope, wrong.rows = scope, append(wrong.rows, d)
		return nil
	})
	t.compared(n)
	return wrong, max(n, 1), true, err
}

// restore reports a tree and replaces it by the derived one, or removes a key.
func (t *Counters) restore(ctx context.Context, wrong wrongTree) error {
	if wrong.key != nil {
		t.differ("counters: 0x%x belongs to no filter", wrong.key)
		return t.repair(ctx, func(ctx context.Context, w *write.Tx) error {
			_, err := w.Client().Counter.Delete().Where(entcounter.ID(wrong.key)).Exec(ctx)
			return err
		})
	}
	err := t.read(ctx, func(s *read.Snapshot) error {
		name := scopeName(ctx, s, wrong.scope)
		for _, d := range wrong.rows {
			_, level, bucket, _ := counter.ParseKey(d.Key(wrong.of)[0].([]byte))
			span := counter.Node{Level: level, Bucket: bucket}.Span()
			t.differ("counters of %s, blocks %d to %d: %s", name, span.From, span.To, d.What(wrong.of))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.repair(ctx, func(ctx context.Context, w *write.Tx) error { return w.Counters.Rebuild(ctx, wrong.scope) })
}
