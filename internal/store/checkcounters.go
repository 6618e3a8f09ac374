package store

import (
	"context"
	"encoding/binary"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/counter"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// The parts of a tree that are compared in one snapshot: so many leaves, with about
// so many records.
const (
	checkCells   = 1_024
	checkRecords = 100_000
	// cellsAtOnce is how many leaves one statement counts.
	cellsAtOnce = 64
)

// counters compares all trees with the records, and looks for scopes whose tree is
// missing.
func (c *checker) counters(ctx context.Context) error {
	loading := false
	err := c.read(ctx, func(s *Snapshot) (err error) {
		loading, err = s.loading(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if loading {
		c.note("the database is being loaded: it has no counters yet")
		return nil
	}
	trees := treeCheck{checker: c}
	for more := true; more && err == nil; {
		more, err = trees.step(ctx)
	}
	if err == nil {
		err = c.strayNodes(ctx)
	}
	if err == nil {
		err = c.missingTrees(ctx)
	}
	return err
}

// CounterCheck compares counters with records, a part at a time.
type CounterCheck struct{ trees treeCheck }

// CheckCounters returns a check that repairs counters. report is called with each
// difference, one line.
func (s *Store) CheckCounters(report func(line string)) *CounterCheck {
	return &CounterCheck{treeCheck{checker: newChecker(s, CheckOptions{Repair: true, Report: report})}}
}

// Step compares the next part: one filter's counters, or some of them if they are
// many. After the last it begins again.
func (c *CounterCheck) Step(ctx context.Context) error {
	more, err := c.trees.step(ctx)
	if err == nil && !more {
		c.trees = treeCheck{checker: newChecker(c.trees.store, c.trees.opts)}
	}
	return err
}

// treeCheck compares the trees of counters with the records, in the order of their
// scopes.
type treeCheck struct {
	*checker
	// scope is the tree that was compared last; of one that is begun the blocks
	// below from are compared.
	scope scope
	begun bool
	from  uint64
}

// step compares the next part of a tree. It returns false when there is none.
func (t *treeCheck) step(ctx context.Context) (more bool, err error) {
	var walk treeWalk
	unknown := false
	err = t.read(ctx, func(s *Snapshot) error {
		loading, err := s.loading(ctx)
		if err != nil || loading {
			return err
		}
		if !t.begun {
			t.scope, more, err = s.scopeAfter(ctx, t.scope)
			if err != nil || !more {
				return err
			}
			t.begun, t.from = true, 0
		}
		more = true
		if !t.scope.valid() {
			unknown = true
			return nil
		}
		walk = treeWalk{snapshot: s, scope: t.scope, from: t.from, at: t.from}
		if err := walk.compare(ctx); err != nil {
			return err
		}
		name := s.scopeName(ctx, t.scope)
		for _, f := range walk.faults {
			t.differ("counters of %s, blocks %d to %d: %s", name, f.span.From, f.span.To, f.what)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	t.begun, t.from = walk.full, walk.at
	if unknown {
		return more, t.unknownScope(ctx)
	}
	t.compared(walk.expected)
	if len(walk.faults) == 0 {
		return more, nil
	}
	q := t.scope.query()
	return more, t.repair(ctx, func(ctx context.Context, w *writer) error {
		for _, f := range walk.faults {
			if err := w.counters.repair(ctx, q, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// scopeAfter returns the first scope with counters after another.
func (s *Snapshot) scopeAfter(ctx context.Context, after scope) (scope, bool, error) {
	row, err := s.client().Counter.Query().Where(counter.ScopeGT(append([]byte{}, after...))).
		Order(inTreeOrder).First(ctx)
	if ent.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading counters: %w", err)
	}
	return row.Scope, true, nil
}

// inTreeOrder is the order of the index of counters.
func inTreeOrder(s *entsql.Selector) {
	s.OrderBy(s.C(counter.FieldScope), s.C(counter.FieldLevel), s.C(counter.FieldBucket))
}

// valid reports whether s is the name of a filter.
func (s scope) valid() bool {
	if len(s) < 2 || s[0] > byte(nft.Burn) {
		return false
	}
	switch s[1] {
	case '*':
		return len(s) == 2
	case 'c':
		return len(s) == 2+8
	case 'a':
		return len(s) == 2+20
	case 'b':
		return len(s) == 2+20+8
	case 't':
		var id evm.Uint256
		return len(s) > 2+8 && id.Scan([]byte(s[10:])) == nil
	default:
		return false
	}
}

// scopeName is a scope in the line of a difference.
func (s *Snapshot) scopeName(ctx context.Context, of scope) string {
	kind, value := nft.Kind(of[0]).String()+"s", of[2:]
	account := ""
	if of[1] == 'a' || of[1] == 'b' {
		account, value = " of account "+evm.Address(value[:20]).String(), value[20:]
	}
	collection := ""
	if of[1] == 'b' || of[1] == 'c' || of[1] == 't' {
		collection = " of collection " + s.contractName(ctx, of.contractID())
	}
	if of[1] == 't' {
		var id evm.Uint256
		// valid has read it.
		_ = id.Scan([]byte(value[8:]))
		return kind + " of token " + id.String() + collection
	}
	return kind + account + collection
}

// treeWalk compares a tree with the records from a block on.
type treeWalk struct {
	snapshot *Snapshot
	scope    scope
	from     uint64
	// at is the first block that no cell has.
	at uint64
	// cells are the leaves and the gaps between them, which add up to expected;
	// full says that there are enough of them.
	cells    []cell
	expected int64
	full     bool
	faults   []treeFault
}

// cell is blocks with the number of records that the tree says they have.
type cell struct {
	span Range
	n    int64
	// gap says that they are of no leaf.
	gap bool
}

// treeFault is what is wrong with a part of a tree.
type treeFault struct {
	span Range
	what string
	// gap says that no leaf counts the blocks.
	gap bool
}

func (w *treeWalk) fault(span Range, gap bool, format string, args ...any) {
	w.faults = append(w.faults, treeFault{span, fmt.Sprintf(format, args...), gap})
}

// compare walks from the root to the leaves and counts their records.
func (w *treeWalk) compare(ctx context.Context) error {
	roots, err := w.children(ctx, node{level: -1}, Range{})
	if err != nil {
		return err
	}
	if len(roots) == 0 {
		// Nobody reads what is below: it is looked for elsewhere.
		return nil
	}
	if err := w.visit(ctx, roots[0]); err != nil {
		return err
	}
	if end := roots[0].span().To; !w.full && w.at <= end {
		w.cells = append(w.cells, cell{span: Range{From: w.at, To: end}, gap: true})
	}
	for start := 0; start < len(w.cells); start += cellsAtOnce {
		cells := w.cells[start:min(start+cellsAtOnce, len(w.cells))]
		counts, err := w.snapshot.countCells(ctx, w.scope.query(), cells)
		if err != nil {
			return err
		}
		for i, one := range cells {
			if counts[i] != one.n {
				w.fault(one.span, one.gap, "%d records are counted, %d are stored", one.n, counts[i])
			}
		}
	}
	return nil
}

// visit adds the leaves of a node.
func (w *treeWalk) visit(ctx context.Context, n node) error {
	span := n.span()
	deepest := n.level == len(levelShifts)-1
	switch {
	case w.full || span.To < w.from:
		return nil
	case n.split && deepest:
		w.fault(span, false, "a single block is split")
		w.leaf(span, n.n)
		return nil
	case !n.split:
		if n.overFull() {
			w.fault(span, false, "%d records are not split, at most %d are", n.n, leafSize)
		}
		w.leaf(span, n.n)
		return nil
	}
	shift := levelShifts[n.level+1]
	parts, err := w.children(ctx, n, Range{From: span.From >> shift, To: span.To >> shift})
	if err != nil {
		return err
	}
	if w.from <= span.From {
		sum := int64(0)
		for _, part := range parts {
			sum += part.n
		}
		if sum != n.n {
			w.fault(span, false, "level %d counts %d records, its parts %d", n.level, n.n, sum)
		}
	}
	for _, part := range parts {
		if err := w.visit(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

func (w *treeWalk) leaf(span Range, n int64) {
	if w.at < span.From {
		w.cells = append(w.cells, cell{span: Range{From: w.at, To: span.From - 1}, gap: true})
	}
	w.cells, w.at = append(w.cells, cell{span: span, n: n}), span.To+1
	w.expected += n
	w.full = len(w.cells) >= checkCells || w.expected >= checkRecords
}

// children reads the parts of a node, in order.
func (w *treeWalk) children(ctx context.Context, n node, buckets Range) ([]node, error) {
	rows, err := w.snapshot.client().Counter.Query().Where(counter.Scope(w.scope), counter.Level(int8(n.level+1)),
		counter.BucketGTE(int64(buckets.From)), counter.BucketLTE(int64(buckets.To))).Order(counter.ByBucket()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading counters: %w", err)
	}
	parts := make([]node, len(rows))
	for i, row := range rows {
		parts[i] = node{level: n.level + 1, bucket: uint64(row.Bucket), n: row.N, split: row.Split}
	}
	return parts, nil
}

// countCells counts the records of each cell, with one statement.
func (s *Snapshot) countCells(ctx context.Context, q *query, cells []cell) ([]int64, error) {
	args := q.args(s.store.dialect, selection{hi: maxPos})
	equalities := len(args)
	for i := range cellsAtOnce {
		lo, hi := int64(1), int64(0)
		if i < len(cells) {
			lo, hi = firstIn(cells[i].span.From), lastIn(min(cells[i].span.To, MaxBlock))
		}
		args = append(args, i, lo, hi)
	}
	text := s.statement(q.key("count cells", selection{}), func(*ent.Client) entsql.Querier { return s.selectCells(q, args[equalities:]) })
	counts := make([]int64, cellsAtOnce)
	err := s.run(ctx, text, args, func(row *database.Row) error {
		i, n := row.Unsigned(cellsAtOnce-1), row.Int64()
		if row.Err() == nil {
			counts[i] = n
		}
		return row.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("counting records: %w", err)
	}
	return counts[:len(cells)], nil
}

// selectCells builds the statement of countCells: for each cell, a range of the
// index of the query's filter.
func (s *Snapshot) selectCells(q *query, cells []any) entsql.Querier {
	builder := s.store.builder()
	records := builder.Table(q.table())
	count := builder.Select(entsql.Count("*")).From(records)
	q.where(selection{hi: maxPos})(count)
	for _, bound := range []struct {
		op     entsql.Op
		column string
	}{{entsql.OpGTE, "low"}, {entsql.OpLTE, "high"}} {
		count.Where(entsql.P(func(b *entsql.Builder) {
			compare := func(b *entsql.Builder) {
				b.WriteString(records.C(mint.FieldID)).WriteOp(bound.op).WriteString(bound.column)
			}
			if b.Dialect() != dialect.SQLite || len(q.index) == 0 {
				compare(b)
				return
			}
			b.WriteString("likely").Wrap(compare) // See query.bound.
		}))
	}
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(s.store.dialect)
		b.WriteString("SELECT i, ").Wrap(func(b *entsql.Builder) { b.Join(count) }).WriteString(" FROM ")
		writeIntegers(b, "cells", cells, "i", "low", "high")
	})
}

// contractID returns the contract of a scope that has one.
func (s scope) contractID() int64 {
	value := s[2:]
	if s[1] == 'b' {
		value = value[20:]
	}
	return int64(binary.BigEndian.Uint64(value))
}

// unknownScope reports counters that belong to no filter. Nobody reads them. They
// are set to 0, not removed: see [counters.repair].
func (t *treeCheck) unknownScope(ctx context.Context) error {
	n := 0
	err := t.read(ctx, func(s *Snapshot) (err error) {
		n, err = s.client().Counter.Query().Where(counter.Scope(t.scope), counter.NNEQ(0)).Count(ctx)
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	t.differ("counters of the unknown filter 0x%x: %d rows are not 0", []byte(t.scope), n)
	return t.repair(ctx, func(ctx context.Context, w *writer) error {
		return w.store.client(w.tx).Counter.Update().Where(counter.Scope(t.scope)).SetN(0).SetSplit(false).Exec(ctx)
	})
}
