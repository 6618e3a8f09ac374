package read

import (
	"context"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// Generation returns the generation of the snapshot, or "" if nothing was ever stored.
func (s *Snapshot) Generation(ctx context.Context) (string, error) {
	generation, err := settingText(ctx, s, tables.Generation)
	return generation, database.Wrap(err, "reading the generation")
}

// Generation is [Snapshot.Generation] at the time of the call. It sees all earlier
// commits, of any process.
func (s *DB) Generation(ctx context.Context) (string, error) {
	text, args := selectSetting(s, tables.Generation)
	var row ent.Setting
	// A single statement needs no transaction.
	err := s.Database.Query(ctx, text, args, func(r *database.Row) error { return row.ReadRow(r) })
	return row.Value, database.Wrap(err, "reading the generation")
}
