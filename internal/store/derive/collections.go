package derive

import (
	"context"
	"encoding/json"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/collectionword"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/setting"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/tables"
)

// Collections are those with numbers in (Above, Last].
type Collections struct{ Above, Last int64 }

// where returns the condition that a column has the number of one of the collections.
func (c Collections) where(column string) string {
	return fmt.Sprintf("%s > %d AND %[1]s <= %[3]d", column, c.Above, c.Last)
}

// State is what of the derived rows exists. It is that of one transaction.
type State struct {
	// Loading means that records are not counted yet.
	Loading bool
	// Counted and Index are those of [facet.Changes].
	Counted, Index *facet.Walk
}

// StateOf reads the state.
func StateOf(ctx context.Context, tx *database.Tx) (s State, err error) {
	builder := tx.Builder()
	settings := builder.Select(setting.FieldID, setting.FieldValue).From(builder.Table(setting.Table)).
		Where(entsql.In(setting.FieldID, tables.PendingIndexes, tables.TraitsCounted, tables.TraitIndex))
	var failed error
	err = tx.Query(ctx, settings, func(row *database.Row) error {
		switch id, value := row.Text(), row.Text(); id {
		case tables.PendingIndexes:
			s.Loading = true
		case tables.TraitsCounted:
			failed = json.Unmarshal([]byte(value), &s.Counted)
		case tables.TraitIndex:
			failed = json.Unmarshal([]byte(value), &s.Index)
		}
		return database.Wrap(failed, "reading settings")
	})
	return s, database.Wrap(err, "reading settings")
}

// columns returns the derived columns of contracts that SQL can compute.
func (s State) columns(dialect string) []Column {
	columns := Columns(dialect)
	if s.Loading {
		columns = columns[RecordColumns:]
	}
	return columns
}

// Fill derives the rows of collections in a shadow of [Hidden].
func (s State) Fill(ctx context.Context, tx *database.Tx, of Collections) error {
	copied := "INSERT INTO " + contract.Table + " SELECT * FROM " + tx.Stored(contract.Table) + " WHERE " + of.where(contract.FieldID)
	if _, err := tx.Exec(ctx, entsql.Raw(copied)); err != nil {
		return fmt.Errorf("reading contracts: %w", err)
	}
	return s.fill(ctx, tx, of)
}

// fill derives the rows of collections, which have no traits.
func (s State) fill(ctx context.Context, tx *database.Tx, of Collections) error {
	if err := fillNames(ctx, tx, of); err != nil {
		return err
	}
	if err := s.fillTraits(ctx, tx, of); err != nil {
		return fmt.Errorf("counting traits: %w", err)
	}
	err := SetColumns(ctx, tx, s.columns(tx.Dialect()), of.where(contract.FieldID))
	if err == nil && !s.Loading {
		err = SetExcess(ctx, tx, of.where)
	}
	return err
}

// flushed is the number of attributes that are counted in memory.
const flushed = 100_000

// fillTraits derives the traits of collections, their values and the index of tokens.
func (s State) fillTraits(ctx context.Context, tx *database.Tx, of Collections) error {
	client := ent.NewClient(ent.Driver(tx.Driver()))
	var changes facet.Changes
	counted := 0
	begin := func() { changes, counted = facet.NewChanges(), 0; changes.Counted, changes.Index = s.Counted, s.Index }
	begin()
	at, done := &facet.Walk{ContractID: of.Above + 1}, false
	for !done && at.ContractID <= of.Last {
		var err error
		at, done, err = at.Step(ctx, tx, func(token tables.TokenKey, attributes []nft.Attribute) {
			if token.ContractID <= of.Last {
				changes.Add(token, attributes, 1)
				counted += len(attributes)
			}
		})
		if err != nil {
			return err
		}
		if end := done || at.ContractID > of.Last; end || counted >= flushed {
			if _, err := changes.Flush(ctx, tx, client); err != nil {
				return err
			}
			begin()
		}
	}
	return nil
}

