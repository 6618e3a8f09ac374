package counter

import "mintburn/internal/evm"

// Part is a run of adjacent nodes of one level, of which a total needs only the sum.
type Part struct {
	Level   int
	Buckets evm.Range
}

// Parts returns the parts whose sums the total of a range of blocks may need.
func Parts(blocks evm.Range) []Part { return Part{}.reads(blocks, nil) }

// Total totals the records of a range of blocks from the stored sums of its [Parts]; parts
// without records may be missing. It returns false if there is no tree. The amount is
// correct if the amounts of the parts are.
// uncounted are at most two ranges without a number in the tree, which the caller must
// count: they have at most about [LeafSize] records each.
func Total(blocks evm.Range, stored map[Part]Tally) (t Tally, uncounted []evm.Range, found bool) {
	root := Part{}
	if _, found = stored[root]; found {
		t, uncounted = root.total(blocks, stored)
	}
	return t, uncounted, found
}

// span returns the blocks of a part.
func (p Part) span() evm.Range {
	return evm.Range{From: Node{Level: p.Level, Bucket: p.Buckets.From}.Span().From, To: Node{Level: p.Level, Bucket: p.Buckets.To}.Span().To}
}

// within narrows r to the part's blocks, which it must overlap.
func (p Part) within(r evm.Range) evm.Range {
	span := p.span()
	return evm.Range{From: max(r.From, span.From), To: min(r.To, span.To)}
}

// below divides the blocks of p in r into parts of the next level: one part for each node
// that r cuts, at most two, and one for all nodes wholly inside r.
func (p Part) below(r evm.Range) []Part {
	r = p.within(r)
	level := p.Level + 1
	shift := shifts[level]
	first, last := r.From>>shift, r.To>>shift
	var parts []Part
	one := func(bucket uint64) { parts = append(parts, Part{level, evm.Range{From: bucket, To: bucket}}) }
	inner := evm.Range{From: first, To: last}
	if r.From != first<<shift {
		one(first)
		inner.From++
	}
	if r.To != (last+1)<<shift-1 {
		if last != first || len(parts) == 0 {
			one(last)
		}
		if last == 0 { // Nothing is before the first bucket.
			return parts
		}
		inner.To--
	}
	if inner.From <= inner.To {
		parts = append(parts, Part{level, inner})
	}
	return parts
}

// inside reports whether all blocks of the part are in r.
func (p Part) inside(r evm.Range) bool { return p.within(r) == p.span() }

// reads adds to list the parts that the total of r may need, whichever nodes are split.
func (p Part) reads(r evm.Range, list []Part) []Part {
	list = append(list, p)
	if p.inside(r) {
		return list
	}
	for _, b := range p.below(r) {
		list = b.reads(r, list)
	}
	return list
}

// total totals the blocks of p that are in r. Where r cuts a node that is not split, it
// returns the range to count.
func (p Part) total(r evm.Range, stored map[Part]Tally) (t Tally, uncounted []evm.Range) {
	sum, found := stored[p]
	switch {
	case !found:
		return t, nil
	case p.inside(r):
		return sum, nil
	case sum.N <= LeafSize: // The part is one node, which is not split.
		return t, []evm.Range{p.within(r)}
	}
	for _, b := range p.below(r) {
		more, ranges := b.total(r, stored)
		t, uncounted = t.Plus(more), append(uncounted, ranges...)
	}
	return t, uncounted
}
