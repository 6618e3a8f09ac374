package listing

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/predicate"
	"mintburn/ent/token"
	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// Documents returns at most limit tokens that have a document, of one collection or, if
// address is nil, of all, after a cursor. They are ordered by collection, in the order in
// which the collections were first stored, then by token id. They have all texts except the
// raw documents. Besides internal errors it returns an [apierror.Error] with the code
// INVALID_CURSOR or NOT_FOUND.
//
// A document changes in place, and its trait counts change with other documents of the
// collection. A cursor therefore continues an export, but does not find later changes.
func (l Listings) Documents(ctx context.Context, address *evm.Address, after *string, limit int) (*Rows[*document.TokenMetadata], error) {
	s := l.s
	bounds, err := page.Args{First: &limit, After: after}.Bounds(s.DB.MaxPageSize())
	if err != nil {
		return nil, err
	}
	list := []byte("documents")
	if address != nil {
		list = append(list, address[:]...)
	}
	if err := bounds.BelongTo(cursor.Fingerprint(list)); err != nil {
		return nil, err
	}
	// Contract numbers begin with 1.
	rows, collection, id := &Rows[*document.TokenMetadata]{Cursor: after}, int64(0), []byte{}
	if address != nil {
		known := false
		if collection, known, err = read.ContractID(ctx, s, *address); err != nil {
			return nil, err
		}
		if !known {
			return rows, read.RequireContract(ctx, s, *address)
		}
	}
	if c := bounds.After; c != nil {
		var of evm.Address
		known := false
		if n := copy(of[:], c.Key); n == len(of) {
			if collection, known, err = read.ContractID(ctx, s, of); err != nil {
				return nil, err
			}
			id = c.Key[n:]
		}
		if !known {
			return nil, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one of this database")
		}
	}
	const texts = read.AllTexts &^ (read.TextRaw | read.FetchState)
	key := query.Key{Name: "documents", Limit: limit, Low: address != nil, Texts: uint16(texts)}
	text := s.DB.Statement(key, func(client *ent.Client) entsql.Querier {
		where := afterToken(collection, id)
		if address != nil {
			where = token.And(token.ContractID(collection), document.CompareTokenID(entsql.OpGT, id))
		}
		return document.Select(client.Token.Query().Where(where).Order(token.ByContractID(), document.ByTokenID(entsql.OrderAsc())).Limit(limit), texts)
	})
	if rows.Items, _, err = document.Read(ctx, s, text, []any{collection, id}, limit, texts, false); err != nil {
		return nil, err
	}
	rows.More = len(rows.Items) == limit
	bytes := int64(0)
	for i, t := range rows.Items {
		if bytes += t.Bytes; bytes > rowBytes && i > 0 {
			rows.Items, rows.More = rows.Items[:i], true
			break
		}
	}
	if n := len(rows.Items); n > 0 {
		last := rows.Items[n-1].TokenKey
		text := bounds.CursorAt(append(last.Contract[:], last.TokenID.Bytes()...)).String()
		rows.Cursor = &text
	}
	return rows, document.ReadTexts(ctx, s, rows.Items, nil, texts, "")
}

// afterToken selects the tokens after one in the order of collections and token ids.
func afterToken(contractID int64, id []byte) predicate.Token {
	return func(s *entsql.Selector) {
		collection, of := s.C(token.FieldContractID), s.C(token.FieldTokenID)
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.WriteString("("+collection+", "+of+") > (").Args(contractID, id).WriteString(")")
		}))
	}
}
