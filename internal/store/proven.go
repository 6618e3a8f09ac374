package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// coverProven notes as verified those of the blocks, in order and stored by this
// transaction, that were given as proven.
func (w *writer) coverProven(ctx context.Context, blocks []nft.Block) error {
	var proven []nft.Block
	for i := range blocks {
		if blocks[i].Proven {
			proven = append(proven, blocks[i])
		}
	}
	w.applied.Proven += len(proven)
	for _, r := range covering(proven) {
		if err := w.cover(ctx, coverage.KindVerified, r); err != nil {
			return fmt.Errorf("storing what is verified: %w", err)
		}
	}
	return nil
}

// MarkVerified notes blocks, a run of the chain in order, as proved complete. It
// returns a [*BlockError], and notes nothing, where another block than the proved
// one is stored by now. Blocks whose headers are not stored count if a stored
// block has them among its ancestors or if they are final; the others are left
// out.
func (s *Store) MarkVerified(ctx context.Context, proved []evm.Header) error {
	r := Range{From: proved[0].Number, To: proved[len(proved)-1].Number}
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.checkDecoding(ctx); err != nil {
			return err
		}
		if _, err := w.requireIndexed(ctx, r); err != nil {
			return err
		}
		finalized, known, err := w.finalized(ctx)
		if err != nil {
			return err
		}
		stored, err := w.headers(ctx, Range{From: r.From, To: r.To + 1})
		if err != nil {
			return err
		}
		// to is the last block that is known to be stored or an ancestor of one
		// that is, plus one.
		to := r.From
		for _, h := range proved {
			same, found := stored[h.Number]
			if found && same.Hash != h.Hash {
				return blockErrorf(h, "block %d was proved as %s, but %s is stored: the chain was reorganised meanwhile", h.Number, h.Hash, same.Hash)
			}
			child, above := stored[h.Number+1]
			if found || above && child.ParentHash == h.Hash || known && h.Number <= finalized.Number {
				to = h.Number + 1
			}
		}
		if to == r.From {
			return nil
		}
		return w.cover(ctx, coverage.KindVerified, Range{From: r.From, To: to - 1})
	})
	if err != nil {
		return fmt.Errorf("marking blocks %d to %d as verified: %w", r.From, r.To, err)
	}
	return nil
}

// Unverified returns the first range of final, indexed blocks outside of skip that
// are not verified, and false when there are none.
func (s *Store) Unverified(ctx context.Context, skip []evm.Range) (r evm.Range, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	c, err := snapshot.Chain(ctx)
	if err != nil || c.Finalized == nil {
		return r, false, err
	}
	r, found = c.unverified(evm.Range{To: c.Finalized.Number}, skip)
	return r, found, nil
}

// UnverifiedIn returns the first range of indexed blocks, final or not, that lie
// within one of these, outside of skip, and are not verified. It returns false when
// there are none.
func (s *Store) UnverifiedIn(ctx context.Context, within, skip []evm.Range) (r evm.Range, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	c, err := snapshot.Chain(ctx)
	for i := 0; i < len(within) && err == nil && !found; i++ {
		r, found = c.unverified(within[i], skip)
	}
	return r, found, err
}

// unverified returns the first range of indexed blocks within another, outside of
// skip, that are not verified.
func (c *Chain) unverified(within evm.Range, skip []evm.Range) (evm.Range, bool) {
	open := common(c.Indexed, within)
	for _, done := range slices.Concat(c.Verified, skip) {
		open = without(open, done)
	}
	if len(open) == 0 {
		return evm.Range{}, false
	}
	return open[0], true
}
