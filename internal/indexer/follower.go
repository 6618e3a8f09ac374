package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Source returns checked blocks of the chain. An error never means an empty range.
type Source interface {
	// Head returns the last block and the last final block.
	Head(ctx context.Context) (latest, finalized evm.Header, err error)
	// Headers returns the headers of all blocks of a range, linked by their parent
	// hashes. A height without a block (Filecoin's null rounds) is left out, by the other
	// methods as well; the last block then ends the range.
	Headers(ctx context.Context, from, to uint64) ([]evm.Header, error)
	// Blocks returns all blocks of a range, linked by their parent hashes, with the
	// logs that match the filter, and reports whether their headers prove them
	// complete. If full, each block is read from its receipts, so that no log is missed.
	Blocks(ctx context.Context, from, to uint64, full bool) (blocks []evm.Block, proven bool, err error)
	// Sparse is Blocks for a final range, but returns only the blocks with matching
	// logs, whose parent hashes may be unknown (zero), and the first and the last block.
	Sparse(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error)
}

// Store contains the records.
type Store interface {
	// Tip returns the last block and the first block number of the indexed range that
	// contains from, or that begins after the gaps at from. If there is no such range,
	// it returns false, and in first the next block to index: from, or the block after
	// the last of these gaps.
	Tip(ctx context.Context, from uint64) (tip evm.Header, first uint64, found bool, err error)
	// Header returns the stored header at a height, and false if none is stored.
	Header(ctx context.Context, number uint64) (evm.Header, bool, error)
	// Extend stores blocks and marks their range as indexed and, if proven, as proved.
	// It fails with [nft.ErrConflict] if the stored blocks belong to another branch.
	Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error
	// ReplaceAbove removes everything above a block and stores blocks instead, in one
	// transaction.
	ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error
}

// Follower keeps a store in sync with a chain. Its fields must not change while
// it runs.
type Follower struct {
	Source  Source
	Store   Store
	Decoder *nft.Decoder
	// Loop configures the pauses of [Follower.Run]. Poll is the time between two reads
	// of the head.
	Loop
	// Limited, if not nil, reports whether a node refused a call since the last report,
	// because there were too many.
	Limited func() bool
	// From is the first block to index, To the last; nil means to follow forever.
	From uint64
	To   *uint64
	// HeaderDepth is the number of blocks below the head whose headers are all
	// fetched, so that even empty blocks are linked and found by hash. Older blocks get
	// a header only if they have matching logs or are not final.
	HeaderDepth uint64
	// ReceiptsDepth is the number of blocks below the head that are read from their
	// receipts, see [Source]. Older blocks are read by ranges of logs.
	ReceiptsDepth uint64
	// Workers is the number of ranges of final blocks fetched at once.
	Workers int
	// Begin, if not nil, is called first in each fetching goroutine.
	Begin func()
	// Head, if not nil, is called in each step with the chain's head and its last
	// final block.
	Head func(ctx context.Context, latest, finalized evm.Header) error
	// Progress, if not nil, is called after each commit.
	Progress func(Progress)
	// Reorged, if not nil, is called after each reorg with the number of orphaned
	// blocks.
	Reorged func(depth uint64)
	// Refused, if not nil, reports whether an error means that no endpoint gives a block,
	// in whatever words, and the class of the error. The blocks below the first such
	// block are then stored.
	Refused func(err error) (reason string, refused bool)
	// Pruned, if not nil, reports whether an error means that every endpoint has pruned
	// the block, and the first block that one of them has.
	Pruned func(err error) (first uint64, pruned bool)
	// Gaps, if not nil, stores the final blocks that no endpoint has given for longer than
	// GiveUpAfter, and those that all have pruned. For all other blocks the follower
	// waits.
	Gaps        Gaps
	GiveUpAfter time.Duration

	contest  contest
	schedule schedule
	// head is the head of the last step. level reports that the step stored it.
	head  uint64
	level bool
	// untried holds the pruned gaps, by their first block, that this process has not tried to
	// fill; nil before the first step.
	untried map[uint64]bool
	// span is the number of blocks in the next range of a backfill, 0 before the
	// first.
	span atomic.Uint64
}

// Progress is the progress of a follower.
type Progress struct {
	// Block is the last indexed block. Head is the chain's head, or To if that is lower.
	Block, Head uint64
	// Blocks, Records and Mints are the numbers of blocks, of records, and of the mints among
	// them in the commit.
	Blocks, Records, Mints int
}

