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

// Source returns checked blocks of the chain. An error means that nothing is known.
type Source interface {
	// Head returns the last block and the last final one.
	Head(ctx context.Context) (latest, finalized evm.Header, err error)
	// Headers returns the headers of all blocks of a range, linked by their parent
	// hashes.
	Headers(ctx context.Context, from, to uint64) ([]evm.Header, error)
	// Blocks returns all blocks of a range, linked by their parent hashes, with the
	// logs that match the filter, and reports whether their headers prove them. With
	// full each block is read from its receipts, so that no log is missed.
	Blocks(ctx context.Context, from, to uint64, full bool) (blocks []evm.Block, proven bool, err error)
	// Sparse is Blocks for a final range, but returns only the last block and those
	// that have such logs. The parent hashes of the latter may be unknown (zero).
	Sparse(ctx context.Context, from, to uint64) (blocks []evm.Block, proven bool, err error)
}

// Store holds the records.
type Store interface {
	// Tip returns the last block of the indexed range that contains from, or that
	// follows from beyond gaps, and the number of the range's first block. If there
	// is no such range it returns false, and the first block to index: from, or the
	// block after the last gap.
	Tip(ctx context.Context, from uint64) (tip evm.Header, first uint64, found bool, err error)
	// Header returns the stored header of a height, and false if there is none.
	Header(ctx context.Context, number uint64) (evm.Header, bool, error)
	// Extend stores blocks and notes that the range is indexed and whether it
	// is proved. It fails with [nft.ErrConflict] when the stored blocks belong to
	// another branch.
	Extend(ctx context.Context, blocks []nft.Block, indexed evm.Range, proven bool) error
	// ReplaceAbove removes everything above a block and stores blocks in its
	// place, in one transaction.
	ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error
}

// Follower keeps a store level with a chain. Its fields must not change while
// it runs.
type Follower struct {
	Source  Source
	Store   Store
	Decoder *nft.Decoder
	// Loop is what [Follower.Run] does between steps. Poll is the time between two
	// looks at the head, when there is no new one.
	Loop
	// From is the first block to index; To the last, or nil to follow for ever.
	From uint64
	To   *uint64
	// HeaderDepth is the number of blocks below the head whose headers are all
	// fetched, so that they are linked and found by hash even when empty.
	// Older blocks get a header only when they hold something. Blocks that are
	// not final always get one.
	HeaderDepth uint64
	// ReceiptsDepth is the number of blocks below the head that are read from their
	// receipts, see [Source].
	// Older ones are read by ranges of logs.
	ReceiptsDepth uint64
	// Workers is how many ranges of final blocks are fetched at once.
	Workers int
	// Begin, if not nil, is called first in each goroutine that fetches.
	Begin func()
	// Head, if not nil, is called with the chain's head and its last final block at
	// each step.
	Head func(ctx context.Context, latest, finalized evm.Header) error
	// Progress, if not nil, is called after each commit.
	Progress func(Progress)
	// Reorged, if not nil, is called after each reorg with the number of blocks that it
	// orphaned.
	Reorged func(depth uint64)
	// Contradicted, if not nil, reports whether an error says that every endpoint
	// contradicts itself, and the class of the error. The blocks below the first
	// such block are then stored.
	Contradicted func(err error) (reason string, contradicted bool)
	// Gaps, if not nil, stores the final blocks that were contradicted for longer
	// than GiveUpAfter. The follower waits for all others.
	Gaps        Gaps
	GiveUpAfter time.Duration
	// Now returns the time; nil means the system's clock.
	Now func() time.Time

	contest contest
	// span is the number of blocks of the next range of a backfill, 0 before the
	// first.
	span atomic.Uint64
}

// Progress is the progress of a follower.
type Progress struct {
	// Block is the last indexed block, Head the chain's, or To if that is less.
	Block, Head uint64
	// Blocks and Records were indexed by the commit.
	Blocks, Records int
}

// DefaultWorkers is a good number of [Follower.Workers]: enough that neither a
// distant node nor the database waits for the other, few enough that the fetched
// blocks take some tens of megabytes.
const DefaultWorkers = 8

// ErrIdle says that the store is level with the chain. It is control flow, and
// never shown.
var ErrIdle = errors.New("level with the chain")

// ErrDone says that [Follower.To] is reached. It is control flow, and never
// shown.
var ErrDone = errors.New("reached the last block")

