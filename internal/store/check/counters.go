package check

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
	"mintburn/internal/store/write"
)

// checkCounters compares all counter trees with the records, and looks for scopes whose
// tree is missing.
func checkCounters(ctx context.Context, c *checker) error {
	loading := false
	err := c.read(ctx, func(s *read.Snapshot) (err error) {
		_, loading, err = tables.Setting(ctx, s.Client(), tables.PendingIndexes)
		return err
	})
	if err != nil {
		return err
	}
	if loading {
		c.note("the database is being loaded: it has no counters yet")
		return nil
	}
	trees := Counters{checker: c}
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

// Counters compares the counter trees with the records, a part at a time, in the order
// of their scopes.
type Counters struct {
	*checker
	// scope is the scope of the last compared tree. If begun, only the blocks below from
	// have been compared.
	scope counter.Scope
	begun bool
	from  uint64
}

// NewCounters returns a check that repairs counters. It calls report with one line for
// each difference.
func NewCounters(s *write.DB, report func(line string)) *Counters {
	return &Counters{checker: newChecker(s, Options{Repair: true, Report: report})}
}

// Step compares the next part: the counters of one filter, or some of them if there are
// many. After the last part it starts again.
func (t *Counters) Step(ctx context.Context) error {
	more, err := t.step(ctx)
	if err == nil && !more {
		*t = Counters{checker: newChecker(t.store, t.opts)}
	}
	return err
}

// step compares the next part of a tree. It returns false if no tree is left.
func (t *Counters) step(ctx context.Context) (more bool, err error) {
	var found counter.Comparison
	unknown := false
	err = t.read(ctx, func(s *read.Snapshot) error {
		_, loading, err := tables.Setting(ctx, s.Client(), tables.PendingIndexes)
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
		if found, err = counter.Compare(ctx, total.NewReader(s), t.scope, t.from); err != nil {
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
	return more, repairEach(ctx, t.checker, found.Faults, func(ctx context.Context, w *write.Tx, f counter.Fault) error {
		return w.Counters.Repair(ctx, t.scope, f)
	})
}

// scopeAfter returns the first scope after another that has counters.
func scopeAfter(ctx context.Context, s *read.Snapshot, after counter.Scope) (counter.Scope, bool, error) {
	row, found, err := tables.Found(s.Client().Counter.Query().Where(entcounter.ScopeGT(append([]byte{}, after...))).Order(func(s *entsql.Selector) {
		// The order of the index.
		s.OrderBy(s.C(entcounter.FieldScope), s.C(entcounter.FieldLevel), s.C(entcounter.FieldBucket))
	}).First(ctx))
	if err != nil || !found {
		return nil, false, database.Wrap(err, "reading counters")
	}
	return row.Scope, true, nil
}

// unknownScope reports counters that belong to no filter and are never read. A repair sets
// them to 0 instead of removing them: see [counter.Trees.Repair].
func (t *Counters) unknownScope(ctx context.Context) error {
	n := 0
	err := t.read(ctx, func(s *read.Snapshot) (err error) {
		n, err = s.Client().Counter.Query().Where(entcounter.Scope(t.scope), entcounter.Or(entcounter.NNEQ(0), entcounter.AmountNotNil())).Count(ctx)
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	t.differ("counters of the unknown filter 0x%x: %d rows are not 0", []byte(t.scope), n)
	return t.repair(ctx, func(ctx context.Context, w *write.Tx) error {
		return w.Client().Counter.Update().Where(entcounter.Scope(t.scope)).SetN(0).SetSplit(false).ClearAmount().Exec(ctx)
	})
}

// checkStrayNodes looks for counters that no tree reaches. They would count as soon as the
// node above them is split.
func checkStrayNodes(ctx context.Context, c *checker) error {
	return c.pages(ctx, entcounter.Table, func(s *read.Snapshot, above, last int64) error {
		rows, err := s.Client().Counter.Query().Where(entcounter.IDGT(int(above)), entcounter.IDLTE(int(last)), stray).Order(entcounter.ByID()).All(ctx)
		if err != nil {
			return fmt.Errorf("reading counters: %w", err)
		}
		rows = slices.DeleteFunc(rows, func(row *ent.Counter) bool {
			_, ok := counter.Scope(row.Scope).Filter()
			return !ok // The tree check reports it.
		})
		for _, row := range rows {
			c.differ("counters of %s: level %d, part %d, counts %d records, and no tree has it", scopeName(ctx, s, counter.Scope(row.Scope)), row.Level, row.Bucket, row.N)
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *write.Tx, row *ent.Counter) error {
			// A tree may contain it by now.
			return w.Client().Counter.Update().Where(entcounter.ID(row.ID), stray).SetN(0).SetSplit(false).ClearAmount().Exec(ctx)
		})
	})
}

// stray selects the counters, other than 0, that are neither roots nor children of a split
// node.
func stray(s *entsql.Selector) {
	builder := entsql.Dialect(s.Dialect())
	above := builder.Table(entcounter.Table).As("above")
	parent := builder.Select(above.C(entcounter.FieldID)).From(above).Where(entsql.And(
		entsql.ColumnsEQ(above.C(entcounter.FieldScope), s.C(entcounter.FieldScope)),
		entsql.P(func(b *entsql.Builder) {
			b.WriteString(above.C(entcounter.FieldSplit) + " AND " + above.C(entcounter.FieldLevel) + " = " + s.C(entcounter.FieldLevel) + " - 1 AND ")
			b.WriteString(above.C(entcounter.FieldBucket) + " = " + s.C(entcounter.FieldBucket) + " >> CASE " + s.C(entcounter.FieldLevel))
			for level := 1; level < counter.Levels; level++ {
				b.WriteString(fmt.Sprintf(" WHEN %d THEN %d", level, counter.Shift(level-1)-counter.Shift(level)))
			}
			b.WriteString(" ELSE 0 END")
		})))
	s.Where(entsql.And(
		entsql.P(func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) {
				b.WriteString(s.C(entcounter.FieldN) + " <> 0 OR " + s.C(entcounter.FieldSplit) + " OR " + s.C(entcounter.FieldAmount) + " IS NOT NULL")
			})
		}),
		entsql.Or(
			entsql.And(entsql.EQ(s.C(entcounter.FieldLevel), 0), entsql.NEQ(s.C(entcounter.FieldBucket), 0)),
			entsql.LT(s.C(entcounter.FieldLevel), 0),
			entsql.And(entsql.GT(s.C(entcounter.FieldLevel), 0), entsql.NotExists(parent)),
		)))
}

// checkMissingTrees looks for scopes with many records and no tree: their totals are
// correct but slow.
func checkMissingTrees(ctx context.Context, c *checker) error {
	none := [2]int64{1, 0}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		large := map[string]int64{string(counter.Filter{Kind: kind}.Scope()): 0}
		add := func(s *read.Snapshot, p query.Portion) error {
			some, err := query.LargeScopes(ctx, s.Tx, kind, total.MaxWithoutTree, p)
			maps.Copy(large, some)
			return err
		}
		err := c.pages(ctx, contract.Table, func(s *read.Snapshot, above, last int64) error {
			return add(s, query.Portion{Contracts: [2]int64{above + 1, last}, Accounts: none})
		})
		// The accounts are read in parts, by their first four bits.
		const part = 1 << 60
		for i := int64(math.MinInt64 / part); i <= math.MaxInt64/part && err == nil; i++ {
			err = c.read(ctx, func(s *read.Snapshot) error {
				return add(s, query.Portion{Contracts: none, Accounts: [2]int64{i * part, i*part + (part - 1)}})
			})
		}
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(large)) {
			if err := checkMissingTree(ctx, c, counter.Scope(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMissingTree reports a scope with many records if it has no tree.
func checkMissingTree(ctx context.Context, c *checker, of counter.Scope) error {
	missing := false
	err := c.read(ctx, func(s *read.Snapshot) error {
		exists, err := s.Client().Counter.Query().Where(isRoot(of)...).Exist(ctx)
		if err != nil || exists {
			return err
		}
		n, err := total.Count(ctx, s, query.OfScope(of), evm.Range{To: counter.LastBlock}, false)
		if missing = err == nil && n > total.MaxWithoutTree; missing {
			c.differ("counters of %s: they are missing for %d records", scopeName(ctx, s, of), n)
		}
		return err
	})
	if err != nil || !missing {
		return err
	}
	return c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
		exists, err := w.Client().Counter.Query().Where(isRoot(of)...).Exist(ctx)
		if err != nil || exists {
			return err
		}
		return w.Counters.Rebuild(ctx, of, counter.Node{})
	})
}

func isRoot(of counter.Scope) []predicate.Counter {
	return []predicate.Counter{entcounter.Scope(of), entcounter.Level(0), entcounter.Bucket(0)}
}
