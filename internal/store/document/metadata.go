package document

import (
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Of returns the metadata of tokens: the document with these texts, or why it could not be
// fetched. Tokens that were never tried are absent. Texts that do not fit the snapshot's bound
// are an [apierror.Error] with the code QUERY_TOO_COSTLY; argument names the argument that a client
// may lower, or is "".
func Of(ctx context.Context, s *read.Snapshot, keys []nft.TokenKey, texts read.Texts, argument string) (map[nft.TokenKey]*TokenMetadata, error) {
	found := map[nft.TokenKey]*TokenMetadata{}
	wanted, err := pairsOf(ctx, s, keys, found)
	if err != nil {
		return nil, err
	}
	var items, failed []*TokenMetadata
	err = s.Tx.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			items, err = documentedTokens(ctx, s, wanted, texts)
			return err
		}
		undocumented := wanted
		if !s.Tx.Gathers() {
			// The tokens with a document are known by now.
			for _, t := range items {
				found[t.TokenKey] = t
			}
			if undocumented, err = pairsOf(ctx, s, keys, found); err != nil {
				return err
			}
		}
		failed, err = failedTokens(ctx, s, undocumented, texts)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range items {
		found[t.TokenKey] = t
	}
	failed = slices.DeleteFunc(failed, func(t *TokenMetadata) bool { return found[t.TokenKey] != nil })
	for _, t := range failed {
		found[t.TokenKey] = t
	}
	requested := make([]*TokenMetadata, len(keys))
	for i, key := range keys {
		requested[i] = found[key]
	}
	return found, ReadTexts(ctx, s, append(items, failed...), requested, texts, argument)
}

// Stored returns the stored documents of tokens with these texts; its errors are those of [Of].
func Stored(ctx context.Context, s *read.Snapshot, keys []nft.TokenKey, texts read.Texts, argument string) (map[nft.TokenKey]*TokenMetadata, error) {
	found := map[nft.TokenKey]*TokenMetadata{}
	wanted, err := pairsOf(ctx, s, keys, found)
	if err != nil {
		return nil, err
	}
	items, err := documentedTokens(ctx, s, wanted, texts)
	if err != nil {
		return nil, err
	}
	for _, t := range items {
		found[t.TokenKey] = t
	}
	return found, ReadTexts(ctx, s, items, nil, texts, argument)
}

// documentedTokens returns the wanted tokens that have a document.
func documentedTokens(ctx context.Context, s *read.Snapshot, wanted pairs, texts read.Texts) (items []*TokenMetadata, err error) {
	for part := range slices.Chunk(wanted, tables.MaxArgs) {
		text := s.DB.Statement(query.Key{Name: "tokens", Limit: len(part), Texts: uint32(texts)}, func(client *ent.Client) entsql.Querier {
			return Select(client.Token.Query().Where(part.where(token.FieldTokenID)), texts)
		})
		more, _, err := Read(ctx, s, text, part.args(s.DB.Database.Dialect()), len(part)/2, texts, false)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}

// pairsOf returns the contract numbers and token ids of tokens. It leaves out tokens
// that are already found, and those of unknown contracts.
func pairsOf(ctx context.Context, s *read.Snapshot, keys []nft.TokenKey, found map[nft.TokenKey]*TokenMetadata) (pairs, error) {
	var wanted pairs
	seen := make(map[nft.TokenKey]bool, len(keys))
	for _, key := range keys {
		if seen[key] || found[key] != nil {
			continue
		}
		seen[key] = true
		id, known, err := read.ContractID(ctx, s, key.Contract)
		if err != nil {
			return nil, err
		}
		if known {
			wanted.add(id, key.TokenID.Bytes())
		}
	}
	return wanted, nil
}

// failedContract and failedColumns are the columns of a failed token besides
// fetchColumns: those of its collection, and its own.
var (
	failedContract = []string{contract.FieldAddress, contract.FieldStandards}
	failedColumns  = []string{resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldStandard, resolution.FieldAttemptedAt}
)

// selectFailed builds the statement of failedTokens for these tokens.
func selectFailed(client *ent.Client, keys pairs, texts read.Texts) entsql.Querier {
	resolutions := client.Resolution.Query().Where(keys.where(resolution.FieldTokenID))
	resolutions.Modify(func(s *entsql.Selector) {
		c := entsql.Dialect(s.Dialect()).Table(contract.Table)
		// The sum keeps PostgreSQL from reading all resolutions of a collection, as in
		// Select.
		s.Join(c).OnP(entsql.P(func(b *entsql.Builder) {
			b.WriteString(s.C(resolution.FieldContractID) + " + 0 = " + c.C(contract.FieldID))
		}))
		s.Select(c.Columns(failedContract...)...).AppendSelect(s.Columns(failedColumns...)...).AppendSelect(s.Columns(fetchColumns...)...)
		if texts&read.TextURI != 0 {
			s.AppendSelectExpr(entsql.Expr("octet_length(" + s.C(resolution.FieldURI) + ")"))
		}
	})
	return resolutions.Selector()
}

// failedTokens returns the wanted tokens whose last fetch failed, without their URIs. It
// treats them as tokens without a document.
func failedTokens(ctx context.Context, s *read.Snapshot, wanted pairs, texts read.Texts) (items []*TokenMetadata, err error) {
	var collection ent.Contract
	var failed ent.Resolution
	err = eachOf(ctx, s, query.Key{Name: "failed tokens", Texts: uint32(texts & read.TextURI)}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
		return selectFailed(client, part, texts)
	}, func(row *database.Row) error {
		if err := collection.ReadRow(row, failedContract...); err != nil {
			return err
		}
		if err := failed.ReadRow(row, failedColumns...); err != nil {
			return err
		}
		t := &TokenMetadata{
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
		if texts&read.TextURI != 0 && !row.Null() {
			t.Bytes = row.Int64()
			t.heavy = t.Bytes > 0
		}
		if t.State == nft.Failed {
			items = append(items, t)
		}
		return row.Err()
	})
	return items, database.Wrap(err, "reading how metadata was fetched")
}
