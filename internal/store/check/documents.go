package check

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/token"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/document"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// checkContracts checks the document counts and trait counts of all collections.
func checkContracts(ctx context.Context, c *checker) error {
	var ids []int64
	err := c.pages(ctx, contract.Table, func(s *read.Snapshot, above, last int64) error {
		more, err := documentCounts(ctx, c, s, above, last)
		ids = append(ids, more...)
		return database.Wrap(err, "counting documents")
	})
	for i := 0; i < len(ids) && err == nil; i++ {
		if err = checkTraitValues(ctx, c, ids[i]); err == nil {
			err = checkTraits(ctx, c, ids[i])
		}
	}
	return err
}

// documentCounts checks the document counts and standards of a page of contracts, and
// returns the contracts that have documents or traits.
func documentCounts(ctx context.Context, c *checker, s *read.Snapshot, above, last int64) (ids []int64, err error) {
	builder := s.Tx.Builder()
	contracts := builder.Table(contract.Table)
	number := func(table, column string) entsql.Querier {
		of := builder.Table(table).As("counted")
		count := builder.Select(entsql.Count("*")).From(of).Where(entsql.ColumnsEQ(of.C(column), contracts.C(contract.FieldID)))
		return entsql.ExprFunc(func(b *entsql.Builder) { b.Wrap(func(b *entsql.Builder) { b.Join(count) }) })
	}
	some := func(table, column string) entsql.Querier {
		of := builder.Table(table).As("some")
		exists := entsql.Exists(builder.Select(of.C("id")).From(of).Where(entsql.ColumnsEQ(of.C(column), contracts.C(contract.FieldID))))
		return entsql.ExprFunc(func(b *entsql.Builder) { b.WriteString("CASE WHEN ").Join(exists).WriteString(" THEN 1 ELSE 0 END") })
	}
	page := builder.Select(contracts.Columns(contract.FieldID, contract.FieldStandards, contract.FieldTokens)...).
		AppendSelectExpr(number(token.Table, token.FieldContractID), some(trait.Table, trait.FieldContractID), some(traitvalue.Table, traitvalue.FieldContractID)).
		From(contracts).Where(entsql.And(entsql.GT(contracts.C(contract.FieldID), above), entsql.LTE(contracts.C(contract.FieldID), last))).
		OrderBy(contracts.C(contract.FieldID))
	type wrong struct{ id, standards, noted, stored int64 }
	var list []wrong
	err = s.Tx.Query(ctx, page, func(row *database.Row) error {
		w := wrong{row.Int64(), row.Int64(), row.Int64(), row.Int64()}
		if counted := row.Int64() + row.Int64(); w.stored > 0 || counted > 0 {
			ids = append(ids, w.id)
		}
		if w.noted != w.stored || w.standards < 0 || w.standards > tables.ERC721|tables.ERC1155 {
			list = append(list, w)
		}
		return row.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		name := contractName(ctx, s, w.id)
		if w.noted != w.stored {
			c.differ("collection %s: %d documents are counted, %d are stored", name, w.noted, w.stored)
		}
		if w.standards < 0 || w.standards > tables.ERC721|tables.ERC1155 {
			c.differ("collection %s: its standards are %d, want 0 to %d", name, w.standards, tables.ERC721|tables.ERC1155)
		}
	}
	return ids, repairEach(ctx, c, list, func(ctx context.Context, w *write.Tx, one wrong) error {
		row, err := w.Client().Contract.Get(ctx, one.id)
		if err != nil {
			return err
		}
		n, err := w.Client().Token.Query().Where(token.ContractID(one.id)).Count(ctx)
		if err != nil {
			return err
		}
		return w.Client().Contract.UpdateOne(row).SetTokens(int64(n)).SetStandards(row.Standards & (tables.ERC721 | tables.ERC1155)).Exec(ctx)
	})
}

// checkDocuments checks the stored text lengths of documents, which decide whether the
// texts are read together with a page.
func checkDocuments(ctx context.Context, c *checker) error {
	return c.pages(ctx, token.Table, func(s *read.Snapshot, above, last int64) error {
		columns := []string{token.FieldID, token.FieldContractID, token.FieldTokenID, token.FieldTextBytes}
		rows, err := s.Client().Token.Query().Where(token.IDGT(int(above)), token.IDLTE(int(last)), wrongTextBytes).
			Order(token.ByID()).Select(columns...).All(ctx)
		if err != nil {
			return fmt.Errorf("reading documents: %w", err)
		}
		for _, row := range rows {
			c.differ("token %s of collection %s: its texts are noted with %d bytes and have others", row.TokenID, contractName(ctx, s, row.ContractID), row.TextBytes)
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *write.Tx, row *ent.Token) error {
			return w.Client().Token.Update().Where(token.ID(row.ID), wrongTextBytes).
				Modify(func(u *entsql.UpdateBuilder) {
					u.Set(token.FieldTextBytes, entsql.ExprFunc(func(b *entsql.Builder) { b.WriteString(document.BytesOf(read.TextColumns[:], b.Quote)) }))
				}).Exec(ctx)
		})
	})
}

