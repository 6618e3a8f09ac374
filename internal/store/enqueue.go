package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/nft"
)

// A piece of work costs something beside the tokens that it looks at: so much,
// in tokens.
const pieceCost = 20

// enter does a bounded piece of what is to be entered into the queue, of about
// most tokens, and reports whether there may be more. New mints come first.
func (w *writer) enter(ctx context.Context, now int64, most int) (more bool, err error) {
	left := most
	for left > 0 {
		r, found, err := w.unqueued(ctx)
		if err != nil {
			return false, fmt.Errorf("reading coverage: %w", err)
		}
		if !found {
			break
		}
		entered, err := w.enterMints(ctx, r, left)
		if err != nil {
			return false, fmt.Errorf("entering the mints of blocks %d to %d: %w", r.From, r.To, err)
		}
		left -= entered + pieceCost
	}
	for left > 0 {
		looked, found, err := w.refresh(ctx, now, left)
		if err != nil {
			return false, fmt.Errorf("refreshing tokens: %w", err)
		}
		if !found {
			return false, nil
		}
		left -= looked + pieceCost
	}
	return true, nil
}

// unqueued returns the last range of blocks that are indexed and whose mints
// are not in the queue yet.
func (w *writer) unqueued(ctx context.Context) (r Range, found bool, err error) {
	err = w.query(ctx, func(scan func(...any) error) error {
		found = true
		return scan(&r.From, &r.To)
	}, `SELECT i.from_block, i.to_block FROM coverage i WHERE i.kind = ? AND i.to_block > COALESCE((
			SELECT q.to_block FROM coverage q WHERE q.kind = ? AND q.from_block <= i.from_block ORDER BY q.kind DESC, q.from_block DESC LIMIT 1
		), -1) ORDER BY i.kind DESC, i.from_block DESC LIMIT 1`, coverage.KindIndexed, coverage.KindQueued)
	if err != nil || !found {
		return r, false, err
	}
	// Ranges do not touch: the last that is queued ends in r's last block, or
	// leaves it out; what is missing lies between it and the one before.
	to := r.To
	rows, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindQueued), coverage.FromBlockLTE(int64(to))).
		Order(coverage.ByKind(entsql.OrderDesc()), coverage.ByFromBlock(entsql.OrderDesc())).Limit(2).All(ctx)
	for _, row := range rows {
		queued := Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
		if queued.To >= to {
			r.To = queued.From - 1
		} else if queued.To <= r.To {
			r.From = max(r.From, queued.To+1)
		}
	}
	return r, true, err
}

// enterMints enters the mints of the last blocks of r, about most of them, and
// covers these blocks. It returns how many it entered, or most when there were
// more. A token that is in the queue already stays as it is.
func (w *writer) enterMints(ctx context.Context, r Range, most int) (entered int, err error) {
	top, found, err := w.mintFromEnd(ctx, r, 0)
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, w.cover(ctx, coverage.KindQueued, r)
	}
	beyond, more, err := w.mintFromEnd(ctx, r, most)
	if err != nil {
		return 0, err
	}
	if more {
		// Whole blocks, and at least one that has mints.
		r.From = min(blockOf(beyond)+1, blockOf(top))
	}
	n, err := w.exec(ctx, `INSERT INTO resolutions (contract_id, token_id, shape, state, turn)
		SELECT contract_id, token_id, CASE WHEN operator IS NULL THEN 1 ELSE 2 END, 'waiting', -(id >> 30)
		FROM mints WHERE id >= ? AND id <= ? ORDER BY id DESC
		ON CONFLICT (contract_id, token_id) DO NOTHING`, firstIn(r.From), lastIn(r.To))
	if err != nil {
		return 0, err
	}
	if more {
		n = int64(most)
	}
	return int(n), w.cover(ctx, coverage.KindQueued, r)
}

// mintFromEnd returns the position of the last mint of a range of blocks but n.
func (w *writer) mintFromEnd(ctx context.Context, r Range, n int) (pos int64, found bool, err error) {
	pos, err = w.store.client(w.tx).Mint.Query().Where(mint.IDGTE(firstIn(r.From)), mint.IDLTE(lastIn(r.To))).
		Order(mint.ByID(entsql.OrderDesc())).Offset(n).FirstID(ctx)
	if ent.IsNotFound(err) {
		return 0, false, nil
	}
	return pos, err == nil, err
}

// unqueue notes that the mints of these blocks, which were just written, are not
// in the queue, where others of their range may be.
func (w *writer) unqueue(ctx context.Context, blocks []nft.Block) error {
	first, last := blocks[0].Header.Number, blocks[len(blocks)-1].Header.Number
	before, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindQueued), coverage.FromBlockLTE(int64(last))).
		Order(coverage.ByFromBlock(entsql.OrderDesc())).Limit(1).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	if len(before) == 0 || uint64(before[0].ToBlock) < first {
		return nil
	}
	for i := range blocks {
		if number := blocks[i].Header.Number; len(blocks[i].Mints) > 0 {
			if err := w.uncoverRange(ctx, coverage.KindQueued, Range{From: number, To: number}); err != nil {
				return fmt.Errorf("trimming coverage: %w", err)
			}
		}
	}
	return nil
}