// DefaultWorkers is a good number of [Follower.Workers]: enough that neither a
// distant node nor the database waits for the other, few enough that the fetched
// blocks take some tens of megabytes.
const DefaultWorkers = 8

// ErrIdle means that the store has reached the chain's head. It is control flow, and
// never shown.
var ErrIdle = errors.New("reached the head")

// ErrDone means that the store has reached [Follower.To]. It is control flow, and never
// shown.
var ErrDone = errors.New("reached the last block")

// Step stores the next blocks of the chain, or replaces orphaned ones: in one
// commit, or in several if many blocks are missing. It returns [ErrIdle] or [ErrDone]
// if there is nothing to do.
func (f *Follower) Step(ctx context.Context) (err error) {
	f.level = false
	latest, finalized, err := f.Source.Head(ctx)
	if err != nil {
		return err
	}
	f.head = latest.Number
	f.schedule.saw(f.head, f.now(), f.woken)
	if f.Head != nil {
		if err := f.Head(ctx, latest, finalized); err != nil {
			return err
		}
	}
	goal := latest.Number
	if f.To != nil {
		goal = min(goal, *f.To)
	}
	filled, err := f.fill(ctx, latest.Number)
	if err != nil {
		return err
	}
	if filled {
		// Gaps below the tip may be filled for a long time, in which the head moves.
		defer func() {
			if errors.Is(err, ErrIdle) || errors.Is(err, ErrDone) {
				err = nil
			}
		}()
	}
	tip, first, begun, err := f.Store.Tip(ctx, f.From)
	if err != nil {
		return err
	}
	stored := followedRange{first: first, tip: tip, finalized: finalized, head: latest.Number}
	next := first
	if begun {
		next = tip.Number + 1
	}
	switch {
	case begun && first <= latest.Number && latest.Number <= tip.Number:
		// The store reaches the head or further: the chain may have had a reorg to a
		// lower head.
		same, err := f.same(ctx, latest)
		if err != nil {
			return err
		}
		if !same {
			return f.reorg(ctx, stored, latest.Number)
		}
		fallthrough
	case next > goal:
		switch {
		case f.To == nil, next <= *f.To:
			return ErrIdle
		case !begun && next > f.From:
			// The range ends with a gap.
			return ErrDone
		case !begun:
			return ErrIdle
		}
		// The stored last block may have been orphaned since.
		canonical, err := f.canonical(ctx, tip)
		if err == nil && !canonical {
			return f.reorg(ctx, stored, tip.Number)
		}
		return cmp.Or(err, ErrDone)
	case next <= finalized.Number:
		if begun {
			// The tip may be old, and orphaned while no follower ran.
			canonical, err := f.canonical(ctx, tip)
			if err != nil {
				return err
			}
			if !canonical {
				return f.reorg(ctx, stored, tip.Number)
			}
		}
		to, suspect := f.contest.end(next, min(goal, finalized.Number))
		if suspect {
			f.span.Store(to - next + 1)
		}
		return f.dispute(ctx, f.backfill(ctx, tip, begun, next, to, latest.Number), finalized.Number, latest.Number)
	default:
		return f.extend(ctx, stored, begun, next, min(goal, next+unfinalizedSpan-1))
	}
}

// unfinalizedSpan is the most blocks above the finalized block stored at once.
const unfinalizedSpan = 128

// same reports whether the stored block at the height of h is h. It returns true if no
// header is stored there.
func (f *Follower) same(ctx context.Context, h evm.Header) (bool, error) {
	stored, found, err := f.Store.Header(ctx, h.Number)
	return !found || stored.Hash == h.Hash, err
}

// canonical reports whether the chain still has a stored block.
func (f *Follower) canonical(ctx context.Context, stored evm.Header) (bool, error) {
	headers, err := f.Source.Headers(ctx, stored.Number, stored.Number)
	if err != nil {
		return false, fmt.Errorf("fetching block %d: %w", stored.Number, err)
	}
	return headers[0].Hash == stored.Hash, nil
}

// fetched is a fetched range of blocks.
type fetched struct {
	r evm.Range
	// parent is the hash of the block before the range.
	parent evm.Hash
	blocks []evm.Block
	proven bool
}