// wrongTextBytes selects documents whose texts have a length other than the stored one.
func wrongTextBytes(s *entsql.Selector) {
	s.Where(entsql.P(func(b *entsql.Builder) {
		b.WriteString(s.C(token.FieldTextBytes) + " <> " + document.BytesOf(read.TextColumns[:], s.C))
	}))
}

// checkValues is how many trait values a check counts at once. The documents of a
// collection with more values are read several times.
const checkValues = 200_000

// valueCount is the number of attributes in the documents that have a value, and the name
// of the value in a difference.
type valueCount struct {
	n    int64
	name string
}

// share is a part of all values: those whose hash modulo of is remainder.
type share struct{ remainder, of uint32 }

func (p share) has(v write.TraitValue) bool {
	return (binary.BigEndian.Uint32([]byte(v.Trait))^binary.BigEndian.Uint32([]byte(v.Value)))%p.of == p.remainder
}

// checkTraitValues compares the stored value counts of a collection with its documents.
func checkTraitValues(ctx context.Context, c *checker, contractID int64) error {
	wrong := map[write.TraitValue]int64{}
	err := c.read(ctx, func(s *read.Snapshot) error {
		name := contractName(ctx, s, contractID)
		for shares := []share{{0, 1}}; len(shares) > 0; {
			part := shares[0]
			shares = shares[1:]
			counts, all, err := documentValues(ctx, c, s, contractID, part)
			if err != nil {
				return fmt.Errorf("reading the documents of collection %s: %w", name, err)
			}
			if !all {
				shares = append(shares, share{part.remainder, 2 * part.of}, share{part.remainder + part.of, 2 * part.of})
				continue
			}
			if err := compareValues(ctx, c, s, contractID, name, part, counts, wrong); err != nil {
				return fmt.Errorf("reading the traits of collection %s: %w", name, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return repairEach(ctx, c, slices.Collect(maps.Keys(wrong)), func(ctx context.Context, w *write.Tx, v write.TraitValue) error {
		// Add the difference instead of setting the count: documents may have changed it since.
		if w.Counts.Values[v] = wrong[v]; wrong[v] != 0 {
			return nil
		}
		_, err := w.Client().TraitValue.Delete().Where(v.Row()...).Where(traitvalue.N(0)).Exec(ctx)
		return err
	})
}

// documentValues counts the values of a collection's documents that belong to a share. It
// returns false if there are more than checkValues.
func documentValues(ctx context.Context, c *checker, s *read.Snapshot, contractID int64, part share) (counts map[write.TraitValue]valueCount, all bool, err error) {
	counts, all = map[write.TraitValue]valueCount{}, true
	builder := s.Tx.Builder()
	documents := builder.Select(token.FieldID, token.FieldAttributes).From(builder.Table(token.Table)).Where(entsql.EQ(token.FieldContractID, contractID))
	rows := int64(0)
	err = s.Tx.Query(ctx, documents, func(row *database.Row) error {
		id, text := row.Int64(), row.Text()
		if rows++; row.Err() != nil || !all {
			return row.Err()
		}
		var attributes []nft.Attribute
		if err := json.Unmarshal([]byte(text), &attributes); err != nil {
			c.differ("documents: row %d: the attributes are damaged: %v", id, err)
			return nil
		}
		for _, a := range attributes {
			v := write.ValueOf(contractID, a)
			if !part.has(v) {
				continue
			}
			of, known := counts[v]
			if !known {
				of.name = fmt.Sprintf("trait %s, value %s", shortened(a.TraitType), shortened(a.Value))
			}
			of.n++
			counts[v] = of
		}
		all = len(counts) <= checkValues
		return nil
	})
	c.compared(rows)
	return counts, all, err
}

// shortened quotes the beginning of a text.
func shortened(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// compareValues compares the stored counts of a share with those of the documents, and
// adds the correction of each wrong count to wrong.
func compareValues(ctx context.Context, c *checker, s *read.Snapshot, contractID int64, name string, part share, counts map[write.TraitValue]valueCount, wrong map[write.TraitValue]int64) error {
	builder := s.Tx.Builder()
	stored := builder.Select(traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN).From(builder.Table(traitvalue.Table)).
		Where(entsql.EQ(traitvalue.FieldContractID, contractID))
	err := s.Tx.Query(ctx, stored, func(row *database.Row) error {
		v := write.TraitValue{ContractID: contractID}
		v.Trait, v.Value = string(row.Bytes()), string(row.Bytes())
		n := row.Int64()
		if row.Err() != nil {
			return row.Err()
		}
		if len(v.Trait) < 4 || len(v.Value) < 4 || !part.has(v) {
			return nil
		}
		of, found := counts[v]
		delete(counts, v)
		if !found {
			of.name = fmt.Sprintf("trait 0x%x, value 0x%x", v.Trait, v.Value)
		}
		if n != of.n || n == 0 {
			c.differ("collection %s: %s: %d attributes are counted, the documents have %d", name, of.name, n, of.n)
			wrong[v] = of.n - n
		}
		return nil
	})
	if err != nil {
		return err
	}
	for v, of := range counts {
		c.differ("collection %s: %s: no attributes are counted, the documents have %d", name, of.name, of.n)
		wrong[v] = of.n
	}
	return nil
}

// checkTraits compares the stored number of distinct values of each trait with its values.
func checkTraits(ctx context.Context, c *checker, contractID int64) error {
	var wrong [][]byte
	err := c.read(ctx, func(s *read.Snapshot) error {
		name := contractName(ctx, s, contractID)
		return s.Tx.Query(ctx, wrongTraits(s.Tx.Builder(), contractID), func(row *database.Row) error {
			of, counted, stored := slices.Clone(row.Bytes()), row.Int64(), row.Int64()
			if row.Err() == nil {
				c.differ("collection %s: trait 0x%x: %d different values are counted, %d are stored", name, of, counted, stored)
				wrong = append(wrong, of)
			}
			return row.Err()
		})
	})
	if err != nil {
		return fmt.Errorf("counting traits: %w", err)
	}
	return repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, name []byte) error {
		if err := recountTrait(ctx, w.Client(), contractID, name); err != nil {
			return fmt.Errorf("counting traits: %w", err)
		}
		return write.RenewTraits(ctx, w.Client(), contractID)
	})
}

// wrongTraits selects the traits of a collection whose counter of distinct values differs
// from the number of stored values: the trait, and both numbers.
func wrongTraits(builder *entsql.DialectBuilder, contractID int64) *entsql.Selector {
	traits := builder.Select(trait.FieldTrait, trait.FieldDistinctValues).From(builder.Table(trait.Table)).
		Where(entsql.EQ(trait.FieldContractID, contractID)).As("counted")
	values := builder.Select(traitvalue.FieldTrait).AppendSelectAs(entsql.Count("*"), traitvalue.FieldN).From(builder.Table(traitvalue.Table)).
		Where(entsql.EQ(traitvalue.FieldContractID, contractID)).GroupBy(traitvalue.FieldTrait).As("stored")
	either := func(column, other string) entsql.Querier {
		return entsql.Raw("COALESCE(" + column + ", " + other + ")")
	}
	counted, stored := either(traits.C(trait.FieldDistinctValues), "0"), either(values.C(traitvalue.FieldN), "0")
	return builder.Select().AppendSelectExpr(either(traits.C(trait.FieldTrait), values.C(traitvalue.FieldTrait)), counted, stored).
		From(traits).FullJoin(values).On(traits.C(trait.FieldTrait), values.C(traitvalue.FieldTrait)).
		Where(entsql.P(func(b *entsql.Builder) { b.Join(counted).WriteOp(entsql.OpNEQ).Join(stored) }))
}

// recountTrait recounts the distinct values of a trait.
func recountTrait(ctx context.Context, client *ent.Client, contractID int64, name []byte) error {
	n, err := client.TraitValue.Query().Where(traitvalue.ContractID(contractID), traitvalue.Trait(name)).Count(ctx)
	if err == nil {
		_, err = client.Trait.Delete().Where(trait.ContractID(contractID), trait.Trait(name)).Exec(ctx)
	}
	if err != nil {
		return err
	}
	return client.Trait.Create().SetContractID(contractID).SetTrait(name).SetDistinctValues(uint64(n)).Exec(ctx)
}
