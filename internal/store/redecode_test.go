package store_test

import (
	"fmt"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// begin begins to redecode, and returns the ranges that are left.
func begin(t *testing.T, s *write.DB, to write.Decoding) []evm.Range {
	t.Helper()
	_, left, err := proof.NewRedecoding(s).Begin(t.Context(), to)
	expect.NoError(t, err)
	return left
}

func wantLeft(t *testing.T, what string, got []evm.Range, want ...evm.Range) {
	t.Helper()
	expect.Equal(t, what, want, got)
}

// fewer returns the blocks without some of their records and rejected logs, as a decoder
// with other options would return them.
func fewer(blocks []nft.Block) []nft.Block {
	list := slices.Clone(blocks)
	for i := range list {
		b := &list[i]
		b.Burns = b.Burns[:len(b.Burns)/3]
		if b.Rejected = nil; b.Header.Number%4 == 0 {
			b.Mints = b.Mints[:len(b.Mints)/2]
		}
	}
	return list
}

var toDead = write.Decoding{BurnAddresses: []evm.Address{dead}}

// TestRedecode_EqualsDecoding adds records by other options in ranges of different lengths,
// in scopes with counter trees and in scopes that then need one, and removes them again.
func TestRedecode_EqualsDecoding(t *testing.T) {
	skipShort(t)
	many := branch(1, 1, 100, evm.Hash{}, 80, between(10, 60))
	few := fewer(many)
	filters := someOf(accepted(many))
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		bind(t, s, write.Decoding{})
		apply(t, s, few)
		expect.NoError(t, proof.Of(s).MarkVerified(t.Context(), headersOf(few)))
		finalize(t, s, few[70])
		for _, step := range []struct {
			to     write.Decoding
			blocks []nft.Block
		}{{toDead, many}, {write.Decoding{}, few}} {
			fresh := storetest.SQLite(t)
			want := open(t, fresh, write.Options{MaxPageSize: 9000})
			apply(t, want, step.blocks)
			expect.NoError(t, proof.Of(want).MarkVerified(t.Context(), headersOf(step.blocks[:30])))
			finalize(t, want, few[70])
			left := begin(t, s, step.to)
			wantLeft(t, "at first", left, evm.Range{From: 100, To: 179})
			for from, n := 0, 1; from < len(step.blocks); from, n = from+n, n+3 {
				blocks := step.blocks[from:min(from+n, len(step.blocks))]
				r := evm.Range{From: blocks[0].Header.Number, To: blocks[len(blocks)-1].Header.Number}
				if proven := r.To < 130; !proven && r.From < 130 {
					// A range is proved as a whole, so split this one.
					cut := 130 - r.From
					for i, part := range [][]nft.Block{blocks[:cut], blocks[cut:]} {
						r := evm.Range{From: part[0].Header.Number, To: part[len(part)-1].Header.Number}
						expect.NoError(t, proof.NewRedecoding(s).Replace(t.Context(), part, r, i == 0))
					}
				} else {
					expect.NoError(t, proof.NewRedecoding(s).Replace(t.Context(), blocks, r, proven))
				}
			}
			expect.NoError(t, proof.NewRedecoding(s).Finish(t.Context()))
			expect.Equal(t, step.to.String(), everything(t, want, filters), everything(t, s, filters))
			for _, table := range []string{"mints", "burns", "blocks", "rejected_logs", "coverage", "orphaned_blocks"} {
				expect.Equal(t, table, countRows(t, fresh, table), countRows(t, dsn, table))
			}
			bind(t, open(t, dsn, write.Options{}), step.to)
		}
	})
}

// TestRedecode_Unfinished checks that until a redecode is finished, others store nothing,
// the same options resume it, other options start over, and the former options undo it.
func TestRedecode_Unfinished(t *testing.T) {
	many := branch(1, 1, 100, evm.Hash{}, 60, between(5, 12))
	few := fewer(many)
	next := branch(1, 1, 160, many[59].Header.Hash, 3, between(2, 4))
	filters := someOf(accepted(many))
	onBoth(t, func(t *testing.T, dsn string) {
		s, follower := open(t, dsn, write.Options{MaxPageSize: 5000}), open(t, dsn, write.Options{})
		if _, _, err := proof.NewRedecoding(s).Begin(t.Context(), toDead); err == nil {
			t.Error("an empty database was redecoded")
		}
		bind(t, follower, write.Decoding{})
		apply(t, follower, few)
		before := everything(t, s, filters)
		begin(t, s, toDead)
		redecode := func(s *write.DB, blocks []nft.Block, from, to uint64) error {
			return proof.NewRedecoding(s).Replace(t.Context(), blocks[from-100:to-99], evm.Range{From: from, To: to}, false)
		}
		expect.NoError(t, redecode(s, many, 100, 119))
		_, err := follower.Apply(t.Context(), next)
		wantOther(t, "a follower", err, "is not finished", "--burn-address "+dead.String())
		_, _, err = open(t, dsn, write.Options{}).Settings().BindDecoding(t.Context(), toDead)
		wantOther(t, "a new process", err, "is not finished")
		if err := proof.NewRedecoding(s).Finish(t.Context()); err == nil {
			t.Error("it was finished with blocks left")
		}
		// Another process with the same options resumes.
		resumed := open(t, dsn, write.Options{})
		wantLeft(t, "resumed", begin(t, resumed, toDead), evm.Range{From: 120, To: 159})
		expect.NoError(t, redecode(resumed, many, 130, 139))
		wantLeft(t, "the first process", begin(t, s, toDead), evm.Range{From: 120, To: 129}, evm.Range{From: 140, To: 159})
		// A process with other options takes over.
		third := open(t, dsn, write.Options{})
		wantLeft(t, "other options", begin(t, third, write.Decoding{RangeCap: 3}), evm.Range{From: 100, To: 159})
		wantOther(t, "the first process", redecode(s, many, 140, 149), "--range-cap 3")
		_, _, err = proof.NewRedecoding(s).Begin(t.Context(), toDead)
		wantOther(t, "the first process", err)
		// Only the redecoded ranges must be undone.
		back := open(t, dsn, write.Options{})
		wantLeft(t, "back", begin(t, back, write.Decoding{}), evm.Range{From: 100, To: 119}, evm.Range{From: 130, To: 139})
		for _, r := range begin(t, back, write.Decoding{}) {
			expect.NoError(t, redecode(back, few, r.From, r.To))
		}
		expect.NoError(t, proof.NewRedecoding(back).Finish(t.Context()))
		expect.Equal(t, "result", before, everything(t, s, filters))
		apply(t, follower, next)
		wantLeft(t, "the same options", begin(t, back, write.Decoding{}))
	})
}

