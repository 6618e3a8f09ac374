package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/queue"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// named is what contracts and contract_metadata say of a collection.
type named struct {
	id      int64
	address evm.Address
	// stored is set if the contract has a row in contract_metadata.
	stored bool
	// name is the stored name or, if that is wrong, that of the document.
	name *string
}

// checkNames checks that each contract is in the queue of collections, and that its name is that
// of its document, if it has one, and is found by a search. The names of contracts without a
// document can be checked only by calling them. A repair makes them due.
func checkNames(ctx context.Context, c *checker) error {
	return c.pages(ctx, contract.Table, func(s *read.Snapshot, above, last int64) error {
		wrong, err := wrongNames(ctx, c, s, above, last)
		if err != nil {
			return fmt.Errorf("reading the metadata of collections: %w", err)
		}
		return repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, n named) error {
			if n.stored {
				update := w.Client().ContractMetadata.Update().Where(contractmetadata.ContractID(n.id)).ClearName().ClearSearchKey()
				if n.name != nil {
					update = w.Client().ContractMetadata.Update().Where(contractmetadata.ContractID(n.id)).SetName(*n.name).SetSearchKey(tables.SearchKey(n.name, n.address))
				}
				if err := update.Exec(ctx); err != nil {
					return err
				}
			}
			return queue.EnterCollections(ctx, w, []*ent.Contract{{ID: n.id}})
		})
	})
}

// wrongNames reports the collections of a page of contracts that are not in the queue, or whose
// name is wrong, and returns them with the correct name.
func wrongNames(ctx context.Context, c *checker, s *read.Snapshot, above, last int64) (wrong []named, err error) {
	builder := s.Tx.Builder()
	contracts, metadata := builder.Table(contract.Table).As("c"), builder.Table(contractmetadata.Table).As("m")
	page := builder.Select(contracts.C(contract.FieldID), contracts.C(contract.FieldAddress), metadata.C(contractmetadata.FieldName),
		metadata.C(contractmetadata.FieldSearchKey), metadata.C(contractmetadata.FieldContent), metadata.C(contractmetadata.FieldID)).
		From(contracts).LeftJoin(metadata).On(metadata.C(contractmetadata.FieldContractID), contracts.C(contract.FieldID)).
		Where(entsql.And(entsql.GT(contracts.C(contract.FieldID), above), entsql.LTE(contracts.C(contract.FieldID), last))).
		OrderBy(contracts.C(contract.FieldID))
	err = s.Tx.Query(ctx, page, func(row *database.Row) error {
		n := named{id: row.Int64()}
		row.Scan(&n.address)
		text := func() *string {
			if row.Null() {
				return nil
			}
			return new(row.Text())
		}
		n.name = text()
		var key []byte
		if !row.Null() {
			key = row.Bytes()
		}
		content := text()
		n.stored = !row.Null()
		if err := row.Err(); err != nil {
			return err
		}
		problem := ""
		var document nft.CollectionMetadata
		switch {
		case !n.stored:
			problem = "it is not in the queue"
		case content != nil && json.Unmarshal([]byte(*content), &document) != nil:
			c.differ("collection %s: the content of its document is no JSON"+refetched, n.address)
			wrong = append(wrong, n)
			return nil
		case document.Name != nil && nft.CleanName(*document.Name) != "" && (n.name == nil || *n.name != nft.CleanName(*document.Name)):
			problem, n.name = "its name is not that of its document", new(nft.CleanName(*document.Name))
		case !bytes.Equal(key, tables.SearchKey(n.name, n.address)):
			problem = "a search does not find its name"
		default:
			return nil
		}
		c.differ("collection %s: %s", n.address, problem)
		wrong = append(wrong, n)
		return nil
	})
	return wrong, err
}
