package counter

import "mintburn/internal/evm"

// Cuts totals many ranges of blocks in one walk down a tree. Each level takes one read,
// however many ranges there are:
//
//	for c := NewCuts(ranges); len(c.Parts()) > 0; {
//		c.Add(sums) // the stored numbers of records of the parts, in the same order
//	}
type Cuts struct {
	// N are the totals of the ranges, without the records of Uncounted.
	N []int64
	// Uncounted are blocks without a number in the tree: at most two pieces for each
	// range, with at most about [LeafSize] records each.
	Uncounted []Piece

	ranges []evm.Range
	// open are the parts to read next, with the ranges that overlap them.
	open []piece
	// parts are the distinct parts of open, and place their indexes.
	parts []Part
	place map[Part]int
}

// Piece is a part of a range: the index of the range, and the blocks.
type Piece struct {
	Range  int
	Blocks evm.Range
}

// piece is a part at that overlaps the range with index i.
type piece struct {
	i  int
	at Part
}

// NewCuts returns the Cuts of ranges, which must be in order and not overlap.
func NewCuts(ranges []evm.Range) *Cuts {
	c := &Cuts{N: make([]int64, len(ranges)), ranges: ranges}
	for i := range ranges {
		c.open = append(c.open, piece{i, Part{}})
	}
	c.list()
	return c
}

// Parts returns the parts whose sums [Cuts.Add] needs next, at most four for each range.
// The first call returns the root; if that is not stored, there is no tree. When all
// ranges are totalled, Parts returns none.
func (c *Cuts) Parts() []Part { return c.parts }

// list sets parts and place from open.
func (c *Cuts) list() {
	c.parts, c.place = nil, map[Part]int{}
	for _, o := range c.open {
		if _, known := c.place[o.at]; !known {
			c.place[o.at] = len(c.parts)
			c.parts = append(c.parts, o.at)
		}
	}
}

// Add adds the numbers of records of [Cuts.Parts], in the same order, 0 for a part that is not
// stored.
func (c *Cuts) Add(sums []int64) {
	open := c.open
	c.open = nil
	for _, o := range open {
		sum, r := sums[c.place[o.at]], c.ranges[o.i]
		switch {
		case sum == 0:
		case o.at.inside(r):
			c.N[o.i] += sum
		case sum <= LeafSize:
			c.Uncounted = append(c.Uncounted, Piece{o.i, o.at.within(r)})
		default:
			for _, below := range o.at.below(r) {
				c.open = append(c.open, piece{o.i, below})
			}
		}
	}
	c.list()
}
