package indexer

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Prover proves blocks complete against what their headers commit to.
type Prover interface {
	// Proven returns a block with all its logs, or an error if that they are
	// all cannot be proved.
	Proven(ctx context.Context, number uint64) (evm.Block, error)
}

// Records reads and marks what is stored.
type Records interface {
	// Differences compares a block with what is stored of it. It returns a line
	// for each difference, which names record and field, and the hash of the
	// stored block, zero where none is stored.
	Differences(ctx context.Context, b nft.Block) (differences []string, stored evm.Hash, err error)
	// MarkVerified notes linked blocks as proved complete. It fails where
	// another block than the proved one is stored by now.
	MarkVerified(ctx context.Context, proved []evm.Header) error
	// ClearVerified removes that mark.
	ClearVerified(ctx context.Context, r evm.Range) error
}

// Verifier proves that what is stored is what the chain has. Its fields must
// not change while it runs.
type Verifier struct {
	Prover  Prover
	Records Records
	Decoder *nft.Decoder
	// Workers is how many blocks are proved at once.
	Workers int
	// Report is called with each difference, one line that names block, record
	// and field, and with each run of blocks that is not repaired.
	Report func(line string)
	// Repair, if not nil, stores linked, proved blocks in place of those that
	// were found to differ, and marks them as verified. It fails with
	// [nft.ErrConflict] where that would mix two branches.
	Repair func(ctx context.Context, blocks []nft.Block) error
	// Progress, if not nil, is called after each block.
	Progress func(Progress)
}

// Outcome says what [Verifier.Verify] found.
type Outcome struct {
	// Differences were found; Repaired are those of them that are no more.
	Differences, Repaired int
	// Next is the first block that was not looked at, or with which a run begins
	// that was not dealt with.
	Next uint64
}

// Bounds of what is held in memory, in blocks.
const (
	// verifiedSpan is how many blocks are marked as verified at once.
	verifiedSpan = 1_000
	// maxRepair is how many blocks in a row with other hashes are replaced at
	// once.
	maxRepair = 1_024
)

// Verify proves the blocks of a range, and compares their records with the
// stored ones in both directions. An error means that the rest of the range was
// not looked at. Blocks without a difference, and those that were repaired, are
// marked as verified; the others are not, whatever was said of them before.
//
// A block that is stored with another hash is repaired together with those that
// follow, up to one that is stored with the hash that the chain has: where there
// is none, the chain was reorganised, which [Follower] deals with.
func (v *Verifier) Verify(ctx context.Context, r evm.Range) (Outcome, error) {
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
	for number := r.From; number <= r.To; number++ {
		p, ok := <-proofs
		if !ok {
			return w.found, errors.Join(ctx.Err(), w.mark(ctx))
		}
		got := <-p
		if got.err != nil {
			return w.found, errors.Join(got.err, w.mark(ctx))
		}
		records, err := w.add(ctx, got.block)
		if err != nil {
			return w.found, err
		}
		if v.Progress != nil {
			v.Progress(Progress{Block: number, Head: r.To, Blocks: 1, Records: records})
		}
	}
	if err := w.repair(ctx); err != nil {
		return w.found, err
	}
	return w.found, w.mark(ctx)
}

type proof struct {
	block evm.Block
	err   error
}

// spot compares one proved block with what is stored, and repairs it. It does not
// mark it as verified.
func (v *Verifier) spot(ctx context.Context, proved evm.Block) (differences int, err error) {
	w := walk{v: v}
	if _, err := w.add(ctx, proved); err != nil {
		return 0, err
	}
	return w.found.Differences, w.repair(ctx)
}

// prove proves the blocks of a range, Workers at once, in order.
func (v *Verifier) prove(ctx context.Context, r evm.Range, proofs chan<- chan proof) {
	defer close(proofs)
	for number := r.From; number <= r.To && ctx.Err() == nil; number++ {
		p := make(chan proof, 1)
		go func() {
			var got proof
			err := safely(func() (err error) {
				got.block, err = v.Prover.Proven(ctx, number)
				return err
			})
			p <- proof{block: got.block, err: err}
		}()
		select {
		case proofs <- p:
		case <-ctx.Done():
			<-p
		}
	}
}

// walk goes through a range of proved blocks.
type walk struct {
	v     *Verifier
	found Outcome
	// before is the last block.
	before evm.Header
	// good are linked blocks without a difference that are not marked yet.
	good []evm.Header
	// run are linked blocks that are to be repaired together; runFound is the
	// number of their differences.
	run      []nft.Block
	runFound int
}

// add compares a proved block, and returns how many records it has.
func (w *walk) add(ctx context.Context, proved evm.Block) (records int, err error) {
	h := proved.Header
	if w.before.Hash != (evm.Hash{}) && h.ParentHash != w.before.Hash {
		return 0, fmt.Errorf("block %d has the parent %s, block %d the hash %s: the chain was reorganised meanwhile", h.Number, h.ParentHash, w.before.Number, w.before.Hash)
	}
	w.before = h
	block, err := w.v.Decoder.Decode(h, proved.Logs)
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
	w.found.Differences += len(lines)
	records = len(block.Mints) + len(block.Burns)
	other := stored != (evm.Hash{}) && stored != h.Hash
	switch {
	case w.v.Repair != nil && (len(w.run) > 0 || len(lines) > 0):
		w.run, w.runFound = append(w.run, block), w.runFound+len(lines)
		// A run of other hashes ends with a block of which the right one is stored.
		if single := len(w.run) == 1 && !other; single || stored == h.Hash || len(w.run) == maxRepair {
			return records, w.repair(ctx)
		}
		return records, nil
	case len(lines) > 0:
		err = w.mark(ctx)
	default:
		if w.good = append(w.good, h); len(w.good) == verifiedSpan {
			err = w.mark(ctx)
		}
	}
	w.found.Next = h.Number + 1
	return records, err
}

// repair stores the run.
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
		w.found.Repaired += w.runFound
	case errors.Is(err, nft.ErrConflict):
		w.v.Report(fmt.Sprintf("blocks %d to %d are not repaired: %v", first, last, err))
	default:
		return err
	}
	w.run, w.runFound, w.found.Next = nil, 0, last+1
	return nil
}

// mark marks the good blocks as verified. What is proved counts even when ctx
// ended meanwhile.
func (w *walk) mark(ctx context.Context) error {
	if len(w.good) == 0 {
		return nil
	}
	err := w.v.Records.MarkVerified(context.WithoutCancel(ctx), w.good)
	w.good = nil
	return err
}
