package counter

import "mintburn/internal/evm"

// Cuts totals many ranges of blocks next to each other with one walk down a tree: each
// level is read at once, whatever the number of ranges. Use it as
//
//	for c := NewCuts(ranges); len(c.Parts()) > 0; {
//		c.Add(sums) // what is stored for the parts, in their order
//	}
type Cuts struct {
	// N are the totals of the ranges, without what is Uncounted.
	N []int64
	// Uncounted are ranges of which the tree has no number: at most about [LeafSize]
	// records each, two for each range of blocks.
	Uncounted []Piece

	ranges []evm.Range
	// open are the parts to read that ranges cut or hold.
	open []piece
	// parts are those of open, each once.
	parts []Part
	place map[Part]int
}

// Piece is blocks within the range with an index.
type Piece struct {
	Range  int
	Blocks evm.Range
}

// piece is a part that the range with an index meets.
type piece struct {
	i  int
	at Part
}

// NewCuts begins to total ranges of blocks, which are in order and do not overlap.
func NewCuts(ranges []evm.Range) *Cuts {
	c := &Cuts{N: make([]int64, len(ranges)), ranges: ranges}
	for i := range ranges {
		c.open = append(c.open, piece{i, Part{}})
	}
	c.list()
	return c
}

// Parts returns the parts whose sums come next, at most four for each range; none when
// all is totalled. The first is the root: without a sum of it there is no tree.
func (c *Cuts) Parts() []Part { return c.parts }

// list makes the parts of what is open.
func (c *Cuts) list() {
	c.parts, c.place = nil, map[Part]int{}
	for _, o := range c.open {
		if _, known := c.place[o.at]; !known {
			c.place[o.at] = len(c.parts)
			c.parts = append(c.parts, o.at)
		}
	}
}

// Add takes the sums of [Cuts.Parts]: zero where nothing is stored.
func (c *Cuts) Add(sums []Sum) {
	open := c.open
	c.open = nil
	for _, o := range open {
		sum, r := sums[c.place[o.at]], c.ranges[o.i]
		switch {
		case sum.N == 0:
		case o.at.inside(r):
			c.N[o.i] += sum.N
		case !sum.Split:
			c.Uncounted = append(c.Uncounted, Piece{o.i, o.at.within(r)})
		default:
			for _, below := range o.at.below(r) {
				c.open = append(c.open, piece{o.i, below})
			}
		}
	}
	c.list()
}
