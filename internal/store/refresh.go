package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/ent/refresh"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// storeRefreshes writes what the blocks say of token metadata; what a final
// block says of a collection without tokens in the queue is left out, since they
// will all be fetched after the event. (While a block is not final it may be
// orphaned, after they were.)
func (w *writer) storeRefreshes(ctx context.Context, blocks []nft.Block) error {
	if !slices.ContainsFunc(blocks, func(b nft.Block) bool { return len(b.Refreshes) > 0 }) {
		return nil
	}
	final, err := w.seenBlock(ctx)
	if err != nil {
		return err
	}
	known := map[evm.Address]collectionID{}
	ins := w.inserter(insertRun, refresh.Table, generatedID(refresh.Columns))
	for i := range blocks {
		number := int64(blocks[i].Header.Number)
		for _, r := range blocks[i].Refreshes {
			c, asked := known[r.Contract]
			if !asked {
				if c, err = w.collection(ctx, r.Contract); err != nil {
					return fmt.Errorf("looking up contract %s: %w", r.Contract, err)
				}
				known[r.Contract] = c
			}
			if c.id == 0 || number <= final && !c.queued {
				continue
			}
			row := ent.Refresh{Block: number, ContractID: c.id, First: r.First, Last: r.Last, Next: &r.First}
			if err := ins.add(ctx, &row); err != nil {
				return err
			}
		}
	}
	return errors.Join(ins.flush(ctx), ins.close())
}

// collectionID is the number of a contract, 0 if it has none, and whether the
// queue has tokens of it.
type collectionID struct {
	id     int64
	queued bool
}

func (w *writer) collection(ctx context.Context, address evm.Address) (c collectionID, err error) {
	client := w.store.client(w.tx)
	c.id, err = client.Contract.Query().Where(contract.Address(address)).OnlyID(ctx)
	if ent.IsNotFound(err) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	// In the index's order: otherwise PostgreSQL would scan, in the hope to meet
	// a row soon.
	_, err = client.Resolution.Query().Where(resolution.ContractID(c.id)).Order(inTokenOrder).FirstID(ctx)
	if ent.IsNotFound(err) {
		return c, nil
	}
	c.queued = err == nil
	return c, err
}

// inTokenOrder is the order of the index of tokens.
func inTokenOrder(s *entsql.Selector) {
	s.OrderBy(s.C(resolution.FieldContractID), s.C(resolution.FieldTokenID))
}

// tokensOf selects the tokens of a refresh that are not worked off.
func tokensOf(row *ent.Refresh) []predicate.Resolution {
	first, last := *row.Next, row.Last
	return []predicate.Resolution{
		resolution.ContractID(row.ContractID),
		func(s *entsql.Selector) {
			s.Where(entsql.And(entsql.GTE(s.C(resolution.FieldTokenID), first), entsql.LTE(s.C(resolution.FieldTokenID), last)))
		},
	}
}

// refresh works one refresh off, or the next most tokens of it. It returns how
// many tokens it looked at, and whether there was a refresh.
func (w *writer) refresh(ctx context.Context, now int64, most int) (looked int, found bool, err error) {
	client := w.store.client(w.tx).Refresh
	row, err := client.Query().Where(refresh.NextNotNil()).Order(inNextOrder).First(ctx)
	if ent.IsNotFound(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	beyond, looked, err := w.markSome(ctx, now, row, most)
	switch {
	case err != nil:
		return 0, false, err
	case beyond != nil:
		return looked, true, client.UpdateOne(row).SetNext(beyond).Exec(ctx)
	}
	final, err := w.seenBlock(ctx)
	if err != nil {
		return 0, false, err
	}
	if err := client.UpdateOne(row).ClearNext().Exec(ctx); err != nil {
		return 0, false, err
	}
	_, err = client.Delete().Where(refresh.BlockLTE(final), refresh.NextIsNil()).Exec(ctx)
	return looked, true, err
}

// inNextOrder is the order of the index of refreshes to be worked off.
func inNextOrder(s *entsql.Selector) { s.OrderBy(s.C(refresh.FieldNext)) }

// markSome marks the tokens of a refresh, but no more than most of those that
// are not worked off. It returns the first that is left, or nil, and the number
// of those that it looked at.
func (w *writer) markSome(ctx context.Context, now int64, row *ent.Refresh, most int) (beyond *evm.Uint256, looked int, err error) {
	tokens := w.store.client(w.tx).Resolution.Query().Where(tokensOf(row)...)
	next, err := tokens.Clone().Order(inTokenOrder).Offset(most).First(ctx)
	switch {
	case err == nil:
		beyond, looked = &next.TokenID, most
	case ent.IsNotFound(err):
		looked, err = tokens.Count(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	marked := tokensOf(row)
	if beyond != nil {
		marked = append(marked, entsql.FieldLT(resolution.FieldTokenID, *beyond))
	}
	return beyond, looked, w.mark(ctx, now, row, marked)
}

// mark makes those of the tokens of a refresh due that its event may have
// changed: those that were tried, but not
//
//   - when the event's block was final already: the try has seen what it brought;
//   - by an import, whose document is taken at its word, if that was fetched
//     after the block's time.
//
// The clock alone decides nothing where a node was asked, because nodes lag.
func (w *writer) mark(ctx context.Context, now int64, row *ent.Refresh, tokens []predicate.Resolution) error {
	header, err := w.store.client(w.tx).Block.Query().Where(block.ID(row.Block)).Only(ctx)
	if ent.IsNotFound(err) {
		// Not indexed any more, or not yet again: as new as can be.
		header, err = &ent.Block{Time: uint64(evm.MaxLong)}, nil
	}
	if err != nil {
		return fmt.Errorf("reading block %d: %w", row.Block, err)
	}
	unseen := resolution.Or(resolution.SeenBlockLT(row.Block), resolution.And(resolution.SeenBlockIsNil(), resolution.TriedAtLTE(header.Time)))
	due := func(state resolution.State) *ent.ResolutionUpdate {
		return w.store.client(w.tx).Resolution.Update().Where(tokens...).Where(resolution.StateEQ(state), unseen)
	}
	// Those that are leased first: what is done becomes waiting, never again.
	if err := due(resolution.StateLeased).SetState(resolution.StateAgain).Exec(ctx); err != nil {
		return err
	}
	return due(resolution.StateDone).SetState(resolution.StateWaiting).SetTurn(now).Exec(ctx)
}

// returnRefreshes makes the refreshes above a block, worked off or not, events
// of the block after it: what the orphaned blocks changed has changed back.
func (w *writer) returnRefreshes(ctx context.Context, above uint64) error {
	err := w.store.client(w.tx).Refresh.Update().Where(refresh.BlockGT(int64(above))).SetBlock(int64(above) + 1).
		Modify(func(u *entsql.UpdateBuilder) {
			u.Set(refresh.FieldNext, entsql.ExprFunc(func(b *entsql.Builder) { b.Ident(refresh.FieldFirst) }))
		}).Exec(ctx)
	if err != nil {
		return fmt.Errorf("returning refreshes: %w", err)
	}
	return nil
}
