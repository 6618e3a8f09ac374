package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/setting"
	"mintburn/internal/database"
)

// A generation is a name for what is stored of blocks as long as that is only
// added to. Whatever changes or removes any of it, and whatever adds to blocks
// that were indexed before, gives the next one in the same transaction: two
// reads that see the same generation see the same records in each indexed
// range. Names are drawn at random and never used again, so that no other
// database has them either, nor one that was put back to an older state and
// went another way from there.
//
// What does so, and no other code does:
//   - [Store.ReplaceAbove] and [Store.DeepReplaceAbove], however high above the finalized
//     block: a cursor may name a block that is not final;
//   - [Store.Repair], by verify --repair, the auditor, or another process;
//   - [Store.Redecode];
//   - each repair of [Store.Check] and [CounterCheck], since totals change;
//   - [Store.Apply] and [Store.Extend] with blocks that are not stored within a
//     range that is indexed: a node had kept their logs back.
//
// What nobody can notice here are rows that are changed by other means than
// this package. After that, programs that have the database open must be
// started again, for the addresses of contracts in their memory as well.

// renew begins a new generation.
func (w *writer) renew(ctx context.Context) error {
	return w.set(ctx, settingGeneration, rand.Text())
}

// renewWithin begins a new generation if any of a range is indexed already. The
// transaction has stored blocks, which may lie there.
func (w *writer) renewWithin(ctx context.Context, r Range) error {
	indexed, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed),
		coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).Exist(ctx)
	if err != nil || !indexed {
		return err
	}
	return w.renew(ctx)
}

// beginGeneration begins the first generation, if there is none.
func (w *writer) beginGeneration(ctx context.Context) error {
	_, err := w.exec(ctx, w.store.builder().Insert(setting.Table).Columns(setting.FieldID, setting.FieldValue).Values(settingGeneration, rand.Text()).
		OnConflict(entsql.ConflictColumns(setting.FieldID), entsql.DoNothing()))
	if err != nil {
		return fmt.Errorf("storing %s: %w", settingGeneration, err)
	}
	return nil
}

// Generation returns the generation that the snapshot sees; there is one as
// soon as a finalized block is known, and "" before.
func (s *Snapshot) Generation(ctx context.Context) (string, error) {
	generation, err := s.setting(ctx, settingGeneration)
	if err != nil {
		return "", fmt.Errorf("reading the generation: %w", err)
	}
	return generation, nil
}

// Generation is [Snapshot.Generation] at the time of the call: what was
// committed before, by any process, is seen.
func (s *Store) Generation(ctx context.Context) (string, error) {
	text, args := s.selectSetting(settingGeneration)
	var row ent.Setting
	// One statement needs no transaction around it.
	conn, err := s.reader.Conn(ctx)
	if err == nil {
		err = database.Query(ctx, conn, text, args, func(r *database.Row) error { return row.ReadRow(r) })
		err = errors.Join(err, conn.Close())
	}
	if err != nil {
		return "", fmt.Errorf("reading the generation: %w", err)
	}
	return row.Value, nil
}
