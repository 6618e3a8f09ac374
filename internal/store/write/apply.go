package write

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/tables"
)

// Apply stores blocks, in any order, in one transaction: all of them, or on any error
// none. Blocks that are already stored are left unchanged, so a call can be repeated.
// Newly stored blocks that are proven count as verified. Apply returns a [*BlockError] if
// a block contradicts the stored ones: another hash at its height, or a parent or child
// that does not link.
func (s *DB) Apply(ctx context.Context, blocks []nft.Block) (applied Applied, err error) {
	err = s.Write(ctx, func(ctx context.Context, w *Tx) error {
		err := apply(ctx, w, blocks, covering(blocks))
		applied = w.applied
		return err
	})
	if err != nil {
		return Applied{}, err
	}
	return applied, nil
}

// Extend is [DB.Apply] for a range of blocks. Empty blocks may be omitted: the whole
// range counts as indexed. The parent hash of a block may be unknown (zero). With proven,
// the range also counts as verified, unless one of the blocks was already stored. Extend
// fails if a block lies outside the range, or if the range exceeds the largest block
// number.
func (s *DB) Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error {
	if indexed.From > indexed.To || indexed.To > tables.MaxBlock {
		return fmt.Errorf("range of blocks %d to %d: want two numbers in order, up to %d", indexed.From, indexed.To, uint64(tables.MaxBlock))
	}
	if err := checkWithin(blocks, indexed); err != nil {
		return err
	}
	return s.Write(ctx, func(ctx context.Context, w *Tx) error {
		return applyProven(ctx, w, blocks, []evm.Range{indexed}, proven)
	})
}

// checkWithin returns a [*BlockError] if a block lies outside r.
func checkWithin(blocks []nft.Block, r evm.Range) error {
	for i := range blocks {
		if h := blocks[i].Header; h.Number < r.From || h.Number > r.To {
			return BlockErrorf(h, "block %d: want a block in the given range %d to %d", h.Number, r.From, r.To)
		}
	}
	return nil
}

// applyProven calls apply and marks the final blocks as final. With proven it also marks
// the ranges as verified, unless a block was already stored.
func applyProven(ctx context.Context, w *Tx, blocks []nft.Block, indexed []evm.Range, proven bool) error {
	if err := apply(ctx, w, blocks, indexed); err != nil {
		return err
	}
	if err := coverStored(ctx, w, indexed); err != nil || !proven || w.applied.Known > 0 {
		return err
	}
	return tables.Cover(ctx, w.client, coverage.KindVerified, indexed...)
}

// apply stores the blocks that are not stored yet and adds the ranges to the coverage.
func apply(ctx context.Context, w *Tx, blocks []nft.Block, indexed []evm.Range) error {
	if err := checkDecoding(ctx, w); err != nil {
		return err
	}
	blocks = inOrder(blocks)
	var fresh []nft.Block
	for run := range tables.Consecutive(blocks) {
		unknown, err := checkRun(ctx, w, run)
		if err != nil {
			return err
		}
		fresh = append(fresh, unknown...)
	}
	w.applied.Known += len(blocks) - len(fresh)
	added, err := logIndexed(ctx, w, indexed, fresh)
	if err != nil {
		return err
	}
	if len(fresh) > 0 {
		if err := Insert(ctx, w, fresh); err != nil {
			return fmt.Errorf("storing blocks %d to %d: %w", fresh[0].Header.Number, fresh[len(fresh)-1].Header.Number, err)
		}
	}
	if err := tables.Cover(ctx, w.client, coverage.KindIndexed, indexed...); err != nil {
		return err
	}
	if len(fresh) == len(blocks) {
		if err := digest.Add(ctx, w.Tx, w.client, added, fresh); err != nil {
			return err
		}
	}
	if err := coverLinked(ctx, w, blocks); err != nil {
		return err
	}
	return coverProven(ctx, w, fresh)
}

// logIndexed adds the blocks that become indexed to the log of changes, and fresh blocks of ranges that already were:
// a node had left out their logs, and their digests end. It returns the blocks that become indexed.
func logIndexed(ctx context.Context, w *Tx, ranges []evm.Range, fresh []nft.Block) (became []evm.Range, err error) {
	for _, r := range ranges {
		rows, err := w.client.Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed),
			coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).Order(coverage.ByFromBlock()).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading coverage: %w", err)
		}
		indexed := make([]evm.Range, len(rows))
		for i, row := range rows {
			indexed[i] = tables.RangeOf(row)
		}
		added := tables.Missing(indexed, r)
		became = append(became, added...)
		if len(rows) > 0 {
			for _, again := range covering(fresh) {
				for _, part := range tables.Common([]evm.Range{again}, r) {
					added = part.Join(added)
					if err := tables.Uncover(ctx, w.client, coverage.KindDigested, part); err != nil {
						return nil, err
					}
				}
			}
		}
		for _, part := range added {
			w.Log.Add(part)
		}
	}
	return became, nil
}

