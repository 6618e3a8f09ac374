package document

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/internal/database"
	"mintburn/internal/store/read"
)

// Due returns the number of tokens that are due at now, up to most. Tokens whose mints
// [write.Queue.Claim] has not added to the queue yet are not counted.
func Due(ctx context.Context, s *read.Snapshot, now time.Time, most int) (due int, err error) {
	b := s.Tx.Builder()
	rows := b.Select(resolution.FieldID).From(b.Table(resolution.Table)).Where(entsql.LTE(resolution.FieldDueAt, now.Unix())).OrderBy(resolution.FieldDueAt).Limit(most)
	err = s.Tx.Query(ctx, b.Select(entsql.Count("*")).From(rows.As("due")), func(r *database.Row) error { return r.Values(&due) })
	return due, database.Wrap(err, "counting tokens that are due")
}

// FailedDocuments returns the number of tokens whose last fetch failed and that have no newer
// result.
func FailedDocuments(ctx context.Context, s *read.Snapshot) (failed int64, err error) {
	b := s.Tx.Builder()
	sum := "COALESCE(CAST(SUM(" + contract.FieldFailed + ") AS bigint), 0)"
	err = s.Tx.Query(ctx, b.Select().AppendSelectExpr(entsql.Raw(sum)).From(b.Table(contract.Table)), func(r *database.Row) error { return r.Values(&failed) })
	return failed, database.Wrap(err, "counting failed documents")
}
