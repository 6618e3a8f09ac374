package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// ref returns the header of an empty block of a made-up chain.
func ref(number uint64) (h evm.Header) {
	h.Number, h.Hash = number, hash(number, 1)
	if number > 0 {
		h.ParentHash = hash(number-1, 1)
	}
	return h
}

func hash(number uint64, branch byte) (h evm.Hash) {
	h = word(number)
	h[0] = branch
	return h
}

// ledgerless is a chain and its stored blocks, in memory. It implements
// [indexer.Prover] and [indexer.Records]. The keys of its maps are block numbers.
type ledgerless struct {
	// lines is the number of differences of each block. stored are the stored hashes
	// that differ from the chain's.
	lines  map[uint64]int
	stored map[uint64]evm.Hash
	// The errors of proofs, of comparisons, and of repairs by their first block.
	unproved, uncompared, unrepaired map[uint64]error
	// unlinked are blocks whose parent is of another branch.
	unlinked map[uint64]bool
	// log lists the ranges cleared, verified and repaired, and the reported lines, in
	// order.
	log []string
}

func (l *ledgerless) Proven(ctx context.Context, number uint64) (evm.Block, error) {
	b := evm.Block{Header: ref(number), Logs: []evm.Log{}}
	if l.unlinked[number] {
		b.Header.ParentHash = hash(number-1, 9)
	}
	return b, errors.Join(l.unproved[number], ctx.Err())
}

func (l *ledgerless) Differences(_ context.Context, b nft.Block) (lines []string, stored evm.Hash, err error) {
	number := b.Header.Number
	for i := range l.lines[number] {
		lines = append(lines, fmt.Sprintf("difference %d", i))
	}
	stored, known := l.stored[number]
	if !known {
		stored = b.Header.Hash
	}
	return lines, stored, l.uncompared[number]
}

func (l *ledgerless) MarkVerified(ctx context.Context, proved []evm.Header) error {
	l.log = append(l.log, fmt.Sprintf("verified %d to %d", proved[0].Number, proved[len(proved)-1].Number))
	if last := proved[len(proved)-1].Number; last != proved[0].Number+uint64(len(proved))-1 {
		l.log = append(l.log, "with holes")
	}
	return ctx.Err()
}

func (l *ledgerless) ClearVerified(_ context.Context, r evm.Range) error {
	l.log = append(l.log, fmt.Sprintf("cleared %d to %d", r.From, r.To))
	return nil
}

func (l *ledgerless) repair(_ context.Context, blocks []nft.Block) error {
	first, last := blocks[0].Header.Number, blocks[len(blocks)-1].Header.Number
	l.log = append(l.log, fmt.Sprintf("repaired %d to %d", first, last))
	return l.unrepaired[first]
}

// others returns the hashes of a range of blocks on another branch.
func others(from, to uint64) map[uint64]evm.Hash {
	stored := map[uint64]evm.Hash{}
	for number := from; number <= to; number++ {
		stored[number] = hash(number, 2)
	}
	return stored
}

func same[V any](value V, from, to uint64) map[uint64]V {
	all := map[uint64]V{}
	for number := from; number <= to; number++ {
		all[number] = value
	}
	return all
}

var (
	errBroken = errors.New("broken")
	errForm   = errors.New("another form")
	errOld    = errors.New("too old")
)

