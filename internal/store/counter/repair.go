package counter

import (
	"context"
	"slices"

	"mintburn/internal/evm"
)

// Repair recounts the leaf at the start of a fault, or each leaf of a gap, and adds up
// the nodes above. It never removes rows: the next process to create a tree would reuse
// their ids, and other processes would not notice the new tree.
func (t *Trees) Repair(ctx context.Context, s Scope, f Fault) error {
	for at := f.Span.From; at <= f.Span.To; {
		if f.Gap {
			// Only blocks with records have leaves.
			first, err := t.rows.CountBuckets(ctx, s, evm.Range{From: at, To: f.Span.To}, 0, 1)
			if err != nil || len(first) == 0 {
				return err
			}
			at = first[0].Bucket
		}
		leaf, err := t.repairLeaf(ctx, s, at)
		if err != nil || !f.Gap {
			return err
		}
		at = leaf.To + 1
	}
	return nil
}

// repairLeaf recounts the leaf that contains a block, and returns the leaf's blocks.
func (t *Trees) repairLeaf(ctx context.Context, s Scope, block uint64) (evm.Range, error) {
	path, err := t.path(ctx, s, block)
	if err != nil {
		return evm.Range{}, err
	}
	leaf := path[len(path)-1]
	if err := t.Rebuild(ctx, s, leaf); err != nil {
		return evm.Range{}, err
	}
	for _, n := range slices.Backward(path[:len(path)-1]) {
		parts, err := t.rows.Nodes(ctx, s, n.Level+1, n.parts())
		if err != nil {
			return evm.Range{}, err
		}
		n.Tally = sumOf(parts)
		if err := t.rows.Save(ctx, []Change{{s, n}}); err != nil {
			return evm.Range{}, err
		}
	}
	return leaf.Span(), nil
}

// Rebuild recounts a node and rebuilds everything below it. The zero node is the root: a
// scope without a tree gets one.
func (t *Trees) Rebuild(ctx context.Context, s Scope, n Node) (err error) {
	if n.Level == 0 {
		t.created[string(s)] = struct{}{}
	}
	if n.Tally, err = t.count(ctx, s, n.Span()); err != nil {
		return err
	}
	span := n.Span()
	for level := n.Level + 1; level < Levels; level++ {
		stored, err := t.rows.Nodes(ctx, s, level, evm.Range{From: span.From >> shifts[level], To: span.To >> shifts[level]})
		if err != nil {
			return err
		}
		for _, below := range stored {
			if below.Tally == (Tally{}) && !below.Split {
				continue
			}
			if err := t.put(ctx, s, Node{Level: level, Bucket: below.Bucket}); err != nil {
				return err
			}
		}
	}
	if err := t.save(ctx); err != nil {
		return err
	}
	if err := t.build(ctx, s, n); err != nil {
		return err
	}
	return t.save(ctx)
}

// build saves a node with its tally, and builds its parts.
func (t *Trees) build(ctx context.Context, s Scope, n Node) error {
	n.Split = n.overFull()
	if err := t.put(ctx, s, n); err != nil || !n.Split {
		return err
	}
	// One level at a time, because there may be millions of blocks.
	parts, err := t.rows.CountBuckets(ctx, s, n.Span(), shifts[n.Level+1], n.N)
	if err != nil {
		return err
	}
	for _, one := range parts {
		part := n.part(one.Bucket)
		part.Tally = one.Tally
		if err := t.build(ctx, s, part); err != nil {
			return err
		}
	}
	return nil
}
