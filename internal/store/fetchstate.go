package store

import (
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/internal/database"
	"mintburn/internal/nft"
)

// fetchColumns are the columns of resolutions that tell how fetching a token's
// document went.
var fetchColumns = []string{resolution.FieldState, resolution.FieldError, resolution.FieldAttempts, resolution.FieldTurn}

// readFetchState reads fetchColumns into m. All of them are null for a token
// that is not in the queue.
func readFetchState(row *database.Row, r *ent.Resolution, m *nft.TokenMetadata) error {
	if row.Null() {
		row.Skip(len(fetchColumns) - 1)
		return row.Err()
	}
	if err := r.ReadRow(row, fetchColumns...); err != nil {
		return err
	}
	switch {
	case r.Error != nil:
		m.State, m.Error = nft.Failed, *r.Error
	case r.State != resolution.StateDone:
		m.State = nft.Pending
	}
	m.Attempts = int(r.Attempts)
	// While a worker has the token, turn is the end of its lease.
	if r.Turn != nil && *r.Turn > 0 && (r.State == resolution.StateDone || r.State == resolution.StateWaiting) {
		m.NextTry = uint64(*r.Turn)
	}
	return nil
}

// failedColumns are the columns of a failed token beside fetchColumns: those of
// its collection and its own.
var (
	failedContract = []string{contract.FieldAddress, contract.FieldShapes}
	failedColumns  = []string{resolution.FieldTokenID, resolution.FieldShape, resolution.FieldURI, resolution.FieldTriedAt}
)

// selectFailed builds the statement of addFailed for these tokens.
func selectFailed(client *ent.Client, keys pairs) entsql.Querier {
	resolutions := client.Resolution.Query().Where(func(s *entsql.Selector) {
		s.Where(keys.in(s.C(resolution.FieldContractID), s.C(resolution.FieldTokenID)))
	})
	resolutions.Modify(func(s *entsql.Selector) {
		c := entsql.Dialect(s.Dialect()).Table(contract.Table)
		s.Join(c).On(s.C(resolution.FieldContractID), c.C(contract.FieldID))
		s.Select(c.Columns(failedContract...)...).AppendSelect(s.Columns(failedColumns...)...).AppendSelect(s.Columns(fetchColumns...)...)
	})
	return resolutions.Selector()
}

// addFailed adds to found the wanted tokens whose last fetch failed; they must
// be without a document. It takes one statement for 10,000 tokens.
func (s *Snapshot) addFailed(ctx context.Context, wanted pairs, found map[nft.TokenKey]*nft.TokenMetadata) error {
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.statement(statementKey{name: "failed tokens", limit: len(part)}, func(client *ent.Client) entsql.Querier {
			return selectFailed(client, part)
		})
		var collection ent.Contract
		var failed ent.Resolution
		err := s.run(ctx, text, part.args(s.store.dialect), func(row *database.Row) error {
			if err := collection.ReadRow(row, failedContract...); err != nil {
				return err
			}
			if err := failed.ReadRow(row, failedColumns...); err != nil {
				return err
			}
			m := &nft.TokenMetadata{
				TokenKey: nft.TokenKey{Contract: collection.Address, TokenID: failed.TokenID},
				Type:     typeOf(collection.Shapes, failed.Shape == shape1155),
			}
			if failed.URI != nil {
				m.URI = *failed.URI
			}
			if failed.TriedAt != nil {
				m.FetchedAt = *failed.TriedAt
			}
			if err := readFetchState(row, &failed, m); err != nil {
				return err
			}
			if m.State == nft.Failed {
				found[m.TokenKey] = m
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading how metadata was fetched: %w", err)
		}
	}
	return nil
}
