package store_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// long parses an optional block number: nil for "-".
func long(t *testing.T, text string) *evm.Long {
	t.Helper()
	if text == "-" {
		return nil
	}
	n, err := evm.ParseLong(text)
	expect.NoError(t, err)
	return &n
}

// TestCoverage_UnindexedBlocksAreAnError has only blocks 100 to 119, 121, 130 to 139 and 150
// indexed.
func TestCoverage_UnindexedBlocksAreAnError(t *testing.T) {
	blocks := branch(1, 1, 100, blockHash(1, 99), 51, between(6, 0))
	stored := model{}
	for _, b := range blocks {
		if n := b.Header.Number; n < 120 || n == 121 || n >= 130 && n < 140 || n == 150 {
			stored = append(stored, b)
		}
	}
	const ok = apierror.Code("")
	tests := []struct {
		from, to string
		want     apierror.Code
	}{
		{"100", "119", ok}, {"100", "100", ok}, {"119", "119", ok}, {"130", "139", ok}, {"133", "135", ok}, {"150", "150", ok},
		{"150", "-", ok}, {"150", "151", ok}, {"150", "9007199254740991", ok}, {"-", "119", ok}, {"-", "100", ok}, {"-", "110", ok},
		{"99", "-", apierror.BlockNotIndexed}, {"99", "100", apierror.BlockNotIndexed}, {"0", "-", apierror.BlockNotIndexed}, {"-", "99", apierror.BlockNotIndexed},
		{"-", "0", apierror.BlockNotIndexed}, {"100", "120", apierror.BlockNotIndexed}, {"120", "129", apierror.BlockNotIndexed}, {"119", "130", apierror.BlockNotIndexed}, {"119", "121", apierror.BlockNotIndexed},
		{"130", "-", apierror.BlockNotIndexed}, {"-", "130", apierror.BlockNotIndexed}, {"-", "150", apierror.BlockNotIndexed}, {"-", "9007199254740991", apierror.BlockNotIndexed},
		{"139", "150", apierror.BlockNotIndexed}, {"130", "9007199254740991", apierror.BlockNotIndexed},
		{"151", "-", apierror.BlockNotIndexed}, {"151", "151", apierror.BlockNotIndexed}, {"151", "160", apierror.BlockNotIndexed},
		{"9007199254740991", "-", apierror.BlockNotIndexed}, {"9007199254740991", "9007199254740991", apierror.BlockNotIndexed}, {"8589934591", "-", apierror.BlockNotIndexed},
		{"101", "100", apierror.BadUserInput}, {"9007199254740991", "0", apierror.BadUserInput},
	}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, stored)
		snap := snapshot(t, s)
		for _, test := range tests {
			for _, f := range []store.Filter{{}, {Address: ptr(collection(0))}, {Address: ptr(collection(unknown))}, {Account: ptr(account(0))}, {TransactionHash: &evm.Hash{1}}} {
				f.FromBlock, f.ToBlock = long(t, test.from), long(t, test.to)
				p, err := readPage(t.Context(), snap, f, page.Args{First: ptr(5000)})
				if test.want == ok {
					if err != nil {
						t.Fatalf("%s: %v", describe(f), err)
					}
					expect.Equal(t, describe(f), len(stored.match(f)), len(p.Items))
					continue
				}
				refused := wantCode(t, describe(f), err, test.want)
				if test.want != apierror.BlockNotIndexed {
					continue
				}
				want := []map[string]uint64{{"fromBlock": 100, "toBlock": 119}, {"fromBlock": 121, "toBlock": 121}, {"fromBlock": 130, "toBlock": 139}, {"fromBlock": 150, "toBlock": 150}}
				expect.Equal(t, fmt.Sprintf("%s: ranges", describe(f)), want, refused.Details["indexedRanges"])
				if !strings.Contains(refused.Message, "100 to 119, 121 to 121, 130 to 139, 150 to 150") {
					t.Errorf("%s: message %q lacks the ranges", describe(f), refused.Message)
				}
			}
		}
	})
}

func TestCoverage_MessageNamesTheMissingBlock(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, branch(1, 1, 100, blockHash(1, 99), 20, between(6, 0)))
		snap := snapshot(t, s)
		for _, test := range []struct{ from, to, want string }{
			{"-", "50", "block 50 is not indexed: indexed are 100 to 119"},
			{"200", "-", "block 200 is not indexed: indexed are 100 to 119"},
			{"200", "300", "block 200 is not indexed: indexed are 100 to 119"},
			{"77", "77", "block 77 is not indexed: indexed are 100 to 119"},
			{"50", "110", "not every block from 50 to 110 is indexed: indexed are 100 to 119"},
		} {
			_, err := readPage(t.Context(), snap, store.Filter{FromBlock: long(t, test.from), ToBlock: long(t, test.to)}, page.Args{})
			if got := wantCode(t, test.want, err, apierror.BlockNotIndexed); got.Message != test.want {
				t.Errorf("from %s to %s: got %q, want %q", test.from, test.to, got.Message, test.want)
			}
		}
	})
}

func TestCoverage_BlocksByNumberAndHash(t *testing.T) {
	blocks := branch(1, 1, 100, blockHash(1, 99), 20, between(6, 0))
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		snap := snapshot(t, s)
		for _, b := range blocks {
			for _, name := range []evm.BlockNumberOrHash{{Number: evm.Long(b.Header.Number)}, {Hash: &b.Header.Hash}} {
				f := store.Filter{Block: &name}
				b := recordBook(t, snap, blocks, f)
				b.page(page.Args{First: ptr(100)}, 0, len(b.want), 1, false, false)
			}
		}
		for _, number := range []evm.Long{0, 99, 120, 1 << 33, 1<<33 - 1, evm.MaxLong} {
			_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Number: number}}, page.Args{})
			wantCode(t, number.String(), err, apierror.BlockNotIndexed)
		}
		// The second differs from a block's hash in the last byte only.
		near := blocks[3].Header.Hash
		near[31]++
		for _, hash := range []evm.Hash{{}, near} {
			_, err := readPage(t.Context(), snap, store.Filter{Block: &evm.BlockNumberOrHash{Hash: &hash}}, page.Args{})
			wantCode(t, hash.String(), err, apierror.BlockNotFound)
		}
	})
}

func TestCoverage_NothingIsIndexed(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		snap := snapshot(t, open(t, dsn, write.Options{}))
		for _, f := range accepted(branch(1, 1, 100, blockHash(1, 99), 60, between(20, 0))) {
			if selectsNothing(f) {
				continue // It needs no block.
			}
			want := apierror.BlockNotIndexed
			if f.Block != nil && f.Block.Hash != nil {
				want = apierror.BlockNotFound
			}
			_, err := readPage(t.Context(), snap, f, page.Args{})
			wantCode(t, describe(f), err, want)
		}
		chain, err := snap.Chain(t.Context())
		if err != nil || chain.Head != nil || len(chain.Indexed) != 0 {
			t.Errorf("got %+v and error %v, want an empty chain", chain, err)
		}
		p, err := readMetadata(t.Context(), snap, collection(0), nil, page.Args{})
		if err != nil || len(p.Items) != 0 {
			t.Errorf("tokens: got error %v, want an empty page", err)
		}
		examples, err := snap.Examples(t.Context())
		if err != nil || examples.Mint != nil || examples.Burn != nil || examples.Collection != nil {
			t.Errorf("examples: got %+v and error %v, want none", examples, err)
		}
	})
}
