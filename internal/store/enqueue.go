package store

import (
	"context"
	"fmt"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/resolution"
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
	byLast := []coverage.OrderOption{coverage.ByKind(entsql.OrderDesc()), coverage.ByFromBlock(entsql.OrderDesc())}
	ranges := w.store.client(w.tx).Coverage
	last, err := ranges.Query().Where(coverage.KindEQ(coverage.KindIndexed), beyondQueued).Order(byLast...).First(ctx)
	if ent.IsNotFound(err) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	r = Range{From: uint64(last.FromBlock), To: uint64(last.ToBlock)}
	// Ranges do not touch: the last that is queued ends in r's last block, or
	// leaves it out; what is missing lies between it and the one before.
	to := r.To
	rows, err := ranges.Query().Where(coverage.KindEQ(coverage.KindQueued), coverage.FromBlockLTE(int64(to))).
		Order(byLast...).Limit(2).All(ctx)
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

// beyondQueued selects the ranges that end after the last that is queued and
// begins no later than they do.
func beyondQueued(s *entsql.Selector) {
	builder := entsql.Dialect(s.Dialect())
	queued := builder.Table(coverage.Table).As("queued")
	before := builder.Select(queued.C(coverage.FieldToBlock)).From(queued).
		Where(entsql.And(entsql.EQ(queued.C(coverage.FieldKind), coverage.KindQueued),
			entsql.ColumnsLTE(queued.C(coverage.FieldFromBlock), s.C(coverage.FieldFromBlock)))).
		OrderBy(entsql.Desc(queued.C(coverage.FieldKind)), entsql.Desc(queued.C(coverage.FieldFromBlock))).Limit(1)
	s.Where(entsql.P(func(b *entsql.Builder) {
		b.Ident(s.C(coverage.FieldToBlock)).WriteOp(entsql.OpGT).WriteString("COALESCE(")
		b.Wrap(func(b *entsql.Builder) { b.Join(before) }).WriteString(", -1)")
	}))
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
	n, err := w.exec(ctx, w.insertResolutions(r))
	if err != nil {
		return 0, err
	}
	if more {
		n = int64(most)
	}
	return int(n), w.cover(ctx, coverage.KindQueued, r)
}

// insertResolutions enters the mints of some blocks into the queue, from the last
// to the first.
func (w *writer) insertResolutions(r Range) entsql.Querier {
	builder := w.store.builder()
	mints := builder.Select(mint.FieldContractID, mint.FieldTokenID).From(builder.Table(mint.Table)).
		AppendSelectExpr(entsql.ExprFunc(func(b *entsql.Builder) {
			// Only ERC-1155 has operators.
			b.WriteString("CASE WHEN ").Ident(mint.FieldOperator).WriteString(" IS NULL THEN ")
			b.WriteString(strconv.Itoa(shape721)).WriteString(" ELSE ").WriteString(strconv.Itoa(shape1155)).WriteString(" END")
		}), entsql.ExprFunc(func(b *entsql.Builder) { b.Arg(resolution.StateWaiting) }), entsql.ExprFunc(func(b *entsql.Builder) {
			b.WriteString("-(").Ident(mint.FieldID).WriteString(" >> " + strconv.Itoa(slotBits) + ")")
		})).
		Where(entsql.And(entsql.GTE(mint.FieldID, firstIn(r.From)), entsql.LTE(mint.FieldID, lastIn(r.To)))).
		OrderBy(entsql.Desc(mint.FieldID))
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(w.store.dialect)
		b.WriteString("INSERT INTO ").Ident(resolution.Table).Wrap(func(b *entsql.Builder) {
			b.IdentComma(resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldShape, resolution.FieldState, resolution.FieldTurn)
		})
		b.Pad().Join(mints).WriteString(" ON CONFLICT DO NOTHING")
	})
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
