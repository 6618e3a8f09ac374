package total

import (
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// DocumentCounts are the numbers of a collection's tokens by fetch state.
type DocumentCounts struct {
	Resolved, Pending, Failed int64
	// Untried tokens have a record, but neither a document nor an error.
	Untried int64
}

// documentCountColumns are the columns that documentCounts reads.
var documentCountColumns = []string{
	contract.FieldID, contract.FieldTokenCount, contract.FieldResolved, contract.FieldPending, contract.FieldFailed, contract.FieldRecordless,
}

// Documents returns the counts of known collections. During a load it returns an
// [apierror.Error] with the code UNAVAILABLE.
func Documents(ctx context.Context, s *read.Snapshot, contractIDs []int64) (map[int64]*DocumentCounts, error) {
	counts, loading := make(map[int64]*DocumentCounts, len(contractIDs)), false
	for part := range slices.Chunk(contractIDs, tables.MaxArgs) {
		ids := make([]any, len(part))
		for i, id := range part {
			ids[i] = id
		}
		_, err := s.Cached(ctx, query.Key{Name: "document counts", Limit: len(part)}, func(client *ent.Client) entsql.Querier {
			return client.Contract.Query().Where(contract.IDIn(part...)).Select(documentCountColumns...).Selector()
		}, ids, func(r *database.Row) error {
			var row ent.Contract
			if err := row.ReadRow(r, documentCountColumns...); err != nil {
				return err
			}
			if loading = loading || row.TokenCount == nil; loading {
				return nil
			}
			tried := row.Resolved + row.Pending + row.Failed
			counts[row.ID] = &DocumentCounts{
				Resolved: row.Resolved, Pending: row.Pending, Failed: row.Failed, Untried: *row.TokenCount - tried + row.Recordless,
			}
			return nil
		})
		if err != nil {
			return nil, database.Wrap(err, "counting documents")
		}
	}
	if loading {
		return nil, errUncounted()
	}
	return counts, nil
}

// Tokens returns the number of a collection's tokens that have a record. During a load
// it returns an [apierror.Error] with the code UNAVAILABLE.
func Tokens(ctx context.Context, s *read.Snapshot, contractID int64) (int64, error) {
	var row ent.Contract
	_, err := s.Last(ctx, query.Key{Name: "number of tokens with records"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.ID(contractID)).Select(contract.FieldTokenCount).Selector()
	}, []any{contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTokenCount) })
	switch {
	case err != nil:
		return 0, database.Wrap(err, "totalling tokens")
	case row.TokenCount == nil:
		return 0, errUncounted()
	}
	return *row.TokenCount, nil
}

func errUncounted() error {
	return apierror.Errorf(apierror.Unavailable, "the tokens are not counted while the database is loaded: try again later")
}
