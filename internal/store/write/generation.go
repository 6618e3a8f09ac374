package write

import (
	"context"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// A generation identifies the stored blocks while they are append-only. A transaction
// that changes or removes blocks, or adds to blocks that were already indexed, begins
// the next generation. Two reads with the same generation therefore see the same
// records in each indexed range. Generations are random and never reused: no other
// database has the same one, not even a backup that was restored and then changed.
//
// Only these begin a generation:
//   - a new history, see history.go: stored blocks may have been lost;
//   - [DB.ReplaceAbove] and [DB.DeepReplaceAbove], however high above the
//     finalized block: a cursor may name a block that is not final;
//   - [store.Proofs.Repair], by verify --repair, the auditor, or another process;
//   - [store.Redecoding.Replace];
//   - each repair of [DB.Check] and [store.CounterCheck], since totals change;
//   - [DB.Apply] and [DB.Extend] with blocks that are not stored, in a range
//     that is indexed: a node had left out their logs.
//
// Changes of rows that bypass this package go unnoticed. After such a change, restart
// all programs that have the database open.

// Renew begins a new generation.
func Renew(ctx context.Context, w *Tx) error {
	return tables.Renew(ctx, w.client, tables.Generation)
}

// addWithin notes the blocks that become indexed, and fresh blocks of ranges that already were:
// a node had left out their logs. Such blocks begin a new generation.
func addWithin(ctx context.Context, w *Tx, ranges []evm.Range, fresh []nft.Block) error {
	for _, r := range ranges {
		rows, err := w.client.Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed),
			coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).Order(coverage.ByFromBlock()).All(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		indexed := make([]evm.Range, len(rows))
		for i, row := range rows {
			indexed[i] = tables.RangeOf(row)
		}
		added := tables.Missing(indexed, r)
		if len(rows) > 0 && len(fresh) > 0 {
			if err := Renew(ctx, w); err != nil {
				return err
			}
			for _, again := range covering(fresh) {
				for _, part := range tables.Common([]evm.Range{again}, r) {
					added = part.Join(added)
				}
			}
		}
		for _, part := range added {
			if err := w.Log.Add(ctx, w.client, part); err != nil {
				return err
			}
		}
	}
	return nil
}
