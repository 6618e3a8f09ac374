package document

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contractmetadata"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Names are the name and symbol of a collection, nil if it has none or was never fetched.
type Names struct{ Name, Symbol *string }

// CollectionMetadata is the document that a contract's contractURI leads to, and the result of the
// last fetch.
type CollectionMetadata struct {
	nft.CollectionMetadata
	// URI and Raw are the result of contractURI and the text of the document, nil without one.
	URI, Raw *string
	State    nft.MetadataState
	// Error is why the last fetch failed, nil if it did not.
	Error *string
	// FetchedAt is the time of the last successful fetch or, without one, of the last attempt.
	FetchedAt evm.Long
}

// The columns that are read: names, the results of fetches, and texts.
var (
	nameColumns   = []string{contractmetadata.FieldContractID, contractmetadata.FieldName, contractmetadata.FieldSymbol}
	resultColumns = []string{contractmetadata.FieldContractID, contractmetadata.FieldState, contractmetadata.FieldAttemptedAt, contractmetadata.FieldFetchedAt, contractmetadata.FieldError}
	textsColumns  = []string{contractmetadata.FieldContractID, contractmetadata.FieldURI, contractmetadata.FieldContent, contractmetadata.FieldRaw}
)

// NamesOf returns the names of the collections with these numbers.
func NamesOf(ctx context.Context, s *read.Snapshot, ids []int64) (map[int64]Names, error) {
	return database.Shared(ctx, s.Tx, fmt.Sprint("names of collections ", ids), func(ctx context.Context) (map[int64]Names, error) {
		names := make(map[int64]Names, len(ids))
		err := eachCollection(ctx, s, ids, nameColumns, nil, func(row *ent.ContractMetadata, _ int64) error {
			names[row.ContractID] = Names{row.Name, row.Symbol}
			return nil
		})
		return names, err
	})
}

// CollectionsOf returns the metadata of the collections with these numbers, with the text of the
// document if texts contain [read.TextRaw]. A collection that was never fetched is absent. Texts
// that do not fit the snapshot's bound are an [apierror.Error] with the code QUERY_TOO_COSTLY.
func CollectionsOf(ctx context.Context, s *read.Snapshot, ids []int64, texts read.Texts) (map[int64]*CollectionMetadata, error) {
	columns := textsColumns
	if texts&read.TextRaw == 0 {
		columns = columns[:3]
	}
	found, total := make(map[int64]*CollectionMetadata, len(ids)), int64(0)
	err := eachCollection(ctx, s, ids, resultColumns, columns[1:], func(row *ent.ContractMetadata, bytes int64) error {
		if row.AttemptedAt == nil {
			return nil
		}
		m := &CollectionMetadata{State: nft.Resolved, Error: row.Error, FetchedAt: evm.Long(*row.AttemptedAt)}
		m.Collaborators = []evm.Address{}
		if row.State != contractmetadata.StateDone {
			m.State = nft.Pending
		}
		if row.Error != nil {
			m.State = nft.Failed
		}
		if row.FetchedAt != nil {
			m.FetchedAt = evm.Long(*row.FetchedAt)
		}
		found[row.ContractID], total = m, total+bytes
		return nil
	})
	if err != nil {
		return nil, err
	}
	left, fit, err := take(s, total)
	if err != nil {
		return nil, err
	}
	if !fit {
		return nil, apierror.Errorf(apierror.QueryTooCostly, "the selected texts of %d collections have %d bytes, and the request may read %d more: ask for fewer texts or collections", len(found), total, left)
	}
	err = eachCollection(ctx, s, ids, columns, nil, func(row *ent.ContractMetadata, _ int64) error {
		m := found[row.ContractID]
		if m == nil {
			return nil
		}
		if m.URI, m.Raw = row.URI, row.Raw; row.Content == nil {
			return nil
		}
		return json.Unmarshal([]byte(*row.Content), &m.CollectionMetadata)
	})
	return found, err
}

// eachCollection reads columns of the rows of collections, and the total size of other columns.
func eachCollection(ctx context.Context, s *read.Snapshot, ids []int64, columns, sizes []string, read func(row *ent.ContractMetadata, bytes int64) error) error {
	for part := range slices.Chunk(ids, tables.MaxArgs) {
		args := make([]any, len(part))
		for i, id := range part {
			args[i] = id
		}
		key := query.Key{Name: fmt.Sprint("collections with ", columns, " and the size of ", sizes), Limit: len(part)}
		_, err := s.Cached(ctx, key, func(client *ent.Client) entsql.Querier {
			rows := client.ContractMetadata.Query().Where(contractmetadata.ContractIDIn(part...)).Select(columns...).Selector()
			for _, size := range sizes {
				rows.AppendSelectExpr(entsql.Expr("COALESCE(octet_length(" + rows.C(size) + "), 0)"))
			}
			return rows
		}, args, func(r *database.Row) error {
			var row ent.ContractMetadata
			err, bytes := row.ReadRow(r, columns...), int64(0)
			for range sizes {
				bytes += r.Int64()
			}
			return cmp.Or(err, r.Err(), read(&row, bytes))
		})
		if err != nil {
			return fmt.Errorf("reading the metadata of collections: %w", err)
		}
	}
	return nil
}