// TestRedecode_Sparse redecodes with only the blocks that contain records or rejected logs,
// and without their parents. Stored headers and parents must be kept.
func TestRedecode_Sparse(t *testing.T) {
	blocks := branch(1, 1, 100, evm.Hash{}, 60, between(8, 3))
	filters := someOf(accepted(blocks))
	onBoth(t, func(t *testing.T, dsn string) {
		s, want := open(t, dsn, write.Options{MaxPageSize: 5000}), open(t, storetest.SQLite(t), write.Options{MaxPageSize: 5000})
		apply(t, s, blocks)
		var sparse []nft.Block
		replaced := slices.Clone(blocks)
		for i := range replaced {
			if i%3 > 0 {
				replaced[i].Mints, replaced[i].Burns, replaced[i].Rejected = nil, nil, nil
				continue
			}
			b := replaced[i]
			b.Header.ParentHash = evm.Hash{}
			sparse = append(sparse, b)
		}
		apply(t, want, replaced)
		finalize(t, s, blocks[50])
		finalize(t, want, blocks[50])
		expect.NoError(t, proof.Of(s).Spotted(t.Context(), evm.Range{From: 100, To: 120}))
		begin(t, s, toDead)
		expect.NoError(t, proof.NewRedecoding(s).Replace(t.Context(), sparse, evm.Range{From: 100, To: 159}, false))
		if left, err := proof.Of(s).SpotsLeft(t.Context()); err != nil || left != 51 {
			t.Errorf("%d blocks are left to be audited, want 51 (%v)", left, err)
		}
		expect.Equal(t, "result", everything(t, want, filters), everything(t, s, filters))
		for i := range blocks {
			if got, found, err := s.Header(t.Context(), blocks[i].Header.Number); err != nil || !found || got != blocks[i].Header {
				t.Errorf("header %v, found %v, error %v; want %v", got, found, err, blocks[i].Header)
			}
		}
		orphaned := branch(1, 2, 110, evm.Hash{}, 2, between(1, 3))
		all := everything(t, s, filters)
		wantRefused(t, "another branch", proof.NewRedecoding(s).Replace(t.Context(), orphaned, evm.Range{From: 110, To: 111}, false))
		wantRefused(t, "a block outside of the range", proof.NewRedecoding(s).Replace(t.Context(), blocks[:3], evm.Range{From: 101, To: 102}, false))
		wantRefused(t, "more than is indexed", proof.NewRedecoding(s).Replace(t.Context(), nil, evm.Range{From: 150, To: 160}, false))
		expect.Equal(t, "the database after refused writes", all, everything(t, s, filters))
	})
}

// TestRedecode_Queue checks that tokens without a mint lose their document and leave the
// queue, that new tokens are entered, and that others are not fetched again.
func TestRedecode_Queue(t *testing.T) {
	a, b := collection(1), collection(2)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), &clock{now: 1_700_000_000}
		apply(t, s, []nft.Block{drop(100, a, 1, 3), drop(101, b, 1, 2), drop(102, a, 3, 1)})
		q := c.queue(s)
		c.fetchAll(t, q, "x")
		begin(t, s, toDead)
		// Collection a loses tokens 1 and 2, while 3 is also minted in block 102; b gets 3 and 4.
		second := drop(101, b, 1, 4)
		expect.NoError(t, proof.NewRedecoding(s).Replace(t.Context(), []nft.Block{second}, evm.Range{From: 100, To: 101}, false))
		for id, want := range map[uint64]bool{1: false, 2: false, 3: true} {
			expect.Equal(t, fmt.Sprintf("token %d has a document", id), want, metadataOf(t, s, a, id) != nil)
		}
		wantIDs(t, "the new tokens", claimAll(t, q, 10), 4, 3)
		expect.Equal(t, "tokens in the queue", 5, countRows(t, dsn, "resolutions"))
		before := countRows(t, dsn, "coverage WHERE kind = 'queued'")
		expect.NoError(t, proof.NewRedecoding(s).Replace(t.Context(), []nft.Block{second}, evm.Range{From: 101, To: 101}, false))
		expect.Equal(t, "queued ranges", before, countRows(t, dsn, "coverage WHERE kind = 'queued'"))
	})
}
