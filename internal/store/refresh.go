package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/refresh"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// storeRefreshes writes what the blocks say of token metadata; what a final
// block says of a collection without tokens in the queue is left out, since they
// will all be fetched after the event. (While a block is not final it may be
// withdrawn, after they were.)
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
	err = w.query(ctx, func(scan func(...any) error) error { return scan(&c.id, &c.queued) },
		// PostgreSQL would scan for EXISTS, in the hope to meet a row soon.
		`SELECT id, COALESCE((SELECT TRUE FROM resolutions WHERE contract_id = contracts.id ORDER BY token_id LIMIT 1), FALSE) FROM contracts WHERE address = ?`, address[:])
	return c, err
}

// refresh works one refresh off, or the next most tokens of it. It returns how
// many tokens it looked at, and whether there was a refresh.
func (w *writer) refresh(ctx context.Context, now int64, most int) (looked int, found bool, err error) {
	client := w.store.client(w.tx).Refresh
	row, err := client.Query().Where(refresh.NextNotNil()).Order(inNextOrder).First(ctx)
	if isNotFound(err) {
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
	const tokens = `FROM resolutions WHERE contract_id = ? AND token_id >= ? AND token_id <= ? `
	args := []any{row.ContractID, row.Next.Bytes(), row.Last.Bytes()}
	err = w.query(ctx, func(scan func(...any) error) error { return scan(&looked) },
		`SELECT COUNT(*) FROM (SELECT 1 `+tokens+`LIMIT ?) few`, append(args[:3:3], most+1)...)
	if err == nil && looked > most {
		beyond = new(evm.Uint256)
		err = w.query(ctx, func(scan func(...any) error) error { return scan(beyond) },
			`SELECT token_id `+tokens+`ORDER BY contract_id, token_id LIMIT 1 OFFSET ?`, append(args[:3:3], most)...)
	}
	if err != nil {
		return nil, 0, err
	}
	end, compare := row.Last, "<="
	if beyond != nil {
		end, compare = *beyond, "<"
	}
	return beyond, looked, w.mark(ctx, now, row, compare, end)
}

// mark makes the tokens of a refresh up to end due that its event may have
// changed: those that were tried, but not
//
//   - when the event's block was final already: the try has seen what it brought;
//   - by an import, whose document is taken at its word, if that was fetched
//     after the block's time.
//
// The clock alone decides nothing where a node was asked, because nodes lag.
func (w *writer) mark(ctx context.Context, now int64, row *ent.Refresh, compare string, end evm.Uint256) error {
	header, err := w.store.client(w.tx).Block.Query().Where(block.ID(row.Block)).Only(ctx)
	if isNotFound(err) {
		// Not indexed any more, or not yet again: as new as can be.
		header, err = &ent.Block{Time: uint64(evm.MaxLong)}, nil
	}
	if err != nil {
		return fmt.Errorf("reading block %d: %w", row.Block, err)
	}
	_, err = w.exec(ctx, `UPDATE resolutions SET
			turn = CASE state WHEN 'done' THEN ? ELSE turn END,
			state = CASE state WHEN 'done' THEN 'waiting' ELSE 'again' END
		WHERE contract_id = ? AND token_id >= ? AND token_id `+compare+` ? AND state IN ('done', 'leased')
			AND (seen_block < ? OR seen_block IS NULL AND tried_at <= ?)`,
		now, row.ContractID, row.Next.Bytes(), end.Bytes(), row.Block, header.Time)
	return err
}

// returnRefreshes makes the refreshes above a block, worked off or not, events
// of the block after it: what the withdrawn blocks changed has changed back.
func (w *writer) returnRefreshes(ctx context.Context, above uint64) error {
	_, err := w.exec(ctx, `UPDATE refreshes SET block = ?, next = first WHERE block > ?`, int64(above)+1, int64(above))
	if err != nil {
		return fmt.Errorf("returning refreshes: %w", err)
	}
	return nil
}