// TestVerify_Walk verifies the blocks from 10 on, and checks which ranges are cleared,
// marked, repaired and reported, in order.
func TestVerify_Walk(t *testing.T) {
	for name, test := range map[string]struct {
		ledgerless
		to     uint64
		repair bool
		want   indexer.Outcome
		log    string
		err    string
	}{
		"nothing differs": {to: 2209, want: indexer.Outcome{Proved: 2200, Next: 2210}, log: "verified 10 to 1009; verified 1010 to 2009; verified 2010 to 2209"},
		"one block":       {to: 10, want: indexer.Outcome{Proved: 1, Next: 11}, log: "verified 10 to 10"},
		"a difference": {ledgerless: ledgerless{lines: map[uint64]int{13: 2}}, to: 20,
			want: indexer.Outcome{Proved: 10, Differing: 1, Differences: 2, Next: 21},
			log:  "block 13: difference 0; block 13: difference 1; cleared 13 to 13; verified 10 to 12; verified 14 to 20"},
		"a difference, repaired": {ledgerless: ledgerless{lines: map[uint64]int{13: 2}}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 11, Differences: 2, Repaired: 2, Next: 21},
			log:  "block 13: difference 0; block 13: difference 1; cleared 13 to 13; verified 10 to 12; repaired 13 to 13; verified 14 to 20"},
		"a missing block, repaired": {ledgerless: ledgerless{lines: map[uint64]int{13: 1}, stored: map[uint64]evm.Hash{13: {}}}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 11, Differences: 1, Repaired: 1, Next: 21},
			log:  "block 13: difference 0; cleared 13 to 13; verified 10 to 12; repaired 13 to 13; verified 14 to 20"},
		"another branch, repaired with the first block that is right": {
			ledgerless: ledgerless{lines: same(1, 13, 14), stored: others(13, 14)}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 11, Differences: 2, Repaired: 2, Next: 21},
			log:  "block 13: difference 0; cleared 13 to 13; block 14: difference 0; cleared 14 to 14; verified 10 to 12; repaired 13 to 15; verified 16 to 20"},
		"another branch to the end": {
			ledgerless: ledgerless{lines: same(1, 18, 20), stored: others(18, 20)}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 11, Differences: 3, Repaired: 3, Next: 21},
			log:  "block 18: difference 0; cleared 18 to 18; block 19: difference 0; cleared 19 to 19; block 20: difference 0; cleared 20 to 20; verified 10 to 17; repaired 18 to 20"},
		"another branch that can't be repaired": {
			ledgerless: ledgerless{lines: same(1, 13, 14), stored: others(13, 14), unrepaired: map[uint64]error{13: nft.ErrConflict}}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 8, Differing: 3, Differences: 2, Next: 21},
			log:  "block 13: difference 0; cleared 13 to 13; block 14: difference 0; cleared 14 to 14; verified 10 to 12; repaired 13 to 15; blocks 13 to 15 are not repaired: another branch is stored; cleared 13 to 15; verified 16 to 20"},
		"a long run of another branch": {
			ledgerless: ledgerless{stored: others(10, 1100), lines: map[uint64]int{10: 1, 1034: 1}}, to: 1100, repair: true,
			want: indexer.Outcome{Proved: 1091, Differences: 2, Repaired: 2, Next: 1101},
			log:  "block 10: difference 0; cleared 10 to 10; repaired 10 to 1033; block 1034: difference 0; cleared 1034 to 1034; repaired 1034 to 1100"},
		"a repair that fails": {
			ledgerless: ledgerless{lines: same(1, 13, 14), stored: others(13, 14), unrepaired: map[uint64]error{13: errBroken}}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 3, Differences: 2, Next: 13},
			log:  "block 13: difference 0; cleared 13 to 13; block 14: difference 0; cleared 14 to 14; verified 10 to 12; repaired 13 to 15", err: "broken"},
		// The blocks after the error are not proved, which would take forever.
		"a proof that fails": {ledgerless: ledgerless{unproved: map[uint64]error{14: errBroken}}, to: 1 << 62,
			want: indexer.Outcome{Proved: 4, Next: 14}, log: "verified 10 to 13", err: "broken"},
		"a comparison that fails": {ledgerless: ledgerless{uncompared: map[uint64]error{14: errBroken}}, to: 20,
			want: indexer.Outcome{Proved: 4, Next: 14}, log: "verified 10 to 13", err: "broken"},
		// The blocks below may belong to either branch, so they are not marked.
		"a reorg meanwhile": {ledgerless: ledgerless{unlinked: map[uint64]bool{14: true}}, to: 20,
			want: indexer.Outcome{Proved: 4, Next: 14}, err: "block 14 has the parent 0x09"},
		"the first block has any parent": {ledgerless: ledgerless{unlinked: map[uint64]bool{10: true}}, to: 11,
			want: indexer.Outcome{Proved: 2, Next: 12}, log: "verified 10 to 11"},
		"unprovable blocks": {ledgerless: ledgerless{unproved: same(errForm, 13, 15)}, to: 20,
			want: indexer.Outcome{Proved: 8, Unprovable: []evm.Range{{From: 13, To: 15}}, Next: 21},
			log:  "verified 10 to 12; blocks 13 to 15 are not proved: another form; verified 16 to 20; cleared 13 to 15"},
		"unprovable blocks at both ends": {ledgerless: ledgerless{unproved: map[uint64]error{10: errForm, 20: errForm}}, to: 20,
			want: indexer.Outcome{Proved: 9, Unprovable: []evm.Range{{From: 10, To: 10}, {From: 20, To: 20}}, Next: 21},
			log:  "blocks 10 to 10 are not proved: another form; verified 11 to 19; cleared 10 to 10; cleared 20 to 20; blocks 20 to 20 are not proved: another form"},
		"unprovable blocks for two reasons": {ledgerless: ledgerless{unproved: map[uint64]error{13: errForm, 14: errForm, 15: errOld}}, to: 20,
			want: indexer.Outcome{Proved: 8, Unprovable: []evm.Range{{From: 13, To: 15}}, Next: 21},
			log:  "verified 10 to 12; blocks 13 to 14 are not proved: another form; blocks 15 to 15 are not proved: too old; verified 16 to 20; cleared 13 to 15"},
		"unprovable blocks end a run": {
			ledgerless: ledgerless{lines: same(1, 13, 14), stored: others(13, 14), unproved: same(errForm, 15, 15), unlinked: map[uint64]bool{16: true}}, to: 20, repair: true,
			want: indexer.Outcome{Proved: 10, Differences: 2, Repaired: 2, Unprovable: []evm.Range{{From: 15, To: 15}}, Next: 21},
			log:  "block 13: difference 0; cleared 13 to 13; block 14: difference 0; cleared 14 to 14; verified 10 to 12; repaired 13 to 14; blocks 15 to 15 are not proved: another form; verified 16 to 20; cleared 15 to 15"},
		"an error after unprovable blocks": {ledgerless: ledgerless{unproved: map[uint64]error{13: errForm, 14: errBroken}}, to: 20,
			want: indexer.Outcome{Proved: 3, Unprovable: []evm.Range{{From: 13, To: 13}}, Next: 14},
			log:  "verified 10 to 12; cleared 13 to 13; blocks 13 to 13 are not proved: another form", err: "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &test.ledgerless
			progress := []indexer.Progress{}
			v := &indexer.Verifier{
				Prover: l, Records: l, Decoder: new(nft.Decoder), Workers: 3,
				Report:   func(line string) { l.log = append(l.log, line) },
				Progress: func(p indexer.Progress) { progress = append(progress, p) },
				Unprovable: func(err error) (string, bool) {
					return err.Error(), errors.Is(err, errForm) || errors.Is(err, errOld)
				},
			}
			if test.repair {
				v.Repair = l.repair
			}
			got, err := v.Verify(t.Context(), evm.Range{From: 10, To: test.to})
			expect.Equal(t, "result", test.want, got)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.HasPrefix(err.Error(), test.err)) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if log := strings.Join(l.log, "; "); log != test.log {
				t.Errorf("got  %s\nwant %s", log, test.log)
			}
			for i, p := range progress {
				if p != (indexer.Progress{Block: 10 + uint64(i), Head: test.to, Blocks: 1}) {
					t.Errorf("progress %d: %+v", i, p)
				}
			}
			if err == nil && uint64(len(progress)) != test.to-9 {
				t.Errorf("%d calls of Progress", len(progress))
			}
		})
	}
}

