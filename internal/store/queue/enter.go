package queue

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/predicate"
	"mintburn/ent/refresh"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// pieceCost is the fixed cost of a range of mints or of a refresh, in tokens, which is
// added to the tokens that it looks at.
const pieceCost = 20

// enter enters mints and refreshes into the queue, new mints first and about most tokens in
// total. It reports whether more may be left.
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

// unqueued returns the last range of indexed blocks whose mints are not in the queue yet.
func unqueued(ctx context.Context, tx Tx) (r evm.Range, found bool, err error) {
	byLast := []coverage.OrderOption{coverage.ByKind(entsql.OrderDesc()), coverage.ByFromBlock(entsql.OrderDesc())}
	ranges := tx.Client().Coverage
	last, found, err := tables.Found(ranges.Query().Where(coverage.KindEQ(coverage.KindIndexed), beyondQueued).Order(byLast...).First(ctx))
	if err != nil || !found {
		return r, false, err
	}
	r = tables.RangeOf(last)
	// If the last queued range contains the last block of r, the unqueued blocks lie
	// between it and the queued range before it; otherwise they lie above it. There are
	// some, because ranges do not touch.
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

// beyondQueued selects the ranges that end after the last queued range that begins no later
// than they do.
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

// enterMints enters about most mints of r into the queue, from the last block down, and
// covers their blocks. It returns the number of new tokens, or most if r has more mints. It
// does not change a token that is already in the queue.
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
		// Whole blocks only, and at least one that has mints.
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

// insertMints returns the statement that enters the mints of blocks into the queue, from
// the last to the first.
func insertMints(tx Tx, r evm.Range) entsql.Querier {
	mints := tx.Client().Mint.Query().Where(mint.IDGTE(tables.FirstIn(r.From)), mint.IDLTE(tables.LastIn(r.To))).
		Order(mint.ByID(entsql.OrderDesc())).Select(mint.FieldContractID, mint.FieldTokenID).Selector()
	// Only ERC-1155 mints have an operator.
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

// mintFromEnd returns the position of the last mint but n in a range of blocks, and false
// if the range has at most n mints.
func mintFromEnd(ctx context.Context, tx Tx, r evm.Range, n int) (pos int64, found bool, err error) {
	return tables.Found(tx.Client().Mint.Query().Where(mint.IDGTE(tables.FirstIn(r.From)), mint.IDLTE(tables.LastIn(r.To))).
		Order(mint.ByID(entsql.OrderDesc())).Offset(n).FirstID(ctx))
}

// Unqueue removes the blocks that have mints from the queued coverage. Their mints were
// just written and are not in the queue, though their range may be covered as queued.
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

// refreshesAtOnce is the most rows that one statement writes.
const refreshesAtOnce = 1_000

// AddRefreshes writes the metadata-update events of blocks. It leaves out events of
// finalized blocks for collections without tokens in the queue, because all their tokens
// will be fetched after the event. (A block that is not finalized may be orphaned after the
// fetch.) The same holds for events of collections that were never claimed, but these are few.
func AddRefreshes(ctx context.Context, tx Tx, blocks []nft.Block) error {
	if !slices.ContainsFunc(blocks, func(b nft.Block) bool { return len(b.Refreshes) > 0 }) {
		return nil
	}
	final, err := lastFinal(ctx, tx)
	if err != nil {
		return err
	}
	known := map[evm.Address]collection{}
	var rows []*ent.RefreshCreate
	for i := range blocks {
		number := int64(blocks[i].Header.Number)
		for _, r := range blocks[i].Refreshes {
			c, asked := known[r.Contract]
			if !asked {
				if c, err = findCollection(ctx, tx, r.Contract); err != nil {
					return fmt.Errorf("looking up contract %s: %w", r.Contract, err)
				}
				known[r.Contract] = c
			}
			if c.id == 0 || number <= final && !c.queued && !r.OfCollection() {
				continue
			}
			rows = append(rows, tx.Client().Refresh.Create().SetBlock(number).SetContractID(c.id).SetFirst(r.First).SetLast(r.Last).SetNext(&r.First))
		}
	}
	for part := range slices.Chunk(rows, refreshesAtOnce) {
		if err := tx.Client().Refresh.CreateBulk(part...).Exec(ctx); err != nil {
			return fmt.Errorf("writing %s: %w", refresh.Table, err)
		}
	}
	return nil
}

// collection is the number of a contract, 0 if it has none. queued is set if the queue has
// tokens of it.
type collection struct {
	id     int64
	queued bool
}

func findCollection(ctx context.Context, tx Tx, address evm.Address) (c collection, err error) {
	ids, err := contractIDs(ctx, tx, address)
	if c.id = ids[address]; err != nil || c.id == 0 {
		return c, err
	}
	// Without the order of an index, PostgreSQL would scan the table, expecting to find
	// a row soon.
	_, c.queued, err = tables.Found(tx.Client().Resolution.Query().Where(resolution.ContractID(c.id)).Order(inTokenOrder).FirstID(ctx))
	return c, err
}

// inTokenOrder sorts in the order of the index on tokens.
func inTokenOrder(s *entsql.Selector) {
	s.OrderBy(s.C(resolution.FieldContractID), s.C(resolution.FieldTokenID))
}

// tokensOf selects the tokens of a refresh that are not processed yet.
func tokensOf(row *ent.Refresh) []predicate.Resolution {
	first, last := *row.Next, row.Last
	return []predicate.Resolution{
		resolution.ContractID(row.ContractID),
		func(s *entsql.Selector) {
			s.Where(entsql.And(entsql.GTE(s.C(resolution.FieldTokenID), first), entsql.LTE(s.C(resolution.FieldTokenID), last)))
		},
	}
}

// markRefresh marks the next tokens of one refresh, at most most of them. It returns the
// number of tokens it looked at, and false if there is no refresh.
func markRefresh(ctx context.Context, tx Tx, now int64, most int) (looked int, found bool, err error) {
	client := tx.Client().Refresh
	row, found, err := tables.Found(client.Query().Where(refresh.NextNotNil()).Order(inNextOrder).First(ctx))
	if err != nil || !found {
		return 0, false, err
	}
	var beyond *evm.Uint256
	if row.First.Cmp(row.Last) > 0 {
		err = markCollection(ctx, tx, now, row)
	} else {
		beyond, looked, err = markSome(ctx, tx, now, row, most)
	}
	switch {
	case err != nil:
		return 0, false, err
	case beyond != nil:
		return looked, true, client.UpdateOne(row).SetNext(beyond).Exec(ctx)
	}
	final, err := lastFinal(ctx, tx)
	if err != nil {
		return 0, false, err
	}
	if err := client.UpdateOne(row).ClearNext().Exec(ctx); err != nil {
		return 0, false, err
	}
	_, err = client.Delete().Where(refresh.BlockLTE(final), refresh.NextIsNil()).Exec(ctx)
	return looked, true, err
}

// inNextOrder sorts in the order of the index on refreshes that are not processed yet.
func inNextOrder(s *entsql.Selector) { s.OrderBy(s.C(refresh.FieldNext)) }

// markSome marks the next tokens of a refresh, at most most of them. It returns the first
// token that is left, or nil, and the number of tokens it looked at.
func markSome(ctx context.Context, tx Tx, now int64, row *ent.Refresh, most int) (beyond *evm.Uint256, looked int, err error) {
	tokens, marked := tx.Client().Resolution.Query().Where(tokensOf(row)...), tokensOf(row)
	next, more, err := tables.Found(tokens.Clone().Order(inTokenOrder).Offset(most).First(ctx))
	switch {
	case err != nil:
		return nil, 0, err
	case more:
		beyond, looked = &next.TokenID, most
		marked = append(marked, entsql.FieldLT(resolution.FieldTokenID, *beyond))
	default:
		if looked, err = tokens.Count(ctx); err != nil {
			return nil, 0, err
		}
	}
	return beyond, looked, mark(ctx, tx, now, row, marked)
}

// mark makes the fetched tokens of a refresh due, because its event may have changed them.
// It skips
//
//   - tokens that were claimed when the event's block was finalized: the fetch has seen the
//     change;
//   - tokens of an import whose document was fetched after the block's time.
//
// Time alone is not enough for a fetch from a node, because nodes lag.
func mark(ctx context.Context, tx Tx, now int64, row *ent.Refresh, tokens []predicate.Resolution) error {
	time, err := eventTime(ctx, tx, row)
	if err != nil {
		return err
	}
	unseen := resolution.Or(resolution.SeenBlockLT(row.Block), resolution.And(resolution.SeenBlockIsNil(), resolution.AttemptedAtLTE(time)))
	due := func(state resolution.State) *ent.ResolutionUpdate {
		return tx.Client().Resolution.Update().Where(tokens...).Where(resolution.StateEQ(state), unseen).SetWoken(true)
	}
	// A leased token becomes again, a done token becomes waiting.
	if err := due(resolution.StateLeased).SetState(resolution.StateAgain).Exec(ctx); err != nil {
		return err
	}
	n, err := due(resolution.StateDone).Where(resolution.ErrorIsNil()).SetState(resolution.StateWaiting).SetDueAt(now).Save(ctx)
	if err != nil {
		return err
	}
	tx.CountState(tables.StateChange{ContractID: row.ContractID, From: nft.Resolved, To: nft.Pending, Tokens: int64(n)})
	return due(resolution.StateDone).SetState(resolution.StateWaiting).SetDueAt(now).Exec(ctx)
}

// ReturnRefreshes makes the refreshes above a block, processed or not, unprocessed events
// of the block after it, because the reorg has undone the changes of the orphaned blocks. It
// also returns the collections that begin above the block, whose records must still be stored.
func ReturnRefreshes(ctx context.Context, client *ent.Client, above uint64) error {
	err := client.Refresh.Update().Where(refresh.BlockGT(int64(above))).SetBlock(int64(above) + 1).
		Modify(func(u *entsql.UpdateBuilder) {
			u.Set(refresh.FieldNext, entsql.ExprFunc(func(b *entsql.Builder) { b.Ident(refresh.FieldFirst) }))
		}).Exec(ctx)
	if err != nil {
		return fmt.Errorf("returning refreshes: %w", err)
	}
	return returnCollections(ctx, client, above)
}
