package store

import (
	"context"
	"errors"
	"fmt"
	"mintburn/ent"
	"mintburn/ent/trait"
	"mintburn/internal/database"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"
)

// traitKey names a trait of a collection.
type traitKey struct {
	contractID int64
	trait      [16]byte
}

// countColumns are the columns of a trait that its count takes.
var countColumns = []string{trait.FieldContractID, trait.FieldTrait, trait.FieldDistinctValues}

// countTraits fills in the trait counts that the documents leave out, with
// one statement for 10,000 different traits.
func countTraits(ctx context.Context, s *Snapshot, items []*Token) error {
	missing := map[traitKey][]*Attribute{}
	var wanted pairs
	for _, t := range items {
		for i := range t.Attributes {
			a := &t.Attributes[i]
			if a.TraitCount != "" {
				continue
			}
			name, err := a.TraitType.text()
			if err != nil {
				return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
			}
			k := traitKey{t.contractID, [16]byte(hash16(name))}
			if missing[k] == nil {
				wanted.add(t.contractID, k.trait[:])
			}
			missing[k] = append(missing[k], a)
		}
	}
	var counted ent.Trait
	err := eachOf(ctx, s, statementKey{name: "traits"}, wanted, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Trait.Query().Where(part.where(trait.FieldTrait)).Select(countColumns...).Selector()
	}, func(row *database.Row) error {
		if err := counted.ReadRow(row, countColumns...); err != nil {
			return err
		}
		k := traitKey{contractID: counted.ContractID}
		copy(k.trait[:], counted.Trait)
		n := JSON(strconv.FormatUint(counted.DistinctValues, 10))
		for _, a := range missing[k] {
			a.TraitCount = n
		}
		delete(missing, k)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading trait counts: %w", err)
	}
	if len(missing) > 0 {
		return errors.New("reading trait counts: internal error: a trait is not counted")
	}
	return nil
}
