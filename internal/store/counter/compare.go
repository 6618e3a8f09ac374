package counter

import (
	"context"
	"fmt"
	"slices"

	"mintburn/internal/evm"
)

// The limits of one comparison: it ends with the leaf that reaches this number of
// leaves and gaps, or of records.
const (
	compareCells   = 1_024
	compareRecords = 100_000
)

// CellsAtOnce is the most ranges that one call of [Reader.CountEach] counts.
const CellsAtOnce = 64

// Fault is an error in a part of a tree.
type Fault struct {
	Span evm.Range
	// What describes the error.
	What string
	// Gap is set if no leaf counts the blocks.
	Gap bool
}

// Comparison is the result of [Compare].
type Comparison struct {
	Faults []Fault
	// Records is the number of records that the compared leaves count.
	Records int64
	// More is set if blocks are left to compare; Next is the first of them.
	Next uint64
	More bool
}

// Compare compares a bounded part of a scope's tree, from a block on, with the stored
// records. A scope without a tree has no faults.
func Compare(ctx context.Context, r Reader, s Scope, from uint64) (Comparison, error) {
	w := walk{reader: r, scope: s, from: from, Comparison: Comparison{Next: from}}
	roots, err := r.Nodes(ctx, s, 0, evm.Range{})
	if err != nil || len(roots) == 0 {
		return w.Comparison, err
	}
	if err := w.visit(ctx, roots[0]); err != nil {
		return w.Comparison, err
	}
	if !w.More && w.Next <= LastBlock {
		w.cells = append(w.cells, cell{span: evm.Range{From: w.Next, To: LastBlock}, gap: true})
	}
	for cells := range slices.Chunk(w.cells, CellsAtOnce) {
		if err := w.count(ctx, cells); err != nil {
			return w.Comparison, err
		}
	}
	return w.Comparison, nil
}

// walk visits the nodes of a tree, from the root to the leaves.
type walk struct {
	Comparison
	reader Reader
	scope  Scope
	from   uint64
	// cells are the leaves and the gaps between them.
	cells []cell
}

// cell is a range of blocks with its tally in the tree.
type cell struct {
	span  evm.Range
	tally Tally
	// gap is set if no leaf counts the blocks.
	gap bool
}

// count compares cells with the stored records.
func (w *walk) count(ctx context.Context, cells []cell) error {
	spans := make([]evm.Range, len(cells))
	for i, one := range cells {
		spans[i] = one.span
	}
	counts, err := w.reader.CountEach(ctx, w.scope, spans)
	if err != nil {
		return err
	}
	for i, one := range cells {
		switch stored := counts[i]; {
		case stored.N != one.tally.N:
			w.fault(one.span, one.gap, "%d records are counted, %d are stored", one.tally.N, stored.N)
		case stored != one.tally:
			w.fault(one.span, one.gap, "the amount %s is counted, %s is stored", one.tally.Amount, stored.Amount)
		}
	}
	return nil
}

func (w *walk) fault(span evm.Range, gap bool, format string, args ...any) {
	w.Faults = append(w.Faults, Fault{span, fmt.Sprintf(format, args...), gap})
}

// visit adds the leaves below a node, and checks the nodes on the way.
func (w *walk) visit(ctx context.Context, n Node) error {
	span := n.Span()
	switch {
	case w.More || span.To < w.from:
		return nil
	case n.Split && n.Level == Levels-1:
		w.fault(span, false, "a single block is split")
		w.leaf(span, n.Tally)
		return nil
	case !n.Split:
		if n.overFull() {
			w.fault(span, false, "not split: got %d records, want at most %d", n.N, LeafSize)
		}
		w.leaf(span, n.Tally)
		return nil
	}
	parts, err := w.reader.Nodes(ctx, w.scope, n.Level+1, n.parts())
	if err != nil {
		return err
	}
	if w.from <= span.From {
		switch sum := sumOf(parts); {
		case sum.N != n.N:
			w.fault(span, false, "level %d counts %d records, its parts %d", n.Level, n.N, sum.N)
		case sum != n.Tally:
			w.fault(span, false, "level %d counts the amount %s, its parts %s", n.Level, n.Amount, sum.Amount)
		}
	}
	for _, part := range parts {
		if err := w.visit(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// leaf adds a leaf, and the gap before it.
func (w *walk) leaf(span evm.Range, records Tally) {
	if w.Next < span.From {
		w.cells = append(w.cells, cell{span: evm.Range{From: w.Next, To: span.From - 1}, gap: true})
	}
	w.cells, w.Next = append(w.cells, cell{span: span, tally: records}), span.To+1
	w.Records += records.N
	w.More = len(w.cells) >= compareCells || w.Records >= compareRecords
}
