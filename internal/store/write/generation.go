package write

import (
	"context"

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
