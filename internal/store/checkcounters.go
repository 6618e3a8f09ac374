package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	entcounter "mintburn/ent/counter"
	"mintburn/internal/database"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/tables"
)

// checkCounters compares all trees with the records, and looks for scopes whose
// tree is missing.
func checkCounters(ctx context.Context, c *checker) error {
	loading := false
	err := c.read(ctx, func(s *Snapshot) (err error) {
		_, loading, err = tables.Setting(ctx, s.client(), tables.PendingIndexes)
		return err
	})
	if err != nil {
		return err
	}
	if loading {
		c.note("the database is being loaded: it has no counters yet")
		return nil
	}
	trees := CounterCheck{checker: c}
	for more := true; more && err == nil; {
		more, err = trees.step(ctx)
	}
	if err == nil {
		err = checkStrayNodes(ctx, c)
	}
	if err == nil {
		err = checkMissingTrees(ctx, c)
	}
	return err
}

// CounterCheck compares the trees of counters with the records, a part at a time, in
// the order of their scopes.
type CounterCheck struct {
	*checker
	// scope is the tree that was compared last; of one that is begun the blocks
	// below from are compared.
	scope counter.Scope
	begun bool
	from  uint64
}

// CheckCounters returns a check that repairs counters. report is called with each
// difference, one line.
func (s *Store) CheckCounters(report func(line string)) *CounterCheck {
	return &CounterCheck{checker: newChecker(s, CheckOptions{Repair: true, Report: report})}
}

// Step compares the next part: one filter's counters, or some of them if they are
// many. After the last it begins again.
func (t *CounterCheck) Step(ctx context.Context) error {
	more, err := t.step(ctx)
	if err == nil && !more {
		*t = CounterCheck{checker: newChecker(t.store, t.opts)}
	}
	return err
}

// step compares the next part of a tree. It returns false when there is none.
func (t *CounterCheck) step(ctx context.Context) (more bool, err error) {
	var found counter.Comparison
	unknown := false
	err = t.read(ctx, func(s *Snapshot) error {
		_, loading, err := tables.Setting(ctx, s.client(), tables.PendingIndexes)
		if err != nil || loading {
			return err
		}
		if !t.begun {
			t.scope, more, err = scopeAfter(ctx, s, t.scope)
			if err != nil || !more {
				return err
			}
			t.begun, t.from = true, 0
		}
		more = true
		if _, ok := t.scope.Filter(); !ok {
			unknown = true
			return nil
		}
		if found, err = counter.Compare(ctx, counterReader{s.db, s.store.queries}, t.scope, t.from); err != nil {
			return err
		}
		name := scopeName(ctx, s, t.scope)
		for _, f := range found.Faults {
			t.differ("counters of %s, blocks %d to %d: %s", name, f.Span.From, f.Span.To, f.What)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	t.begun, t.from = found.More, found.Next
	if unknown {
		return more, t.unknownScope(ctx)
	}
	t.compared(found.Records)
	return more, repairEach(ctx, t.checker, found.Faults, func(ctx context.Context, w *writer, f counter.Fault) error {
		return w.counters.Repair(ctx, t.scope, f)
	})
}

// scopeAfter returns the first scope with counters after another.
func scopeAfter(ctx context.Context, s *Snapshot, after counter.Scope) (counter.Scope, bool, error) {
	row, found, err := tables.Found(s.client().Counter.Query().Where(entcounter.ScopeGT(append([]byte{}, after...))).Order(func(s *entsql.Selector) {
		// The order of the index.
		s.OrderBy(s.C(entcounter.FieldScope), s.C(entcounter.FieldLevel), s.C(entcounter.FieldBucket))
	}).First(ctx))
	if err != nil || !found {
		return nil, false, database.Wrap(err, "reading counters")
	}
	return row.Scope, true, nil
}

// unknownScope reports counters that belong to no filter, and that are never read.
// They are set to 0, not removed: see [counter.Trees.Repair].
func (t *CounterCheck) unknownScope(ctx context.Context) error {
	n := 0
	err := t.read(ctx, func(s *Snapshot) (err error) {
		n, err = s.client().Counter.Query().Where(entcounter.Scope(t.scope), entcounter.NNEQ(0)).Count(ctx)
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	t.differ("counters of the unknown filter 0x%x: %d rows are not 0", []byte(t.scope), n)
	return t.repair(ctx, func(ctx context.Context, w *writer) error {
		return w.client.Counter.Update().Where(entcounter.Scope(t.scope)).SetN(0).SetSplit(false).Exec(ctx)
	})
}
