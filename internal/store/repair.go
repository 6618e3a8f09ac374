package store

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/rejectedlog"
	"mintburn/internal/nft"
)

// Repair stores one indexed block in place of what is stored of it, in one
// transaction. The caller must have it proved. Totals are counted anew where
// they concern the block, since it may not have been this program that changed
// its rows. It fails when the block is not indexed.
func (s *Store) Repair(ctx context.Context, b nft.Block) error {
	number := b.Header.Number
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		client := w.store.client(w.tx)
		indexed, err := client.Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed),
			coverage.FromBlockLTE(int64(number)), coverage.ToBlockGTE(int64(number))).Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		if !indexed {
			return errors.New("it is not indexed")
		}
		if err := w.renew(ctx); err != nil {
			return err
		}
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			if err := w.removeRecords(ctx, kind, firstIn(number), lastIn(number)); err != nil {
				return err
			}
		}
		headers, err := w.headers(ctx, Range{From: number, To: number})
		if err != nil {
			return err
		}
		if h, ok := headers[number]; ok && h.Hash != b.Header.Hash {
			if err := w.orphan(ctx, client, Range{From: number, To: number}); err != nil {
				return err
			}
		}
		if err := client.Block.DeleteOneID(int64(number)).Exec(ctx); err != nil && !ent.IsNotFound(err) {
			return fmt.Errorf("removing the header: %w", err)
		}
		if _, err := client.RejectedLog.Delete().Where(rejectedlog.IDGTE(firstIn(number)), rejectedlog.IDLTE(lastIn(number))).Exec(ctx); err != nil {
			return fmt.Errorf("removing rejected logs: %w", err)
		}
		if err := w.insert(ctx, []nft.Block{b}); err != nil {
			return err
		}
		return w.counters.recount(ctx, number)
	})
	if err != nil {
		return fmt.Errorf("repairing block %d: %w", number, err)
	}
	return nil
}