// Step stores the next blocks of the chain, or replaces orphaned ones: in one
// commit or, where many are missing, in several. It returns [ErrIdle] or [ErrDone]
// when there is nothing to do.
func (f *Follower) Step(ctx context.Context) error {
	latest, finalized, err := f.Source.Head(ctx)
	if err != nil {
		return fmt.Errorf("asking for the head: %w", err)
	}
	if f.Head != nil {
		if err := f.Head(ctx, latest, finalized); err != nil {
			return err
		}
	}
	goal := latest.Number
	if f.To != nil {
		goal = min(goal, *f.To)
	}
	tip, first, begun, err := f.Store.Tip(ctx, f.From)
	if err != nil {
		return err
	}
	stored := followedRange{first: first, tip: tip, finalized: finalized}
	next := first
	if begun {
		next = tip.Number + 1
	}
	if tried, err := f.fill(ctx, latest.Number); tried || err != nil {
		return err
	}
	switch {
	case begun && first <= latest.Number && latest.Number <= tip.Number:
		// As far as the chain or further: there may have been a reorg to a lower
		// head.
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
		// What was the last block may have been orphaned since.
		canonical, err := f.canonical(ctx, tip)
		if err == nil && !canonical {
			return f.reorg(ctx, stored, tip.Number)
		}
		return cmp.Or(err, ErrDone)
	case next <= finalized.Number:
		if begun {
			// The tip may date from before a long absence.
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
		return f.dispute(ctx, f.backfill(ctx, tip, begun, next, to, latest.Number, f.append), finalized.Number)
	default:
		return f.extend(ctx, stored, begun, next, min(goal, next+unfinalizedSpan-1))
	}
}

// unfinalizedSpan is how many blocks that are not final are stored at once.
const unfinalizedSpan = 128

// same reports whether the chain's block is the stored one, or one whose header
// is not stored.
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

// fetched are the blocks of one range.
type fetched struct {
	r evm.Range
	// parent is the hash of the block before the range.
	parent evm.Hash
	blocks []evm.Block
	proven bool
}

// fetch fetches a range of final blocks: the closer to the head, the more headers
// and receipts.
func (f *Follower) fetch(ctx context.Context, from, to, head uint64) (got fetched, err error) {
	if depth := head - min(to, head); depth < f.ReceiptsDepth || depth < f.HeaderDepth {
		return f.fetchLinked(ctx, from, to, depth < f.ReceiptsDepth)
	}
	got.r = evm.Range{From: from, To: to}
	var first []evm.Header
	if got.blocks, got.proven, err = f.Source.Sparse(ctx, from, to); err == nil {
		// The first block with logs may lie anywhere in the range.
		first, err = f.Source.Headers(ctx, from, from)
	}
	if err != nil {
		return got, &fetchError{got.r, err}
	}
	got.parent = first[0].ParentHash
	return got, nil
}

// fetchLinked fetches all blocks of a range, which need not be final.
func (f *Follower) fetchLinked(ctx context.Context, from, to uint64, full bool) (got fetched, err error) {
	got.r = evm.Range{From: from, To: to}
	if got.blocks, got.proven, err = f.Source.Blocks(ctx, from, to, full); err != nil {
		return got, &fetchError{got.r, err}
	}
	got.parent = got.blocks[0].Header.ParentHash
	return got, nil
}

// links returns an error that matches errUnlinked unless the range follows a
// block.
func (got fetched) links(before evm.BlockRef) error {
	if got.r.From == before.Number+1 && got.parent != before.Hash {
		return fmt.Errorf("block %d has the parent %s, but block %d is %s: %w", got.r.From, got.parent, before.Number, before.Hash, errUnlinked)
	}
	return nil
}

// extend stores blocks that may still be orphaned.
func (f *Follower) extend(ctx context.Context, stored followedRange, begun bool, from, to uint64) error {
	to, _ = f.contest.end(from, to)
	got, err := f.fetchLinked(ctx, from, to, f.ReceiptsDepth > 0)
	if err != nil {
		return f.dispute(ctx, err, stored.finalized.Number)
	}
	if begun && got.links(stored.tip.BlockRef) != nil {
		return f.reorg(ctx, stored, to)
	}
	return f.append(ctx, got, to)
}

// append stores what follows the last block of the indexed range.
func (f *Follower) append(ctx context.Context, got fetched, head uint64) error {
	err := f.commit(ctx, got, head, func(decoded []nft.Block) error {
		return f.Store.Extend(ctx, decoded, got.r, got.proven)
	})
	if !errors.Is(err, nft.ErrConflict) || got.r.To == 0 {
		return err
	}
	// A range that was stored apart, and orphaned while nobody followed.
	if got.r.From == 0 {
		// What is above a block can be replaced; the genesis is never another.
		genesis := fetched{r: evm.Range{}, proven: got.proven}
		if got.blocks[0].Header.Number == 0 {
			genesis.blocks, got.blocks = got.blocks[:1], got.blocks[1:]
		}
		if err := f.append(ctx, genesis, head); err != nil {
			return err
		}
		got.r.From = 1
	}
	f.Log.Warn("what is stored further up belongs to another branch and is fetched again", "above", got.r.From-1, "error", err)
	return f.replace(ctx, got.r.From-1, got, head)
}

func (f *Follower) replace(ctx context.Context, above uint64, got fetched, head uint64) error {
	return f.commit(ctx, got, head, func(decoded []nft.Block) error {
		return f.Store.ReplaceAbove(ctx, above, decoded, got.proven)
	})
}

// commit decodes blocks and hands them to write.
func (f *Follower) commit(ctx context.Context, got fetched, head uint64, write func([]nft.Block) error) error {
	decoded := make([]nft.Block, len(got.blocks))
	records := 0
	for i, b := range got.blocks {
		var err error
		if decoded[i], err = f.Decoder.Decode(b.Header, b.Logs); err != nil {
			return err
		}
		records += len(decoded[i].Mints) + len(decoded[i].Burns)
	}
	if err := write(decoded); err != nil {
		return err
	}
	if f.Progress != nil {
		f.Progress(Progress{Block: got.r.To, Head: head, Blocks: int(got.r.To - got.r.From + 1), Records: records})
	}
	return ctx.Err()
}
