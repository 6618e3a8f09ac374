package listing

import (
	"cmp"
	"context"
	"fmt"
	"math"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/document"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// Sources is [Listings.Documents] for the documents as they were fetched: those of collections,
// with the names of the collections, and then those of tokens.
func (l Listings) Sources(ctx context.Context, address *evm.Address, after *string, limit int) (*Rows[*nft.Document], error) {
	rows := &Rows[*nft.Document]{Cursor: after}
	w, err := newDocumentWalk(ctx, l.s, "sources", address, after, limit)
	if err != nil || w.unknown {
		return rows, err
	}
	if len(w.id) == 0 {
		if rows.Items, err = w.collections(ctx); err != nil {
			return nil, err
		}
		if n := len(rows.Items); n > 0 {
			text := w.CursorAt(rows.Items[n-1].Contract[:]).String()
			rows.Cursor, rows.More = &text, true
			return rows, nil
		}
		if address == nil {
			w.collection = 0
		}
	}
	tokens, err := w.tokens(ctx, after, read.TextURI|read.TextRaw)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens.Items {
		rows.Items = append(rows.Items, &nft.Document{TokenKey: t.TokenKey, Type: t.Type, URI: t.URI, FetchedAt: t.FetchedAt, Raw: t.Raw})
	}
	rows.Cursor, rows.More = tokens.Cursor, tokens.More
	return rows, nil
}

// collections returns the documents of the next collections that have one.
func (w *documentWalk) collections(ctx context.Context) (items []*nft.Document, err error) {
	last, to := w.collection, int64(math.MaxInt64)
	if w.address != nil {
		to = w.collection
		if w.After == nil {
			last--
		}
	}
	var row ent.ContractMetadata
	var of ent.Contract
	var ids []int64
	bytes := int64(0)
	for rows := w.limit; rows == w.limit && len(ids) == 0; {
		rows = 0
		_, err := w.s.Cached(ctx, query.Key{Name: "documents of collections", Limit: w.limit}, func(client *ent.Client) entsql.Querier {
			return selectCollections(client, w.limit)
		}, []any{last, to}, func(r *database.Row) error {
			if err := cmp.Or(row.ReadRow(r, sourceColumns...), of.ReadRow(r, contract.FieldAddress)); err != nil {
				return err
			}
			rows, last = rows+1, row.ContractID
			if r.Null() || row.AttemptedAt == nil {
				return nil
			}
			if bytes += r.Int64(); bytes <= rowBytes || len(ids) == 0 {
				ids = append(ids, row.ContractID)
				items = append(items, &nft.Document{TokenKey: nft.TokenKey{Contract: of.Address}, OfCollection: true, Name: row.Name, Symbol: row.Symbol})
			}
			return r.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("reading the documents of collections: %w", err)
		}
	}
	found, err := document.CollectionsOf(ctx, w.s, ids, read.TextRaw)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		items[i].FetchedAt, items[i].URI, items[i].Raw = uint64(found[id].FetchedAt), *found[id].URI, *found[id].Raw
	}
	return items, nil
}

// sourceColumns are the columns of a collection that are read before its texts.
var sourceColumns = []string{contractmetadata.FieldContractID, contractmetadata.FieldAttemptedAt, contractmetadata.FieldName, contractmetadata.FieldSymbol}

// selectCollections builds the statement of documentWalk.collections. The length of the texts is
// null without a document.
func selectCollections(client *ent.Client, limit int) entsql.Querier {
	s := client.ContractMetadata.Query().Where(contractmetadata.ContractIDGT(0), contractmetadata.ContractIDLTE(0)).
		Order(contractmetadata.ByContractID()).Limit(limit).Select(sourceColumns...).Selector()
	c := entsql.Dialect(s.Dialect()).Table(contract.Table)
	// The sum keeps PostgreSQL from reading all contracts up to those of the page.
	s.Join(c).OnP(entsql.P(func(b *entsql.Builder) {
		b.WriteString(s.C(contractmetadata.FieldContractID) + " + 0 = " + c.C(contract.FieldID))
	})).AppendSelect(c.C(contract.FieldAddress))
	return s.AppendSelectExpr(entsql.Expr("octet_length(" + s.C(contractmetadata.FieldURI) + ") + octet_length(" + s.C(contractmetadata.FieldContent) +
		") + octet_length(" + s.C(contractmetadata.FieldRaw) + ")"))
}
