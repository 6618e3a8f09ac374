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
	w, err := newDocumentWalk(ctx, l.s, "documents", address, after, limit)
	if err != nil || w.unknown {
		return &Rows[*document.TokenMetadata]{Cursor: after}, err
	}
	return w.tokens(ctx, after, read.AllTexts&^(read.TextRaw|read.TextDisplayTypes|read.FetchState))
}

// documentWalk reads one batch of documents.
type documentWalk struct {
	cursor.Bounds
	s       *read.Snapshot
	address *evm.Address
	limit   int
	// unknown is set if nothing is known of the collection with the address.
	unknown bool
	// The walk continues after a token id, empty for none, of the collection with this number.
	collection int64
	id         []byte
}

// newDocumentWalk checks the arguments of [Listings.Documents].
func newDocumentWalk(ctx context.Context, s *read.Snapshot, name string, address *evm.Address, after *string, limit int) (*documentWalk, error) {
	bounds, err := page.Args{First: &limit, After: after}.Bounds(s.DB.MaxPageSize())
	if err != nil {
		return nil, err
	}
	list := []byte(name)
	if address != nil {
		list = append(list, address[:]...)
	}
	// Contract numbers begin with 1.
	w := &documentWalk{Bounds: bounds, s: s, address: address, limit: limit, id: []byte{}}
	if err := w.BelongTo(cursor.Fingerprint(list)); err != nil {
		return nil, err
	}
	known := false
	if address != nil {
		if w.collection, known, err = read.ContractID(ctx, s, *address); err != nil {
			return nil, err
		}
		if w.unknown = !known; w.unknown {
			return w, read.RequireContract(ctx, s, *address)
		}
	}
	if c := w.After; c != nil {
		var of evm.Address
		known = false
		if n := copy(of[:], c.Key); n == len(of) {
			if w.collection, known, err = read.ContractID(ctx, s, of); err != nil {
				return nil, err
			}
			w.id = c.Key[n:]
		}
		if !known {
			return nil, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one of this database")
		}
	}
	return w, nil
}

// tokens returns the documents of the next tokens with these texts.
func (w *documentWalk) tokens(ctx context.Context, after *string, texts read.Texts) (*Rows[*document.TokenMetadata], error) {
	key := query.Key{Name: "documents", Limit: w.limit, Low: w.address != nil, Texts: uint32(texts)}
	text := w.s.DB.Statement(key, func(client *ent.Client) entsql.Querier {
		where := afterToken(w.collection, w.id)
		if w.address != nil {
			where = token.And(token.ContractID(w.collection), document.CompareTokenID(entsql.OpGT, w.id))
		}
		return document.Select(client.Token.Query().Where(where).Order(token.ByContractID(), document.ByTokenID(entsql.OrderAsc())).Limit(w.limit), texts)
	})
	rows := &Rows[*document.TokenMetadata]{Cursor: after}
	var err error
	if rows.Items, _, err = document.Read(ctx, w.s, text, []any{w.collection, w.id}, w.limit, texts, false); err != nil {
		return nil, err
	}
	rows.More = len(rows.Items) == w.limit
	bytes := int64(0)
	for i, t := range rows.Items {
		if bytes += t.Bytes; bytes > rowBytes && i > 0 {
			rows.Items, rows.More = rows.Items[:i], true
			break
		}
	}
	if n := len(rows.Items); n > 0 {
		last := rows.Items[n-1].TokenKey
		text := w.CursorAt(append(last.Contract[:], last.TokenID.Bytes()...)).String()
		rows.Cursor = &text
	}
	return rows, document.ReadTexts(ctx, w.s, rows.Items, nil, texts, "")
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
