package queue

import (
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/predicate"
	"mintburn/ent/refresh"
	"mintburn/ent/resolution"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// refreshesAtOnce is how many rows one statement writes.
const refreshesAtOnce = 1_000

// AddRefreshes writes the metadata-update events of blocks. It leaves out those of
// final blocks for collections without tokens in the queue: these will all be
// fetched after the event. (While a block is not final a reorg may orphan it after
// they were fetched.)
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
			if c.id == 0 || number <= final && !c.queued {
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

// collection is the number of a contract, 0 if it has none, and whether the
// queue has tokens of it.
type collection struct {
	id     int64
	queued bool
}

func findCollection(ctx context.Context, tx Tx, address evm.Address) (c collection, err error) {
	var found bool
	if c.id, found, err = tx.ContractID(ctx, address); err != nil || !found {
		return c, err
	}
	// In the index's order: otherwise PostgreSQL would scan, in the hope to meet
	// a row soon.
	_, c.queued, err = tables.Found(tx.Client().Resolution.Query().Where(resolution.ContractID(c.id)).Order(inTokenOrder).FirstID(ctx))
	return c, err
}

// inTokenOrder is the order of the index of tokens.
func inTokenOrder(s *entsql.Selector) {
	s.OrderBy(s.C(resolution.FieldContractID), s.C(resolution.FieldTokenID))
}

// tokensOf selects the tokens of a refresh that are not processed.
func tokensOf(row *ent.Refresh) []predicate.Resolution {
	first, last := *row.Next, row.Last
	return []predicate.Resolution{
		resolution.ContractID(row.ContractID),
		func(s *entsql.Selector) {
			s.Where(entsql.And(entsql.GTE(s.C(resolution.FieldTokenID), first), entsql.LTE(s.C(resolution.FieldTokenID), last)))
		},
	}
}

// markRefresh marks the tokens of one refresh, or its next most tokens. It returns
// how many tokens it looked at, and whether there was a refresh.
func markRefresh(ctx context.Context, tx Tx, now int64, most int) (looked int, found bool, err error) {
	client := tx.Client().Refresh
	row, found, err := tables.Found(client.Query().Where(refresh.NextNotNil()).Order(inNextOrder).First(ctx))
	if err != nil || !found {
		return 0, false, err
	}
	beyond, looked, err := markSome(ctx, tx, now, row, most)
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

// inNextOrder is the order of the index of refreshes that are not processed.
func inNextOrder(s *entsql.Selector) { s.OrderBy(s.C(refresh.FieldNext)) }

// markSome marks the next tokens of a refresh, most of them at most. It returns
// the first that is left, or nil, and how many it looked at.
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

// mark makes those of the tokens of a refresh due that its event may have
// changed: those that were fetched, but not
//
//   - when the event's block was final already: the fetch has seen the change;
//   - by an import, whose document counts, if that was fetched after the block's
//     time.
//
// The clock alone decides nothing of a fetch from a node, because nodes lag.
func mark(ctx context.Context, tx Tx, now int64, row *ent.Refresh, tokens []predicate.Resolution) error {
	header, found, err := tables.Found(tx.Client().Block.Query().Where(block.ID(row.Block)).Only(ctx))
	if err != nil {
		return fmt.Errorf("reading block %d: %w", row.Block, err)
	}
	if !found {
		// Not indexed any more, or not yet again: as new as can be.
		header = &ent.Block{Time: uint64(evm.MaxLong)}
	}
	unseen := resolution.Or(resolution.SeenBlockLT(row.Block), resolution.And(resolution.SeenBlockIsNil(), resolution.AttemptedAtLTE(header.Time)))
	due := func(state resolution.State) *ent.ResolutionUpdate {
		return tx.Client().Resolution.Update().Where(tokens...).Where(resolution.StateEQ(state), unseen)
	}
	// Those that are leased first: what is done becomes waiting, never again.
	if err := due(resolution.StateLeased).SetState(resolution.StateAgain).Exec(ctx); err != nil {
		return err
	}
	return due(resolution.StateDone).SetState(resolution.StateWaiting).SetDueAt(now).Exec(ctx)
}

// ReturnRefreshes makes the refreshes above a block, processed or not, events of
// the block after it: the reorg undid what the orphaned blocks changed.
func ReturnRefreshes(ctx context.Context, client *ent.Client, above uint64) error {
	err := client.Refresh.Update().Where(refresh.BlockGT(int64(above))).SetBlock(int64(above) + 1).
		Modify(func(u *entsql.UpdateBuilder) {
			u.Set(refresh.FieldNext, entsql.ExprFunc(func(b *entsql.Builder) { b.Ident(refresh.FieldFirst) }))
		}).Exec(ctx)
	return database.Wrap(err, "returning refreshes")
}