// fillNames derives the names, symbols and words of collections. One whose document has no name
// keeps its own, which its contract returned.
func fillNames(ctx context.Context, tx *database.Tx, of Collections) error {
	rows := entsql.Raw("SELECT c.id, c.address, m.name, m.symbol, m.content FROM " + tx.Stored(contract.Table) + " AS c LEFT JOIN " + tx.Stored(contractmetadata.Table) +
		" AS m ON m.contract_id = c.id WHERE " + of.where("c.id"))
	var names []*ent.ContractMetadata
	var words []*ent.CollectionWord
	err := tx.Query(ctx, rows, func(row *database.Row) error {
		c, m := ent.Contract{ID: row.Int64()}, &ent.ContractMetadata{State: contractmetadata.StateWaiting}
		row.Scan(&c.Address)
		for _, name := range []**string{&m.Name, &m.Symbol} {
			if !row.Null() {
				*name = new(row.Text())
			}
		}
		// A damaged document has no name; another check reports it.
		var document nft.CollectionMetadata
		if !row.Null() && json.Unmarshal([]byte(row.Text()), &document) == nil {
			m.Name, m.Symbol = named(document.Name, m.Name), named(document.Symbol, m.Symbol)
		}
		m.ContractID = c.ID
		names, words = append(names, m), append(words, tables.Words(c.ID, c.Address, m.Name, m.Symbol)...)
		return row.Err()
	})
	if err != nil {
		return fmt.Errorf("reading the metadata of collections: %w", err)
	}
	err = put(ctx, tx, names, contractmetadata.Table, contractmetadata.FieldContractID, contractmetadata.FieldState, contractmetadata.FieldName, contractmetadata.FieldSymbol)
	if err != nil {
		return err
	}
	return put(ctx, tx, words, collectionword.Table, collectionword.FieldID, collectionword.FieldContractID, collectionword.FieldShared)
}

// named returns the name of a document, stored if it has none.
func named(document, stored *string) *string {
	if document == nil || nft.CleanName(*document) == "" {
		return stored
	}
	return new(nft.CleanName(*document))
}

// put stores rows. One with the same key keeps its state, if it has one.
func put[T database.Entity](ctx context.Context, tx *database.Tx, rows []T, table, key string, columns ...string) error {
	into := tx.Inserter(table, append([]string{key}, columns...))
	into.Conflict = []entsql.ConflictOption{entsql.ConflictColumns(key), entsql.ResolveWith(func(u *entsql.UpdateSet) {
		for _, column := range columns {
			if column != contractmetadata.FieldState {
				u.SetExcluded(column)
			}
		}
	})}
	for _, row := range rows {
		if err := into.Add(ctx, row); err != nil {
			return err
		}
	}
	return into.Flush(ctx)
}

// IntroduceWords derives the words of all collections for the table that apply creates.
func IntroduceWords(ctx context.Context, tx *database.Tx, apply func() error) error {
	if err := apply(); err != nil {
		return err
	}
	var last int64
	err := tx.Query(ctx, entsql.Raw("SELECT COALESCE(max(id), -1) FROM "+contract.Table), func(row *database.Row) error { return row.Values(&last) })
	if err != nil {
		return fmt.Errorf("reading contracts: %w", err)
	}
	// The names of all collections may not fit into memory.
	for above := int64(-1); above < last; above += introduced {
		if err := fillNames(ctx, tx, Collections{Above: above, Last: above + introduced}); err != nil {
			return err
		}
	}
	return nil
}

// introduced is the number of collections whose words [IntroduceWords] derives at once.
const introduced = 10_000

// Replace derives the rows of collections anew, in a writing transaction.
func (s State) Replace(ctx context.Context, tx *database.Tx, of Collections) error {
	values := of.where(traitvalue.FieldContractID)
	for _, gone := range []string{
		facet.Index + " WHERE value_id IN (SELECT id FROM " + traitvalue.Table + " WHERE " + values + ")", traitvalue.Table + " WHERE " + values, trait.Table + " WHERE " + values, collectionword.Table + " WHERE " + values,
	} {
		if _, err := tx.Exec(ctx, entsql.Raw("DELETE FROM "+gone)); err != nil {
			return fmt.Errorf("removing derived rows: %w", err)
		}
	}
	return s.fill(ctx, tx, of)
}
