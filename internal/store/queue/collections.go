package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/collectionword"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// EnterCollections enters new contracts, whose metadata is due once no token is; the last ones
// come first. A contract that is in the queue already becomes due again.
func EnterCollections(ctx context.Context, tx Tx, contracts []*ent.Contract) error {
	if len(contracts) == 0 {
		return nil
	}
	rows := make([]string, len(contracts))
	for i, row := range contracts {
		rows[i] = fmt.Sprintf("(%d, 'waiting', %d)", row.ID, -row.ID)
	}
	_, err := tx.Exec(ctx, entsql.Raw("INSERT INTO "+contractmetadata.Table+" (contract_id, state, due_at) VALUES "+strings.Join(rows, ", ")+
		" ON CONFLICT (contract_id) DO UPDATE SET state = excluded.state, due_at = excluded.due_at"))
	return database.Wrap(err, "writing %s", contractmetadata.Table)
}

// claimCollections leases at most limit due collections until end. only selects some collections.
func claimCollections(ctx context.Context, tx Tx, now, end int64, limit int, only []predicate.ContractMetadata) ([]nft.Task, error) {
	client := tx.Client()
	// Without the texts, which may have megabytes.
	rows, err := client.ContractMetadata.Query().Where(contractmetadata.DueAtLTE(now)).Where(only...).Order(contractmetadata.ByDueAt(), contractmetadata.ByID()).Limit(limit).
		Select(contractmetadata.FieldContractID, contractmetadata.FieldDueAt, contractmetadata.FieldAttempts).All(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	seen, err := lastFinal(ctx, tx)
	if err != nil {
		return nil, err
	}
	ids, contracts := make([]int, len(rows)), make([]int64, len(rows))
	for i, row := range rows {
		ids[i], contracts[i] = row.ID, row.ContractID
	}
	named, err := client.Contract.Query().Where(contract.IDIn(contracts...)).Select(contract.FieldAddress).All(ctx)
	if err != nil {
		return nil, err
	}
	addresses := make(map[int64]evm.Address, len(named))
	for _, row := range named {
		addresses[row.ID] = row.Address
	}
	var tasks []nft.Task
	for _, row := range rows {
		if address, found := addresses[row.ContractID]; found {
			tasks = append(tasks, nft.Task{
				TokenKey: nft.TokenKey{Contract: address}, OfCollection: true, Attempts: int(row.Attempts), Due: *row.DueAt, Lease: end,
			})
		}
	}
	err = client.ContractMetadata.Update().Where(contractmetadata.IDIn(ids...)).
		SetState(contractmetadata.StateLeased).SetDueAt(end).SetSeenBlock(seen).Exec(ctx)
	return tasks, err
}

// finishCollection stores the result for a collection, unless its lease has ended: then another
// worker may have it, or a reorg has orphaned its first record.
func finishCollection(ctx context.Context, tx Tx, r *nft.Resolution, contractID int64) error {
	client := tx.Client().ContractMetadata
	row, found, err := tables.Found(client.Query().Where(contractmetadata.ContractID(contractID)).
		Select(contractmetadata.FieldState, contractmetadata.FieldDueAt, contractmetadata.FieldContent, contractmetadata.FieldName, contractmetadata.FieldSymbol).Only(ctx))
	if err != nil || !found || row.State != contractmetadata.StateLeased && row.State != contractmetadata.StateAgain || row.DueAt == nil || *row.DueAt != r.Lease {
		return err
	}
	update := client.Update().Where(contractmetadata.ID(row.ID)).SetState(contractmetadata.StateDone)
	switch {
	case row.State == contractmetadata.StateAgain:
		update.SetState(contractmetadata.StateWaiting).SetDueAt(int64(r.At))
	case r.NextAt == 0:
		update.ClearDueAt()
	default:
		update.SetDueAt(int64(r.NextAt))
	}
	switch {
	case r.Problem != "":
		update.SetAttemptedAt(r.At).SetError(tables.Storable(r.Problem)).AddAttempts(1)
	case r.Collection == nil && r.NextAt == 0:
		return errors.New("internal error: got no result for a collection")
	case r.Collection == nil:
		// It was not tried.
		return update.SetState(contractmetadata.StateWaiting).Exec(ctx)
	default:
		update.SetAttemptedAt(r.At).SetFetchedAt(r.At).ClearError().SetAttempts(0)
	}
	if r.Collection != nil {
		row.ContractID = contractID
		if err := setCollection(ctx, tx, update.Mutation(), r, row); err != nil {
			return err
		}
	}
	return update.Exec(ctx)
}

// ImportCollections stores imported documents of collections, unless the stored one is newer, and
// returns how many it stored. The collections are not due until an event wakes them. A worker that
// has such a collection continues.
func ImportCollections(ctx context.Context, tx Tx, items []nft.Resolution) (int, error) {
	client, stored := tx.Client().ContractMetadata, 0
	for i := range items {
		r := &items[i]
		ids, err := contractIDs(ctx, tx, r.Contract)
		if err != nil {
			return stored, err
		}
		row, err := client.Query().Where(contractmetadata.ContractID(ids[r.Contract])).
			Select(contractmetadata.FieldContractID, contractmetadata.FieldState, contractmetadata.FieldAttemptedAt, contractmetadata.FieldFetchedAt, contractmetadata.FieldName, contractmetadata.FieldSymbol).Only(ctx)
		if err != nil {
			return stored, err
		}
		if row.FetchedAt != nil && *row.FetchedAt > r.At {
			continue
		}
		update := client.Update().Where(contractmetadata.ID(row.ID)).SetAttemptedAt(r.At).SetFetchedAt(r.At).ClearError().SetAttempts(0)
		if row.State == contractmetadata.StateDone || row.State == contractmetadata.StateWaiting && row.AttemptedAt == nil {
			update.SetState(contractmetadata.StateDone).ClearDueAt().ClearSeenBlock()
		}
		if err := setCollection(ctx, tx, update.Mutation(), r, row); err != nil {
			return stored, err
		}
		if err := update.Exec(ctx); err != nil {
			return stored, err
		}
		stored++
	}
	return stored, nil
}

// setCollection sets the columns of a row that come from the contract and its document, and stores
// its words. A failed fetch keeps the stored document.
func setCollection(ctx context.Context, tx Tx, m *ent.ContractMetadataMutation, r *nft.Resolution, stored *ent.ContractMetadata) error {
	document := &nft.CollectionMetadata{}
	switch {
	case r.Collection.Document != nil:
		document = r.Collection.Document
		content, err := json.Marshal(document)
		if err != nil {
			return fmt.Errorf("encoding the metadata of a collection: %w", err)
		}
		m.SetURI(tables.Storable(r.URI))
		m.SetContent(tables.Storable(string(content)))
		m.SetRaw(tables.Storable(r.Collection.Raw))
	case r.Problem == "":
		m.ClearURI()
		m.ClearContent()
		m.ClearRaw()
	case stored.Content != nil:
		// If it is damaged, the names are those of the contract until the next fetch.
		_ = json.Unmarshal([]byte(*stored.Content), document)
	case r.URI != "":
		m.SetURI(tables.Storable(r.URI))
	}
	gone := tables.Words(stored.ContractID, r.Contract, stored.Name, stored.Symbol)
	switch name, known := nameOf(document.Name, r.Collection.Name); {
	case name != "":
		m.SetName(name)
		stored.Name = &name
	case known:
		m.ClearName()
		stored.Name = nil
	}
	switch symbol, known := nameOf(document.Symbol, r.Collection.Symbol); {
	case symbol != "":
		m.SetSymbol(symbol)
		stored.Symbol = &symbol
	case known:
		m.ClearSymbol()
		stored.Symbol = nil
	}
	return replaceWords(ctx, tx.Client().CollectionWord, gone, tables.Words(stored.ContractID, r.Contract, stored.Name, stored.Symbol))
}

// replaceWords removes rows and stores others.
func replaceWords(ctx context.Context, client *ent.CollectionWordClient, gone, rows []*ent.CollectionWord) error {
	same := func(a, b *ent.CollectionWord) bool { return bytes.Equal(a.ID, b.ID) }
	if slices.EqualFunc(gone, rows, same) {
		return nil
	}
	var ids [][]byte
	for _, row := range slices.Concat(gone, rows) {
		ids = append(ids, row.ID)
	}
	if _, err := client.Delete().Where(collectionword.IDIn(ids...)).Exec(ctx); err != nil {
		return fmt.Errorf("removing the words of a collection: %w", err)
	}
	err := client.MapCreateBulk(rows, func(c *ent.CollectionWordCreate, i int) {
		c.SetID(rows[i].ID).SetContractID(rows[i].ContractID).SetShared(rows[i].Shared)
	}).Exec(ctx)
	return database.Wrap(err, "writing the words of a collection")
}

// nameOf returns the name of a document or, if it has none, of a contract. known is false if the
// contract could not be called.
func nameOf(document, contract *string) (name string, known bool) {
	if document != nil {
		name = nft.CleanName(*document)
	}
	if name == "" && contract != nil {
		name = nft.CleanName(*contract)
	}
	return name, name != "" || contract != nil
}

// eventTime returns the time of the block of a refresh, in Unix seconds.
func eventTime(ctx context.Context, tx Tx, row *ent.Refresh) (uint64, error) {
	header, found, err := tables.Found(tx.Client().Block.Query().Where(block.ID(row.Block)).Only(ctx))
	switch {
	case err != nil:
		return 0, fmt.Errorf("reading block %d: %w", row.Block, err)
	case !found:
		// The block is no longer indexed, or not yet again: treat it as the newest.
		return uint64(evm.MaxLong), nil
	}
	return header.Time, nil
}

// markCollection makes the collection of a refresh due, unless the last fetch has seen its event, as
// [mark] does for tokens.
func markCollection(ctx context.Context, tx Tx, now int64, row *ent.Refresh) error {
	time, err := eventTime(ctx, tx, row)
	if err != nil {
		return err
	}
	unseen := contractmetadata.Or(contractmetadata.SeenBlockLT(row.Block), contractmetadata.And(contractmetadata.SeenBlockIsNil(), contractmetadata.AttemptedAtLTE(time)))
	due := func(state contractmetadata.State) *ent.ContractMetadataUpdate {
		return tx.Client().ContractMetadata.Update().
			Where(contractmetadata.ContractID(row.ContractID), contractmetadata.StateEQ(state), unseen)
	}
	if err := due(contractmetadata.StateLeased).SetState(contractmetadata.StateAgain).Exec(ctx); err != nil {
		return err
	}
	return due(contractmetadata.StateDone).SetState(contractmetadata.StateWaiting).SetDueAt(now).Exec(ctx)
}

// returnCollections forgets what is known of the collections whose first record is above a
// block, because the contract may differ on another branch, and makes them due. The records must
// still be stored.
func returnCollections(ctx context.Context, client *ent.Client, above uint64) error {
	contracts, err := client.Contract.Query().Where(contract.FirstLogGTE(tables.FirstIn(above + 1))).Select(contract.FieldAddress).All(ctx)
	if err != nil {
		return fmt.Errorf("reading %s: %w", contract.Table, err)
	}
	addresses := map[int64]evm.Address{}
	for _, row := range contracts {
		addresses[row.ID] = row.Address
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(addresses)), tables.MaxArgs) {
		named, err := client.ContractMetadata.Query().Where(contractmetadata.ContractIDIn(part...), contractmetadata.Or(contractmetadata.NameNotNil(), contractmetadata.SymbolNotNil())).
			Select(contractmetadata.FieldContractID, contractmetadata.FieldName, contractmetadata.FieldSymbol).All(ctx)
		if err != nil {
			return fmt.Errorf("reading the names of collections: %w", err)
		}
		for _, row := range named {
			if err := replaceWords(ctx, client.CollectionWord, tables.Words(row.ContractID, addresses[row.ContractID], row.Name, row.Symbol), nil); err != nil {
				return err
			}
		}
		err = client.ContractMetadata.Update().Where(contractmetadata.ContractIDIn(part...)).SetState(contractmetadata.StateWaiting).SetDueAt(0).SetAttempts(0).
			ClearAttemptedAt().ClearFetchedAt().ClearSeenBlock().ClearError().ClearName().ClearSymbol().ClearURI().ClearContent().ClearRaw().Exec(ctx)
		if err != nil {
			return fmt.Errorf("returning collections: %w", err)
		}
	}
	return nil
}
