package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/ent/orphanedblock"
	"mintburn/ent/rejectedlog"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// rollback removes everything above a block and remembers the headers.
func (w *writer) rollback(ctx context.Context, above uint64) error {
	if above >= MaxBlock {
		return nil
	}
	if err := w.renew(ctx); err != nil {
		return err
	}
	if err := w.removeOrphanedTokens(ctx, above); err != nil {
		return err
	}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		if err := w.removeRecords(ctx, kind, firstIn(above+1), maxPos, false); err != nil {
			return err
		}
	}
	client := w.store.client(w.tx)
	if err := w.orphan(ctx, client, Range{From: above + 1, To: MaxBlock}); err != nil {
		return err
	}
	if _, err := client.Block.Delete().Where(block.IDGT(int64(above))).Exec(ctx); err != nil {
		return fmt.Errorf("removing blocks: %w", err)
	}
	if _, err := client.RejectedLog.Delete().Where(rejectedlog.IDGTE(firstIn(above + 1))).Exec(ctx); err != nil {
		return fmt.Errorf("removing rejected logs: %w", err)
	}
	for _, kind := range []coverage.Kind{coverage.KindIndexed, coverage.KindVerified, coverage.KindQueued, coverage.KindFinal, coverage.KindLinked} {
		if err := w.uncover(ctx, kind, above); err != nil {
			return fmt.Errorf("trimming coverage: %w", err)
		}
	}
	return nil
}

// removeRecords deletes the records of a kind from one position to the other,
// both included, and takes them out of the counters. With damaged, which the caller
// must follow by a recount, their accounts need not be readable.
func (w *writer) removeRecords(ctx context.Context, kind nft.Kind, from, to int64, damaged bool) error {
	q := &query{kind: kind}
	// The other columns may be damaged, which is a reason to remove the record.
	of := selection{lo: from, hi: to, columns: countedColumns}
	text, args := q.selector(w.store.queries, of).Query()
	row := recordRow{kind: kind}
	err := database.QueryTx(ctx, w.tx, text, args, func(values *database.Row) error {
		if err := row.read(values, of.columns...); err != nil {
			return err
		}
		account, err := row.account()
		if err != nil && !damaged {
			return err
		}
		r := nft.Record{Kind: kind, TokenID: row.mint.TokenID, From: account, To: account}
		w.counters.add(&r, row.mint.ID, row.mint.ContractID, -1)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading %ss: %w", kind, err)
	}
	client := w.store.client(w.tx)
	if kind == nft.Burn {
		_, err = client.Burn.Delete().Where(q.where(of)).Exec(ctx)
	} else {
		_, err = client.Mint.Delete().Where(q.where(of)).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("removing %ss: %w", kind, err)
	}
	return nil
}

// orphan copies the headers of a range to the orphaned ones.
func (w *writer) orphan(ctx context.Context, client *ent.Client, r Range) error {
	rows, err := client.Block.Query().Where(blockIDs(r)...).All(ctx)
	if err != nil {
		return fmt.Errorf("reading blocks: %w", err)
	}
	for _, row := range rows {
		h, err := headerOf(row)
		if err != nil {
			return err
		}
		known, err := client.OrphanedBlock.Query().Where(orphanedblock.Hash(h.Hash)).Exist(ctx)
		if err == nil && !known {
			err = client.OrphanedBlock.Create().SetNumber(row.ID).SetHash(h.Hash).SetParentHash(h.ParentHash).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("remembering block %d: %w", row.ID, err)
		}
	}
	return nil
}

// cover adds a range to what is indexed or verified, and joins it with the
// ranges that it meets.
func (w *writer) cover(ctx context.Context, kind coverage.Kind, r Range) error {
	client := w.store.client(w.tx).Coverage
	if kind == coverage.KindIndexed && w.applied.Blocks > 0 {
		if err := w.renewWithin(ctx, r); err != nil {
			return err
		}
	}
	// Ranges neither overlap nor touch: the last one that starts before r and
	// those that start within it, or right after it, are all that can meet it.
	before, err := client.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(r.From))).
		Order(coverage.ByFromBlock(entsql.OrderDesc())).Limit(1).All(ctx)
	if err != nil {
		return err
	}
	if len(before) > 0 && uint64(before[0].ToBlock) >= r.To {
		return nil
	}
	within, err := client.Query().Where(coverage.KindEQ(kind), coverage.FromBlockGT(int64(r.From)), coverage.FromBlockLTE(int64(r.To)+1)).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range append(before, within...) {
		if uint64(row.ToBlock)+1 < r.From {
			continue
		}
		r = Range{From: min(r.From, uint64(row.FromBlock)), To: max(r.To, uint64(row.ToBlock))}
		if err := client.DeleteOne(row).Exec(ctx); err != nil {
			return err
		}
	}
	return client.Create().SetKind(kind).SetFromBlock(int64(r.From)).SetToBlock(int64(r.To)).Exec(ctx)
}

// uncover removes what lies above a block.
func (w *writer) uncover(ctx context.Context, kind coverage.Kind, above uint64) error {
	client := w.store.client(w.tx).Coverage
	if _, err := client.Delete().Where(coverage.KindEQ(kind), coverage.FromBlockGT(int64(above))).Exec(ctx); err != nil {
		return err
	}
	_, err := client.Update().Where(coverage.KindEQ(kind), coverage.ToBlockGT(int64(above))).SetToBlock(int64(above)).Save(ctx)
	return err
}

// uncoverRange removes a range from what is covered.
func (w *writer) uncoverRange(ctx context.Context, kind coverage.Kind, r Range) error {
	client := w.store.client(w.tx).Coverage
	rows, err := client.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := client.DeleteOne(row).Exec(ctx); err != nil {
			return err
		}
		before := Range{From: uint64(row.FromBlock), To: r.From - 1}
		after := Range{From: r.To + 1, To: uint64(row.ToBlock)}
		for _, rest := range []Range{before, after} {
			if rest.From > rest.To || rest == before && r.From == 0 {
				continue
			}
			if err := w.cover(ctx, kind, rest); err != nil {
				return err
			}
		}
	}
	return nil
}

// requireIndexed returns the indexed range that contains all blocks of another. It
// returns a [*BlockError] if there is none.
func (w *writer) requireIndexed(ctx context.Context, r Range) (Range, error) {
	indexed, found, err := w.indexedRange(ctx, r.From)
	if err == nil && (!found || r.To > indexed.To) {
		err = blockErrorf(evm.Header{BlockRef: evm.BlockRef{Number: r.To}}, "block %d is not indexed any more", r.To)
	}
	return indexed, err
}

// indexedRange returns the indexed range that contains a block, and false if there
// is none.
func (w *writer) indexedRange(ctx context.Context, number uint64) (Range, bool, error) {
	row, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed), coverage.FromBlockLTE(int64(number)), coverage.ToBlockGTE(int64(number))).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return Range{}, false, nil
	case err != nil:
		return Range{}, false, fmt.Errorf("reading coverage: %w", err)
	}
	return Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}, true, nil
}