// coverProven marks the proven blocks as verified. The blocks must be in order and stored
// by this transaction.
func coverProven(ctx context.Context, w *Tx, blocks []nft.Block) error {
	proven := slices.DeleteFunc(slices.Clone(blocks), func(b nft.Block) bool { return !b.Proven })
	w.applied.Proven += len(proven)
	return tables.Cover(ctx, w.client, coverage.KindVerified, covering(proven)...)
}

// coverLinked marks the blocks whose parent hash is known as linked. The blocks must be in
// order, and their headers stored.
func coverLinked(ctx context.Context, w *Tx, blocks []nft.Block) error {
	linked := slices.DeleteFunc(slices.Clone(blocks), func(b nft.Block) bool { return b.Header.ParentHash.IsZero() && b.Header.Number > 0 })
	return tables.Cover(ctx, w.client, coverage.KindLinked, covering(linked)...)
}

// covering returns the ranges that the blocks form.
func covering(blocks []nft.Block) []evm.Range {
	var ranges []evm.Range
	for run := range tables.Consecutive(inOrder(blocks)) {
		ranges = append(ranges, evm.Range{From: run[0].Header.Number, To: run[len(run)-1].Header.Number})
	}
	return ranges
}

// inOrder returns the blocks sorted by number.
func inOrder(blocks []nft.Block) []nft.Block {
	return slices.SortedStableFunc(slices.Values(blocks), func(a, b nft.Block) int {
		return cmp.Compare(a.Header.Number, b.Header.Number)
	})
}

// checkRun returns the blocks of a run that are not stored yet. It returns a [*BlockError]
// if the run does not link, within itself or to the stored blocks.
func checkRun(ctx context.Context, w *Tx, run []nft.Block) ([]nft.Block, error) {
	first, last := run[0].Header.Number, run[len(run)-1].Header.Number
	if last > tables.MaxBlock {
		return nil, BlockErrorf(run[len(run)-1].Header, "block %d: the largest block number that can be stored is %d", last, uint64(tables.MaxBlock))
	}
	stored, err := tables.Headers(ctx, w, evm.Range{From: max(first, 1) - 1, To: last + 1})
	if err != nil {
		return nil, err
	}
	var fresh []nft.Block
	for _, b := range run {
		h := b.Header
		if h.Time > evm.MaxLong {
			return nil, BlockErrorf(h, "block %d: time %d: want at most %d", h.Number, h.Time, uint64(evm.MaxLong))
		}
		known, ok := stored[h.Number]
		switch {
		case ok && known.Hash == h.Hash:
			continue
		case ok:
			return nil, BlockErrorf(h, "block %d has the hash %s, but %s is stored: this is another chain or an abandoned branch", h.Number, h.Hash, known.Hash)
		}
		if parent, ok := stored[h.Number-1]; ok && h.Number > 0 && !h.ParentHash.IsZero() && parent.Hash != h.ParentHash {
			return nil, ParentError(h, parent)
		}
		if child, ok := stored[h.Number+1]; ok && !child.ParentHash.IsZero() && child.ParentHash != h.Hash {
			return nil, ChildError(h, child)
		}
		stored[h.Number] = h
		fresh = append(fresh, b)
	}
	return fresh, nil
}

// BlockError says why a block cannot be stored. It matches [nft.ErrConflict].
type BlockError struct {
	Block evm.BlockRef
	text  string
}

// Error names the block and what contradicts it.
func (e *BlockError) Error() string { return e.text }

// Is reports whether target is [nft.ErrConflict].
func (e *BlockError) Is(target error) bool { return target == nft.ErrConflict }

// BlockErrorf returns a [*BlockError].
func BlockErrorf(h evm.Header, format string, args ...any) error {
	return &BlockError{Block: h.BlockRef, text: fmt.Sprintf(format, args...)}
}

// ParentError returns the error for a block whose parent is not the stored block below it.
func ParentError(h, parent evm.Header) error {
	return BlockErrorf(h, "block %d has the parent %s, but block %d is stored as %s", h.Number, h.ParentHash, parent.Number, parent.Hash)
}

// ChildError returns the error for a block that is not the parent of the stored block above it.
func ChildError(h, child evm.Header) error {
	return BlockErrorf(h, "block %d has the hash %s, but block %d is stored with the parent %s", h.Number, h.Hash, child.Number, child.ParentHash)
}

// RequireIndexed returns the indexed range that contains all of r. It returns a
// [*BlockError] if there is none, and a [*DecodingError] if the stored blocks are decoded
// with options other than the store's.
func RequireIndexed(ctx context.Context, w *Tx, r evm.Range) (evm.Range, error) {
	if err := checkDecoding(ctx, w); err != nil {
		return evm.Range{}, err
	}
	indexed, found, err := tables.RangeContaining(ctx, w.client, coverage.KindIndexed, r.From)
	if err == nil && (!found || r.To > indexed.To) {
		err = BlockErrorf(evm.Header{BlockRef: evm.BlockRef{Number: r.To}}, "block %d is not indexed any more", r.To)
	}
	return indexed, err
}
