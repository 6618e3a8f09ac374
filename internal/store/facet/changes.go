package facet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Changes are the changes of a transaction to the counts of attributes and tokens. They are
// written at its end, because the tokens of a collection share most traits.
type Changes struct {
	// Counted is the walk that counts the tokens, nil if all are counted.
	Counted *Walk
	// Index is the walk that builds the index of tokens, nil if there is no index.
	Index *Walk
	// values have the changes by value, traits those by trait.
	values, traits map[Value]*change
	// seen are the values and traits of the current token.
	seen map[Value]struct{}
}

// change is the change to the counts of a value or a trait: the number of its attributes, or
// of its distinct values, and the number of its tokens.
type change struct {
	n, tokens int64
	text      string
	// entries are the changes to the index of tokens: 1 adds an entry, -1 removes it.
	entries map[evm.Uint256]int64
}

// changes reports whether there is anything to write.
func (c *change) changes() bool {
	return c.n != 0 || c.tokens != 0 || len(c.entries) > 0
}

// enter changes the entry of a token.
func (c *change) enter(token evm.Uint256, delta int64) {
	if c.entries == nil {
		c.entries = map[evm.Uint256]int64{}
	}
	if c.entries[token] += delta; c.entries[token] == 0 {
		delete(c.entries, token)
	}
}

// NewChanges returns no changes.
func NewChanges() Changes {
	return Changes{values: map[Value]*change{}, traits: map[Value]*change{}, seen: map[Value]struct{}{}}
}

// Add adds a token's attributes to the counts (delta 1) or subtracts them (delta -1).
func (c *Changes) Add(token tables.TokenKey, attributes []nft.Attribute, delta int64) {
	tokens, entries := delta, delta
	if !c.Counted.passed(token) {
		tokens = 0
	}
	if c.Index == nil || !c.Index.passed(token) {
		entries = 0
	}
	c.add(token, attributes, delta, tokens, entries)
}

// add adds n to the number of attributes for each attribute, tokens to the number of tokens
// for each value and each trait, and entries to the entry of the token for each value.
func (c *Changes) add(token tables.TokenKey, attributes []nft.Attribute, n, tokens, entries int64) {
	clear(c.seen)
	once := func(changes map[Value]*change, v Value, text string) (of *change, again bool) {
		if of = changes[v]; of == nil {
			of = &change{text: Cut(text)}
			changes[v] = of
		}
		if _, again = c.seen[v]; !again {
			c.seen[v] = struct{}{}
			of.tokens += tokens
		}
		return of, again
	}
	for _, a := range attributes {
		v := ValueOf(token.ContractID, a)
		of, again := once(c.values, v, a.Value)
		if of.n += n; !again && entries != 0 {
			of.enter(token.TokenID, entries)
		}
		once(c.traits, v.OfTrait(), a.TraitType)
	}
}

// Flush writes the changes. It returns the changes to the number of traits, by collection.
func (c *Changes) Flush(ctx context.Context, tx *database.Tx, client *ent.Client) (traits map[int64]int64, err error) {
	var values, changed []Value
	for v, of := range c.values {
		if of.changes() {
			values = append(values, v)
		}
	}
	// Each row has six values.
	for part := range slices.Chunk(values, tables.MaxArgs/6) {
		if err := c.addToValues(ctx, tx, client, part); err != nil {
			return nil, fmt.Errorf("counting traits: %w", err)
		}
	}
	for v, of := range c.traits {
		if of.changes() {
			changed = append(changed, v)
		}
	}
	traits = map[int64]int64{}
	for part := range slices.Chunk(changed, tables.MaxArgs/5) {
		if err := c.addToTraits(ctx, tx, part, traits); err != nil {
			return nil, fmt.Errorf("counting traits: %w", err)
		}
	}
	return traits, c.renew(ctx, client, changed)
}

