package feed

import (
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/document"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// readDocuments adds the documents that were stored, and reports whether all were added.
func (r *reader) readDocuments(ctx context.Context) (whole bool, err error) {
	for r.filter.wants(Metadata) {
		if r.statements++; r.statements > maxStatements {
			return false, nil
		}
		limit := min(max(r.limit-len(r.batch.Changes), 1), r.DB.MaxPageSize())
		if r.filter.Addresses != nil {
			if limit = r.room(1); limit == 0 {
				return false, nil
			}
		}
		rows, err := r.changedTokens(ctx, limit)
		if err != nil {
			return false, err
		}
		if r.filter.Addresses != nil {
			r.batch.Scanned += len(rows)
		}
		whole, err := r.addDocuments(ctx, rows)
		if err != nil || !whole || len(rows) < limit {
			return whole, err
		}
	}
	return true, nil
}

// changedTokens returns the next tokens whose documents were stored: their numbers.
func (r *reader) changedTokens(ctx context.Context, limit int) (rows []ent.Token, err error) {
	columns := []string{token.FieldID, token.FieldContractID, token.FieldTokenID, token.FieldChanged}
	_, err = r.Cached(ctx, query.Key{Name: "changed tokens", Limit: limit}, func(client *ent.Client) entsql.Querier {
		tokens := client.Token.Query().Order(token.ByChanged(), token.ByID()).Limit(limit)
		tokens.Modify(func(s *entsql.Selector) {
			changed, id := s.C(token.FieldChanged), s.C(token.FieldID)
			s.Where(entsql.P(func(b *entsql.Builder) {
				b.WriteString(changed + " IS NOT NULL AND " + changed + " <= ").Arg(0)
				b.WriteString(" AND ("+changed+", "+id+") > (").Args(0, 0).WriteString(")")
			})).Select(s.Columns(columns...)...)
		})
		return tokens.Selector()
	}, []any{r.effect.UpTo.ID, r.place.a, r.place.b}, func(row *database.Row) error {
		var t ent.Token
		err := t.ReadRow(row, columns...)
		// The next row overwrites it.
		changed := *t.Changed
		t.Changed = &changed
		rows = append(rows, t)
		return err
	})
	return rows, database.Wrap(err, "looking for documents that were stored")
}

// addDocuments adds the documents of tokens, and reports whether the batch had room.
func (r *reader) addDocuments(ctx context.Context, rows []ent.Token) (whole bool, err error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ContractID
	}
	addresses, err := read.ContractAddresses(ctx, r.Snapshot, ids)
	if err != nil {
		return false, err
	}
	var keys []nft.TokenKey
	room := r.limit - len(r.batch.Changes)
	for i := range rows {
		if r.filter.Addresses == nil || slices.Contains(r.filter.Addresses, addresses[i]) {
			if keys = append(keys, nft.TokenKey{Contract: addresses[i], TokenID: rows[i].TokenID}); len(keys) > room {
				rows = rows[:i+1]
				break
			}
		}
	}
	stored, err := document.Stored(ctx, r.Snapshot, keys[:min(len(keys), room)], r.texts, "first")
	if err != nil {
		return false, err
	}
	for i := range rows {
		key, next := nft.TokenKey{Contract: addresses[i], TokenID: rows[i].TokenID}, r.place
		next.a, next.b = *rows[i].Changed, int64(rows[i].ID)
		switch {
		case r.filter.Addresses != nil && !slices.Contains(r.filter.Addresses, key.Contract):
			r.place = next
		case !r.emit(Change{Kind: Metadata, Token: key, Document: stored[key]}, next):
			return false, nil
		}
	}
	return true, nil
}
