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
	"mintburn/internal/store/tables"
)

// failedColumns are the columns of a failed token beside fetchColumns: those of
// its collection and its own.
var (
	failedContract = []string{contract.FieldAddress, contract.FieldStandards}
	failedColumns  = []string{resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldStandard, resolution.FieldAttemptedAt}
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
func failedTokens(ctx context.Context, s *Snapshot, wanted pairs, texts Texts) (items []*Token, err error) {
	var collection ent.Contract
	var failed ent.Resolution
	err = eachOf(ctx, s, statementKey{name: "failed tokens", texts: texts & TextURI}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
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
				Type:     tables.TypeOf(collection.Standards, failed.Standard == tables.ERC1155),
			},
			contractID: failed.ContractID, undocumented: true,
		}
		if failed.AttemptedAt != nil {
			t.FetchedAt = *failed.AttemptedAt
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
