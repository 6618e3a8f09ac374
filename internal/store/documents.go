package store

import (
	"context"
	"fmt"

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

func newDocuments() documents {
	return documents{tokens: map[int64]int64{}, values: map[traitValue]int64{}}
}

// count adds a token's attributes to the counts of its collection, or takes
// them out.
func (d *documents) count(contractID int64, attributes []nft.Attribute, delta int64) {
	for _, a := range attributes {
		d.values[traitValue{contractID, string(hash16(a.TraitType)), string(hash16(a.Value))}] += delta
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
		row, err := client.TraitValue.Query().Where(traitvalue.ContractID(v.contractID),
			traitvalue.Trait([]byte(v.trait)), traitvalue.Value([]byte(v.value))).Only(ctx)
		of := traitValue{contractID: v.contractID, trait: v.trait}
		switch {
		case isNotFound(err):
			traits[of]++
			err = client.TraitValue.Create().SetContractID(v.contractID).SetTrait([]byte(v.trait)).SetValue([]byte(v.value)).SetN(delta).Exec(ctx)
		case err != nil:
		case row.N+delta == 0:
			traits[of]--
			err = client.TraitValue.DeleteOne(row).Exec(ctx)
		default:
			err = client.TraitValue.UpdateOne(row).AddN(delta).Exec(ctx)
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

func (w *writer) countDistinct(ctx context.Context, contractID int64, name []byte, delta int64) error {
	client := w.store.client(w.tx).Trait
	n, err := client.Update().Where(trait.ContractID(contractID), trait.Trait(name)).AddDistinctValues(delta).Save(ctx)
	if err != nil || n > 0 {
		return err
	}
	return client.Create().SetContractID(contractID).SetTrait(name).SetDistinctValues(delta).Exec(ctx)
}
