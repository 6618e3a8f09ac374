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
	"mintburn/internal/store/facet"
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
		if err := w.Client().Contract.UpdateOne(row).SetTokens(int64(n)).Exec(ctx); err != nil {
			return err
		}
		return write.SetStandards(ctx, w, row.Standards&(tables.ERC721|tables.ERC1155), row)
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

// valueCount are the numbers of attributes and tokens in the documents that have a value, or
// the number of tokens with a trait.
type valueCount struct {
	n, tokens int64
	// text is the kept text, name the name of the value in a difference.
	text, name string
	// last is the last row that was counted.
	last int64
}

// share is a part of all values: those whose hash modulo of is remainder.
type share struct{ remainder, of uint32 }

func (p share) has(v facet.Value) bool {
	hash := binary.BigEndian.Uint32([]byte(v.Trait))
	if v.Value != "" {
		hash ^= binary.BigEndian.Uint32([]byte(v.Value))
	}
	return hash%p.of == p.remainder
}

// checkTraitValues compares the stored counts of a collection's values and traits with its
// documents.
func checkTraitValues(ctx context.Context, c *checker, contractID int64) error {
	wrong := map[facet.Value]valueCount{}
	err := c.read(ctx, func(s *read.Snapshot) error {
		name := contractName(ctx, s, contractID)
		counted, err := s.Client().Contract.Query().Where(contract.ID(contractID), contract.TraitsNotNil()).Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading collection %s: %w", name, err)
		}
		if !counted {
			c.note("the tokens of the traits of collection %s are not counted yet: mintburn migrate counts them", name)
		}
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
			of := compared{contractID, name, part, counted, counts, wrong}
			if err := compareValues(ctx, c, s, of); err != nil {
				return fmt.Errorf("reading the traits of collection %s: %w", name, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return repairEach(ctx, c, slices.Collect(maps.Keys(wrong)), func(_ context.Context, w *write.Tx, v facet.Value) error {
		// Add the difference instead of setting the count: documents may have changed it since.
		w.Counts.Traits.Correct(v, wrong[v].text, wrong[v].n, wrong[v].tokens)
		return nil
	})
}

// documentValues counts the values and traits of a collection's documents that belong to a
// share. It returns false if there are more than checkValues.
func documentValues(ctx context.Context, c *checker, s *read.Snapshot, contractID int64, part share) (counts map[facet.Value]valueCount, all bool, err error) {
	counts, all = map[facet.Value]valueCount{}, true
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
			c.differ("documents: row %d: the attributes are damaged: %v"+refetched, id, err)
			return nil
		}
		count := func(v facet.Value, n int64, text string, name func() string) {
			if !part.has(v) {
				return
			}
			of, known := counts[v]
			if !known {
				of = valueCount{text: facet.Cut(text), name: name()}
			}
			if !known || of.last != id {
				of.tokens++
			}
			of.n, of.last = of.n+n, id
			counts[v] = of
		}
		for _, a := range attributes {
			v := facet.ValueOf(contractID, a)
			count(v, 1, a.Value, func() string { return fmt.Sprintf("trait %s, value %s", shortened(a.TraitType), shortened(a.Value)) })
			count(v.OfTrait(), 0, a.TraitType, func() string { return "trait " + shortened(a.TraitType) })
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

// compared are the counts of a collection's documents that compareValues compares.
type compared struct {
	contractID int64
	name       string
	part       share
	// counted means that the collection's tokens are counted.
	counted bool
	counts  map[facet.Value]valueCount
	// wrong gets the correction of each wrong count.
	wrong map[facet.Value]valueCount
}

// compareValues compares the stored counts of a share with those of the documents.
func compareValues(ctx context.Context, c *checker, s *read.Snapshot, of compared) error {
	builder := s.Tx.Builder()
	values := builder.Select(traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN, traitvalue.FieldTokens, traitvalue.FieldText).From(builder.Table(traitvalue.Table)).
		Where(entsql.EQ(traitvalue.FieldContractID, of.contractID))
	err := s.Tx.Query(ctx, values, func(row *database.Row) error {
		v := facet.Value{ContractID: of.contractID, Trait: string(row.Bytes()), Value: string(row.Bytes())}
		n, tokens, text := row.Int64(), row.Int64(), row.Text()
		if row.Err() == nil && len(v.Trait) >= 4 && len(v.Value) >= 4 {
			of.compare(c, v, n, tokens, text)
		}
		return row.Err()
	})
	if err != nil {
		return err
	}
	traits := builder.Select(trait.FieldTrait, trait.FieldTokens, trait.FieldName).From(builder.Table(trait.Table)).
		Where(entsql.EQ(trait.FieldContractID, of.contractID))
	err = s.Tx.Query(ctx, traits, func(row *database.Row) error {
		v := facet.Value{ContractID: of.contractID, Trait: string(row.Bytes())}
		tokens, text := row.Int64(), row.Text()
		if row.Err() == nil && len(v.Trait) >= 4 {
			of.compare(c, v, 0, tokens, text)
		}
		return row.Err()
	})
	for v, want := range of.counts {
		what, n := "attributes", want.n
		if v.Value == "" {
			what, n = "tokens", want.tokens
		}
		if of.counted || v.Value != "" {
			c.differ("collection %s: %s: no %s are counted, the documents have %d", of.name, want.name, what, n)
			of.correct(v, want, 0, 0)
		}
	}
	return err
}

// compare compares the stored counts of a value or a trait, and removes it from the counts.
func (of *compared) compare(c *checker, v facet.Value, n, tokens int64, text string) {
	if !of.part.has(v) {
		return
	}
	want, found := of.counts[v]
	delete(of.counts, v)
	if !found {
		want.name = fmt.Sprintf("trait 0x%x", v.Trait)
		if v.Value != "" {
			want.name += fmt.Sprintf(", value 0x%x", v.Value)
		}
	}
	isValue, right := v.Value != "", true
	differ := func(format string, args ...any) {
		right = false
		c.differ("collection %s: %s: "+format, append([]any{of.name, want.name}, args...)...)
	}
	if isValue && (n != want.n || n == 0) {
		differ("%d attributes are counted, the documents have %d", n, want.n)
	}
	if of.counted && tokens != want.tokens {
		differ("%d tokens are counted, the documents have %d", tokens, want.tokens)
	}
	if of.counted && found && text != want.text {
		differ("the text is %s, the documents have %s", shortened(text), shortened(want.text))
	}
	if !right {
		of.correct(v, want, n, tokens)
	}
}

// correct notes the correction of stored counts.
func (of *compared) correct(v facet.Value, want valueCount, n, tokens int64) {
	if want.n, want.tokens = want.n-n, want.tokens-tokens; !of.counted {
		want.tokens = 0
	}
	of.wrong[v] = want
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
		return facet.Renew(ctx, w.Client(), contractID)
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
	if err != nil {
		return err
	}
	updated, err := client.Trait.Update().Where(trait.ContractID(contractID), trait.Trait(name)).SetDistinctValues(uint64(n)).Save(ctx)
	if err != nil || updated > 0 {
		return err
	}
	return client.Trait.Create().SetContractID(contractID).SetTrait(name).SetDistinctValues(uint64(n)).Exec(ctx)
}
