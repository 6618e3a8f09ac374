package store

import (
	"context"
	"crypto/rand"
	"fmt"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// A generation identifies the stored blocks while they are append-only. Whatever
// changes or removes any of them, and whatever adds to blocks that were indexed
// before, begins the next generation in the same transaction: two reads that see
// the same generation see the same records in each indexed range. Generations are
// drawn at random and never used again: no other database has the same, nor one
// that was restored to an older state and changed from there.
//
// What begins a generation, and no other code does:
//   - [Store.ReplaceAbove] and [Store.DeepReplaceAbove], however high above the
//     finalized block: a cursor may name a block that is not final;
//   - [Store.Repair], by verify --repair, the auditor, or another process;
//   - [Redecoding.Replace];
//   - each repair of [Store.Check] and [CounterCheck], since totals change;
//   - [Store.Apply] and [Store.Extend] with blocks that are not stored within a
//     range that is indexed: a node had left out their logs.
//
// Rows that are changed by other means than this package go unnoticed. After
// that, programs that have the database open must be started again, for the
// addresses of contracts in their memory as well.

// renew begins a new generation.
func renew(ctx context.Context, w *writer) error {
	return tables.SetText(ctx, w.client, tables.Generation, rand.Text())
}

// renewWithin begins a new generation if any of the ranges that the caller
// stores blocks in is indexed already.
func renewWithin(ctx context.Context, w *writer, ranges []Range) error {
	for _, r := range ranges {
		indexed, err := w.client.Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed),
			coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		if indexed {
			return renew(ctx, w)
		}
	}
	return nil
}

// beginGeneration begins the first generation, if there is none.
func beginGeneration(ctx context.Context, w *writer) error {
	_, found, err := tables.Setting(ctx, w.client, tables.Generation)
	if err != nil || found {
		return err
	}
	return renew(ctx, w)
}

// Generation returns the generation that the snapshot sees; there is one as
// soon as a finalized block is known, and "" before.
func (s *Snapshot) Generation(ctx context.Context) (string, error) {
	generation, err := settingText(ctx, s, tables.Generation)
	return generation, database.Wrap(err, "reading the generation")
}

// Generation is [Snapshot.Generation] at the time of the call: what was
// committed before, by any process, is seen.
func (s *Store) Generation(ctx context.Context) (string, error) {
	text, args := s.selectSetting(tables.Generation)
	var row ent.Setting
	// One statement needs no transaction around it.
	err := s.db.Query(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return row.Value, database.Wrap(err, "reading the generation")
}