// addToValues changes the counts of values, and adds the resulting changes to the numbers of
// distinct values to their traits.
func (c *Changes) addToValues(ctx context.Context, tx *database.Tx, client *ent.Client, values []Value) error {
	insert := tx.Builder().Insert(traitvalue.Table).
		Columns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN, traitvalue.FieldTokens, traitvalue.FieldText)
	for _, v := range values {
		of := c.values[v]
		insert.Values(v.ContractID, []byte(v.Trait), []byte(v.Value), of.n, of.tokens, of.text)
	}
	insert.OnConflict(entsql.ConflictColumns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue), addExcluded(traitvalue.Table, traitvalue.FieldText, traitvalue.FieldN, traitvalue.FieldTokens)).
		Returning(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN, traitvalue.FieldID)
	var unused []int
	var index entries
	err := tx.Query(ctx, insert, func(row *database.Row) error {
		var v Value
		var name, value []byte
		var n, id int64
		if err := row.Values(&v.ContractID, &name, &value, &n, &id); err != nil {
			return err
		}
		v.Trait, v.Value = string(name), string(value)
		index.add(id, c.values[v].entries)
		// Values with a count of 0 are deleted, so a value whose count equals the
		// change is new.
		switch of := c.values[v]; {
		case n == 0:
			unused = append(unused, int(id))
			if of.n != 0 {
				c.traits[v.OfTrait()].n--
			}
		case n == of.n:
			c.traits[v.OfTrait()].n++
		}
		return nil
	})
	if err == nil && len(unused) > 0 {
		_, err = client.TraitValue.Delete().Where(traitvalue.IDIn(unused...)).Exec(ctx)
	}
	if err != nil {
		return err
	}
	return index.write(ctx, tx)
}

// addToTraits changes the counts of traits, and adds the resulting changes to the numbers of
// traits by collection to traits.
func (c *Changes) addToTraits(ctx context.Context, tx *database.Tx, changed []Value, traits map[int64]int64) error {
	insert := tx.Builder().Insert(trait.Table).Columns(trait.FieldContractID, trait.FieldTrait, trait.FieldDistinctValues, trait.FieldTokens, trait.FieldName)
	for _, v := range changed {
		of := c.traits[v]
		insert.Values(v.ContractID, []byte(v.Trait), of.n, of.tokens, of.text)
	}
	insert.OnConflict(entsql.ConflictColumns(trait.FieldContractID, trait.FieldTrait), addExcluded(trait.Table, trait.FieldName, trait.FieldDistinctValues, trait.FieldTokens)).
		Returning(trait.FieldContractID, trait.FieldTrait, trait.FieldTokens)
	return tx.Query(ctx, insert, func(row *database.Row) error {
		var v Value
		var name []byte
		var tokens int64
		if err := row.Values(&v.ContractID, &name, &tokens); err != nil {
			return err
		}
		v.Trait = string(name)
		switch of := c.traits[v]; {
		case of.tokens == 0:
		case tokens == 0:
			traits[v.ContractID]--
		case tokens == of.tokens:
			traits[v.ContractID]++
		}
		return nil
	})
}

// addExcluded sets the text of an existing row, and adds the counts of the row to insert to
// its counts.
func addExcluded(table, text string, counts ...string) entsql.ConflictOption {
	return entsql.ResolveWith(func(u *entsql.UpdateSet) {
		for _, column := range counts {
			u.Set(column, entsql.Raw(table+"."+column+" + excluded."+column))
		}
		u.SetExcluded(text)
	})
}

// renew gives the traits of collections a new version if a number of distinct values changed.
func (c *Changes) renew(ctx context.Context, client *ent.Client, changed []Value) error {
	var ids []int64
	for _, v := range changed {
		if c.traits[v].n != 0 {
			ids = append(ids, v.ContractID)
		}
	}
	slices.Sort(ids)
	for part := range slices.Chunk(slices.Compact(ids), tables.MaxArgs/2) {
		if err := client.Contract.Update().Where(contract.IDIn(part...)).SetTraitsVersion(rand.Int64()).Exec(ctx); err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	return nil
}
