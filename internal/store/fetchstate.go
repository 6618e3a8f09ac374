package store

import (
	"context"
	"fmt"

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
func readFetchState(row *database.Row, r *ent.Resolution, m *Token) error {
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
	failedColumns  = []string{resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldShape, resolution.FieldTriedAt}
)

// selectFailed builds the statement of failedTokens for these tokens.
func selectFailed(client *ent.Client, keys pairs, texts Texts) entsql.Querier {
	resolutions := client.Resolution.Query().Where(keys.where(resolution.FieldTokenID))
	resolutions.Modify(func(s *entsql.Selector) {
		c := entsql.Dialect(s.Dialect()).Table(contract.Table)
		s.Join(c).On(s.C(resolution.FieldContractID), c.C(contract.FieldID))
		s.Select(c.Columns(failedContract...)...).AppendSelect(s.Columns(failedColumns...)...).AppendSelect(s.Columns(fetchColumns...)...)
		if texts&TextURI != 0 {
			s.AppendSelectExpr(entsql.Expr("octet_length(" + s.C(resolution.FieldURI) + ")"))
		}
	})
	return resolutions.Selector()
}

// failedTokens returns those of the wanted tokens whose last fetch failed, without
// their URIs; the tokens must be without a document.
func (s *Snapshot) failedTokens(ctx context.Context, wanted pairs, texts Texts) (items []*Token, err error) {
	var collection ent.Contract
	var failed ent.Resolution
	err = s.eachOf(ctx, statementKey{name: "failed tokens", texts: texts & TextURI}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
		return selectFailed(client, part, texts)
	}, func(row *database.Row) error {
		if err := collection.ReadRow(row, failedContract...); err != nil {
			return err
		}
		if err := failed.ReadRow(row, failedColumns...); err != nil {
			return err
		}
		t := &Token{
			TokenMetadata: nft.TokenMetadata{
				TokenKey: nft.TokenKey{Contract: collection.Address, TokenID: failed.TokenID},
				Type:     typeOf(collection.Shapes, failed.Shape == shape1155),
			},
			contractID: failed.ContractID, undocumented: true,
		}
		if failed.TriedAt != nil {
			t.FetchedAt = *failed.TriedAt
		}
		if err := readFetchState(row, &failed, t); err != nil {
			return err
		}
		if texts&TextURI != 0 && !row.Null() {
			t.bytes = row.Int64()
			t.heavy = t.bytes > 0
		}
		if t.State == nft.Failed {
			items = append(items, t)
		}
		return row.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading how metadata was fetched: %w", err)
	}
	return items, nil
}
