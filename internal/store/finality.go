package store

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/ent/setting"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// The finalized block is what nodes call final. Which of the stored blocks are
// final is another question: they may be of a branch that was orphaned while
// nobody followed the chain, or the finalized block may lie beyond them. The
// coverage of the kind "final" has the answer: the blocks of an indexed range up
// to the finalized block, once that is stored, and blocks that the follower
// stored when they were final already. [Store.ReplaceAbove] never replaces them by
// others.

// ErrDeepReorg says that a rollback would remove final blocks, or replace them by
// others.
var ErrDeepReorg = errors.New("final blocks would be replaced")

// SetFinalized notes the last block that the chain calls final, unless a later one
// is noted. From then on there is a generation.
func (s *Store) SetFinalized(ctx context.Context, header evm.Header) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		before, known, err := w.finalized(ctx)
		if err != nil || known && header.Number < before.Number {
			return err
		}
		if err := w.setJSON(ctx, settingFinalized, header); err != nil {
			return err
		}
		stored, err := w.headers(ctx, Range{From: header.Number, To: header.Number})
		if err != nil {
			return err
		}
		if h, found := stored[header.Number]; found && h.Hash == header.Hash {
			if err := w.coverFinal(ctx, header.Number, header.Number); err != nil {
				return err
			}
		}
		return w.beginGeneration(ctx)
	})
	return err
}

// RetractFinalized lowers the finalized block to a number, or to the next stored
// block below it: the node that called it final replaced it since, and does not
// know what is final. It does nothing if another block is noted by now.
func (s *Store) RetractFinalized(ctx context.Context, was evm.BlockRef, number uint64) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		now, known, err := w.finalized(ctx)
		if err != nil || !known || now.BlockRef != was || number >= was.Number {
			return err
		}
		return w.lowerFinalized(ctx, number)
	})
	if err != nil {
		return fmt.Errorf("retracting the finalized block %d: %w", was.Number, err)
	}
	return nil
}

// finalized returns the stored finalized block, and false while none is known.
func (w *writer) finalized(ctx context.Context) (header evm.Header, known bool, err error) {
	var stored *evm.Header
	if err := w.get(ctx, map[string]any{settingFinalized: &stored}); err != nil || stored == nil {
		return header, false, err
	}
	return *stored, true, nil
}

// lowerFinalized makes the stored block at a height, or the next below, the
// finalized one: none if there is none.
func (w *writer) lowerFinalized(ctx context.Context, number uint64) error {
	client := w.store.client(w.tx)
	if err := w.uncover(ctx, coverage.KindFinal, number); err != nil {
		return fmt.Errorf("trimming coverage: %w", err)
	}
	row, err := client.Block.Query().Where(block.IDLTE(int64(number))).Order(block.ByID(entsql.OrderDesc())).First(ctx)
	if ent.IsNotFound(err) {
		if _, err := client.Setting.Delete().Where(setting.ID(settingFinalized)).Exec(ctx); err != nil {
			return fmt.Errorf("removing the finalized block: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading blocks: %w", err)
	}
	header, err := headerOf(row)
	if err != nil {
		return err
	}
	return w.setJSON(ctx, settingFinalized, header)
}

// coverFinal notes as final the blocks up to one of the indexed range that
// contains another.
func (w *writer) coverFinal(ctx context.Context, number, to uint64) error {
	r, found, err := w.indexedRange(ctx, number)
	if err != nil || !found {
		return err
	}
	if err := w.cover(ctx, coverage.KindFinal, Range{From: r.From, To: min(to, r.To)}); err != nil {
		return fmt.Errorf("storing what is final: %w", err)
	}
	return nil
}

// coverStored notes as final what the follower stored of final blocks.
func (w *writer) coverStored(ctx context.Context, stored []Range) error {
	finalized, known, err := w.finalized(ctx)
	if err != nil || !known {
		return err
	}
	for _, r := range stored {
		if r.From > finalized.Number {
			continue
		}
		if err := w.coverFinal(ctx, r.From, min(r.To, finalized.Number)); err != nil {
			return err
		}
	}
	return nil
}

// checkDeep returns an error that matches [ErrDeepReorg] if blocks, which are to
// replace all above one, leave out final blocks of the range that they continue,
// or are others than the final blocks of any range.
func (w *writer) checkDeep(ctx context.Context, above uint64, blocks []nft.Block) error {
	rows, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindFinal), coverage.ToBlockGT(int64(above))).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	followed, found, err := w.indexedRange(ctx, above+1)
	if err != nil || len(rows) == 0 {
		return err
	}
	instead, last := make(map[uint64]evm.Header, len(blocks)), above
	for i := range blocks {
		h := blocks[i].Header
		instead[h.Number], last = h, max(last, h.Number)
	}
	for _, row := range rows {
		final := Range{From: max(uint64(row.FromBlock), above+1), To: uint64(row.ToBlock)}
		continued := found && final.From <= followed.To
		if continued && final.To > last {
			return fmt.Errorf("%w: blocks %d to %d are final, and nothing replaces those above block %d", ErrDeepReorg, final.From, final.To, last)
		}
		stored, err := w.headers(ctx, Range{From: final.From, To: min(final.To, last+1)})
		if err != nil {
			return err
		}
		for number, h := range stored {
			b, given := instead[number]
			switch {
			case given && b.Hash == h.Hash, !given && number <= last && !continued:
				continue
			case number == last+1 && (last == above || h.ParentHash.IsZero() || h.ParentHash == instead[last].Hash):
				continue
			}
			return fmt.Errorf("%w: block %d is final as %s", ErrDeepReorg, number, h.Hash)
		}
	}
	return nil
}

// FinalBlock returns the last stored block that is final and not above a height,
// and false if there is none.
func (s *Store) FinalBlock(ctx context.Context, upTo uint64) (ref evm.BlockRef, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	upTo = min(upTo, MaxBlock)
	row, err := snapshot.client().Coverage.Query().Where(coverage.KindEQ(coverage.KindFinal), coverage.FromBlockLTE(int64(upTo))).
		Order(coverage.ByFromBlock(entsql.OrderDesc())).First(ctx)
	if ent.IsNotFound(err) {
		return ref, false, nil
	}
	if err != nil {
		return ref, false, fmt.Errorf("reading coverage: %w", err)
	}
	stored, err := snapshot.client().Block.Query().Where(block.IDGTE(row.FromBlock), block.IDLTE(min(row.ToBlock, int64(upTo)))).
		Order(block.ByID(entsql.OrderDesc())).First(ctx)
	if ent.IsNotFound(err) {
		return ref, false, nil
	}
	if err != nil {
		return ref, false, fmt.Errorf("reading blocks: %w", err)
	}
	header, err := headerOf(stored)
	return header.BlockRef, err == nil, err
}
