package write

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/derived"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// counts collects the changes of a transaction to the counts of tokens and their metadata.
// They are written at its end, because the tokens of a collection share most traits.
type counts struct {
	// contracts are the changes by collection.
	contracts map[int64]*contractCounts
	// tried is 1 for a token that became tried, and -1 for one that no longer is. See
	// package derived.
	tried map[tables.TokenKey]int64
	// Derived are the collections whose counts must be derived from their rows.
	Derived map[int64]struct{}
	// Values are the changes to the number of attributes, by value.
	Values map[TraitValue]int64
}

// TraitValue identifies one value of one trait of a collection by the hashes of both.
type TraitValue struct {
	ContractID   int64
	Trait, Value string
}

// ValueOf returns the value of a token's attribute.
func ValueOf(contractID int64, a nft.Attribute) TraitValue {
	return TraitValue{contractID, string(tables.Hash16(a.TraitType)), string(tables.Hash16(a.Value))}
}

func newCounts() counts {
	return counts{contracts: map[int64]*contractCounts{}, tried: map[tables.TokenKey]int64{}, Derived: map[int64]struct{}{}, Values: map[TraitValue]int64{}}
}

// add adds a token's attributes to the counts (delta 1) or subtracts them (delta -1).
func (c *counts) add(contractID int64, attributes []nft.Attribute, delta int64) {
	for _, a := range attributes {
		c.Values[ValueOf(contractID, a)] += delta
	}
}

// of returns the changes to the counts of a collection.
func (c *counts) of(contractID int64) *contractCounts {
	if c.contracts[contractID] == nil {
		c.contracts[contractID] = new(contractCounts)
	}
	return c.contracts[contractID]
}

// flushContracts writes the changes to the counts of collections. The records must not have
// changed since the changes were collected.
func (c *counts) flushContracts(ctx context.Context, tx *database.Tx, loading bool) error {
	if err := c.addRecordless(ctx, tx, loading); err != nil {
		return err
	}
	var ids []int64
	columns, excess := make([][]int64, 8), map[int64][2]counter.Amount{}
	for _, id := range slices.Sorted(maps.Keys(c.contracts)) {
		n := *c.contracts[id]
		if n == (contractCounts{}) {
			continue
		}
		ids = append(ids, id)
		for i, v := range [...]int64{n.documents, n.tokens, n.resolved, n.pending, n.failed, n.recordless, n.records[nft.Mint].N, n.records[nft.Burn].N} {
			columns[i] = append(columns[i], v)
		}
		if more := [2]counter.Amount{n.records[nft.Mint].Excess(), n.records[nft.Burn].Excess()}; more != [2]counter.Amount{} {
			excess[id] = more
		}
	}
	clear(c.contracts)
	if len(ids) == 0 {
		return nil
	}
	err := derived.Update(ctx, tx, query.Arrays{ids, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], columns[6], columns[7]},
		"tokens = tokens + k.v1, token_count = token_count + k.v2, resolved = resolved + k.v3, pending = pending + k.v4, failed = failed + k.v5, "+
			"recordless = recordless + k.v6, mint_count = mint_count + k.v7, burn_count = burn_count + k.v8")
	if err != nil {
		return fmt.Errorf("counting the records and documents of collections: %w", err)
	}
	return derived.AddExcess(ctx, tx, excess)
}

// addRecordless counts the tokens without records that became tried or no longer are.
func (c *counts) addRecordless(ctx context.Context, tx *database.Tx, loading bool) error {
	defer clear(c.tried)
	if loading {
		return nil
	}
	var keys []tables.TokenKey
	for key, delta := range c.tried {
		if delta != 0 {
			keys = append(keys, key)
		}
	}
	none, err := withoutRecords(ctx, tx, keys)
	for _, key := range none {
		c.of(key.ContractID).recordless += c.tried[key]
	}
	return err
}

