package store

import (
	"context"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/rejectedlog"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Repair stores proven blocks, a run of the chain in order, in place of those
// that are stored at their heights, and notes them as verified, in one
// transaction. Totals are counted anew where they concern the blocks, since it
// may not have been this program that changed their rows.
//
// It never changes the branch that is stored: it returns a [*BlockError], and
// changes nothing, unless
//
//   - all of the heights are within one indexed range;
//   - the run links: to itself, and at both ends to the stored blocks below and
//     above wherever it adds a header or replaces a hash;
//   - blocks whose hash is replaced are final, and a stored block above them or
//     the stored finalized block has the run among its ancestors. While no
//     finalized block is known, the run may also end the indexed range, if the
//     block below it is stored.
func (s *Store) Repair(ctx context.Context, blocks []nft.Block) error {
	r := Range{From: blocks[0].Header.Number, To: blocks[len(blocks)-1].Header.Number}
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.checkDecoding(ctx); err != nil {
			return err
		}
		stored, err := w.repairable(ctx, blocks, r)
		if err != nil {
			return err
		}
		if err := w.renew(ctx); err != nil {
			return err
		}
		for i := range blocks {
			if err := w.replaceBlock(ctx, &blocks[i], stored); err != nil {
				return fmt.Errorf("block %d: %w", blocks[i].Header.Number, err)
			}
		}
		return w.cover(ctx, coverage.KindVerified, r)
	})
	if err != nil {
		return fmt.Errorf("repairing blocks %d to %d: %w", r.From, r.To, err)
	}
	return nil
}

// repairable returns the stored headers of a range and of its neighbours, if the
// blocks may be stored in place of it.
func (w *writer) repairable(ctx context.Context, blocks []nft.Block, r Range) (map[uint64]evm.Header, error) {
	first, last := blocks[0].Header, blocks[len(blocks)-1].Header
	indexed, err := w.requireIndexed(ctx, r)
	if err != nil {
		return nil, err
	}
	stored, err := w.headers(ctx, Range{From: max(r.From, 1) - 1, To: r.To + 1})
	if err != nil {
		return nil, err
	}
	replaced := map[uint64]bool{}
	for i := range blocks {
		h := blocks[i].Header
		if i > 0 && (h.Number != blocks[i-1].Header.Number+1 || h.ParentHash != blocks[i-1].Header.Hash) {
			return nil, blockErrorf(h, "block %d %s does not follow block %d %s", h.Number, h.Hash, blocks[i-1].Header.Number, blocks[i-1].Header.Hash)
		}
		if before, ok := stored[h.Number]; ok && before.Hash != h.Hash {
			replaced[h.Number] = true
		}
	}
	// A block whose hash is stored already is the same block, whatever its
	// neighbours are.
	changed := func(number uint64) bool { _, ok := stored[number]; return !ok || replaced[number] }
	parent, below := stored[r.From-1]
	if below = below && r.From > 0; below && changed(r.From) && !first.ParentHash.IsZero() && parent.Hash != first.ParentHash {
		return nil, blockErrorf(first, "block %d has the parent %s, but block %d is stored as %s", r.From, first.ParentHash, parent.Number, parent.Hash)
	}
	child, above := stored[r.To+1]
	if above = above && !child.ParentHash.IsZero(); above && changed(r.To) && child.ParentHash != last.Hash {
		return nil, blockErrorf(last, "block %d has the hash %s, but block %d is stored with the parent %s", r.To, last.Hash, child.Number, child.ParentHash)
	}
	if len(replaced) == 0 {
		return stored, nil
	}
	finalized, known, err := w.finalized(ctx)
	if err != nil {
		return nil, err
	}
	anchored := above || !changed(r.To)
	if !known {
		if anchored = anchored || below && r.To == indexed.To; !anchored {
			return nil, blockErrorf(last, "no stored block links to block %d %s", r.To, last.Hash)
		}
		return stored, nil
	}
	for i := range blocks {
		h := blocks[i].Header
		if replaced[h.Number] && h.Number > finalized.Number {
			return nil, blockErrorf(h, "block %d is stored with another hash and not final: only following the chain replaces it", h.Number)
		}
		if h.Number == finalized.Number {
			if h.Hash != finalized.Hash {
				return nil, blockErrorf(h, "block %d has the hash %s, but the finalized block there is %s", h.Number, h.Hash, finalized.Hash)
			}
			anchored = true
		}
	}
	if !anchored {
		return nil, blockErrorf(last, "no stored block links to block %d %s", r.To, last.Hash)
	}
	return stored, nil
}

// replaceBlock stores a block in place of what is stored at its height.
func (w *writer) replaceBlock(ctx context.Context, b *nft.Block, stored map[uint64]evm.Header) error {
	client, number := w.store.client(w.tx), b.Header.Number
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		if err := w.removeRecords(ctx, kind, firstIn(number), lastIn(number), true); err != nil {
			return err
		}
	}
	if h, ok := stored[number]; ok && h.Hash != b.Header.Hash {
		if err := w.orphan(ctx, client, Range{From: number, To: number}); err != nil {
			return err
		}
	}
	if err := client.Block.DeleteOneID(int64(number)).Exec(ctx); err != nil && !ent.IsNotFound(err) {
		return fmt.Errorf("removing the header: %w", err)
	}
	if _, err := client.RejectedLog.Delete().Where(rejectedlog.IDGTE(firstIn(number)), rejectedlog.IDLTE(lastIn(number))).Exec(ctx); err != nil {
		return fmt.Errorf("removing rejected logs: %w", err)
	}
	if err := w.insert(ctx, []nft.Block{*b}); err != nil {
		return err
	}
	if err := w.counters.recount(ctx, number); err != nil {
		return err
	}
	return w.counters.applyDeltas(ctx)
}
