package store

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/resolution"
	"mintburn/internal/database"
)

// Due returns the number of tokens that are due at now, up to most. Tokens whose mints
// [Queue.Claim] has not added to the queue yet are not counted.
func (s *Snapshot) Due(ctx context.Context, now time.Time, most int) (due int, err error) {
	b := s.db.Builder()
	rows := b.Select(resolution.FieldID).From(b.Table(resolution.Table)).Where(entsql.LTE(resolution.FieldDueAt, now.Unix())).OrderBy(resolution.FieldDueAt).Limit(most)
	err = s.db.Query(ctx, b.Select(entsql.Count("*")).From(rows.As("due")), func(r *database.Row) error { return r.Values(&due) })
	return due, database.Wrap(err, "counting tokens that are due")
}
