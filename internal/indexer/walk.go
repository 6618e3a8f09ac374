package indexer

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Bounds of the memory of a walk, in blocks.
const (
	// verifiedSpan is the number of blocks marked as verified at once.
	verifiedSpan = 1_000
	// maxRepair is the most consecutive blocks replaced at once.
	maxRepair = 1_024
)

// walk processes the proofs of a range in order.
type walk struct {
	v     *Verifier
	found Outcome
	// before is the block below the next one, zero if it was not proved.
	before evm.Header
	// good are linked blocks without differences that are not marked yet.
	good []evm.Header
	// lost are consecutive unprovable blocks that have not lost their marks yet.
	lost []evm.Range
	// run are linked blocks to repair together, with runFound differences in all.
	run      []nft.Block
	runFound int
	// unproved is the last run of unprovable blocks whose reasons have the same class,
	// and the error of the first.
	unproved struct {
		blocks evm.Range
		class  string
		first  error
	}
}

// next processes the next block, or the error of its proof. It returns the number of
// records in the block.
func (w *walk) next(ctx context.Context, number uint64, proved evm.Block, failed error) (records int, err error) {
	class, unprovable := w.v.unprovable(failed)
	switch {
	case unprovable:
		return 0, w.skip(ctx, number, class, failed)
	case failed != nil:
		return 0, errors.Join(failed, w.mark(ctx))
	}
	w.reportUnprovable()
	return w.compare(ctx, proved)
}

// skip records that a block is unprovable.
func (w *walk) skip(ctx context.Context, number uint64, class string, reason error) error {
	// Only linked blocks may be repaired or marked together.
	if len(w.run) > 0 || len(w.good) > 0 || len(w.lost) > 0 && w.lost[0].To-w.lost[0].From+1 == verifiedSpan {
		if err := w.finish(ctx); err != nil {
			return err
		}
	}
	w.lost = evm.Range{From: number, To: number}.Join(w.lost)
	w.before = evm.Header{}
	if w.unproved.first != nil && w.unproved.class != class {
		w.reportUnprovable()
	}
	if w.unproved.first == nil {
		w.unproved.blocks.From, w.unproved.class, w.unproved.first = number, class, reason
	}
	w.unproved.blocks.To = number
	w.found.Unprovable = evm.Range{From: number, To: number}.Join(w.found.Unprovable)
	w.found.Next = number + 1
	return nil
}

// reportUnprovable reports the last run of unprovable blocks, if any.
func (w *walk) reportUnprovable() {
	if w.unproved.first != nil {
		w.v.Report(fmt.Sprintf("blocks %d to %d are not proved: %v", w.unproved.blocks.From, w.unproved.blocks.To, w.unproved.first))
		w.unproved.first = nil
	}
}

// compare compares a proved block with the stored one. It returns the number of
// records in the block.
func (w *walk) compare(ctx context.Context, proved evm.Block) (records int, err error) {
	h := proved.Header
	if w.before.Hash != (evm.Hash{}) && h.ParentHash != w.before.Hash {
		return 0, fmt.Errorf("block %d has the parent %s, but block %d is %s: the chain had a reorg meanwhile", h.Number, h.ParentHash, w.before.Number, w.before.Hash)
	}
	w.before = h
	block, err := w.v.Decoder.DecodeBlock(proved)
	if err != nil {
		return 0, err
	}
	lines, stored, err := w.v.Records.Differences(ctx, block)
	if err != nil {
		return 0, errors.Join(err, w.mark(ctx))
	}
	for _, line := range lines {
		w.v.Report(fmt.Sprintf("block %d: %s", h.Number, line))
	}
	if len(lines) > 0 {
		if err := w.v.Records.ClearVerified(ctx, evm.Range{From: h.Number, To: h.Number}); err != nil {
			return 0, err
		}
	}
	w.found.Differences += len(lines)
	records = len(block.Mints) + len(block.Burns)
	other := stored != (evm.Hash{}) && stored != h.Hash
	switch {
	case w.v.Repair != nil && (len(w.run) > 0 || len(lines) > 0):
		w.run, w.runFound = append(w.run, block), w.runFound+len(lines)
		// A run of stored blocks with wrong hashes ends at a block whose hash is right.
		if single := len(w.run) == 1 && !other; single || stored == h.Hash || len(w.run) == maxRepair {
			return records, w.repair(ctx)
		}
		return records, nil
	case len(lines) > 0:
		w.found.Differing++
		err = w.mark(ctx)
	default:
		w.found.Proved++
		if w.good = append(w.good, h); len(w.good) == verifiedSpan {
			err = w.mark(ctx)
		}
	}
	w.found.Next = h.Number + 1
	return records, err
}

// finish repairs the run and marks the good blocks.
func (w *walk) finish(ctx context.Context) error {
	if err := w.repair(ctx); err != nil {
		return err
	}
	return w.mark(ctx)
}

// repair replaces the stored blocks with the run.
func (w *walk) repair(ctx context.Context) error {
	if len(w.run) == 0 {
		return nil
	}
	if err := w.mark(ctx); err != nil {
		return err
	}
	first, last := w.run[0].Header.Number, w.run[len(w.run)-1].Header.Number
	switch err := w.v.Repair(ctx, w.run); {
	case err == nil:
		w.found.Proved += uint64(len(w.run))
		w.found.Repaired += w.runFound
	case errors.Is(err, nft.ErrConflict):
		w.found.Differing += uint64(len(w.run))
		w.v.Report(fmt.Sprintf("blocks %d to %d are not repaired: %v", first, last, err))
		if err := w.v.Records.ClearVerified(ctx, evm.Range{From: first, To: last}); err != nil {
			return err
		}
	default:
		return err
	}
	w.run, w.runFound, w.found.Next = nil, 0, last+1
	return nil
}

// mark marks the good blocks as verified, and no longer the unprovable ones, even if ctx has ended.
func (w *walk) mark(ctx context.Context) (err error) {
	ctx = context.WithoutCancel(ctx)
	if len(w.good) > 0 {
		err = w.v.Records.MarkVerified(ctx, w.good)
	}
	for _, r := range w.lost {
		err = errors.Join(err, w.v.Records.ClearVerified(ctx, r))
	}
	w.good, w.lost = nil, nil
	return err
}
