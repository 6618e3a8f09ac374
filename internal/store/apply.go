package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"entgo.io/ent/dialect"
	"github.com/mattn/go-sqlite3"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Applied says what a call of [Store.Apply] wrote.
type Applied struct {
	// Blocks were stored; Known were there already and left as they are.
	Blocks, Known int
	// Proven are those of the stored blocks that count as verified because they
	// were given as proven.
	Proven int
	// Mints, Burns and Rejected were stored with the blocks.
	Mints, Burns, Rejected int
}

// Apply stores whole blocks, in any order, in one transaction: after it all of
// them are there, or on any error none. A block that is stored already is left
// as it is, so that a call can be repeated. Others that are proven count as
// verified. A block that contradicts what is
// stored (another hash at its height, a parent or child that does not link) is
// refused.
func (s *Store) Apply(ctx context.Context, blocks []nft.Block) (Applied, error) {
	return s.write(ctx, func(ctx context.Context, w *writer) error { return w.apply(ctx, blocks, covering(blocks)) })
}

// Extend is [Store.Apply] for a range of blocks of which only those that hold
// something need be given: the whole range counts as indexed. The parent hash
// of a block may be unknown (zero). With proven the range counts as verified,
// too, unless a block of it was there already. It fails when a block lies
// outside the range, or the range beyond the largest block number.
func (s *Store) Extend(ctx context.Context, blocks []nft.Block, indexed Range, proven bool) error {
	if indexed.From > indexed.To || indexed.To > MaxBlock {
		return fmt.Errorf("range of blocks %d to %d: want two numbers in order, up to %d", indexed.From, indexed.To, uint64(MaxBlock))
	}
	if err := checkWithin(blocks, indexed); err != nil {
		return err
	}
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.applyProven(ctx, blocks, []Range{indexed}, proven)
	})
	return err
}

// checkWithin refuses blocks outside of a range.
func checkWithin(blocks []nft.Block, r Range) error {
	for i := range blocks {
		if h := blocks[i].Header; h.Number < r.From || h.Number > r.To {
			return blockErrorf(h, "block %d is outside the range %d to %d that is given with it", h.Number, r.From, r.To)
		}
	}
	return nil
}

// ReplaceAbove replaces all blocks above one, which stays, by others, in one
// transaction. It remembers the headers of the orphaned blocks. With proven the
// new blocks count as verified. It returns [ErrDeepReorg], and changes nothing,
// if it would change final blocks.
func (s *Store) ReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.checkDeep(ctx, above, blocks); err != nil {
			return fmt.Errorf("rolling back to block %d: %w", above, err)
		}
		return w.replaceAbove(ctx, above, blocks, proven)
	})
	return err
}

// DeepReplaceAbove is [Store.ReplaceAbove] that changes final blocks as well.
func (s *Store) DeepReplaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		finalized, known, err := w.finalized(ctx)
		if err != nil {
			return err
		}
		if known && finalized.Number > above {
			if err := w.lowerFinalized(ctx, above); err != nil {
				return err
			}
		}
		return w.replaceAbove(ctx, above, blocks, proven)
	})
	return err
}

// replaceAbove stores blocks in place of all above one.
func (w *writer) replaceAbove(ctx context.Context, above uint64, blocks []nft.Block, proven bool) error {
	if err := w.rollback(ctx, above); err != nil {
		return fmt.Errorf("rolling back to block %d: %w", above, err)
	}
	return w.applyProven(ctx, blocks, covering(blocks), proven)
}

// applyProven is apply that notes also which of the blocks are final, and whether
// they are proved.
func (w *writer) applyProven(ctx context.Context, blocks []nft.Block, indexed []Range, proven bool) error {
	if err := w.apply(ctx, blocks, indexed); err != nil {
		return err
	}
	if err := w.coverStored(ctx, indexed); err != nil || !proven || w.applied.Known > 0 {
		return err
	}
	for _, r := range indexed {
		if err := w.cover(ctx, coverage.KindVerified, r); err != nil {
			return fmt.Errorf("storing what is verified: %w", err)
		}
	}
	return nil
}

