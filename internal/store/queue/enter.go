package queue

import (
	"context"
	"fmt"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// pieceCost is the cost of a piece of work, in tokens, beside that of the tokens
// that it looks at.
const pieceCost = 20

// enter enters mints and refreshes into the queue, about most tokens, and reports
// whether there may be more. New mints come first.
func enter(ctx context.Context, tx Tx, now int64, most int) (more bool, err error) {
	left := most
	for left > 0 {
		r, found, err := unqueued(ctx, tx)
		if err != nil {
			return false, fmt.Errorf("reading coverage: %w", err)
		}
		if !found {
			break
		}
		entered, err := enterMints(ctx, tx, r, left)
		if err != nil {
			return false, fmt.Errorf("entering the mints of blocks %d to %d: %w", r.From, r.To, err)
		}
		left -= entered + pieceCost
	}
	for left > 0 {
		looked, found, err := markRefresh(ctx, tx, now, left)
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
func unqueued(ctx context.Context, tx Tx) (r evm.Range, found bool, err error) {
	byLast := []coverage.OrderOption{coverage.ByKind(entsql.OrderDesc()), coverage.ByFromBlock(entsql.OrderDesc())}
	ranges := tx.Client().Coverage
	last, found, err := tables.Found(ranges.Query().Where(coverage.KindEQ(coverage.KindIndexed), beyondQueued).Order(byLast...).First(ctx))
	if err != nil || !found {
		return r, false, err
	}
	r = tables.RangeOf(last)
	// Ranges do not touch: the last that is queued ends in r's last block, or
	// leaves it out; what is missing lies between it and the one before.
	to := r.To
	rows, err := ranges.Query().Where(coverage.KindEQ(coverage.KindQueued), coverage.FromBlockLTE(int64(to))).
		Order(byLast...).Limit(2).All(ctx)
	for _, row := range rows {
		queued := tables.RangeOf(row)
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
func enterMints(ctx context.Context, tx Tx, r evm.Range, most int) (entered int, err error) {
	top, found, err := mintFromEnd(ctx, tx, r, 0)
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, tables.Cover(ctx, tx.Client(), coverage.KindQueued, r)
	}
	beyond, more, err := mintFromEnd(ctx, tx, r, most)
	if err != nil {
		return 0, err
	}
	if more {
		// Whole blocks, and at least one that has mints.
		r.From = min(tables.BlockOf(beyond)+1, tables.BlockOf(top))
	}
	n, err := tx.Exec(ctx, insertMints(tx, r))
	if err != nil {
		return 0, err
	}
	if more {
		n = int64(most)
	}
	return int(n), tables.Cover(ctx, tx.Client(), coverage.KindQueued, r)
}

// insertMints enters the mints of some blocks into the queue, from the last to the
// first.
func insertMints(tx Tx, r evm.Range) entsql.Querier {
	mints := tx.Client().Mint.Query().Where(mint.IDGTE(tables.FirstIn(r.From)), mint.IDLTE(tables.LastIn(r.To))).
		Order(mint.ByID(entsql.OrderDesc())).Select(mint.FieldContractID, mint.FieldTokenID).Selector()
	// Only ERC-1155 has operators.
	standard := "CASE WHEN " + mint.FieldOperator + " IS NULL THEN " + strconv.Itoa(tables.ERC721) + " ELSE " + strconv.Itoa(tables.ERC1155) + " END"
	mints.AppendSelectExpr(entsql.Raw(standard), entsql.ExprFunc(func(b *entsql.Builder) { b.Arg(resolution.StateWaiting) }),
		entsql.Raw("-("+mint.FieldID+" >> "+strconv.Itoa(tables.SlotBits)+")"))
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(mints.Dialect())
		b.WriteString("INSERT INTO ").Ident(resolution.Table).Wrap(func(b *entsql.Builder) {
			b.IdentComma(resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldStandard, resolution.FieldState, resolution.FieldDueAt)
		})
		b.Pad().Join(mints).WriteString(" ON CONFLICT DO NOTHING")
	})
}

// mintFromEnd returns the position of the last mint of a range of blocks but n.
func mintFromEnd(ctx context.Context, tx Tx, r evm.Range, n int) (pos int64, found bool, err error) {
	return tables.Found(tx.Client().Mint.Query().Where(mint.IDGTE(tables.FirstIn(r.From)), mint.IDLTE(tables.LastIn(r.To))).
		Order(mint.ByID(entsql.OrderDesc())).Offset(n).FirstID(ctx))
}

// Unqueue notes that the mints of these blocks, which were just written, are not
// in the queue, where others of their range may be.
func Unqueue(ctx context.Context, tx Tx, blocks []nft.Block) error {
	first, last := blocks[0].Header.Number, blocks[len(blocks)-1].Header.Number
	before, found, err := tables.RangeBelow(ctx, tx.Client(), coverage.KindQueued, last)
	if err != nil || !found || before.To < first {
		return err
	}
	for i := range blocks {
		if number := blocks[i].Header.Number; len(blocks[i].Mints) > 0 {
			if err := tables.Uncover(ctx, tx.Client(), coverage.KindQueued, evm.Range{From: number, To: number}); err != nil {
				return err
			}
		}
	}
	return nil
}
