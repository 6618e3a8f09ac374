package indexer

import (
	"context"
	"errors"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
)

// Prover proves blocks complete against the roots in their headers.
type Prover interface {
	// Proven returns a block with all its logs. It fails unless they are proved to
	// be all.
	Proven(ctx context.Context, number uint64) (evm.Block, error)
}

// Records reads the stored blocks and marks them as verified.
type Records interface {
	// Differences compares a block with the stored one. It returns one line for
	// each difference, which names record and field, and the hash of the stored
	// block, zero if none is stored.
	Differences(ctx context.Context, b nft.Block) (differences []string, stored evm.Hash, err error)
	// MarkVerified marks linked blocks as proved complete. It fails if another
	// block than the proved one is stored by now.
	MarkVerified(ctx context.Context, proved []evm.Header) error
	// ClearVerified removes that mark.
	ClearVerified(ctx context.Context, r evm.Range) error
}

// Verifier proves that the stored blocks are those of the chain. Its fields must
// not change while it runs.
type Verifier struct {
	Prover  Prover
	Records Records
	Decoder *nft.Decoder
	// Workers is the number of blocks that are proved at once.
	Workers int
	// Report is called with one line for each difference, which names block,
	// record and field, for each run of blocks that is not repaired, and for each
	// run that can't be proved.
	Report func(line string)
	// Unprovable, if not nil, reports whether an error of Prover says that the
	// block can't be proved by anyone, and the class of the reason.
	Unprovable func(err error) (class string, unprovable bool)
	// Repair, if not nil, stores linked, proved blocks in place of those that
	// differ, and marks them as verified. It fails with [nft.ErrConflict] where that
	// would mix two branches.
	Repair func(ctx context.Context, blocks []nft.Block) error
	// Progress, if not nil, is called after each block.
	Progress func(Progress)
}

// Outcome is what [Verifier.Verify] found.
type Outcome struct {
	// Proved is the number of blocks that are stored as the chain has them, after
	// repairs; Differing is the number of those that are not.
	Proved, Differing uint64
	// Unprovable are the blocks that can't be proved.
	Unprovable []evm.Range
	// Differences is the number of differences; Repaired of them are repaired.
	Differences, Repaired int
	// Next is the first block that was not compared, or the first one of a run
	// whose repair is not finished.
	Next uint64
}

// Verify proves the blocks of a range, and compares their records with the
// stored ones in both directions. Blocks without a difference and repaired blocks
// are marked as verified; the others lose the mark. A block that can't be proved
// is skipped. After any other error the rest of the range is not verified.
//
// A block that is stored with another hash is repaired together with the blocks
// above it, up to one whose stored hash is right. Where there is none, the chain
// had a reorg: that is left to [Follower].
func (v *Verifier) Verify(ctx context.Context, r evm.Range) (found Outcome, err error) {
	w := walk{v: v, found: Outcome{Next: r.From}}
	if err := v.Records.ClearVerified(ctx, r); err != nil {
		return w.found, err
	}
	ctx, stop := context.WithCancel(ctx)
	proofs := make(chan chan proof, max(1, v.Workers)-1)
	go v.prove(ctx, r, proofs)
	defer func() {
		stop()
		for p := range proofs {
			<-p
		}
	}()
	defer w.reportUnprovable()
	for number := r.From; number <= r.To; number++ {
		p, ok := <-proofs
		if !ok {
			return w.found, errors.Join(ctx.Err(), w.mark(ctx))
		}
		records, err := w.next(ctx, number, <-p)
		if err != nil {
			return w.found, err
		}
		if v.Progress != nil {
			v.Progress(Progress{Block: number, Head: r.To, Blocks: 1, Records: records})
		}
	}
	err = w.finish(ctx)
	return w.found, err
}

// spot compares one proved block with the stored one, and repairs it. It does not
// mark the block as verified.
func (v *Verifier) spot(ctx context.Context, proved evm.Block) (differences int, err error) {
	w := walk{v: v}
	if _, err := w.compare(ctx, proved); err != nil {
		return 0, err
	}
	return w.found.Differences, w.repair(ctx)
}

// unprovable is Unprovable, which may be nil.
func (v *Verifier) unprovable(err error) (class string, unprovable bool) {
	if err == nil || v.Unprovable == nil {
		return "", false
	}
	return v.Unprovable(err)
}

// proof is the result of proving one block.
type proof struct {
	block evm.Block
	err   error
}

// prove proves the blocks of a range and sends the proofs in order. The capacity of
// proofs bounds how many run at once, with the one that is received last.
func (v *Verifier) prove(ctx context.Context, r evm.Range, proofs chan<- chan proof) {
	defer close(proofs)
	for number := r.From; number <= r.To && ctx.Err() == nil; number++ {
		p := make(chan proof, 1)
		select {
		case proofs <- p:
		case <-ctx.Done():
			return
		}
		go func() {
			var got proof
			got.err = retrying.Catch(func() (err error) {
				got.block, err = v.Prover.Proven(ctx, number)
				return err
			})
			p <- got
		}()
	}
}