// covering returns the ranges of the given blocks.
func covering(blocks []nft.Block) []Range {
	var ranges []Range
	for run := range consecutive(inOrder(blocks)) {
		ranges = append(ranges, Range{From: run[0].Header.Number, To: run[len(run)-1].Header.Number})
	}
	return ranges
}

// inOrder returns the blocks by their numbers.
func inOrder(blocks []nft.Block) []nft.Block {
	return slices.SortedStableFunc(slices.Values(blocks), func(a, b nft.Block) int {
		return cmp.Compare(a.Header.Number, b.Header.Number)
	})
}

// writer is one writing transaction.
type writer struct {
	store   *Store
	tx      *sql.Tx
	applied Applied
	// contracts are the ids that this transaction looked up or created.
	contracts map[evm.Address]int64
	counters  counters
	documents documents
	// loading says that indexes and counters are postponed, see load.go.
	loading bool
}

// write runs f in a transaction and commits it. Writers wait for each other,
// those of other processes included.
func (s *Store) write(ctx context.Context, f func(context.Context, *writer) error) (applied Applied, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return applied, err
	}
	tx, err := s.beginWriting(ctx)
	if err != nil {
		return applied, fmt.Errorf("beginning to write: %w", err)
	}
	// A transaction takes a few seconds at most and is worth finishing; and the
	// driver pays for a context that can end with a goroutine a statement.
	ctx = context.WithoutCancel(ctx)
	committed := false
	defer func() {
		// After a panic too: the connection would stay taken.
		if !committed {
			err = errors.Join(err, ignoreDone(tx.Rollback()))
		}
	}()
	if s.dialect == dialect.Postgres {
		// Any constant will do: it only has to be the same for all writers.
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(7223372036854775)"); err != nil {
			return applied, fmt.Errorf("waiting for other writers: %w", err)
		}
	}
	w := &writer{store: s, tx: tx, contracts: map[evm.Address]int64{}, documents: newDocuments()}
	w.counters = newCounters(w)
	if err := w.begin(ctx); err != nil {
		return applied, err
	}
	if err := f(ctx, w); err != nil {
		return applied, err
	}
	if err := w.counters.flush(ctx); err != nil {
		return applied, err
	}
	if err := w.documents.flush(ctx, w); err != nil {
		return applied, err
	}
	if err := tx.Commit(); err != nil {
		return applied, fmt.Errorf("committing: %w", err)
	}
	committed = true
	for address, id := range w.contracts {
		s.remember(id, address)
	}
	w.counters.committed()
	return w.applied, nil
}

