package compare

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/tables"
)

// Index is an index that can be compared. Its errors name it.
type Index interface {
	// State returns what the index has.
	State(ctx context.Context) (State, error)
	// Digests returns the digests of indexed ranges, at most 32.
	Digests(ctx context.Context, ranges []evm.Range) ([]store.Digests, error)
	// Page returns records of an indexed range in chain order, the first ones or those after a cursor, and the
	// cursor after them, nil after the last.
	Page(ctx context.Context, kind nft.Kind, r evm.Range, after *string) ([]Record, *string, error)
}

// State is what an index has.
type State struct {
	// ChainID, and Finalized, the number of the finalized block, are nil while unknown.
	ChainID, Finalized *uint64
	// Decoding are the options that decide which records a block has, as flags.
	Decoding string
	// Indexed are the indexed ranges, in order.
	Indexed []evm.Range
}

// stateOf returns a state. Without contracts, all are indexed.
func stateOf(chain, finalized *uint64, d nft.Decoding, contracts []evm.Address, indexed []evm.Range) State {
	flags := d.String()
	for _, a := range contracts {
		flags += " --contract " + a.String()
	}
	return State{chain, finalized, flags, indexed}
}

// comparison is a comparison of two indexes.
type comparison struct {
	db    *Database
	other Index
	out   io.Writer
	// blocks are the differing blocks, at most limit. header is the last printed line that names one.
	blocks map[uint64]bool
	limit  int
	header string
}

// Indexes compares the records of the blocks that both indexes have, from a block to another one, nil for the lower of
// the finalized blocks. It prints the records that differ, of up to limit blocks. It returns an error if there are
// any, if the options of decoding or the chains differ, or if no block is in both.
func Indexes(ctx context.Context, db *Database, other Index, from uint64, to *uint64, limit int, out io.Writer) error {
	ours, err := db.State(ctx)
	if err != nil {
		return err
	}
	theirs, err := other.State(ctx)
	switch {
	case err != nil:
		return err
	case ours.ChainID != nil && theirs.ChainID != nil && *ours.ChainID != *theirs.ChainID:
		return fmt.Errorf("--db has chain %d, OTHER has chain %d: want the same chain", *ours.ChainID, *theirs.ChainID)
	case ours.Decoding != theirs.Decoding:
		fmt.Fprintf(out, "The options of decoding differ: --db has %s, OTHER has %s.\n", ours.Decoding, theirs.Decoding)
	}
	within := evm.Range{From: from, To: tables.MaxBlock}
	if to != nil {
		within.To = *to
	}
	onlyIn(out, "--db", ours.Indexed, theirs.Indexed, within)
	onlyIn(out, "OTHER", theirs.Indexed, ours.Indexed, within)
	if to == nil && ours.Finalized != nil && theirs.Finalized != nil {
		within.To = min(*ours.Finalized, *theirs.Finalized)
	}
	c, compared := &comparison{db: db, other: other, out: out, blocks: map[uint64]bool{}, limit: limit}, false
	for _, r := range ours.Indexed {
		// --from-block may be above the finalized blocks.
		for _, r := range tables.Common(theirs.Indexed, evm.Range{From: max(r.From, within.From), To: min(r.To, within.To)}) {
			if r.From > r.To {
				continue
			}
			if err := c.compare(ctx, r); err != nil {
				return err
			}
			compared = true
		}
	}
	switch {
	case !compared:
		return fmt.Errorf("no block from %d to %d is indexed in both", within.From, within.To)
	case len(c.blocks) > 0:
		return fmt.Errorf("%d of the compared blocks differ", len(c.blocks))
	case ours.Decoding != theirs.Decoding:
		return errors.New("the records are equal, the options of decoding differ")
	}
	return nil
}

// onlyIn prints the blocks within a range that one index has, and the other has not.
func onlyIn(out io.Writer, name string, has, lacks []evm.Range, within evm.Range) {
	for _, r := range tables.Without(tables.Common(has, within), lacks...) {
		fmt.Fprintf(out, "Only %s has blocks %d to %d.\n", name, r.From, r.To)
	}
}

// atOnce is the most ranges whose digests are read at once.
const atOnce = 32

// compare compares a range that both have: its whole groups by their digests, and its ends by their records.
func (c *comparison) compare(ctx context.Context, r evm.Range) error {
	before, first, end := len(c.blocks), (r.From+digest.Group-1)/digest.Group*digest.Group, (r.To+1)/digest.Group*digest.Group
	if first >= end {
		first, end = r.To+1, r.To+1
	}
	err := c.records(ctx, r.From, first, nft.Mint, nft.Burn)
	if err == nil && first < end {
		err = c.descend(ctx, []evm.Range{{From: first, To: end - 1}})
	}
	if err == nil {
		err = c.records(ctx, end, r.To+1, nft.Mint, nft.Burn)
	}
	if err != nil || len(c.blocks) > before {
		return err
	}
	equal, err := c.db.digest(ctx, r)
	if err == nil {
		fmt.Fprintf(c.out, "Equal: blocks %d to %d, mints %s, burns %s.\n", r.From, r.To, equal.Mints, equal.Burns)
	}
	return err
}

// descend compares the digests of ranges of whole groups, and then the parts of those that differ.
func (c *comparison) descend(ctx context.Context, ranges []evm.Range) error {
	for ; len(ranges) > 0; ranges = ranges[min(len(ranges), atOnce):] {
		part := ranges[:min(len(ranges), atOnce)]
		ours, err := c.db.Digests(ctx, part)
		if err != nil {
			return err
		}
		theirs, err := c.other.Digests(ctx, part)
		if err != nil {
			return err
		}
		for i, r := range part {
			var kinds []nft.Kind
			if ours[i].Mints != theirs[i].Mints {
				kinds = append(kinds, nft.Mint)
			}
			if ours[i].Burns != theirs[i].Burns {
				kinds = append(kinds, nft.Burn)
			}
			if r.To-r.From < digest.Group {
				err = c.records(ctx, r.From, r.To+1, kinds...)
			} else if kinds != nil {
				err = c.descend(ctx, partsOf(r))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// partsOf cuts a range of several whole groups where the digests of a level begin: into at most 65 parts.
func partsOf(r evm.Range) (parts []evm.Range) {
	step := uint64(digest.Group)
	for step*digest.Group <= r.To-r.From {
		step *= digest.Group
	}
	for from := r.From; from <= r.To; from = parts[len(parts)-1].To + 1 {
		parts = append(parts, evm.Range{From: from, To: min(r.To, from/step*step+step-1)})
	}
	return parts
}
