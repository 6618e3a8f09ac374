package store_test

import (
	"errors"
	"slices"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// sparse returns every third of blocks 100 to 119 and the last, without the parent hash if
// the block before is not included.
func sparse() []nft.Block {
	var blocks []nft.Block
	for i, b := range few() {
		if i%3 == 0 || i == 19 {
			if i%3 == 0 {
				b.Header.ParentHash = evm.Hash{}
			}
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func TestExtend_CoversOmittedBlocks(t *testing.T) {
	blocks := sparse()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		expect.NoError(t, s.Extend(t.Context(), blocks, evm.Range{From: 95, To: 119}, false))
		st := contents(t, s)
		head := blocks[len(blocks)-1].Header
		want := &read.Chain{Indexed: []evm.Range{{From: 95, To: 119}}, Head: &head}
		expect.Equal(t, "chain", want, st.Chain)
		expect.Equal(t, "mints", model(blocks).match(store.Filter{}), st.Records[0])
		each(t, s, func(snap *store.Snapshot) {
			wantTotals(t, snap, blocks, []store.Filter{{FromBlock: ptr(evm.Long(96)), ToBlock: ptr(evm.Long(110))}, {Block: &evm.BlockNumberOrHash{Number: 101}}})
		})
		// An empty range further up, and one that joins the two.
		for _, r := range []evm.Range{{From: 130, To: 139}, {From: 120, To: 129}} {
			expect.NoError(t, s.Extend(t.Context(), nil, r, false))
		}
		expect.Equal(t, "ranges", []evm.Range{{From: 95, To: 139}}, chainOf(t, s).Indexed)
	})
}

// TestExtend_Proven checks that the range is verified, unless one of its blocks was stored
// before, because that may lack records.
func TestExtend_Proven(t *testing.T) {
	blocks, all := few(), evm.Range{From: 95, To: 119}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks[5:6])
		expect.NoError(t, s.Extend(t.Context(), blocks, all, true))
		expect.Equal(t, "verified with a block that was stored", []evm.Range(nil), chainOf(t, s).Verified)
		rollback(t, s, 0, nil)
		expect.NoError(t, s.Extend(t.Context(), blocks, all, true))
		expect.Equal(t, "verified", []evm.Range{all}, chainOf(t, s).Verified)
	})
}

func TestExtend_RefusesAnInvalidRange(t *testing.T) {
	blocks := few()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for _, r := range []evm.Range{{From: 101, To: 119}, {From: 100, To: 118}, {From: 119, To: 100}, {From: 100, To: 1<<33 - 1}, {From: 100, To: 1<<64 - 1}} {
			if err := s.Extend(t.Context(), blocks, r, false); err == nil {
				t.Errorf("%v: got no error for the blocks 100 to 119", r)
			}
		}
		expect.Equal(t, "indexed ranges", []evm.Range(nil), chainOf(t, s).Indexed)
	})
}

// TestApply_AnUnknownParentLinksToAnything stores blocks whose parent hash was never
// fetched, before and after blocks with a known parent.
func TestApply_AnUnknownParentLinksToAnything(t *testing.T) {
	blocks := few()
	unlinked := blocks[5]
	unlinked.Header.ParentHash = evm.Hash{}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		// One is stored after its parent, the other before it.
		apply(t, s, blocks[3:5])
		other := blocks[12]
		other.Header.ParentHash = evm.Hash{}
		apply(t, s, []nft.Block{unlinked, other})
		header, found, err := s.Header(t.Context(), 105)
		if err != nil || !found || header != unlinked.Header {
			t.Errorf("got %+v, %v, %v, want %+v", header, found, err, unlinked.Header)
		}
		apply(t, s, blocks)
		expect.Equal(t, "mints", model(blocks).match(store.Filter{}), contents(t, s).Records[0])
		// The block is orphaned and its parent unknown, so there is no rewindCursor.
		var cursor string
		each(t, s, func(snap *store.Snapshot) {
			p := pageOf(t, snap, store.Filter{FromBlock: ptr(evm.Long(105))}, page.Args{})
			cursor = p.Cursor(0)
		})
		rollback(t, s, 104, branch(1, 8, 105, blocks[4].Header.Hash, 5, between(4, 0)))
		each(t, s, func(snap *store.Snapshot) {
			_, err := readPage(t.Context(), snap, store.Filter{FromBlock: ptr(evm.Long(105))}, page.Args{After: &cursor})
			var refused *apierror.Error
			if !errors.As(err, &refused) || refused.Code != apierror.InvalidCursor && refused.Code != apierror.CursorReorged {
				t.Errorf("got %v, want the cursor refused", err)
			}
		})
	})
}

// TestApply_AFailureLeavesAUsableStore fails because of two rejected logs at one position.
func TestApply_AFailureLeavesAUsableStore(t *testing.T) {
	blocks := few()
	bad := slices.Clone(blocks)
	log := evm.Log{Address: collection(0), Index: 3}
	bad[7].Rejected = []nft.Rejected{{Log: log, Reason: nft.ReasonTopics}, {Log: log, Reason: nft.ReasonTopics}}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks[:5])
		before := contents(t, s)
		if _, err := s.Apply(t.Context(), bad[5:]); err == nil {
			t.Fatal("got no error for two logs at one position")
		}
		expect.Equal(t, "result", before, contents(t, s))
		apply(t, s, blocks)
		expect.Equal(t, "mints after the failure", model(blocks).match(store.Filter{}), contents(t, s).Records[0])
	})
}

func TestTip_IsTheEndOfTheRange(t *testing.T) {
	blocks := few()
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		if _, _, found, err := s.Tip(t.Context(), 0); err != nil || found {
			t.Errorf("of nothing: got %v, %v", found, err)
		}
		apply(t, s, slices.Concat(blocks[:10], blocks[12:]))
		for from, want := range map[uint64]uint64{100: 109, 105: 109, 109: 109, 112: 119, 119: 119} {
			header, _, found, err := s.Tip(t.Context(), from)
			if err != nil || !found || header != blocks[want-100].Header {
				t.Errorf("from %d: got %+v, %v, %v, want block %d", from, header, found, err, want)
			}
		}
		for _, from := range []uint64{0, 99, 110, 111, 120, 1 << 40} {
			if header, _, found, err := s.Tip(t.Context(), from); err != nil || found {
				t.Errorf("from %d: got %+v, %v, %v, want nothing", from, header, found, err)
			}
		}
		if _, found, err := s.Header(t.Context(), 110); err != nil || found {
			t.Errorf("header of a block that is not stored: got %v, %v", found, err)
		}
	})
}

func TestBindChain_RefusesAnotherChain(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for range 2 {
			expect.NoError(t, s.Settings().BindChain(t.Context(), 1<<63+5))
		}
		if err := s.Settings().BindChain(t.Context(), 1); err == nil {
			t.Error("got no error for another chain")
		}
		finalized := few()[3].Header
		for _, header := range []evm.Header{few()[2].Header, finalized} {
			expect.NoError(t, s.SetFinalized(t.Context(), header))
		}
		expect.Equal(t, "result", &read.Chain{ID: ptr(uint64(1<<63 + 5)), Finalized: &finalized}, chainOf(t, s))
	})
}
