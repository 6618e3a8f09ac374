package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/nft"
)

// documents are the changes that a transaction makes to the counts of token
// metadata. They are written at its end, since the tokens of a collection have
// most of their traits in common.
type documents struct {
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

func newDocuments() documents {
	return documents{tokens: map[int64]int64{}, values: map[traitValue]int64{}}
}

// count adds a token's attributes to the counts of its collection, or takes
// them out.
func (d *documents) count(contractID int64, attributes []nft.Attribute, delta int64) {
	for _, a := range attributes {
		d.values[valueOf(contractID, a)] += delta
	}
}

// flush writes the changes.
func (d *documents) flush(ctx context.Context, w *writer) error {
	client := w.store.client(w.tx)
	for id, delta := range d.tokens {
		if err := client.Contract.Update().Where(contract.ID(id)).AddTokens(delta).Exec(ctx); err != nil {
			return fmt.Errorf("counting token metadata: %w", err)
		}
	}
	// The change of the number of different values, by trait.
	traits := map[traitValue]int64{}
	for v, delta := range d.values {
		if delta == 0 {
			continue
		}
		n, err := w.countValue(ctx, v, delta)
		// Values that nothing has any more are not kept, so that one that has
		// no more than what was added is new.
		of := traitValue{contractID: v.contractID, trait: v.trait}
		switch {
		case err != nil:
		case n == delta:
			traits[of]++
		case n == 0:
			traits[of]--
			_, err = client.TraitValue.Delete().Where(traitvalue.ContractID(v.contractID),
				traitvalue.Trait([]byte(v.trait)), traitvalue.Value([]byte(v.value))).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	for t, delta := range traits {
		if delta == 0 {
			continue
		}
		if err := w.countDistinct(ctx, t.contractID, []byte(t.trait), delta); err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	return nil
}

// countValue adds to the number of attributes that have a value, and returns it.
func (w *writer) countValue(ctx context.Context, v traitValue, delta int64) (n int64, err error) {
	insert := w.store.builder().Insert(traitvalue.Table).
		Columns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN).
		Values(v.contractID, []byte(v.trait), []byte(v.value), delta).
		OnConflict(entsql.ConflictColumns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue),
			entsql.ResolveWith(func(u *entsql.UpdateSet) { u.Add(traitvalue.FieldN, delta) })).
		Returning(traitvalue.FieldN)
	return n, w.query(ctx, insert, func(scan func(...any) error) error { return scan(&n) })
}

func (w *writer) countDistinct(ctx context.Context, contractID int64, name []byte, delta int64) error {
	client := w.store.client(w.tx).Trait
	n, err := client.Update().Where(trait.ContractID(contractID), trait.Trait(name)).AddDistinctValues(delta).Save(ctx)
	if err != nil || n > 0 {
		return err
	}
	return client.Create().SetContractID(contractID).SetTrait(name).SetDistinctValues(uint64(delta)).Exec(ctx)
}