// TestVerify_Stopped checks that the blocks proved before ctx ended are marked, even if
// only one block was left, whose proof may or may not have begun.
func TestVerify_Stopped(t *testing.T) {
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		l := new(ledgerless)
		v := &indexer.Verifier{Prover: l, Records: l, Decoder: new(nft.Decoder), Report: func(line string) { t.Log(line) }}
		v.Progress = func(p indexer.Progress) {
			if p.Block == 14 {
				cancel()
			}
		}
		found, err := v.Verify(ctx, evm.Range{From: 10, To: []uint64{15, 1000}[i%2]})
		if !errors.Is(err, context.Canceled) || found.Next < 15 || found.Next > 17 {
			t.Errorf("found %+v, error %v", found, err)
		}
		if want := fmt.Sprintf("verified 10 to %d", found.Next-1); len(l.log) != 1 || l.log[0] != want {
			t.Errorf("got %q, want %s", l.log, want)
		}
	}
}

// TestVerify_Workers checks that Workers blocks are proved at once.
func TestVerify_Workers(t *testing.T) {
	for workers, want := range map[int]int64{0: 1, 1: 1, 5: 5} {
		synctest.Test(t, func(t *testing.T) {
			l, release := new(ledgerless), make(chan struct{})
			var running atomic.Int64
			prover := proving(func(ctx context.Context, number uint64) (evm.Block, error) {
				running.Add(1)
				<-release
				return l.Proven(ctx, number)
			})
			v := &indexer.Verifier{Prover: prover, Records: l, Decoder: new(nft.Decoder), Workers: workers}
			go func() {
				synctest.Wait()
				if running := running.Load(); running != want {
					t.Errorf("%d workers: %d proofs at once", workers, running)
				}
				close(release)
			}()
			if found, err := v.Verify(t.Context(), evm.Range{From: 10, To: 39}); err != nil || found.Proved != 30 {
				t.Errorf("%d workers: found %+v, error %v", workers, found, err)
			}
		})
	}
}
