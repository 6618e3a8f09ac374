package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/mint"
	"mintburn/ent/rejectedlog"
	"mintburn/ent/token"
	"mintburn/ent/trait"
	"mintburn/ent/transaction"
	"mintburn/ent/version"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/document"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// decoded is a table whose rows an export reads.
type decoded struct {
	table   string
	columns []string
	// read decodes a row as an export does.
	read func(*database.Row) error
	// name names a row, and restore says what restores it.
	name    func(id int64) string
	restore string
}

// decodedTables lists the tables that exports read.
func decodedTables() []decoded {
	inBlock := func(what string) func(int64) string {
		return func(id int64) string { return fmt.Sprintf("block %d: %s %d", tables.BlockOf(id), what, id) }
	}
	numbered := func(what string) func(int64) string {
		return func(id int64) string { return fmt.Sprintf("%s %d", what, id) }
	}
	records := func(kind nft.Kind, columns []string) decoded {
		stored, record := tables.RecordRow{Kind: kind}, nft.Record{}
		return decoded{(&query.Query{Kind: kind}).Table(), columns, func(row *database.Row) error {
			if err := stored.Read(row); err != nil {
				return err
			}
			return stored.Record(&record)
		}, inBlock(kind.String()), restored}
	}
	var header ent.Block
	var rejected ent.RejectedLog
	var tx ent.Transaction
	var collection ent.Contract
	var doc ent.Token
	var counted ent.Trait
	var named ent.ContractMetadata
	var former ent.Version
	numbers := []string{token.FieldID, token.FieldContractID, token.FieldTokenID, token.FieldFetchedAt, token.FieldUpdatedAt, token.FieldTextBytes}
	texts := slices.DeleteFunc(slices.Clone(token.Columns), func(column string) bool {
		return column == token.FieldRaw || slices.Contains(numbers, column)
	})
	return []decoded{
		records(nft.Mint, mint.Columns), records(nft.Burn, burn.Columns),
		{block.Table, block.Columns, func(row *database.Row) error { return header.ReadRow(row) }, numbered("block"), restored},
		{rejectedlog.Table, rejectedlog.Columns, func(row *database.Row) error {
			if err := rejected.ReadRow(row); err != nil {
				return err
			}
			return tables.CheckTopics(rejected.Topics)
		}, inBlock("rejected log"), restored},
		{transaction.Table, transaction.Columns, func(row *database.Row) error { return tx.ReadRow(row) }, inBlock("transaction"), restored},
		{contract.Table, contract.Columns, func(row *database.Row) error { return collection.ReadRow(row) }, numbered("contract"), lost},
		{contractmetadata.Table, contractmetadata.Columns, func(row *database.Row) error {
			if err := named.ReadRow(row, contractmetadata.Columns...); err != nil {
				return err
			}
			if named.Content != nil && !json.Valid([]byte(*named.Content)) {
				return errors.New("its content is not JSON")
			}
			return nil
		}, numbered("document of contract"), refetched},
		{token.Table, append(numbers, texts...), func(row *database.Row) error {
			if err := doc.ReadRow(row, numbers...); err != nil {
				return &numberError{err}
			}
			if err := doc.ReadRow(row, texts...); err != nil {
				return err
			}
			_, err := document.ParseAttributes(doc.Attributes)
			return err
		}, numbered("document"), refetched},
		{version.Table, version.Columns, func(row *database.Row) error {
			if err := former.ReadRow(row, version.Columns...); err != nil {
				return err
			}
			_, err := tables.UnpackRaw(former.Raw, former.TextBytes-int64(len(former.URI)))
			return err
		}, numbered("version"), lost},
		{trait.Table, document.CountColumns, func(row *database.Row) error { return counted.ReadRow(row, document.CountColumns...) }, numbered("trait"), lost},
	}
}

// numberError is an error of a document in a column that a new document is compared with.
type numberError struct{ err error }

func (e *numberError) Error() string { return e.err.Error() }

// checkColumns decodes each column that an export reads, except the lengths of hashes of
// blocks, which checkHeaders checks.
func checkColumns(ctx context.Context, c *checker) error {
	for _, of := range decodedTables() {
		err := c.pages(ctx, of.table, func(s *read.Snapshot, above, last int64) error {
			builder := s.Tx.Builder()
			page := builder.Select(append([]string{"id"}, of.columns...)...).From(builder.Table(of.table)).
				Where(entsql.And(entsql.GT("id", above), entsql.LTE("id", last))).OrderBy("id")
			return s.Tx.Query(ctx, page, func(row *database.Row) error {
				id := row.Int64()
				if row.Err() != nil {
					return row.Err()
				}
				if err := of.read(row); err != nil {
					row.Forgive()
					c.damaged = true
					restore := of.restore
					if number := new(numberError); errors.As(err, &number) {
						restore = lost
					}
					c.differ("%s: the row is damaged: %v%s", of.name(id), err, restore)
				}
				return nil
			})
		})
		if err != nil {
			return fmt.Errorf("reading %s: %w", of.table, err)
		}
	}
	return nil
}
