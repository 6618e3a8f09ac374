package store

import (
	"context"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/nft"

	entsql "entgo.io/ent/dialect/sql"
)

// DocumentCounts says how many tokens of a collection have a document.
type DocumentCounts struct{ Resolved, Pending, Failed, Untried int64 }

// documentCounts is temporary.
func (s *Snapshot) documentCounts(ctx context.Context, contractIDs []int64) (map[int64]DocumentCounts, error) {
	counts := map[int64]DocumentCounts{}
	for _, id := range contractIDs {
		counts[id] = DocumentCounts{}
	}
	return counts, nil
}

// tokenCount returns the number of a collection's tokens that have a record.
func tokenCount(ctx context.Context, s *Snapshot, contractID int64) (int64, error) {
	var row ent.Contract
	_, err := s.last(ctx, statementKey{name: "number of tokens with records"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.ID(contractID)).Select(contract.FieldTokenCount).Selector()
	}, []any{contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTokenCount) })
	switch {
	case err != nil:
		return 0, database.Wrap(err, "totalling tokens")
	case row.TokenCount == nil:
		return 0, nft.Errorf(nft.Unavailable, "the tokens are not counted while the database is loaded: try again later")
	}
	return *row.TokenCount, nil
}