// flush writes the changes.
func (c *counts) flush(ctx context.Context, tx *database.Tx, client *ent.Client, loading bool) error {
	if err := c.flushContracts(ctx, tx, loading); err != nil {
		return err
	}
	if err := derived.Some(ctx, tx, slices.Sorted(maps.Keys(c.Derived)), loading); err != nil {
		return err
	}
	var values []TraitValue
	for v, delta := range c.Values {
		if delta != 0 {
			values = append(values, v)
		}
	}
	// The changes to the number of distinct values, by trait.
	traits := map[TraitValue]int64{}
	// Each row has four values.
	for part := range slices.Chunk(values, tables.MaxArgs/4) {
		if err := c.addToValues(ctx, tx, client, part, traits); err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	return addDistinct(ctx, tx, client, traits)
}

// addToValues changes the numbers of attributes with these values, and adds the resulting
// changes to the numbers of distinct values to traits.
func (c *counts) addToValues(ctx context.Context, tx *database.Tx, client *ent.Client, values []TraitValue, traits map[TraitValue]int64) error {
	insert := tx.Builder().Insert(traitvalue.Table).Columns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN)
	for _, v := range values {
		insert.Values(v.ContractID, []byte(v.Trait), []byte(v.Value), c.Values[v])
	}
	insert.OnConflict(entsql.ConflictColumns(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue), addExcluded(traitvalue.Table, traitvalue.FieldN)).
		Returning(traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN)
	var unused []TraitValue
	err := tx.Query(ctx, insert, func(row *database.Row) error {
		var v TraitValue
		var name, value []byte
		var n int64
		if err := row.Values(&v.ContractID, &name, &value, &n); err != nil {
			return err
		}
		of := TraitValue{ContractID: v.ContractID, Trait: string(name)}
		v.Trait, v.Value = of.Trait, string(value)
		// Values with a count of 0 are deleted, so a value whose count equals the
		// change is new.
		switch n {
		case c.Values[v]:
			traits[of]++
		case 0:
			traits[of]--
			unused = append(unused, v)
		}
		return nil
	})
	for i := 0; i < len(unused) && err == nil; i++ {
		_, err = client.TraitValue.Delete().Where(unused[i].Row()...).Exec(ctx)
	}
	return err
}

// addExcluded adds the value of the row to insert to the column of the existing row.
func addExcluded(table, column string) entsql.ConflictOption {
	return entsql.ResolveWith(func(u *entsql.UpdateSet) {
		u.Set(column, entsql.Raw(table+"."+column+" + excluded."+column))
	})
}

// addDistinct changes the numbers of distinct values of traits, and gives the traits of
// their collections a new version.
func addDistinct(ctx context.Context, tx *database.Tx, client *ent.Client, traits map[TraitValue]int64) error {
	into, changed := tx.Inserter(trait.Table, database.GeneratedID(trait.Columns)), map[int64]struct{}{}
	into.Conflict = []entsql.ConflictOption{entsql.ConflictColumns(trait.FieldContractID, trait.FieldTrait), addExcluded(trait.Table, trait.FieldDistinctValues)}
	for t, delta := range traits {
		if delta == 0 {
			continue
		}
		changed[t.ContractID] = struct{}{}
		if err := into.Add(ctx, &ent.Trait{ContractID: t.ContractID, Trait: []byte(t.Trait), DistinctValues: uint64(delta)}); err != nil {
			return err
		}
	}
	if err := into.Flush(ctx); err != nil {
		return err
	}
	return RenewTraits(ctx, client, slices.Collect(maps.Keys(changed))...)
}

// RenewTraits gives the traits of collections a new version, because their numbers of
// distinct values changed.
func RenewTraits(ctx context.Context, client *ent.Client, contractIDs ...int64) error {
	for part := range slices.Chunk(contractIDs, tables.MaxArgs/2) {
		if err := client.Contract.Update().Where(contract.IDIn(part...)).SetTraitsVersion(rand.Int64()).Exec(ctx); err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
	}
	return nil
}

// Row selects the row of a value.
func (v TraitValue) Row() []predicate.TraitValue {
	return []predicate.TraitValue{traitvalue.ContractID(v.ContractID), traitvalue.Trait([]byte(v.Trait)), traitvalue.Value([]byte(v.Value))}
}
