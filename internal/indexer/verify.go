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
	// all can not be proved.
	Proven(ctx context.Context, number uint64) (evm.Block, error)
}

// Records reads and marks what is stored.
type Records interface {
	// Block returns what is stored of a block; the header is zero, but for the
	// number, where none is stored.
	Block(ctx context.Context, number uint64) (nft.Block, error)
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

// compare reports how a proven block differs from what is stored of it, and
// repairs that.
func (v *Verifier) compare(ctx context.Context, proven evm.Block) (differences, records int, err error) {
	want, err := v.Decoder.Decode(proven.Header, proven.Logs)
	if err != nil {
		return 0, 0, err
	}
	got, err := v.Records.Block(ctx, proven.Header.Number)
	if err != nil {
		return 0, 0, err
	}
	report := func(format string, args ...any) {
		differences++
		v.Report(fmt.Sprintf("block %d: ", proven.Header.Number) + fmt.Sprintf(format, args...))
	}
	if !got.Header.Hash.IsZero() && got.Header.Hash != want.Header.Hash {
		report("hash: stored is %s, the chain has %s", got.Header.Hash, want.Header.Hash)
	}
	if !got.Header.Hash.IsZero() && got.Header.Time != want.Header.Time {
		report("time: stored is %d, the chain has %d", got.Header.Time, want.Header.Time)
	}
	compareRecords(got.Mints, want.Mints, report)
	compareRecords(got.Burns, want.Burns, report)
	compareRejected(got.Rejected, want.Rejected, report)
	if differences > 0 && v.Repair != nil {
		err = v.Repair(ctx, want)
	}
	return differences, len(want.Mints) + len(want.Burns), err
}

type reporter func(format string, args ...any)

// compareRecords walks two lists in chain order.
func compareRecords(got, want []nft.Record, report reporter) {
	for len(got) > 0 || len(want) > 0 {
		switch order := compareHeads(got, want); {
		case order < 0:
			report("%s is stored, and not on the chain", describe(&got[0]))
			got = got[1:]
		case order > 0:
			report("%s is missing", describe(&want[0]))
			want = want[1:]
		default:
			compareFields(&got[0], &want[0], report)
			got, want = got[1:], want[1:]
		}
	}
}

// compareHeads tells which of two lists has the earlier record first; an empty
// list is later than any record.
func compareHeads(got, want []nft.Record) int {
	switch {
	case len(got) == 0:
		return 1
	case len(want) == 0:
		return -1
	case got[0].LogIndex != want[0].LogIndex:
		return int(int64(got[0].LogIndex) - int64(want[0].LogIndex))
	default:
		return int(int64(got[0].SubIndex) - int64(want[0].SubIndex))
	}
}

func describe(r *nft.Record) string {
	return fmt.Sprintf("%s at log %d, sub index %d (collection %s, token %s)", r.Kind, r.LogIndex, r.SubIndex, r.Contract, r.TokenID)
}

func compareFields(got, want *nft.Record, report reporter) {
	for _, field := range []struct {
		name      string
		got, want any
	}{
		{"token_address", got.Contract, want.Contract},
		{"contract_type", got.Type, want.Type},
		{"token_id", got.TokenID, want.TokenID},
		{"amount", got.Amount, want.Amount},
		{"from", got.From, want.From},
		{"to", got.To, want.To},
		{"operator", got.Operator, want.Operator},
		{"transaction_hash", got.TxHash, want.TxHash},
	} {
		if field.got != field.want {
			report("%s at log %d, sub index %d: %s: stored is %s, the chain has %s",
				want.Kind, want.LogIndex, want.SubIndex, field.name, field.got, field.want)
		}
	}
}

func compareRejected(got, want []nft.Rejected, report reporter) {
	reasons := func(list []nft.Rejected) map[uint32]string {
		m := make(map[uint32]string, len(list))
		for _, r := range list {
			m[r.Log.Index] = r.Reason
		}
		return m
	}
	stored, real := reasons(got), reasons(want)
	for _, r := range want {
		if stored[r.Log.Index] != r.Reason {
			report("rejected log %d: stored is %q, the chain has %q", r.Log.Index, stored[r.Log.Index], r.Reason)
		}
	}
	for _, r := range got {
		if _, ok := real[r.Log.Index]; !ok {
			report("rejected log %d is stored, and not malformed on the chain", r.Log.Index)
		}
	}
}
