package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/internal/evm"
)

// errUnlinked means that two answers belong to different branches. The next step looks
// for a reorg.
var errUnlinked = errors.New("the answers are of different branches")

// followedRange is the indexed range that the follower extends.
type followedRange struct {
	// first is the number of its first block, tip its last block.
	first uint64
	tip   evm.Header
	// finalized is the chain's last final block.
	finalized evm.Header
	// head is the number of the chain's last block.
	head uint64
}

// reorg finds the last canonical block of the followed range, fetches the blocks
// above it up to block to, and replaces the orphaned blocks with them.
//
//	stored     1 ← 2 ← 3a ← 4a
//	the chain  1 ← 2 ← 3b          common ancestor 2, replaced by 3b
func (f *Follower) reorg(ctx context.Context, r followedRange, to uint64) error {
	// Another range, of any branch, may be stored above the tip.
	end := min(r.tip.Number, to)
	ancestor, found, err := f.ancestor(ctx, r.first, end)
	switch {
	case err != nil:
		return err
	case found && ancestor.Number == end:
		return fmt.Errorf("block %d is stored, but the head is of another branch: %w", end, errUnlinked)
	case !found && r.first <= r.finalized.Number:
		return fmt.Errorf("the chain shares no block with the indexed blocks from %d on: is this another chain?", r.first)
	case !found:
		// No block of the range was final.
		ancestor.Number = r.first - 1
	}
	got, err := f.fetchLinked(ctx, ancestor.Number+1, to, f.ReceiptsDepth > 0)
	if err != nil {
		return err
	}
	if found {
		// The chain may have changed again since the ancestor was found.
		if err := got.links(ancestor); err != nil {
			return err
		}
	}
	f.Log.Warn("reorg", "common_ancestor", ancestor.Number, "to", to)
	if err := f.replace(ctx, ancestor.Number, got, to); err != nil {
		return err
	}
	if f.Reorged != nil {
		f.Reorged(r.tip.Number - ancestor.Number)
	}
	return nil
}

// maxSearch is the most headers that the search for a common ancestor fetches at once.
const maxSearch = 4096

// ancestor returns the last block up to end that is stored and canonical. It searches
// down to the parent of bottom, and returns false if it finds none. It skips blocks
// whose headers are not stored, as not all headers of older blocks are.
func (f *Follower) ancestor(ctx context.Context, bottom, end uint64) (found evm.BlockRef, ok bool, err error) {
	// Start small, because nearly all reorgs are short, and double each time.
	for size := uint64(4); ; size = min(2*size, maxSearch) {
		first := bottom
		if end-first >= size {
			first = end - size + 1
		}
		headers, err := f.Source.Headers(ctx, first, end)
		if err != nil {
			return found, false, fmt.Errorf("fetching the headers of blocks %d to %d: %w", first, end, err)
		}
		for _, h := range slices.Backward(headers) {
			stored, ok, err := f.Store.Header(ctx, h.Number)
			if err != nil || ok && stored.Hash == h.Hash {
				return h.BlockRef, err == nil, err
			}
		}
		if first == bottom {
			return f.storedParent(ctx, headers[0])
		}
		end = first - 1
	}
}

// storedParent returns a block's parent, and false if it is not stored.
func (f *Follower) storedParent(ctx context.Context, h evm.Header) (evm.BlockRef, bool, error) {
	if h.Number == 0 {
		return evm.BlockRef{}, false, nil
	}
	parent, found, err := f.Store.Header(ctx, h.Number-1)
	return parent.BlockRef, found && parent.Hash == h.ParentHash, err
}