// beginWriting begins a transaction when no other process writes any more.
func (s *Store) beginWriting(ctx context.Context) (tx *sql.Tx, err error) {
	for range lockWaits {
		tx, err = s.writer.BeginTx(context.WithoutCancel(ctx), nil)
		var refused sqlite3.Error
		if !errors.As(err, &refused) || refused.Code != sqlite3.ErrBusy || ctx.Err() != nil {
			break
		}
	}
	return tx, err
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// apply stores the blocks that are not stored yet and notes what is indexed.
func (w *writer) apply(ctx context.Context, blocks []nft.Block, indexed []Range) error {
	if err := w.checkDecoding(ctx); err != nil {
		return err
	}
	blocks = inOrder(blocks)
	var fresh []nft.Block
	for run := range consecutive(blocks) {
		unknown, err := w.check(ctx, run)
		if err != nil {
			return err
		}
		fresh = append(fresh, unknown...)
	}
	w.applied.Known += len(blocks) - len(fresh)
	if len(fresh) > 0 {
		if err := w.insert(ctx, fresh); err != nil {
			return fmt.Errorf("storing blocks %d to %d: %w", fresh[0].Header.Number, fresh[len(fresh)-1].Header.Number, err)
		}
	}
	for _, r := range indexed {
		if err := w.cover(ctx, coverage.KindIndexed, r); err != nil {
			return fmt.Errorf("storing coverage: %w", err)
		}
	}
	if err := w.coverLinked(ctx, blocks); err != nil {
		return fmt.Errorf("storing which headers are: %w", err)
	}
	return w.coverProven(ctx, fresh)
}

// coverLinked notes of which blocks, in order, header and parent are stored.
func (w *writer) coverLinked(ctx context.Context, blocks []nft.Block) error {
	var linked []nft.Block
	for i := range blocks {
		if h := &blocks[i].Header; !h.ParentHash.IsZero() || h.Number == 0 {
			linked = append(linked, nft.Block{Header: *h})
		}
	}
	for _, r := range covering(linked) {
		if err := w.cover(ctx, coverage.KindLinked, r); err != nil {
			return err
		}
	}
	return nil
}

// consecutive splits sorted blocks into runs whose numbers follow each other;
// the same number twice is one run.
func consecutive(blocks []nft.Block) func(yield func([]nft.Block) bool) {
	return func(yield func([]nft.Block) bool) {
		start := 0
		for i := 1; i <= len(blocks); i++ {
			if i < len(blocks) && blocks[i].Header.Number <= blocks[i-1].Header.Number+1 {
				continue
			}
			if i > start && !yield(blocks[start:i]) {
				return
			}
			start = i
		}
	}
}

// check returns the blocks of a run that are not stored yet. It refuses a run
// that does not link, within itself or to what is stored.
func (w *writer) check(ctx context.Context, run []nft.Block) ([]nft.Block, error) {
	first, last := run[0].Header.Number, run[len(run)-1].Header.Number
	if last > MaxBlock {
		return nil, blockErrorf(run[len(run)-1].Header, "block %d: the largest block number that can be stored is %d", last, uint64(MaxBlock))
	}
	stored, err := w.headers(ctx, Range{From: max(first, 1) - 1, To: last + 1})
	if err != nil {
		return nil, err
	}
	var fresh []nft.Block
	for _, b := range run {
		h := b.Header
		if h.Time > evm.MaxLong {
			return nil, blockErrorf(h, "block %d: time %d: want at most %d", h.Number, h.Time, uint64(evm.MaxLong))
		}
		known, ok := stored[h.Number]
		switch {
		case ok && known.Hash == h.Hash:
			continue
		case ok:
			return nil, blockErrorf(h, "block %d has the hash %s, but %s is stored: this is another chain or an abandoned branch", h.Number, h.Hash, known.Hash)
		}
		if parent, ok := stored[h.Number-1]; ok && h.Number > 0 && !h.ParentHash.IsZero() && parent.Hash != h.ParentHash {
			return nil, blockErrorf(h, "block %d has the parent %s, but block %d is stored as %s", h.Number, h.ParentHash, parent.Number, parent.Hash)
		}
		if child, ok := stored[h.Number+1]; ok && !child.ParentHash.IsZero() && child.ParentHash != h.Hash {
			return nil, blockErrorf(h, "block %d has the hash %s, but block %d is stored with the parent %s", h.Number, h.Hash, child.Number, child.ParentHash)
		}
		stored[h.Number] = h
		fresh = append(fresh, b)
	}
	return fresh, nil
}

// BlockError is why a block cannot be stored beside what is.
type BlockError struct {
	// Block is the block that was refused.
	Block evm.BlockRef
	text  string
}

// Error names the block and what contradicts it.
func (e *BlockError) Error() string { return e.text }

// Is reports whether target is [nft.ErrConflict].
func (e *BlockError) Is(target error) bool { return target == nft.ErrConflict }

func blockErrorf(h evm.Header, format string, args ...any) error {
	return &BlockError{Block: h.BlockRef, text: fmt.Sprintf(format, args...)}
}

// headers reads the stored headers of a range of blocks, by number.
func (w *writer) headers(ctx context.Context, r Range) (map[uint64]evm.Header, error) {
	rows, err := w.store.client(w.tx).Block.Query().
		Where(blockIDs(r)...).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading blocks %d to %d: %w", r.From, r.To, err)
	}
	headers := make(map[uint64]evm.Header, len(rows)+1)
	for _, row := range rows {
		h, err := headerOf(row)
		if err != nil {
			return nil, err
		}
		headers[h.Number] = h
	}
	return headers, nil
}
