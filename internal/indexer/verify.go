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
	// for each difference, which names record and field.
	Differences(ctx context.Context, b nft.Block) ([]string, error)
	// MarkVerified notes that a range of blocks is proved complete;
	// ClearVerified takes that back.
	MarkVerified(ctx context.Context, r evm.Range) error
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
	// and field.
	Report func(difference string)
	// Repair, if not nil, stores a block that was found to differ as the chain
	// has it.
	Repair func(ctx context.Context, b nft.Block) error
	// Progress, if not nil, is called after each block.
	Progress func(Progress)
}

// verifiedSpan is how many blocks are marked as verified at once.
const verifiedSpan = 1_000

// Verify proves the blocks of a range, and compares their records with the
// stored ones in both directions. It returns the number of differences; an
// error means that the rest of the range was not looked at. Blocks without a
// difference, and those that were repaired, are marked as verified; the others
// are not, whatever was said of them before.
func (v *Verifier) Verify(ctx context.Context, r evm.Range) (differences int, err error) {
	if err := v.Records.ClearVerified(ctx, r); err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	proofs := make(chan chan proof, max(1, v.Workers)-1)
	go func() {
		defer close(proofs)
		for number := r.From; number <= r.To && ctx.Err() == nil; number++ {
			p := make(chan proof, 1)
			go func() {
				block, err := v.Prover.Proven(ctx, number)
				p <- proof{block: block, err: err}
			}()
			select {
			case proofs <- p:
			case <-ctx.Done():
				<-p
			}
		}
	}()
	defer func() {
		stop()
		for p := range proofs {
			<-p
		}
	}()
	var before evm.Header
	good := evm.Range{From: r.From}
	mark := func(next uint64) error {
		if good.From == next {
			return nil
		}
		good.To = next - 1
		// What is proved counts even when ctx ended meanwhile.
		err := v.Records.MarkVerified(context.WithoutCancel(ctx), good)
		good.From = next
		return err
	}
	for number := r.From; number <= r.To; number++ {
		p, ok := <-proofs
		if !ok {
			return differences, errors.Join(ctx.Err(), mark(number))
		}
		got := <-p
		if got.err != nil {
			if markErr := mark(number); markErr != nil {
				return differences, markErr
			}
			return differences, got.err
		}
		h := got.block.Header
		if number > r.From && h.ParentHash != before.Hash {
			return differences, fmt.Errorf("block %d has the parent %s, block %d the hash %s: the chain was reorganised meanwhile", number, h.ParentHash, before.Number, before.Hash)
		}
		before = h
		found, records, err := v.compare(ctx, got.block)
		if err != nil {
			return differences, errors.Join(err, mark(number))
		}
		differences += found
		if v.Repair != nil {
			found = 0
		}
		if found > 0 || number+1-good.From >= verifiedSpan || number == r.To {
			next := number + 1
			if found > 0 {
				next = number
			}
			if err := mark(next); err != nil {
				return differences, err
			}
			good.From = number + 1
		}
		if v.Progress != nil {
			v.Progress(Progress{Block: number, Head: r.To, Blocks: 1, Records: records})
		}
	}
	return differences, nil
}

type proof struct {
	block evm.Block
	err   error
}

// compare reports how a proven block differs from the stored one, and repairs
// it.
func (v *Verifier) compare(ctx context.Context, proven evm.Block) (differences, records int, err error) {
	block, err := v.Decoder.Decode(proven.Header, proven.Logs)
	if err != nil {
		return 0, 0, err
	}
	found, err := v.Records.Differences(ctx, block)
	if err != nil {
		return 0, 0, err
	}
	for _, difference := range found {
		v.Report(fmt.Sprintf("block %d: %s", block.Header.Number, difference))
	}
	if len(found) > 0 && v.Repair != nil {
		err = v.Repair(ctx, block)
	}
	return len(found), len(block.Mints) + len(block.Burns), err
}
