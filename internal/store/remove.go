package store

import (
	"context"
	"fmt"

	"mintburn/ent/rejectedlog"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// removeBlocks removes what is stored of a range of blocks, and takes the records
// out of the counters. With damaged, after which the caller must recount, their
// accounts need not be readable.
func removeBlocks(ctx context.Context, w *writer, r Range, damaged bool) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		if err := removeRecords(ctx, w, kind, within(r), damaged); err != nil {
			return err
		}
	}
	if _, err := w.client.Block.Delete().Where(blockIDs(r)...).Exec(ctx); err != nil {
		return fmt.Errorf("removing headers: %w", err)
	}
	_, err := w.client.RejectedLog.Delete().Where(rejectedlog.IDGTE(tables.FirstIn(r.From)), rejectedlog.IDLTE(tables.LastIn(r.To))).Exec(ctx)
	return database.Wrap(err, "removing rejected logs")
}

// removeRecords removes the records of a kind in a selection.
func removeRecords(ctx context.Context, w *writer, kind nft.Kind, of selection, damaged bool) error {
	q := &query{kind: kind}
	// The other columns may be damaged, which is a reason to remove the record.
	of.columns = countedColumns
	row := recordRow{kind: kind}
	err := w.Query(ctx, q.selector(w.store.queries, of), func(values *database.Row) error {
		if err := row.read(values, of.columns...); err != nil {
			return err
		}
		account, err := row.account()
		if err != nil && !damaged {
			return err
		}
		if !w.loading {
			w.counters.Add(kind, account, row.mint.ContractID, row.mint.TokenID, tables.BlockOf(row.mint.ID), row.mint.ID, -1)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading %ss: %w", kind, err)
	}
	if kind == nft.Burn {
		_, err = w.client.Burn.Delete().Where(q.where(of)).Exec(ctx)
	} else {
		_, err = w.client.Mint.Delete().Where(q.where(of)).Exec(ctx)
	}
	return database.Wrap(err, "removing %ss", kind)
}
