package store

import (
	"context"
	"fmt"
	"math/rand/v2"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/nft"
)

// counts are the changes that a transaction makes to the counts of token
// metadata. They are written at its end, since the tokens of a collection have
// most of their traits in common.
type counts struct {
	// tokens is the change of the number of documents, by collection.
	tokens map[int64]int64
	// values is the change of the number of attributes, by value.
	values map[traitValue]int64
}

// traitValue names one value of one trait of a collection, by their hashes.
type traitValue struct {
	contractID   int64
	trait, value string
}

func valueOf(contractID int64, a nft.Attribute) traitValue {
	return traitValue{contractID, string(hash16(a.TraitType)), string(hash16(a.Value))}
}

func newCounts() counts {
	return counts{tokens: map[int64]int64{}, values: map[traitValue]int64{}}
}

// add counts a token's attributes (delta 1), or removes them from the counts (delta
// -1).
func (c *counts) add(contractID int64, attributes []nft.Attribute, delta int64) {
	for _, a := range attributes {
		c.values[valueOf(contractID, a)] += delta
	}
}

// flush writes the changes.
func (c *counts) flush(ctx context.Context, tx *database.Tx, client *ent.Client) error {
	for id, delta := range c.tokens {
		if err := client.Contract.Update().Where(contract.ID(id)).AddTokens(delta).Exec(ctx); err != nil {
			return fmt.Errorf("counting token metadata: %w", err)
		}
	}
	// The change of the number of different values, by trait.
	traits := map[traitValue]int64{}
	for v, delta := range c.values {
		if delta == 0 {
			continue
		}
		n, err := addToValue(ctx, tx, v, delta)
		// A value whose count falls to 0 is removed: one whose count is what was
		// added is new.
		of := traitValue{contractID: v.contractID, trait: v.trait}
		switch {
		case err != nil:
		case n == delta:
			traits[of]++
		case n == 0:
			traits[of]--
			_, err = client.TraitValue.Delete().Where(v.row()...).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	changed := map[int64]struct{}{}
	for t, delta := range traits {
		if delta == 0 {
			continue
		}
		changed[t.contractID] = struct{}{}
		if err := addDistinct(ctx, client, t.contractID, []byte(t.trait), delta); err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	for id := range changed {
		if err := renewTraits(ctx, client, id); err != nil {
			return err
		}
	}
	return nil
}

// renewTraits gives the traits of a collection, whose numbers of different values
// have changed, another version.
func renewTraits(ctx context.Context, client *ent.Client, contractID int64) error {
	err := client.Contract.Update().Where(contract.ID(contractID)).SetTraitsVersion(rand.Int64()).Exec(ctx)
	return database.Wrap(err, "counting traits")
}

// row selects the row of a value.
func (v traitValue) row() []predicate.TraitValue {
	return []predicate.TraitValue{traitvalue.ContractID(v.contractID), traitvalue.Trait([]byte(v.trait)), traitvalue.Value([]byte(v.value))}
}

// addToValue adds to the number of attributes that have a value, and returns it.
func addToValue(ctx context.Context, tx *database.Tx, v traitValue, delta int64) (n int64, err error) {
	insert := tx.Builder().Insert(traitvalue.Table).
		Columns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN).
		Values(v.contractID, []byte(v.trait), []byte(v.value), delta).
		OnConflict(entsql.ConflictColumns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue),
			entsql.ResolveWith(func(u *entsql.UpdateSet) { u.Add(traitvalue.FieldN, delta) })).
		Returning(traitvalue.FieldN)
	return n, tx.Query(ctx, insert, func(row *database.Row) error { return row.Values(&n) })
}

func addDistinct(ctx context.Context, client *ent.Client, contractID int64, name []byte, delta int64) error {
	n, err := client.Trait.Update().Where(trait.ContractID(contractID), trait.Trait(name)).AddDistinctValues(delta).Save(ctx)
	if err != nil || n > 0 {
		return err
	}
	return client.Trait.Create().SetContractID(contractID).SetTrait(name).SetDistinctValues(uint64(delta)).Exec(ctx)
}
