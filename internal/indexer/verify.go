package indexer

import (
	"context"
	"errors"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Prover proves blocks complete against the roots in their headers.
type Prover interface {
	// Proven returns a block with all its logs. It fails unless the logs are proved
	// complete.
	Proven(ctx context.Context, number uint64) (evm.Block, error)
}

// Records reads the stored blocks and marks them as verified.
type Records interface {
	// Differences compares a block with the stored one. It returns one line per
	// difference, with record and field, and the hash of the stored block, zero if none
	// is stored.
	Differences(ctx context.Context, b nft.Block) (differences []string, stored evm.Hash, err error)
	// MarkVerified marks linked blocks as proved complete. It fails if the stored block
	// is no longer the proved one.
	MarkVerified(ctx context.Context, proved []evm.Header) error
	// ClearVerified removes that mark.
	ClearVerified(ctx context.Context, r evm.Range) error
}

// Verifier proves that the stored blocks match the chain. Its fields must not change
// while it runs.
type Verifier struct {
	Prover  Prover
	Records Records
	Decoder *nft.Decoder
	// Workers is the number of blocks proved at once.
	Workers int
	// Report is called with one line for each difference (block, record and field), for
	// each run of blocks that is not repaired, and for each run of unprovable blocks.
	Report func(line string)
	// Unprovable, if not nil, reports whether an error of Prover means that no node can
	// prove the block, and the class of the reason.
	Unprovable func(err error) (class string, unprovable bool)
	// Repair, if not nil, replaces differing blocks with linked, proved ones, and marks
	// them as verified. It fails with [nft.ErrConflict] if that would mix two branches.
	Repair func(ctx context.Context, blocks []nft.Block) error
	// Progress, if not nil, is called after each block.
	Progress func(Progress)
}

// Outcome is the result of [Verifier.Verify].
type Outcome struct {
	// Proved is the number of blocks whose stored data matches the chain, after
	// repairs; Differing is the number of blocks whose data does not.
	Proved, Differing uint64
	// Unprovable are the unprovable blocks.
	Unprovable []evm.Range
	// Differences is the number of differences; Repaired of them are repaired.
	Differences, Repaired int
	// Next is the first block that was not compared, or the first block of a run
	// whose repair is not finished.
	Next uint64
}

// Verify proves the blocks of a range, and compares their records with the stored ones
// in both directions. Blocks without differences and repaired blocks are marked as
// verified; differing and unprovable blocks lose the mark. Unprovable blocks are skipped. After any
// other error the rest of the range is not verified, and keeps its marks.
//
// A block stored with a wrong hash is repaired together with the blocks above it, up to
// the first one whose stored hash is right. If there is none, the chain had a reorg,
// which is left to [Follower].
func (v *Verifier) Verify(ctx context.Context, r evm.Range) (found Outcome, err error) {
	w := walk{v: v, found: Outcome{Next: r.From}}
	defer w.reportUnprovable()
	toProve, compared := r.From, r.From
	// The proof to compare next counts as one of the Workers.
	proofs := inOrder(ctx, max(1, v.Workers)-1, func() func(context.Context) (evm.Block, error) {
		number := toProve
		if number > r.To {
			return nil
		}
		toProve++
		return func(ctx context.Context) (evm.Block, error) { return v.Prover.Proven(ctx, number) }
	})
	for block, failed := range proofs {
		records, err := w.next(ctx, compared, block, failed)
		if err != nil {
			return w.found, err
		}
		if v.Progress != nil {
			v.Progress(Progress{Block: compared, Head: r.To, Blocks: 1, Records: records})
		}
		compared++
	}
	if compared <= r.To {
		return w.found, errors.Join(ctx.Err(), w.mark(ctx))
	}
	err = w.finish(ctx)
	return w.found, err
}

// spot compares one proved block with the stored one, and repairs it if it differs. It
// does not mark the block as verified.
func (v *Verifier) spot(ctx context.Context, proved evm.Block) (differences int, err error) {
	w := walk{v: v}
	if _, err := w.compare(ctx, proved); err != nil {
		return 0, err
	}
	return w.found.Differences, w.repair(ctx)
}

// unprovable calls v.Unprovable, which may be nil.
func (v *Verifier) unprovable(err error) (class string, unprovable bool) {
	if err == nil || v.Unprovable == nil {
		return "", false
	}
	return v.Unprovable(err)
}