// fetch fetches a range of final blocks, with all headers within HeaderDepth of the
// head, and from receipts within ReceiptsDepth.
func (f *Follower) fetch(ctx context.Context, from, to, head uint64) (got fetched, err error) {
	if depth := head - min(to, head); depth < f.ReceiptsDepth || depth < f.HeaderDepth {
		return f.fetchLinked(ctx, from, to, depth < f.ReceiptsDepth)
	}
	blocks, proven, err := f.Source.Sparse(ctx, from, to)
	return newFetched(evm.Range{From: from, To: to}, blocks, proven, err)
}

// newFetched returns the result of fetching a range, which ends at its last block.
func newFetched(r evm.Range, blocks []evm.Block, proven bool, err error) (fetched, error) {
	if err != nil {
		return fetched{}, &fetchError{r, err}
	}
	r.To = blocks[len(blocks)-1].Header.Number
	return fetched{r, blocks[0].Header.ParentHash, blocks, proven}, nil
}

// fetchLinked fetches all blocks of a range with their headers. They need not be final.
func (f *Follower) fetchLinked(ctx context.Context, from, to uint64, full bool) (got fetched, err error) {
	blocks, proven, err := f.Source.Blocks(ctx, from, to, full)
	return newFetched(evm.Range{From: from, To: to}, blocks, proven, err)
}

// links checks that the range follows a block, from which it then begins: heights in between
// have no block. It fails with [errUnlinked] if the hashes show otherwise.
func (got *fetched) links(before evm.BlockRef) error {
	if got.parent != before.Hash {
		return fmt.Errorf("block %d has the parent %s, but block %d is %s: %w", got.blocks[0].Header.Number, got.parent, before.Number, before.Hash, errUnlinked)
	}
	got.r.From = before.Number + 1
	return nil
}

// extend stores blocks that may still be orphaned.
func (f *Follower) extend(ctx context.Context, stored followedRange, begun bool, from, to uint64) error {
	to, _ = f.contest.end(from, to)
	got, err := f.fetchLinked(ctx, from, to, f.ReceiptsDepth > 0)
	if err != nil {
		return f.dispute(ctx, err, stored.finalized.Number, stored.head)
	}
	if begun && got.links(stored.tip.BlockRef) != nil {
		return f.reorg(ctx, stored, to)
	}
	return f.append(ctx, got, to)
}

// append stores the blocks after the last block of the indexed range. If the store
// contains blocks of another branch above them, it replaces those.
func (f *Follower) append(ctx context.Context, got fetched, head uint64) error {
	err := f.commit(ctx, got, head, func(decoded []nft.Block) error {
		return f.Store.Extend(ctx, decoded, got.r, got.proven)
	})
	if !errors.Is(err, nft.ErrConflict) || got.r.To == 0 {
		return err
	}
	// A separate range is stored further up, and was orphaned while no follower ran.
	if got.r.From == 0 {
		// ReplaceAbove needs a block below the replaced ones: store the genesis block,
		// which is the same on every branch.
		genesis := fetched{r: evm.Range{}, proven: got.proven}
		if got.blocks[0].Header.Number == 0 {
			genesis.blocks, got.blocks = got.blocks[:1], got.blocks[1:]
		}
		if err := f.append(ctx, genesis, head); err != nil {
			return err
		}
		got.r.From = 1
	}
	f.Log.Warn("replacing stored blocks of another branch", "above", got.r.From-1, "error", err)
	return f.replace(ctx, got.r.From-1, got, head)
}

func (f *Follower) replace(ctx context.Context, above uint64, got fetched, head uint64) error {
	return f.commit(ctx, got, head, func(decoded []nft.Block) error {
		return f.Store.ReplaceAbove(ctx, above, decoded, got.proven)
	})
}

// commit decodes blocks, passes them to write and reports progress.
func (f *Follower) commit(ctx context.Context, got fetched, head uint64, write func([]nft.Block) error) error {
	decoded := make([]nft.Block, len(got.blocks))
	records, mints := 0, 0
	for i, b := range got.blocks {
		var err error
		if decoded[i], err = f.Decoder.DecodeBlock(b); err != nil {
			return err
		}
		records += len(decoded[i].Mints) + len(decoded[i].Burns)
		mints += len(decoded[i].Mints)
	}
	if err := write(decoded); err != nil {
		return err
	}
	f.advanced()
	f.level = got.r.To == f.head
	if f.Progress != nil {
		f.Progress(Progress{Block: got.r.To, Head: head, Blocks: int(got.r.To - got.r.From + 1), Records: records, Mints: mints})
	}
	return ctx.Err()
}
